"""`claw compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from claw_adapter.cli.common import console, print_json

if TYPE_CHECKING:
    from claw_adapter.report.compare_records import Between
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
    type=click.Choice(["harness", "model"]),
    default="harness",
    show_default=True,
    help="Pair harnesses under one model, or models under one harness.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 100, min_open=True),
    help="Test for equivalence: percentage points that a difference may have. Exit code 0 only if all are within them.",
)
@click.option("--allow-mixed", is_flag=True, help="Compare rows of different conditions, with a warning on top.")
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
    allow_mixed: bool,
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
        render(found, console())
    return 0 if margin is None or found.equivalent else 1
