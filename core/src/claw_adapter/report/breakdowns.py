"""A run broken down by tag; what its tables of tags show, and the lists of single statements and rounds.

`breakdown_of` is the one that answers "by what?"; `breakdowns_of` makes the record that terminal, page and JSON show, each
part being there only when there is data for it. Formulas and their sources: `claw_adapter.scoring.breakdown` and beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from claw_adapter.report.breakdown_records import Breakdown, Breakdowns, FormatLink, Identical, Unit
from claw_adapter.report.meanings import meanings_of
from claw_adapter.report.observations import TAGS, config_names, observations_of
from claw_adapter.runs.load import RunData
from claw_adapter.scoring import MetricSet
from claw_adapter.scoring.agreement import Correlation
from claw_adapter.scoring.breakdown import breakdown, tag_names
from claw_adapter.scoring.formats import FormatPair, format_correlation
from claw_adapter.scoring.observed import Observation
from claw_adapter.scoring.options import identical_wrong, option_grid, passes
from claw_adapter.scoring.parts import conclusions, conduct, failures, preferences, statements

__all__ = ["breakdown_of", "breakdowns_of", "make_breakdowns"]

_UNITS: Final[Mapping[Unit, Callable[[Iterable[Observation]], Iterable[Observation]]]] = {
    "rounds": iter,
    "failures": failures,
    "conduct": conduct,
    "conclusions": conclusions,
    "preferences": preferences,
    "statements": statements,
}
_Shown = tuple[Unit, tuple[str, ...], int]
_ROUNDS: Final[tuple[_Shown, ...]] = (
    ("rounds", ("phase",), 2),
    ("rounds", ("update_age",), 2),
    ("rounds", ("category",), 1),
)
"""What a report always shows: of what, by which tags, and how many values there must be for it to say anything."""
_PARTS: Final[tuple[_Shown, ...]] = (
    ("failures", ("pattern",), 1),
    ("conduct", ("conduct",), 1),
    ("conclusions", (), 1),
    ("conclusions", ("update",), 1),
    ("conclusions", ("nature",), 1),
    ("conclusions", ("effect",), 1),
    ("conclusions", ("spread",), 1),
    ("preferences", ("preference",), 1),
    ("statements", ("statement",), 2),
)
"""What it shows behind one's own tags, likewise."""
_OVER: Final[tuple[Literal["config", "scenario"], ...]] = ("config", "scenario")


def breakdown_of(run: RunData, by: str | Sequence[str], metric_set: MetricSet = "published") -> Breakdown:
    """The rounds of a run by tag, per configuration, with strict metrics; rounds that may still come are left out.

    Args:
        run: the run.
        by: the name of a tag; several names, as a sequence or joined by commas, are crossed.
        metric_set: how metrics are aggregated.

    Raises:
        ScoringError: no round has a tag of that name (the error lists those there are), or the metric set needs scores that
            were not recorded.
    """
    names = tuple(name.strip() for name in by.split(",")) if isinstance(by, str) else tuple(by)
    found = observations_of(run, config_names(run))
    rows = breakdown(found, names, metric_set=metric_set)
    return Breakdown(of="rounds", by=names, rows=rows, meanings=meanings_of(found, names))


def breakdowns_of(run: RunData, metric_set: MetricSet = "published") -> Breakdowns | None:
    """The breakdowns of a run; None where no round has been recorded."""
    found = observations_of(run, config_names(run))
    return make_breakdowns(found, metric_set) if any(one.recorded for one in found) else None


def make_breakdowns(found: Sequence[Observation], metric_set: MetricSet = "published") -> Breakdowns:
    """The breakdowns of observations from anywhere, e.g. of published results."""
    recorded = [one for one in found if one.recorded]
    rows = option_grid(recorded)
    links = [FormatLink(over=over, pairs=p, correlation=c) for over, p, c in _links(recorded) if len(p) > 1]
    return Breakdowns(
        configs=tuple(dict.fromkeys(one.config for one in found)),
        by_tag=tuple(_by_tag(found, metric_set)),
        options=tuple(row for row in rows if any(row.wrong.values()) or len(row.exact) < len(row.chosen)),
        identical=tuple(
            Identical(scenario=row.scenario, round=row.round, wrong=row.wrong[configs[0]], configs=configs)
            for row in rows
            for configs in identical_wrong(row)
        ),
        never_passed=tuple(one for one in passes(recorded) if one.of > 1 and not one.passed),
        formats=tuple(links),
    )


def _by_tag(found: Sequence[Observation], metric_set: MetricSet) -> Iterator[Breakdown]:
    """The whole of what is judged by state, what is always shown, and one's own tags where they have several values."""
    own: list[_Shown] = [("rounds", (n,), 2) for n in tag_names(found) if n not in TAGS]
    whole: list[_Shown] = [("rounds", (), 1)]
    state = whole if any(one.progress is not None for one in found) else []
    for of, by, least in (*state, *_ROUNDS, *own, *_PARTS):
        some = list(_UNITS[of](found))
        if not some or not set(by) <= set(tag_names(some)):
            continue
        rows = breakdown(some, by, metric_set=metric_set if of == "rounds" else None)
        if len({row.values for row in rows}) >= least:
            yield Breakdown(of=of, by=by, rows=rows, meanings=meanings_of(found, by))


def _links(
    found: Sequence[Observation],
) -> Iterator[tuple[Literal["config", "scenario"], tuple[FormatPair, ...], Correlation | None]]:
    for over in _OVER:
        yield over, *format_correlation(found, over=over)
