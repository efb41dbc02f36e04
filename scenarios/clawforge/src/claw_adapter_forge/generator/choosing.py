"""Choosing among the tasks of a set: some by name, or a sample that has every ability and family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import TypeVar

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.families import family
from claw_adapter_forge.generator.compiler import check_task, instruction_of
from claw_adapter_forge.generator.task_sets import Blueprint, Counts, blueprints, compile_blueprint
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["counts_in", "pick_tasks", "sample_tasks"]

T = TypeVar("T")


def counts_in(text: str) -> dict[str, int]:
    """What is asked for as ``name*3+other*5``.

    Raises:
        ScenarioError: it is written in another way.
    """
    found = {}
    for part in filter(None, text.split("+")):
        name, star, number = part.partition("*")
        if not star or not number.isascii() or not number.isdigit():
            raise ScenarioError(f"{part!r} is no name with a number", remedy="Write name*3, with + between several.")
        found[name.strip()] = int(number)
    return found


def pick_tasks(
    task_set: str,
    seed: int,
    count: int,
    names: Sequence[str] = (),
    asked: Counts | None = None,
    knobs: Counts | None = None,
) -> Iterator[ForgeTask]:
    """The tasks of a set, or those named by id or number.

    Raises:
        ScenarioError: a name fits no task.
    """
    wanted = {int(name.rpartition("-")[2]) for name in names if name.rpartition("-")[2].isdigit()}
    if names and len(wanted) != len(set(names)):
        raise ScenarioError(f"no such task among {', '.join(names)}", remedy="Name tasks by number or as in forge-017.")
    found = 0
    for blueprint in blueprints(task_set, seed, count, asked, knobs):
        if not names or blueprint.number in wanted:
            found += 1
            yield check_task(compile_blueprint(blueprint))
    if names and found != len(wanted):
        raise ScenarioError(f"no such task in {task_set}", where=", ".join(names), remedy="See `claw forge generate`.")


def sample_tasks(
    task_set: str, seed: int, count: int, size: int, asked: Counts | None = None, knobs: Counts | None = None
) -> Iterator[ForgeTask]:
    """`size` tasks of a set that go round the abilities, and round the families of each; all of them if it has no more.

    Six have every ability and 17 every family, where the set has them.
    """
    known = list(blueprints(task_set, seed, count, asked, knobs))
    return (check_task(compile_blueprint(b)) for b in (_spread(known, size) if size < len(known) else known))


def _spread(known: Sequence[Blueprint], size: int) -> list[Blueprint]:
    abilities: dict[str, dict[str, list[Blueprint]]] = {}
    # in an order that goes by nothing, so that variants and styles mix, and the same one every time
    for blueprint in sorted(known, key=_place):
        of = family(blueprint.family)
        abilities.setdefault(of.ability, {}).setdefault(of.slug, []).append(blueprint)
    # the families in turns of one per ability; then their tasks in turns of one per family
    families = _in_turns([list(found.values()) for found in abilities.values()])
    return sorted(_in_turns(families)[:size], key=lambda b: b.number)


def _place(blueprint: Blueprint) -> bytes:
    return sha256(instruction_of(family(blueprint.family), blueprint.slots).encode()).digest()


def _in_turns(piles: list[list[T]]) -> list[T]:
    """The first of each pile, then the second of each, and so on."""
    missing = object()
    turns = zip_longest(*piles, fillvalue=missing)
    return [one for turn in turns for one in turn if one is not missing]  # type: ignore[misc]  # the fill value is left out
