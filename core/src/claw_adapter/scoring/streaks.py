"""Success and failure runs of one scenario's score sequence.

Source of every formula: ClawArena v2, section 3.5 and appendix D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Streaks", "composite_reliability"]


def composite_reliability(tcr: float, robustness: float) -> float:
    """CRS = (TCR + Robustness) / 2, both in [0, 1]."""
    return (tcr + robustness) / 2


@dataclass(frozen=True, slots=True)
class Streaks:
    """Counts of one sequence of round scores, and the metrics that follow from them.

    Attributes:
        n: rounds.
        total: sum of the scores; larger than `s` when there are partial scores.
        s: successes, i.e. rounds of score exactly 1.
        k: maximal runs of successes.
        s_f: failures: every other round, a score of 0.5 included.
        k_f: maximal runs of failures.
    """

    n: int
    total: float
    s: int
    k: int
    s_f: int
    k_f: int

    @classmethod
    def of(cls, scores: Sequence[float]) -> Streaks:
        """Count the runs of a sequence of scores in [0, 1], in round order."""
        won = [score == 1 for score in scores]
        s = sum(won)
        k = int(won[:1] == [True]) + sum(not a and b for a, b in pairwise(won))
        k_f = int(won[:1] == [False]) + sum(a and not b for a, b in pairwise(won))
        return cls(n=len(won), total=float(sum(scores)), s=s, k=k, s_f=len(won) - s, k_f=k_f)

    @property
    def tcr(self) -> float | None:
        """Task completion rate: the mean score; None for an empty sequence."""
        return self.total / self.n if self.n else None

    @property
    def sc(self) -> float:
        """Success cohesion (S - k) / (N - 1); 0 if N <= 1 or nothing succeeded."""
        return (self.s - self.k) / (self.n - 1) if self.n > 1 else 0.0

    @property
    def fd(self) -> float:
        """Failure dispersion 1 - (S_f - k_f) / (N - 1); 1 if N <= 1 or nothing failed."""
        return 1 - (self.s_f - self.k_f) / (self.n - 1) if self.n > 1 else 1.0

    @property
    def robustness(self) -> float:
        """SC times FD: a collapse on either axis lowers it."""
        return self.sc * self.fd

    @property
    def crs(self) -> float | None:
        """Composite reliability score; None for an empty sequence."""
        return None if self.tcr is None else composite_reliability(self.tcr, self.robustness)
