"""Switches: what a seed turns over. Each has two sides or more; a **world** says which side of every switch holds.

A spec with switches is written once and read in one world. Two things may stand anywhere in its six files:

* ``{switch: owner, label: …, claimant: …}`` in place of any value: what stands at the side that holds;
* ``when: {owner: label}`` in a mapping: it is there only where that side holds (``[label, broker]``: either; several switches:
  all of them).

Prose in files of its own (`prose`) has branches too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter.scenario.yamlsource import FieldPath, YamlSource, field_name
from claw_adapter_scenarios.language.draw import dice
from claw_adapter_scenarios.spec.prose import KEY, read

__all__ = ["Resolved", "Switches", "World", "resolve", "switches_used", "world_of"]

Switches = Mapping[str, Sequence[str]]
"""Sides by switch, the one that the spec is written in first."""
World = Mapping[str, str]
"""The side that holds, by switch."""

PICK: Final = "switch"
GUARD: Final = "when"
MOST: Final = 4096
"""So many worlds are looked at; of more, that many drawn ones."""
TRIED: Final = 256
"""So many candidates for the next world are compared."""


@dataclass(frozen=True, slots=True)
class Resolved(YamlSource):
    """A file in one world. `lines` are those of the file; `origins` says where in the file a field comes from."""

    origins: Mapping[FieldPath, FieldPath]
    elsewhere: Mapping[FieldPath, Path]
    """The files of prose that hold a field; its line is one of that file."""

    def where(self, *path: str | int) -> str:
        """``file:line`` of a field."""
        file = next(
            (self.elsewhere[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.elsewhere), self.path
        )
        return f"{file}:{self.line(*path)}"


def world_of(seed: int, switches: Switches, name: str) -> World:
    """The world of a seed: 0 is the spec as written, no two seeds share one while there are others left.

    The order is stratified: of the first n worlds every side of a switch, and every pair of sides of two switches, holds as
    often as any other, as nearly as can be, and worlds that differ in more come first.

    Args:
        seed: any number; after the last world the first comes again.
        switches: see `Switches`.
        name: of the scenario; draws among equals.
    """
    if not switches:
        return {}
    sides = tuple((switch, tuple(given)) for switch, given in switches.items())
    order = _order(sides, name, seed + 1)
    return dict(zip(switches, order[seed % len(order)], strict=True))


@lru_cache(maxsize=256)
def _order(sides: tuple[tuple[str, tuple[str, ...]], ...], name: str, wanted: int) -> tuple[tuple[str, ...], ...]:
    """The first `wanted` worlds, or all."""
    given = [side for _, side in sides]
    rng = dice(0, name, "worlds")
    first = tuple(side[0] for side in given)
    if prod(map(len, given)) > MOST:
        worlds = dict.fromkeys(tuple(rng.choice(side) for side in given) for _ in range(MOST))
    else:
        worlds = dict.fromkeys(product(*given))
    rest = [world for world in worlds if world != first]
    chosen = [first]
    while rest and len(chosen) < wanted:
        candidates = rng.sample(rest, TRIED) if len(rest) > TRIED else rest
        chosen.append(min(candidates, key=lambda world: _cost(world, chosen, rng)))
        rest.remove(chosen[-1])
    return tuple(chosen)


def _cost(world: tuple[str, ...], chosen: Sequence[tuple[str, ...]], rng: Random) -> tuple[int, int, int, float]:
    """How often its pairs of sides held before, its sides, and how near it is to any chosen one."""
    shared = [[i for i, side in enumerate(world) if other[i] == side] for other in chosen]
    pairs = sum(len(same) * (len(same) - 1) // 2 for same in shared)
    return pairs, sum(map(len, shared)), max(map(len, shared)), rng.random()


def resolve(source: YamlSource, switches: Switches, world: World) -> Resolved:
    """A file as it reads in a world, with its prose.

    Raises:
        ScenarioError: a switch or a side that does not exist, a side that is left out, prose that is not there; with the line.
    """
    lines: dict[FieldPath, int] = {}
    origins: dict[FieldPath, FieldPath] = {}
    elsewhere: dict[FieldPath, Path] = {}
    reader = _Reader(source, switches, world)

    def prose(node: dict[str, object], old: FieldPath, new: FieldPath) -> object:
        key = str(new[-1]) if new else ""
        found = read(source.path.parent, node[KEY], source.where(*old), key, reader.one_holds)
        elsewhere[new] = found.path
        lines.update({(*new, *part): line for part, line in found.lines.items()})
        return found.data

    def build(node: object, old: FieldPath, new: FieldPath) -> object:
        node, old = reader.picked(node, old)
        lines[new], origins[new] = source.line(*old), old
        if isinstance(node, dict) and node.keys() == {KEY}:
            return prose(node, old, new)
        if isinstance(node, dict):
            kept = [(key, value) for key, value in node.items() if key != GUARD and reader.holds(value, (*old, key))]
            return {key: build(value, (*old, key), (*new, key)) for key, value in kept}
        if isinstance(node, list):
            there = [n for n, value in enumerate(node) if reader.holds(value, (*old, n))]
            return [build(node[n], (*old, n), (*new, number)) for number, n in enumerate(there)]
        return node

    data = build(source.data, (), ())
    return Resolved(source.path, data, lines, origins, elsewhere)


class _Reader:
    """Decides branches of one file."""

    def __init__(self, source: YamlSource, switches: Switches, world: World) -> None:
        self.source, self.switches, self.world = source, switches, world

    def picked(self, node: object, at: FieldPath) -> tuple[object, FieldPath]:
        """What stands in the place of a choice between sides; any other node as it is."""
        while isinstance(node, dict) and PICK in node:
            name = node[PICK]
            sides = self._sides(name, self.source.where(*at))
            if missing := [side for side in sides if side not in node]:
                raise self._wrong(at, f"nothing is said of the side {missing[0]!r}", "Write each side, or use 'when'.")
            if strange := node.keys() - {PICK, *sides}:
                raise self._wrong(at, f"{min(strange)!r} is no side of {name!r}", f"It has: {', '.join(sides)}.")
            side = self.world[str(name)]
            node, at = node[side], (*at, side)
        return node, at

    def holds(self, node: object, at: FieldPath) -> bool:
        """Whether a guarded mapping is there."""
        if not isinstance(node, dict) or GUARD not in node:
            return True
        asked = node[GUARD]
        if not isinstance(asked, dict) or not asked:
            raise self._wrong((*at, GUARD), "it says no switch", "Write when: {SWITCH: SIDE}.")
        held = []
        for name, side in asked.items():
            where = self.source.where(*at, GUARD, str(name))
            held.append(self.one_holds(str(name), side if isinstance(side, list) else [side], where))
        return all(held)

    def one_holds(self, name: str, wanted: list[str], where: str) -> bool:
        """Whether one of these sides of a switch holds."""
        sides = self._sides(name, where)
        if strange := [side for side in wanted if side not in sides]:
            raise ScenarioError(
                f"{strange[0]!r} is no side of {name!r}", where=where, remedy=f"It has: {', '.join(sides)}."
            )
        return self.world[name] in wanted

    def _sides(self, name: object, where: str) -> Sequence[str]:
        if not isinstance(name, str) or name not in self.switches:
            known = ", ".join(self.switches) or "none; 'switches' stands in 0-truth.yaml"
            raise ScenarioError(f"there is no switch {name!r}", where=where, remedy=f"There are: {known}.")
        return self.switches[name]

    def _wrong(self, at: FieldPath, what: str, remedy: str) -> ScenarioError:
        return ScenarioError(f"{field_name(at)}: {what}", where=self.source.where(*at), remedy=remedy)


def switches_used(sources: Mapping[str, YamlSource]) -> Iterator[str]:
    """Names of the switches that something in the files depends on."""

    def walk(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            if isinstance(node.get(PICK), str):
                yield node[PICK]
            if isinstance(node.get(GUARD), dict):
                yield from node[GUARD]
            for value in node.values():
                yield from walk(value)
        elif isinstance(node, list):
            for value in node:
                yield from walk(value)

    for source in sources.values():
        yield from walk(source.data)
