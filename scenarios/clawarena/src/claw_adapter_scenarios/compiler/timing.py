"""When generated messages are sent: by the hours of the spec, else by a published curve of the `realism` package."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

__all__ = ["message_times", "spaced"]


def message_times(
    start: datetime, end: datetime, count: int, *, hours: Sequence[float], domain: str, offset: str, rng: Random
) -> list[datetime]:
    """`count` local times in [start, end), sorted.

    Args:
        start: local, naive.
        end: local, naive.
        count: how many.
        hours: 24 weights; when empty, the published curve that suits the domain.
        domain: of the scenario.
        offset: time zone, ``+01:00``.
        rng: the only source of chance.
    """
    if hours:
        return _weighted(start, end, count, hours, rng)
    from claw_adapter_scenarios.realism import timing
    from claw_adapter_scenarios.realism.curves import curve_for

    first, last = (datetime.fromisoformat(at.isoformat() + offset) for at in (start, end))
    found = timing.times(rng, first, last, count, curve=curve_for(domain))
    return sorted(at.replace(tzinfo=None) for at in found)


def _weighted(start: datetime, end: datetime, count: int, hours: Sequence[float], rng: Random) -> list[datetime]:
    """Independent draws by rejection: a uniform moment is kept with the weight of its hour over the largest weight."""
    span, top = (end - start).total_seconds(), max(hours)
    found: list[datetime] = []
    while len(found) < count:
        at = start + timedelta(seconds=int(rng.uniform(0, span)))
        if rng.random() * top <= max(hours[at.hour], top * 1e-3):
            found.append(at)
    return sorted(found)


def spaced(
    wanted: Sequence[datetime], taken: Sequence[datetime], gap: timedelta = timedelta(minutes=4)
) -> list[datetime]:
    """`wanted` moved forward, each until it is at least `gap` away from `taken` and from its predecessors."""
    fixed, placed = sorted(taken), list[datetime]()
    for at in sorted(wanted):
        moved = at
        while near := [other for other in (*fixed, *placed) if abs(other - moved) < gap]:
            moved = max(near) + gap
        placed.append(moved)
    return placed
