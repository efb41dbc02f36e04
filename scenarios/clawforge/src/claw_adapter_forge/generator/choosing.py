"""Choosing among the tasks of a set: some by name, or a sample that has every ability and family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import TypeVar

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.generator.compiler import check_task
from claw_adapter_forge.generator.task_sets import blueprints, compile_blueprint
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["pick_tasks", "spread_sample"]

T = TypeVar("T")


def pick_tasks(task_set: str, seed: int, count: int, names: Sequence[str] = ()) -> Iterator[ForgeTask]:
    """The tasks of a set, or those named by id or number.

    Raises:
        ScenarioError: a name fits no task.
    """
    wanted = {int(name.rpartition("-")[2]) for name in names if name.rpartition("-")[2].isdigit()}
    if names and len(wanted) != len(set(names)):
        raise ScenarioError(f"no such task among {', '.join(names)}", remedy="Name tasks by number or as in forge-017.")
    found = 0
    for blueprint in blueprints(task_set, seed, count):
        if not names or blueprint.number in wanted:
            found += 1
            yield check_task(compile_blueprint(blueprint))
    if names and found != len(wanted):
        raise ScenarioError(f"no such task in {task_set}", where=", ".join(names), remedy="See `claw forge generate`.")


def spread_sample(tasks: list[ForgeTask], size: int) -> list[ForgeTask]:
    """`size` tasks that go round the abilities, and round the families of each; all of them if `size` is 0.

    Six have every ability and 17 every family, where the set has them.
    """
    if not 0 < size < len(tasks):
        return tasks
    abilities: dict[str, dict[str, list[ForgeTask]]] = {}
    # in an order that goes by nothing, so that variants and styles mix, and the same one every time
    for task in sorted(tasks, key=lambda t: sha256(t.instruction.encode()).digest()):
        abilities.setdefault(task.meta.ability, {}).setdefault(task.meta.family, []).append(task)
    # the families in turns of one per ability; then their tasks in turns of one per family
    families = _in_turns([list(of.values()) for of in abilities.values()])
    return sorted(_in_turns(families)[:size], key=lambda t: t.number)


def _in_turns(piles: list[list[T]]) -> list[T]:
    """The first of each pile, then the second of each, and so on."""
    missing = object()
    turns = zip_longest(*piles, fillvalue=missing)
    return [one for turn in turns for one in turn if one is not missing]  # type: ignore[misc]  # the fill value is left out
