"""`claw compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from claw_adapter.cli.common import console, print_json

if TYPE_CHECKING:
    from claw_adapter.report.compare_records import Between
    from claw_adapter.runs.load import RunData
    from claw_adapter.scoring import Metric, MetricSet

__all__ = ["command"]

METRICS = ("tcr", "mc", "ec", "sc", "fd", "robustness", "crs", "overall")


@click.command("compare")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--metric-set", type=click.Choice(["published", "macro", "v1"]), default="published", show_default=True)
@click.option(
    "--metric",
    "metrics",
    type=click.Choice(METRICS),
    multiple=True,
    help="What to compare; may be repeated, each one costs power. Default: crs (of single rounds tcr), under v1 overall.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of intervals; a verdict's error rate is 1 - LEVEL over all comparisons.",
)
@click.option("--resamples", type=click.IntRange(100, 1_000_000), default=2000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resampling.")
@click.option(
    "--between",
    type=click.Choice(["harness", "model", "harness,model"]),
    default="harness",
    show_default=True,
    help="Pair harnesses under one model, or models under one harness; or cross both: ranges, pooled effects, interactions.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 100, min_open=True),
    help="Test for equivalence: percentage points that a difference may have. Exit code 0 only if all are within them.",
)
@click.option(
    "--plan",
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    metavar="POINTS",
    help="Compare nothing: say how many scenarios and repeats show a difference of so many points in TCR, from this run.",
)
@click.option("--allow-mixed", is_flag=True, help="Compare rows of different conditions, with a warning on top.")
@click.option("--all", "whole", is_flag=True, help="Print all tables and notes, not only what a screen holds.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
@click.option("--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write a page to this file.")
def command(  # noqa: PLR0917 - click passes every option by name
    runs: tuple[Path, ...],
    metric_set: str,
    metrics: tuple[str, ...],
    level: float,
    resamples: int,
    seed: int,
    between: str,
    margin: float | None,
    plan: float | None,
    allow_mixed: bool,
    whole: bool,
    as_json: bool,
    page: Path | None,
) -> int:
    """Compare the rows (harness with overlays, under a model) of one or several RUNS pairwise.

    Only rows of the same scenarios, model, isolation and settings are compared, on the rounds both have; else the
    difference is shown and the exit code is 3. With --between model the harness is the same and the model is not.
    With --margin the exit code is 1 unless every difference is shown to be within the margin.
    """
    from claw_adapter.api.results import open_run
    from claw_adapter.report.compare_html import write_html
    from claw_adapter.report.compare_terminal import render

    first, *others = map(open_run, runs)
    if plan is not None:
        if others:
            raise click.UsageError("--plan takes one run: what its rounds come to is what is planned from.")
        return _plan(first.data, plan / 100, level, seed, as_json=as_json)
    if between == "harness,model":
        if margin is not None or page is not None or len(metrics) > 1:
            raise click.UsageError("--between harness,model takes one --metric, and neither --margin nor --html.")
        from claw_adapter.report.cross import cross
        from claw_adapter.report.cross_terminal import render_cross

        crossed = cross(
            [run.data for run in (first, *others)],
            cast("MetricSet", metric_set),
            cast("Metric | None", metrics[0] if metrics else None),
            level=level,
            resamples=resamples,
            seed=seed,
            allow_mixed=allow_mixed,
        )
        if as_json:
            print_json(crossed.model_dump(mode="json"))
        else:
            render_cross(crossed, console())
        return 0
    found = first.compare(
        *others,
        metric_set=cast("MetricSet", metric_set),
        metrics=cast("tuple[Metric, ...]", metrics),
        level=level,
        resamples=resamples,
        seed=seed,
        between=cast("Between", between),
        allow_mixed=allow_mixed,
        margin=None if margin is None else margin / 100,
    )
    if page is not None:
        write_html(found, page)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        render(found, console(), whole=whole)
    return 0 if margin is None or found.equivalent else 1


def _plan(run: RunData, difference: float, level: float, seed: int, *, as_json: bool) -> int:
    from claw_adapter.report.planning import planned

    found = planned(run, difference, level=level, seed=seed)
    if as_json:
        print_json(found.model_dump(mode="json"))
        return 0
    enough = found.enough
    click.echo(
        f"{100 * difference:g} points of TCR, at {found.level:.0%}, where rounds are right with a chance of {found.rate:.2f}:"
    )
    size = enough or found.sizes[-1]
    says = "show them" if enough else "are the most that was tried, and show them only"
    click.echo(f"  {size.scenarios} scenarios and {size.repeats} repeats a side {says} with power {size.power:.2f}.")
    click.echo("  power, by scenarios (down) and repeats (across):")
    repeats = list(dict.fromkeys(one.repeats for one in found.sizes))
    click.echo("  " + " " * 6 + "".join(f"{number:>7}" for number in repeats))
    for scenarios in dict.fromkeys(one.scenarios for one in found.sizes):
        row = [one.power for one in found.sizes if one.scenarios == scenarios]
        click.echo(f"  {scenarios:>6}" + "".join(f"{power:>7.2f}" for power in row))
    click.echo(
        f"Simulated ({found.simulations} comparisons a size), tested as `claw compare` does. The difference is taken to be "
        "alike in all scenarios: where it is not, it takes more. A chance is (right + 0.5) / (trials + 1), "
        f"of {found.observed} trials or more."
    )
    return 0
