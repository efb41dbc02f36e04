"""The seeds of a spec: those without switches keep every truth, the others have worlds, each of which is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter_scenarios.compiler.compile import compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec.worlds import switches_used
from claw_adapter_scenarios.validation.memorised import memorised, statements
from claw_adapter_scenarios.validation.rules import spec_finding

__all__ = ["other_seeds"]

SWITCHES: Final = 4
"""Fewest switches of a spec of the second edition."""
SEEDS: Final = 8
"""Seeds of which a spec of the second edition is judged, 0 among them."""

Look = Callable[[Compiled], Iterator[Finding]]
"""Findings of one compiled variant."""


def other_seeds(made: Compiled, seeds: int, look: Look) -> Iterator[Finding]:
    """What is wrong with the seeds after 0, and with what they turn over.

    Args:
        made: the variant of seed 0.
        seeds: how many others to compile; of a spec of the second edition at least those by which it is judged.
        look: what else to ask of a variant in another world.
    """
    truth = made.spec.truth
    if truth.edition > 1:
        seeds = max(seeds, SEEDS - 1)
        yield from _switches(made)
    broken = False
    for seed in range(1, seeds + 1):
        try:
            other = compile_spec(made.spec, seed)
        except ScenarioError as error:
            broken = True
            yield spec_finding("SPEC-050", f"seed {seed}: {error.what}", error.where or made.spec.where("0-truth"))
            continue
        if truth.switches:
            where = ", ".join(f"{name} {side}" for name, side in other.spec.world.items())
            for one in look(other):
                yield Finding(one.id, one.severity, f"seed {seed} ({where}): {one.message}", one.where)
        else:
            yield from _kept(made, other)
    if truth.edition > 1 and not broken:
        for shortfall in memorised(made.spec, range(SEEDS)).shortfalls:
            yield spec_finding("SPEC-081", shortfall, made.spec.where("0-truth", "switches"))


def _switches(made: Compiled) -> Iterator[Finding]:
    truth = made.spec.truth
    if len(truth.switches) < SWITCHES:
        said = f"there are {len(truth.switches)} switches"
        yield spec_finding("SPEC-080", said, made.spec.where("0-truth", "switches"))
    for name in truth.switches.keys() - set(switches_used(made.spec.written)):
        yield spec_finding("SPEC-080", f"nothing hangs on {name!r}", made.spec.where("0-truth", "switches", name))


def _kept(made: Compiled, other: Compiled) -> Iterator[Finding]:
    """Without switches every statement keeps its truth."""
    mine, theirs = statements(made), statements(other)
    for ours in made.rounds:
        asked = mine.get(ours.spec.id, {})
        for option, (place, holds) in zip(ours.options, asked.items(), strict=True):
            if theirs[ours.spec.id].get(place, holds) != holds:
                where = made.spec.where("3-rounds", "rounds", ours.index, "options", option.number)
                yield spec_finding("SPEC-050", f"seed {other.canon.seed} changes the truth of {option.text!r}", where)
