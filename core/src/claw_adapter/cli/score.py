"""`claw score`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter.cli.common import FAILED, print_json

if TYPE_CHECKING:
    from claw_adapter.scoring import Profile

__all__ = ["command"]


@click.command("score")
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--from", "source", type=click.Choice(["clawarena"]), default=None, help="RUN holds results of another tool."
)
@click.option("--data", multiple=True, help="Where the scenarios are now; default: as the run was started with.")
@click.option("--isolation", type=click.IntRange(0, 2), default=None, help="For the checks; default: as in the run.")
@click.option("--profile", type=click.Choice(["published", "macro", "v1"]), default="published", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    run: Path, source: str | None, data: tuple[str, ...], isolation: int | None, profile: Profile, as_json: bool
) -> int:
    """Score a run folder again from its answers and snapshots, with no model and no harness.

    Says which rounds come out differently from what the journal holds (exit code 1), and prints the metrics. With
    --from clawarena RUN is a published result folder and --data the data set it ran on; workspaces are rebuilt by
    replaying the recorded tool calls in the sandbox.
    """
    if source is not None:
        from claw_adapter.cli.score_published import score_published

        if len(data) != 1:
            raise click.UsageError("--from clawarena needs exactly one --data: the data set's folder or tests.json")
        return score_published(run, Path(data[0]), isolation=isolation, profile=profile, as_json=as_json)
    from claw_adapter.cli.show import show
    from claw_adapter.report.rescore import rescore

    result = asyncio.run(rescore(run, data, isolation=isolation))
    if as_json:
        from claw_adapter.report import summarise

        differences = [difference.as_json() for difference in result.differences]
        summary = summarise(result.run, profile).model_dump(mode="json")
        print_json({"rounds": result.rounds, "differences": differences, "summary": summary})
    else:
        show(result.run, profile, as_json=False, page=False)
        for difference in result.differences:
            click.echo(difference)
        click.echo(f"{result.rounds} rounds scored again, {len(result.differences)} differ from the journal")
    return FAILED if result.differences else 0
