"""`claw report`."""

from __future__ import annotations

from pathlib import Path

import click

from claw_adapter.cli.common import FAILED, console, print_json

__all__ = ["command"]


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--profile", type=click.Choice(["published", "macro", "v1"]), default="published", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(run: Path, profile: str, as_json: bool) -> int:
    """Show a run folder in the terminal and write its page report.html.

    Exit code 1 when rounds are unscored or missing.
    """
    from claw_adapter.report import render, summarise_folder

    summary, page = summarise_folder(run, profile)
    if as_json:
        print_json(summary.model_dump(mode="json"))
    else:
        render(summary, console(), page)
    return 0 if summary.complete else FAILED
