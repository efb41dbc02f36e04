"""`claw report`."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--profile", type=click.Choice(["published", "macro", "v1"]), default="published", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(run: Path, profile: str, as_json: bool) -> int:
    """Show a run folder in the terminal and write its page report.html.

    Exit code 1 when rounds are unscored or missing.
    """
    from claw_adapter.api.results import open_run
    from claw_adapter.cli.show import show

    return show(open_run(run), profile, as_json=as_json)
