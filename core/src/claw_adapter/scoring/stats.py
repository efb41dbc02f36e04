"""Small exact statistics without dependencies: Holm's correction, Student's t, the smallest detectable difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, stdev

from claw_adapter.scoring.rounds import ScoringError

__all__ = ["holm", "quantile", "smallest_detectable", "student_cdf", "student_quantile"]


def holm(pvalues: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjusted p-values, in the order given (Holm 1979, Scand. J. Statist. 6:65-70).

    The i-th smallest of m is multiplied by m - i + 1, made monotone from the smallest up, and capped at 1.

    Raises:
        ScoringError: a value outside [0, 1].
    """
    if bad := [p for p in pvalues if not 0 <= p <= 1]:
        raise ScoringError(f"p-value {bad[0]} is outside [0, 1]")
    adjusted = [0.0] * len(pvalues)
    floor = 0.0
    for rank, index in enumerate(sorted(range(len(pvalues)), key=pvalues.__getitem__)):
        floor = max(floor, min(1.0, (len(pvalues) - rank) * pvalues[index]))
        adjusted[index] = floor
    return tuple(adjusted)


def smallest_detectable(differences: Sequence[float], level: float = 0.05, power: float = 0.8) -> float | None:
    """The smallest mean difference a paired comparison of this size and spread would have shown.

    (t[1 - level/2] + t[power]) * sd / sqrt(n) with n - 1 degrees of freedom (Bloom 1995, Evaluation Review
    19:547-556; two-sided paired t).

    Args:
        differences: one per scenario, in the unit the answer is wanted in.
        level: two-sided significance level, in (0, 1).
        power: wanted probability of seeing a difference of that size, in [0.5, 1).

    Returns:
        A positive number, or None where it cannot be estimated: fewer than two scenarios, or no spread at all.

    Raises:
        ScoringError: a level or power out of range.
    """
    if not 0 < level < 1 or not 0.5 <= power < 1:
        raise ScoringError(f"level {level} or power {power} is out of range", remedy="0 < level < 1, 0.5 <= power < 1")
    if len(differences) < 2 or not (spread := stdev(differences)):
        return None
    df = len(differences) - 1
    return (student_quantile(1 - level / 2, df) + student_quantile(power, df)) * spread / math.sqrt(len(differences))


def quantile(ordered: Sequence[float], p: float) -> float:
    """The p-quantile of sorted, non-empty values, linearly interpolated (type 7 of Hyndman and Fan 1996)."""
    place = p * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def student_cdf(t: float, df: int) -> float:
    """P(T <= t) of Student's t with `df` >= 1, by the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4."""
    theta = math.atan2(t, math.sqrt(df))
    cosine = math.cos(theta)
    odd = df % 2
    term = cosine if odd else 1.0
    total = term if df > 1 or not odd else 0.0
    for step in range(2 + odd, df - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        total += term
    inside = 2 / math.pi * (theta + math.sin(theta) * total) if odd else math.sin(theta) * total
    return (1 + inside) / 2


def student_quantile(p: float, df: int) -> float:
    """The t with `student_cdf(t, df)` = p, for 0 < p < 1, by bisection.

    Beyond 400 degrees of freedom the normal quantile is returned, which is within 0.5 % of it for 0.01 <= p <= 0.99.
    """
    if df > 400:
        return NormalDist().inv_cdf(p)
    low, high = -1.0, 1.0
    while student_cdf(low, df) > p:
        low *= 2
    while student_cdf(high, df) < p:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(middle, df) < p else (low, middle)
    return (low + high) / 2
