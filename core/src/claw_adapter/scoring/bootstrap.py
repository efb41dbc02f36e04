"""Percentile bootstrap over scenarios.

Scenarios are the unit because the streak metrics need whole sequences: rounds of one scenario are not exchangeable.
Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from claw_adapter.scoring.metric_sets import Metric, MetricSet, measure
from claw_adapter.scoring.rounds import RoundScore, ScoringError, View
from claw_adapter.scoring.stats import quantile
from claw_adapter.scoring.tally import tallies

__all__ = ["DEFAULT_RESAMPLES", "BootstrapInterval", "interval", "percentile_interval"]

DEFAULT_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A metric with its percentile interval, in [0, 1].

    Attributes:
        estimate: the metric on the scenarios as they are; None where it is undefined.
        low: lower end, None with fewer than two scenarios (one scenario says nothing about another).
        high: upper end, likewise.
        scenarios: how many scenarios were resampled.
        undefined: resamples in which the metric had no denominator; they are left out.
    """

    metric: Metric
    metric_set: MetricSet
    view: View
    estimate: float | None
    low: float | None
    high: float | None
    level: float
    resamples: int
    seed: int
    scenarios: int
    undefined: int


def interval(
    scenarios: Mapping[str, Sequence[RoundScore]],
    metric: Metric,
    metric_set: MetricSet = "published",
    *,
    view: View = "strict",
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> BootstrapInterval:
    """Bootstrap a metric over scenarios; the same arguments always give the same interval.

    Raises:
        ScoringError: an unknown name, a metric the metric set lacks, a level outside (0, 1), or no resamples.
    """
    counted = tallies(scenarios, view)
    rule = measure(metric, metric_set)
    low, high, undefined = percentile_interval(
        len(counted), lambda chosen: rule([counted[i] for i in chosen]), level=level, resamples=resamples, seed=seed
    )
    return BootstrapInterval(
        metric=metric,
        metric_set=metric_set,
        view=view,
        estimate=rule(counted),
        low=low,
        high=high,
        level=level,
        resamples=resamples,
        seed=seed,
        scenarios=len(counted),
        undefined=undefined,
    )


def percentile_interval(
    n: int, statistic: Callable[[list[int]], float | None], *, level: float, resamples: int, seed: int
) -> tuple[float | None, float | None, int]:
    """Resample n indices with replacement and take the percentiles of a statistic of them.

    Returns:
        Lower end, upper end (both None where n < 2 or every resample is undefined) and the number of undefined resamples.

    Raises:
        ScoringError: a level outside (0, 1), or no resamples.
    """
    if not 0 < level < 1 or resamples < 1:
        raise ScoringError(f"level {level} or {resamples} resamples out of range", remedy="0 < level < 1 <= resamples")
    if n < 2:
        return None, None, 0
    draw = random.Random(seed).random  # the one method whose stream is the same in every Python version
    drawn = (statistic([int(draw() * n) for _ in range(n)]) for _ in range(resamples))
    values = sorted(value for value in drawn if value is not None)
    if not values:
        return None, None, resamples
    tail = (1 - level) / 2
    return quantile(values, tail), quantile(values, 1 - tail), resamples - len(values)
