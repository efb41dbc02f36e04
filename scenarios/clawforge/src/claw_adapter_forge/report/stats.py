"""Intervals and tests that need no assumptions beyond trials being drawn alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, sqrt

__all__ = ["holm", "mcnemar", "pass_hat_k", "wilson"]

_Z95 = 1.959964


def wilson(passed: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a proportion, from 0 to 1; (0, 1) without trials."""
    if not total:
        return 0.0, 1.0
    rate, z2 = passed / total, _Z95 * _Z95
    middle = (rate + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z95 * sqrt(rate * (1 - rate) / total + z2 / (4 * total * total)) / (1 + z2 / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def pass_hat_k(passes: Mapping[str, Sequence[bool]], k: int) -> float | None:
    """pass^k: the mean over tasks of the chance that k trials drawn without replacement all pass.

    C(c, k) / C(n, k) per task with c passes of n trials; None if some task has fewer than k trials.
    """
    if not passes or any(len(trials) < k for trials in passes.values()):
        return None
    return sum(comb(sum(t), k) / comb(len(t), k) for t in passes.values()) / len(passes)


def mcnemar(left: Mapping[str, bool], right: Mapping[str, bool]) -> tuple[int, int, float]:
    """(only left passes, only right passes, two-sided exact p) over the tasks both have."""
    both = left.keys() & right.keys()
    wins = sum(left[t] and not right[t] for t in both)
    losses = sum(right[t] and not left[t] for t in both)
    discordant = wins + losses
    if not discordant:
        return 0, 0, 1.0
    tail = sum(comb(discordant, i) for i in range(min(wins, losses) + 1)) / 2**discordant
    return wins, losses, min(1.0, 2 * tail)


def holm(values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[i]))
        adjusted[i] = highest
    return adjusted
