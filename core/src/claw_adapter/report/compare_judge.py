"""What a difference comes to once all comparisons are known: Holm's correction, a verdict, and why something is missing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from claw_adapter.report.compare_records import MetricDifference, Verdict, Within
from claw_adapter.report.compare_stats import Resampling
from claw_adapter.report.words import plural
from claw_adapter.scoring import Difference, holm
from claw_adapter.scoring.equivalence import fewest_scenarios

__all__ = ["judged", "scenarios_needed"]


def judged(found: Sequence[Difference], how: Resampling) -> list[MetricDifference]:
    """Correct the p-values of each view together and judge every difference, in the order given."""
    corrected: dict[int, float] = {}
    for view in dict.fromkeys(item.view for item in found):
        family = [(place, item.p) for place, item in enumerate(found) if item.view == view and item.p is not None]
        corrected |= zip((place for place, _ in family), holm([p for _, p in family]), strict=True)
    return [_judged(item, corrected.get(place), how) for place, item in enumerate(found)]


def scenarios_needed(how: Resampling) -> int:
    """The fewest scenarios with which an exact test of the corrected level can be passed at all: 2/2^n <= level."""
    return next(n for n in itertools.count(2) if 2 / 2**n <= (1 - how.level) / how.comparisons)


def _judged(item: Difference, p_holm: float | None, how: Resampling) -> MetricDifference:
    return MetricDifference(
        metric=item.metric,
        view=item.view,
        scenarios=item.scenarios,
        a=item.a,
        b=item.b,
        difference=item.difference,
        low=item.low,
        high=item.high,
        p=item.p,
        p_holm=p_holm,
        exact=item.exact,
        permutations=item.permutations,
        a_better=item.a_better,
        b_better=item.b_better,
        smallest_detectable=item.smallest_detectable,
        verdict=_verdict(item, p_holm),
        p_within=item.margin.p_within if item.margin else None,
        p_beyond=item.margin.p_beyond if item.margin else None,
        within=_within(item) if how.margin is not None else None,
        notes=tuple(_notes(item, how)),
    )


def _verdict(item: Difference, p_holm: float | None) -> Verdict:
    """By the exchange test alone: it keeps its level with few scenarios, where a bootstrap interval is too narrow."""
    if not item.difference or p_holm is None or p_holm > 1 - item.level:
        return "not shown"
    return "higher" if item.difference > 0 else "lower"


def _within(item: Difference) -> Within:
    """Each by itself: that *all* are within their margin is what needs no correction."""
    found = item.margin
    if found is None or min(found.p_within, found.p_beyond) > 1 - item.level:
        return "not shown"
    return "within" if found.p_within <= 1 - item.level else "beyond"


def _notes(item: Difference, how: Resampling) -> Iterator[str]:
    if how.margin is not None and item.scenarios < (fewest := fewest_scenarios(how.level)):
        yield f"{plural(item.scenarios, 'scenario')}: too few to show that a difference is within a margin, it takes {fewest}"
    if item.scenarios == 0:
        yield "no round that counts on both sides"
    elif item.difference is None:
        yield "neither number exists: no round of the kind it is about"
    elif item.scenarios == 1:
        yield "1 scenario: no interval, and no difference can be shown"
    elif item.smallest_detectable is None and item.scenarios < (needed := scenarios_needed(how)):
        yield f"{plural(item.scenarios, 'scenario')}: too few to show any difference, it takes {needed}"
    elif item.smallest_detectable is None:
        yield "no spread between scenarios: the smallest detectable difference cannot be estimated"
