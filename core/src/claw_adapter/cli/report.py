"""`claw report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from claw_adapter.scoring import MetricSet

__all__ = ["command"]


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--metric-set", type=click.Choice(["published", "macro", "v1"]), default="published", show_default=True)
@click.option("--by", multiple=True, metavar="TAG[,TAG]", help="Print the scores by tag instead; several are crossed.")
@click.option(
    "--round",
    "which",
    metavar="SCENARIO[/ROUND]",
    help="Print rounds instead: prompt, commands, last words, judgement.",
)
@click.option("--all", "whole", is_flag=True, help="Print all tables and notes, not only what a screen holds.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary, or the breakdowns, as JSON.")
def command(run: Path, metric_set: str, by: tuple[str, ...], which: str | None, whole: bool, as_json: bool) -> int:
    """Show a run folder in the terminal and write its page report.html.

    Exit code 1 when rounds are unscored or missing. With --by or --round nothing is written, and the exit code is 0.
    """
    from claw_adapter.api.results import open_run
    from claw_adapter.cli.show import show, show_breakdowns, show_rounds

    if which is not None:
        if by or as_json or whole:
            raise click.UsageError("--round goes with none of --by, --all and --json.")
        return show_rounds(open_run(run), which)
    if by:
        return show_breakdowns(open_run(run), by, cast("MetricSet", metric_set), as_json=as_json)
    return show(open_run(run), metric_set, as_json=as_json, whole=whole)
