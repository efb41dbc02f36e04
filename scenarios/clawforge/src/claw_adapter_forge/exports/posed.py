"""Whether a published task can be solved from what its agent can see: the taint trace, held against the checks.

An argument is *unshown* when neither the first observation nor anything that the reference has printed before holds it. Many
are free (a title, a day nobody named); one of them makes a task ill-posed if the checks want it: with another value of its kind
in every command that has it, the reference fails a check that it passed. That a branch contradicts its evidence, or that nobody
asked for an event, is no argument and is not found.
"""

from __future__ import annotations

from collections.abc import Sequence

from claw_adapter_forge.evaluation.paper import check_holds, normalised_state
from claw_adapter_forge.exports.published import Published
from claw_adapter_forge.generator.taint import Traced, trace
from claw_adapter_forge.surfaces.shell import Execution, execute
from claw_adapter_forge.surfaces.words import join_words, split_words
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.world.state import World
from claw_adapter_forge.world.times import ZONES, add_days

__all__ = ["unshown"]


def unshown(task: Published) -> tuple[Traced, ...]:
    """Arguments that the checks want and nothing shows, each value once; none where the reference itself fails."""
    passed, executions = _run(task, task.reference)
    if not all(passed):
        return ()
    found: dict[str, Traced] = {}
    for argument in trace(first_observation(task.instruction, task.start), executions):
        new = (
            argument.source < 0 and argument.value not in found and any(argument.value in line for line in task.written)
        )
        if new and not _free(task, argument):
            found[argument.value] = argument
    return tuple(found.values())


def _run(task: Published, lines: Sequence[str]) -> tuple[tuple[bool, ...], list[Execution]]:
    world = World(task.start)
    executions = [execute(world, line) for line in lines]
    state = normalised_state(world.state, executions)
    return tuple(check_holds(check, state) for check in task.checks), executions


def _free(task: Published, argument: Traced) -> bool:
    """Whether the checks hold with another value as well."""
    value, other = argument.value, _other(argument)
    lines = [join_words([other if word == value else word for word in split_words(line)]) for line in task.reference]
    return all(_run(task, lines)[0])


def _other(argument: Traced) -> str:
    """Another value of the same kind, which the grammar takes."""
    value = argument.value
    if argument.kind == "zone":
        return next(zone for zone in ZONES if zone != value)
    if argument.kind == "schedule":
        return "17 3 * * 2" if value != "17 3 * * 2" else "18 3 * * 2"
    if argument.kind in ("date", "moment"):
        return add_days(value[:10], 1) + value[10:]
    if value.isdigit():
        return str(int(value) + 1)
    head, at, tail = value.partition("@")
    return f"{head}-other{at}{tail}" if head else f"{value}-other"
