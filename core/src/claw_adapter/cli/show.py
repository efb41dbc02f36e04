"""What `claw run`, `claw report` and `claw score` show of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from claw_adapter.cli.common import FAILED, console, print_json

if TYPE_CHECKING:
    from claw_adapter.api.results import Run
    from claw_adapter.scoring import MetricSet

__all__ = ["show", "show_breakdowns", "show_rounds"]


def show(run: Run, metric_set: str, *, as_json: bool, page: bool = True, whole: bool = False) -> int:
    """Print the summary of a run, its first screen or the whole, and write its page; returns the exit code."""
    from claw_adapter.api.results import PAGE, write_page
    from claw_adapter.report import render

    summary = run.summary(cast("MetricSet", metric_set), audit=True)
    path = run.path / PAGE if page else None
    if path is not None:
        try:
            write_page(run, summary, path)
        except OSError as error:  # the numbers are worth showing all the same
            why = f"{error.filename or path}: {error.strerror or error}"
            console(stderr=True).print(f"no page was written: {why}", style="yellow", markup=False, soft_wrap=True)
            path = None
    if as_json:
        print_json(summary.model_dump(mode="json"))
    else:
        render(summary, console(), report=path and _near(path), whole=whole)
    complete = not summary.unscored and not any(row.pending for row in summary.rows)
    return 0 if complete else FAILED


def show_breakdowns(run: Run, by: Sequence[str], metric_set: MetricSet, *, as_json: bool) -> int:
    """Print one breakdown for each of `by`: a tag, or several joined by commas.

    Raises:
        ScoringError: there is no tag of that name.
    """
    from claw_adapter.report.breakdown_terminal import render_breakdown

    found = [run.breakdown(names, metric_set=metric_set) for names in by]
    if as_json:
        print_json([one.model_dump(mode="json") for one in found])
    else:
        for one in found:
            render_breakdown(one, console())
    return 0


def show_rounds(run: Run, name: str) -> int:
    """Print the rounds of a scenario, or one round of it.

    Raises:
        ScoringError: there is no such scenario or round.
    """
    from claw_adapter.report.round_terminal import render_rounds

    render_rounds(run.data, run.summary(), name, console())
    return 0


def _near(path: Path) -> Path:
    """Relative to the current folder where that is shorter."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
