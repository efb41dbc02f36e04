"""The exact distribution of exchanging two sides within scenarios, where the difference is a sum over scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Final

__all__ = ["EXACT_SCENARIOS", "TIE", "exchange_p"]

EXACT_SCENARIOS: Final = 12
"""Up to this many scenarios all 2^n exchanges, or signs, are enumerated (2^12 = 4096)."""
TIE: Final = 1e-12
"""What ties with the observed value but for the order of float additions counts as a tie."""

_DENOMINATOR: Final = 10_000
_CLOSE: Final = 1e-9
_WORK: Final = 4_000_000
"""Scenarios times the values that the sum can take: beyond it the distribution is not built."""


def exchange_p(differences: Sequence[float]) -> float | None:
    """Two-sided p of a sum of differences, one per scenario, the sign of each being chance (Fisher 1935, section 21).

    With one right or wrong round per scenario it is McNemar's exact test. The distribution over all 2^n signs is built up
    scenario by scenario.

    Returns:
        None where the differences have no common unit that is coarse enough: then exchanges must be drawn.
    """
    whole = _whole(differences)
    if whole is None or (sum(map(abs, whole)) + 1) * len(whole) > _WORK:
        return None
    ways = {0: 1}
    steps = [abs(step) for step in whole if step]
    for step in steps:
        grown: dict[int, int] = {}
        for total, count in ways.items():
            for reached in (total - step, total + step):
                grown[reached] = grown.get(reached, 0) + count
        ways = grown
    observed = abs(sum(whole))
    beyond: int = sum(count for total, count in ways.items() if abs(total) >= observed)
    return float(Fraction(beyond, 1 << len(steps)))


def _whole(differences: Sequence[float]) -> list[int] | None:
    """The differences as whole numbers in their common unit."""
    fractions = [Fraction(value).limit_denominator(_DENOMINATOR) for value in differences]
    if any(abs(value - fraction) > _CLOSE for value, fraction in zip(differences, fractions, strict=True)):
        return None
    unit = lcm(*(fraction.denominator for fraction in fractions))
    if unit > _WORK:
        return None
    whole = [int(fraction * unit) for fraction in fractions]
    common = gcd(*whole) or 1
    return [value // common for value in whole]
