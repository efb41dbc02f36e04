"""`claw score`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from claw_adapter.cli.common import FAILED, print_json

__all__ = ["command"]


@click.command("score")
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--data", multiple=True, help="Where the scenarios are now; default: as the run was started with.")
@click.option("--isolation", type=click.IntRange(0, 2), default=None, help="For the checks; default: as in the run.")
@click.option("--profile", type=click.Choice(["published", "macro", "v1"]), default="published", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(run: Path, data: tuple[str, ...], isolation: int | None, profile: str, as_json: bool) -> int:
    """Score a run folder again from its answers and snapshots, with no model and no harness.

    Says which rounds come out differently from what the journal holds (exit code 1), and prints the metrics.
    """
    from claw_adapter.cli.show import show
    from claw_adapter.report.rescore import rescore

    result = asyncio.run(rescore(run, data, isolation=isolation))
    if as_json:
        print_json(
            {"rounds": result.rounds, "differences": [difference.as_json() for difference in result.differences]}
        )
    else:
        show(result.run, profile, as_json=False, page=False)
        for difference in result.differences:
            click.echo(difference)
        click.echo(f"{result.rounds} rounds scored again, {len(result.differences)} differ from the journal")
    return FAILED if result.differences else 0
