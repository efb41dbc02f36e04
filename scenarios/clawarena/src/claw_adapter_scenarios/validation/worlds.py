"""The seeds of a spec: those without switches keep every truth, the others have worlds, each of which is looked at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter_scenarios.compiler.compile import compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec.truth import Truth
from claw_adapter_scenarios.spec.worlds import switches_used, world_of
from claw_adapter_scenarios.validation.memorised import memorised, statements
from claw_adapter_scenarios.validation.rules import describe, spec_finding
from claw_adapter_scenarios.validation.typed import typed_values

__all__ = ["other_seeds"]

SWITCHES: Final = 4
"""Fewest switches of a spec of the second edition."""
SEEDS: Final = 8
"""Seeds of which a spec of the second edition is judged, 0 among them."""

_CHANGING: Final = re.compile(r"option [A-Z]\b|(?<![\w'-])\d[\d.,:%]*")
"""What a finding has of another kind in each seed: letters of options, and numbers."""

Look = Callable[[Compiled], Iterable[Finding]]
"""Findings of one compiled variant."""


def other_seeds(made: Compiled, seeds: int, look: Look) -> Iterator[Finding]:
    """What is wrong with the seeds after 0 (with switches: of all), and with what they turn over.

    Args:
        made: the variant of seed 0.
        seeds: how many others to compile; of a spec of the second edition at least those by which it is judged.
        look: what else to ask of a variant in another world.
    """
    truth = made.spec.truth
    if truth.edition > 1:
        seeds = max(seeds, SEEDS - 1)
        yield from _switches(made)
    variants = {0: made}
    found: dict[int, list[Finding]] = {0: list(look(made)) if truth.switches else []}
    for seed in range(1, seeds + 1):
        try:
            variants[seed] = compile_spec(made.spec, seed)
        except ScenarioError as error:
            found[seed] = [spec_finding("SPEC-050", describe(error), error.where or made.spec.where("0-truth"))]
            continue
        found[seed] = list(look(variants[seed]) if truth.switches else _kept(made, variants[seed]))
    yield from _told_once(found, made.spec.truth)
    yield from typed_values(list(variants.values()))
    if truth.edition > 1 and len(variants) > seeds:
        for shortfall in memorised(made.spec, range(SEEDS)).shortfalls:
            yield spec_finding("SPEC-081", shortfall, made.spec.where("0-truth", "switches"))


def _told_once(found: Mapping[int, Sequence[Finding]], truth: Truth) -> Iterator[Finding]:
    """What several seeds have in common, once, in the words of the first of them."""
    seen: dict[Hashable, dict[int, Finding]] = {}
    for seed, those in found.items():
        count = Counter[Hashable]()
        for one in those:
            key = (one.id, one.severity, one.where, _CHANGING.sub("", one.message))
            count[key] += 1
            seen.setdefault((key, count[key]), {})[seed] = one
    for same in seen.values():
        one, seeds = next(iter(same.values())), _name_seeds(list(same), len(found), truth)
        yield Finding(one.id, one.severity, f"{seeds}{one.message}", one.where)


def _name_seeds(seeds: Sequence[int], count: int, truth: Truth) -> str:
    """Seeds in words, with the sides that hold in all of them."""
    if len(seeds) == count:
        return f"in seeds 0 to {seeds[-1]}: " if count > 1 else ""
    worlds = [world_of(seed, truth.sides, truth.id) for seed in seeds]
    shared = [f"{name} {side}" for name, side in worlds[0].items() if all(world[name] == side for world in worlds)]
    *most, last = map(str, seeds)
    named = f"seeds {', '.join(most)} and {last}" if most else f"seed {last}"
    return f"in {named} ({', '.join(shared)}): " if shared else f"in {named}: "


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
                yield spec_finding("SPEC-050", f"another truth of {option.text!r}", where)
