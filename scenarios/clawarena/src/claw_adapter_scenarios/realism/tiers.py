"""Who writes how often: four tiers of contacts, the innermost about a hundred times as often as the outermost.

The published scenarios weigh contacts in four Dunbar layers, "intimate contacts appear roughly 100× more often than
peripheral ones" (ClawArena v2 §3.4, stage 3; entry ``contacts.inner_outer_ratio``). The steps between are not given there;
they are equal factors here.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from random import Random

from claw_adapter_scenarios.realism.registry import entry

__all__ = ["SIZES", "TIERS", "speakers", "tier_of", "weights"]

TIERS = 4
SIZES = ("contacts.layer.support", "contacts.layer.sympathy", "contacts.layer.affinity", "contacts.layer.active")
"""Entries with the cumulated sizes of the layers, from the inside."""


def weights() -> tuple[float, ...]:
    """Relative frequency of one contact of each tier, from the inside: equal factors that make up the whole ratio."""
    ratio = entry("contacts.inner_outer_ratio").value or 1.0
    return tuple(ratio ** ((TIERS - 1 - tier) / (TIERS - 1)) for tier in range(TIERS))


def tier_of(place: int, people: int) -> int:
    """The tier, 0 to 3 from the inside, of the contact at `place` (from 0) among `people`.

    A cast as large as a whole network is cut at the published layer sizes; a smaller one into quarters as equal as can
    be, because a cast of eight would otherwise consist of inner contacts alone.
    """
    sizes = [entry(name).value or 0.0 for name in SIZES]
    if people >= sizes[-1]:
        return next((tier for tier, size in enumerate(sizes) if place < size), TIERS - 1)
    return min(floor(place * TIERS / people), TIERS - 1)


def speakers(rng: Random, people: Sequence[str], n: int) -> list[str]:
    """Who writes each of `n` messages; `people` are ordered from the innermost contact.

    Everybody writes at least once where `n` allows it: who never appears is no contact.
    """
    if not people:
        return []
    by_tier = weights()
    share = [by_tier[tier_of(place, len(people))] for place in range(len(people))]
    first = list(people[:n])
    drawn = first + rng.choices(list(people), share, k=n - len(first))
    rng.shuffle(drawn)
    return drawn
