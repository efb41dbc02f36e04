"""What a harness reports about its tokens, turned into consumption where that can be known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

__all__ = ["Readings", "Semantics", "per_turn"]

Semantics = Literal["per_turn", "cumulative", "last_request"]


@dataclass(frozen=True, slots=True)
class Readings:
    """Readings turned into consumption.

    Attributes:
        values: per turn; None where a turn's consumption cannot be known.
        total: over all turns; None where it cannot be known.
        flags: what was wrong with the readings, one sentence each.
    """

    values: tuple[int | None, ...]
    total: int | None
    flags: tuple[str, ...] = ()


def per_turn(values: Sequence[int | None], semantics: Semantics) -> Readings:
    """Consumption of each turn from the numbers a harness reported after each turn.

    Cumulative readings are differenced from 0. After a fall the turn is unknown and counting goes on from the lower
    reading; after missing readings the next turn carries the sum. ``last_request`` readings are the size of one
    request, not consumption: every turn is unknown. A negative reading counts as missing.

    Args:
        values: one reading per turn; None where the harness gave none.
        semantics: what the readings mean.
    """
    flags = [f"turn {i}: negative reading {v}" for i, v in enumerate(values, 1) if v is not None and v < 0]
    clean = [None if v is None or v < 0 else v for v in values]
    if semantics == "cumulative":
        return _differences(clean, flags)
    if semantics == "last_request":
        note = ("last_request readings are occupancy, not consumption",) if clean else ()
        return Readings((None,) * len(clean), None, (*flags, *note))
    known = [v for v in clean if v is not None]
    return Readings(tuple(clean), sum(known) if clean and len(known) == len(clean) else None, tuple(flags))


def _differences(readings: Sequence[int | None], flags: list[str]) -> Readings:
    known = [(0, 0), *((turn, v) for turn, v in enumerate(readings, 1) if v is not None)]
    values: list[int | None] = [None] * len(readings)
    total = readings[-1] if readings else None
    for (before, old), (turn, new) in pairwise(known):
        if new < old:
            total = None
            flags.append(f"turn {turn}: cumulative reading fell from {old} to {new}")
            continue
        values[turn - 1] = new - old
        if turn - before > 1:
            flags.append(f"turn {turn}: covers turns {before + 1} to {turn}")
    return Readings(tuple(values), total, tuple(flags))
