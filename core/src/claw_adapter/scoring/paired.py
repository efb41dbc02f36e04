"""Paired comparison of two trials or runs on the same scenarios."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from claw_adapter.scoring.bootstrap import DEFAULT_RESAMPLES, percentile_interval
from claw_adapter.scoring.equivalence import Equivalence, equivalence
from claw_adapter.scoring.exact import EXACT_SCENARIOS, TIE, exchange_p
from claw_adapter.scoring.metric_sets import Measure, Metric, MetricSet, measure
from claw_adapter.scoring.rounds import RoundScore, ScoringError, View
from claw_adapter.scoring.stats import smallest_detectable
from claw_adapter.scoring.tally import Tally, tallies

__all__ = ["Difference", "paired_difference"]

_MOST_EXCHANGES = 2**53
"""The largest number of exchanges that is written down: readers of JSON hold no larger whole number exactly."""

Scenarios = Mapping[str, Sequence[RoundScore]]
Contrast = Callable[[Sequence[Tally], Sequence[Tally]], float | None]


@dataclass(frozen=True, slots=True)
class Difference:
    """B minus A in one metric, with what is needed to judge it.

    Attributes:
        a: the metric of A, in [0, 1]; None where undefined.
        b: the metric of B.
        difference: b - a, in [-1, 1]; None where either is undefined.
        a_better: scenarios in which A is better in the metric.
        b_better: scenarios in which B is.
        margin: the tests against a margin; None where none was given or nothing can be tested.
        low: lower end of the paired percentile bootstrap interval; None with fewer than two scenarios.
        high: upper end.
        p: two-sided permutation p-value, not corrected for several pairs (see `holm`); None where `difference` is.
        exact: whether `p` is of all exchanges, and not of some that were drawn.
        permutations: how many exchanges `p` rests on; where there are more than 2^53, that number.
        smallest_detectable: smallest difference this comparison would have shown at 1 - level with power 0.8; None
            where no difference could have been shown at all: too few scenarios for p to get that small, or no spread.
    """

    metric: Metric
    metric_set: MetricSet
    view: View
    scenarios: int
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    level: float
    p: float | None
    exact: bool
    permutations: int
    smallest_detectable: float | None
    resamples: int
    seed: int
    a_better: int = 0
    b_better: int = 0
    margin: Equivalence | None = None


def paired_difference(
    a: Scenarios,
    b: Scenarios,
    metric: Metric,
    metric_set: MetricSet = "published",
    *,
    view: View = "strict",
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Difference:
    """Compare B with A on the same rounds of the same scenarios.

    The interval resamples scenarios, the same ones for both sides. The p-value exchanges A and B within scenarios: for
    metrics that are means over scenarios this is the sign-flip test (Fisher 1935, The Design of Experiments, section
    21), and it stays valid for pooled and product metrics. Beyond `EXACT_SCENARIOS` scenarios the p of `tcr` is still
    exact where exchanging leaves its denominator as it is; else `resamples` exchanges are drawn, with
    p = (1 + hits) / (1 + draws) (Phipson and Smyth 2010, SAGMB 9:39).

    Raises:
        ScoringError: the two sides differ in scenarios or rounds, or an argument is out of range.
    """
    names = _shared(a, b)
    left, right = (tallies({name: side[name] for name in names}, view) for side in (a, b))
    return difference_of_tallies(
        left, right, metric, metric_set, view=view, level=level, resamples=resamples, seed=seed
    )


def difference_of_tallies(
    left: Sequence[Tally],
    right: Sequence[Tally],
    metric: Metric,
    metric_set: MetricSet,
    *,
    view: View,
    level: float,
    resamples: int,
    seed: int,
    comparisons: int = 1,
    margin: float | None = None,
) -> Difference:
    """`paired_difference` over units that are tallied already, one per scenario, in the same order on both sides.

    `comparisons` is the size of the family of tests: what is detectable is told at the level divided by it. With a `margin`
    the difference is tested against it (see `equivalence`).
    """
    rule = measure(metric, metric_set)
    contrast = _contrast(rule)
    low, high, _ = percentile_interval(
        len(left),
        lambda chosen: contrast([left[i] for i in chosen], [right[i] for i in chosen]),
        level=level,
        resamples=resamples,
        seed=seed,
    )
    own = [contrast([x], [y]) or 0.0 for x, y in zip(left, right, strict=True)]
    p, permutations, exact = _exchanged(left, right, metric, metric_set, contrast, draws=resamples, seed=seed)
    return Difference(
        metric=metric,
        metric_set=metric_set,
        view=view,
        scenarios=len(left),
        a=rule(left),
        b=rule(right),
        difference=contrast(left, right),
        low=low,
        high=high,
        level=level,
        p=p,
        exact=exact,
        permutations=permutations,
        smallest_detectable=_detectable(left, right, contrast, (1 - level) / comparisons, permutations),
        resamples=resamples,
        seed=seed,
        a_better=sum(value < -TIE for value in own),
        b_better=sum(value > TIE for value in own),
        margin=_against(left, right, contrast, margin, draws=resamples, seed=seed),
    )


def _against(
    left: Sequence[Tally], right: Sequence[Tally], contrast: Contrast, margin: float | None, *, draws: int, seed: int
) -> Equivalence | None:
    if margin is None:
        return None
    single = contrast(left, right) if len(left) == 1 else None
    values = _pseudo_values(left, right, contrast) if single is None else [single]
    return equivalence(values or (), margin, draws=draws, seed=seed)


def _shared(a: Scenarios, b: Scenarios) -> list[str]:
    if odd := sorted(set(a) ^ set(b)):
        raise ScoringError(
            f"only one side has {', '.join(odd)}", remedy="compare runs on the scenarios they have in common"
        )
    for name in a:
        if [r.round for r in a[name]] != [r.round for r in b[name]]:
            raise ScoringError("the two sides have different rounds", where=name, remedy="compare finished trials only")
    return list(a)


def _contrast(rule: Measure) -> Contrast:
    def contrast(left: Sequence[Tally], right: Sequence[Tally]) -> float | None:
        before, after = rule(left), rule(right)
        return None if before is None or after is None else after - before

    return contrast


def _exchanged(
    left: Sequence[Tally],
    right: Sequence[Tally],
    metric: Metric,
    metric_set: MetricSet,
    contrast: Contrast,
    *,
    draws: int,
    seed: int,
) -> tuple[float | None, int, bool]:
    """The p-value, the exchanges behind it, and whether these are all there are."""
    n = len(left)
    if n > EXACT_SCENARIOS and metric == "tcr" and (parts := _summands(left, right, metric_set)):
        p = exchange_p(parts)
        if p is not None:
            return p, min(2**n, _MOST_EXCHANGES), True
    return *_permutation(left, right, contrast, draws=draws, seed=seed), n <= EXACT_SCENARIOS


def _summands(left: Sequence[Tally], right: Sequence[Tally], metric_set: MetricSet) -> list[float]:
    """What each scenario adds to the difference in TCR, but for a common factor; empty where it is no sum of such parts."""
    if not all(x.n and y.n for x, y in zip(left, right, strict=True)):
        return []
    if metric_set == "macro":
        return [y.total / y.n - x.total / x.n for x, y in zip(left, right, strict=True)]
    if any(x.n != y.n for x, y in zip(left, right, strict=True)):
        return []
    return [y.total - x.total for x, y in zip(left, right, strict=True)]


def _permutation(
    left: Sequence[Tally], right: Sequence[Tally], contrast: Contrast, *, draws: int, seed: int
) -> tuple[float | None, int]:
    observed = contrast(left, right)
    if observed is None:
        return None, 0
    n = len(left)
    exact = n <= EXACT_SCENARIOS
    rng = random.Random(seed)
    masks = range(2**n) if exact else (rng.getrandbits(n) for _ in range(draws))
    hits = 0
    for mask in masks:
        swaps = [bool(mask >> i & 1) for i in range(n)]
        value = contrast(
            [r if swap else x for x, r, swap in zip(left, right, swaps, strict=True)],
            [x if swap else r for x, r, swap in zip(left, right, swaps, strict=True)],
        )
        # An exchange that leaves the metric undefined counts against the difference: p may only err upwards.
        hits += value is None or abs(value) >= abs(observed) - TIE
    return (hits / 2**n, 2**n) if exact else ((1 + hits) / (1 + draws), draws)


def _detectable(
    left: Sequence[Tally], right: Sequence[Tally], contrast: Contrast, level: float, permutations: int
) -> float | None:
    n = len(left)
    if n < 2 or 2 / max(permutations, 1) > level:
        return None
    values = _pseudo_values(left, right, contrast)
    return None if values is None else smallest_detectable(values, level)


def _pseudo_values(left: Sequence[Tally], right: Sequence[Tally], contrast: Contrast) -> list[float] | None:
    """Jackknife pseudo-values n T - (n - 1) T_without_i; for a mean over scenarios these are its differences.

    Tukey 1958, Ann. Math. Statist. 29:614; they give pooled and product metrics a per-scenario spread.
    """
    whole = contrast(left, right)
    n = len(left)
    parts = [contrast([*left[:i], *left[i + 1 :]], [*right[:i], *right[i + 1 :]]) for i in range(n)]
    if whole is None or None in parts:
        return None
    return [n * whole - (n - 1) * part for part in parts if part is not None]
