"""Which options of a round are asked, and in what order."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from random import Random
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.spec.rounds import RoundSpec

__all__ = ["drawn"]

ATTEMPTS: Final = 200


def drawn(item: RoundSpec, true: AbstractSet[int], rng: Random) -> list[int]:
    """Positions in the spec of the options that are asked, in the order of their letters; `true` are those of the true ones.

    Raises:
        ScenarioError: no draw has two true options or more and a false one.
    """
    order = list(range(len(item.options)))
    rng.shuffle(order)
    if item.draw is None:
        return order
    always = {number for number in order if item.options[number].always}
    for _ in range(ATTEMPTS):
        asked = set(sorted(order, key=lambda number: number not in always)[: item.draw])
        if 2 <= len(true & asked) < item.draw:
            return [number for number in order if number in asked]
        rng.shuffle(order)
    raise ScenarioError(
        f"no {item.draw} options have two true ones and a false one: {len(true)} of {len(order)} are true",
        remedy="Write more options, or draw fewer.",
    )
