"""Intervals of a rate, and how often all of several trials pass; trials of one scenario are not so many scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from typing import Final

from claw_adapter.scoring.rounds import ScoringError
from claw_adapter.scoring.tally import mean

__all__ = ["ShareInterval", "clustered", "pass_hat", "wilson"]

_Z95: Final = 1.959963984540054


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A 95 % interval of a mean score, in [0, 1].

    Attributes:
        effective: how many independent rounds would say as much; between the number of scenarios and that of rounds.
    """

    low: float
    high: float
    effective: float


def wilson(rate: float, n: float) -> tuple[float, float]:
    """The 95 % score interval of a rate seen in `n` trials (Wilson 1927, JASA 22:209-212); (0, 1) without trials.

    Raises:
        ScoringError: a rate outside [0, 1], or a negative number.
    """
    if not 0 <= rate <= 1 or n < 0:
        raise ScoringError(f"rate {rate} or number {n} is out of range", remedy="0 <= rate <= 1, 0 <= n")
    if not n:
        return 0.0, 1.0
    z2 = _Z95 * _Z95
    middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def clustered(scores: Iterable[Sequence[float]]) -> ShareInterval | None:
    """The interval of the mean of scores that are grouped by scenario: those of one scenario are no independent evidence.

    Wilson's at the effective number p (1 - p) / v, v being the variance of the ratio estimate between scenarios (Korn and
    Graubard 1998, Survey Methodology 24:193-201), held between the number of scenarios and that of scores. Where all
    scores are 0 or all are 1, v says nothing, and the scenarios count. Scores between 0 and 1 spread less than right and
    wrong ones of the same mean, so that the interval is wide rather than narrow for them.

    Returns:
        None with fewer than two scenarios: one says nothing about another.
    """
    groups = [(sum(some), len(some)) for some in scores if some]
    scenarios, n, total = len(groups), sum(size for _, size in groups), sum(part for part, _ in groups)
    if scenarios < 2:
        return None
    rate = min(total / n, 1.0)
    effective = float(scenarios)
    if 0 < rate < 1:
        variance = scenarios / (scenarios - 1) * sum((part - rate * size) ** 2 for part, size in groups) / n**2
        effective = min(max(rate * (1 - rate) / variance if variance else n, scenarios), n)
    low, high = wilson(rate, effective)
    return ShareInterval(low, high, effective)


def pass_hat(passed: Iterable[Sequence[bool]], k: int) -> float | None:
    """pass^k: the mean over rounds of the chance that k of its trials, drawn without replacement, all pass.

    C(c, k) / C(n, k) for c passes of n trials (Yao et al. 2024, tau-bench); None if a round has fewer than k trials.
    """
    trials = list(passed)
    if any(len(one) < k for one in trials):
        return None
    return mean([comb(sum(one), k) / comb(len(one), k) for one in trials])
