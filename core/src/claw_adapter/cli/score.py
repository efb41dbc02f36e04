"""`claw score`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter.cli.common import FAILED, console, print_json

if TYPE_CHECKING:
    from claw_adapter.data_format import DataFormat, RoundProgress
    from claw_adapter.scoring import MetricSet

__all__ = ["command"]

ISOLATION = 2
"""For results of another tool: its recorded commands and checks see no network."""


@click.command("score")
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--from", "source", metavar="NAME", default=None, help="RUN holds results of another tool.")
@click.option("--data", multiple=True, help="Where the scenarios are now; default: as the run was started with.")
@click.option("--isolation", type=click.IntRange(0, 2), default=None, help="For the checks; default: as in the run.")
@click.option("--metric-set", type=click.Choice(["published", "macro", "v1"]), default="published", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    run: Path, source: str | None, data: tuple[str, ...], isolation: int | None, metric_set: MetricSet, as_json: bool
) -> int:
    """Score a run folder again from its answers and snapshots, with no model and no harness.

    Says which rounds come out differently from what the journal holds (exit code 1), and prints the metrics. With
    --from clawarena RUN is a published result folder and --data the data set it ran on; workspaces are rebuilt by
    replaying the recorded tool calls in the sandbox.
    """
    if source is not None:
        if len(data) != 1:
            raise click.UsageError(f"--from {source} needs exactly one --data: the data set's file or folder")
        return _score_other(source, run, Path(data[0]), isolation=isolation, metric_set=metric_set, as_json=as_json)
    from claw_adapter.api.results import Run, open_run
    from claw_adapter.cli.show import show

    result = open_run(run).rescore(data, isolation=isolation)
    if as_json:
        differences = [difference.as_json() for difference in result.differences]
        summary = Run(result.run).summary(metric_set).model_dump(mode="json")
        print_json({"rounds": result.rounds, "differences": differences, "summary": summary})
    else:
        show(Run(result.run), metric_set, as_json=False, page=False)
        for difference in result.differences:
            click.echo(difference)
        click.echo(f"{result.rounds} rounds scored again, {len(result.differences)} differ from the journal")
    return FAILED if result.differences else 0


def _score_other(
    source: str, results: Path, data: Path, *, isolation: int | None, metric_set: MetricSet, as_json: bool
) -> int:
    """Score results of another tool again by the plugin that reads them, and print what comes of it."""
    from claw_adapter import plugins
    from claw_adapter.cli.process import finish_in_order

    form: DataFormat = plugins.create("data_format", source)
    level = ISOLATION if isolation is None else isolation
    with _progress() as progress:
        found = finish_in_order(form.score(results, data, isolation=level, progress=progress))
    if as_json:
        print_json(found.as_json())
    else:
        from claw_adapter.report.breakdown_terminal import render_breakdowns
        from claw_adapter.report.breakdowns import make_breakdowns

        found.show(metric_set, console())
        render_breakdowns(make_breakdowns(found.observations(), metric_set), console())
    return FAILED if found.failed else 0


@contextlib.contextmanager
def _progress() -> Iterator[RoundProgress | None]:
    """A bar per scenario on standard error in a terminal; nothing in a pipe."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield None
        return
    from rich.progress import Progress, TaskID

    with Progress(console=out, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def advance(scenario: str, done: int, total: int) -> None:
            if scenario not in tasks:
                tasks[scenario] = bars.add_task(f"replaying {scenario}", total=total)
            bars.update(tasks[scenario], completed=done)

        yield advance
