"""Intervals and tests that need no assumptions beyond trials being drawn alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import comb, gcd, sqrt

__all__ = ["clustered", "pass_hat_k", "sign_flip", "wilson"]

_Z95 = 1.959964


def wilson(passed: float, total: float) -> tuple[float, float]:
    """The 95 % Wilson score interval of a proportion, from 0 to 1; (0, 1) without trials."""
    if not total:
        return 0.0, 1.0
    rate, z2 = passed / total, _Z95 * _Z95
    middle = (rate + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z95 * sqrt(rate * (1 - rate) / total + z2 / (4 * total * total)) / (1 + z2 / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def clustered(passes: Iterable[Sequence[bool]]) -> tuple[float, float]:
    """The 95 % interval of the rate over trials that are grouped by task: trials of a task are no independent evidence.

    Wilson's interval at the effective number of trials p (1 - p) / v, with v the between-task variance of the ratio estimate
    (Korn and Graubard 1998, Survey Methodology 24:193-201), held between the number of tasks and that of trials. Where
    every trial passes or none does, v says nothing, and the tasks count.
    """
    counts = [(sum(trials), len(trials)) for trials in passes if trials]
    tasks, total, passed = len(counts), sum(n for _, n in counts), sum(x for x, _ in counts)
    if not total or tasks == 1 or passed in {0, total}:
        return wilson(passed / total * tasks if total else 0, tasks)
    rate = passed / total
    variance = tasks / (tasks - 1) * sum((x - rate * n) ** 2 for x, n in counts) / total**2
    effective = rate * (1 - rate) / variance if variance else total
    effective = min(max(effective, tasks), total)
    return wilson(rate * effective, effective)


def pass_hat_k(passes: Mapping[str, Sequence[bool]], k: int) -> float | None:
    """pass^k: the mean over tasks of the chance that k trials drawn without replacement all pass.

    C(c, k) / C(n, k) per task with c passes of n trials; None if some task has fewer than k trials.
    """
    if not passes or any(len(trials) < k for trials in passes.values()):
        return None
    return sum(comb(sum(t), k) / comb(len(t), k) for t in passes.values()) / len(passes)


def sign_flip(differences: Sequence[int]) -> float:
    """Two-sided exact p of a paired comparison: which sign each difference has is chance (Fisher 1935, section 21).

    Whole numbers, one per task. With one trial per task this is McNemar's exact test. The distribution of the sum over all
    2^n signs is built up task by task, so it is exact for any number of tasks.
    """
    unit = gcd(*differences) or 1
    steps = [abs(d) // unit for d in differences if d]
    ways = {0: 1}
    for step in steps:
        grown: dict[int, int] = {}
        for total, count in ways.items():
            for to in (total - step, total + step):
                grown[to] = grown.get(to, 0) + count
        ways = grown
    observed = abs(sum(differences)) // unit
    beyond: int = sum(count for total, count in ways.items() if abs(total) >= observed)
    return beyond / (1 << len(steps))
