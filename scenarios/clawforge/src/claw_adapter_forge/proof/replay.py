"""Running a list of commands from a task's first state, and judging what it left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from claw_adapter_forge.evaluation.verdict import Verdict, evaluate
from claw_adapter_forge.policies.offline import DONE, decide
from claw_adapter_forge.surfaces.shell import Execution, execute
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.difference import Change
from claw_adapter_forge.world.state import State, World

__all__ = ["Replay", "drive", "fingerprint", "replay"]


@dataclass(frozen=True, slots=True)
class Replay:
    """Executed commands, the state they left, and the verdict."""

    executions: tuple[Execution, ...]
    final: State
    verdict: Verdict

    @property
    def failing(self) -> tuple[str, ...]:
        """Commands with an exit status other than 0."""
        return tuple(e.line for e in self.executions if e.output.code)


def _judged(task: ForgeTask, world: World, executions: list[Execution]) -> Replay:
    final = world.state
    return Replay(tuple(executions), final, evaluate(task, final, [e.changes for e in executions]))


def replay(task: ForgeTask, lines: Iterable[str]) -> Replay:
    """Run the commands, one after the other, whatever they print."""
    world = World(task.start)
    return _judged(task, world, [execute(world, line) for line in lines])


def drive(task: ForgeTask, policy: str, horizon: int = 0) -> Replay:
    """Let an offline policy work on the task."""
    world = World(task.start)
    request = first_observation(task.instruction, task.start)
    history: list[tuple[str, str]] = []
    executions: list[Execution] = []
    for _ in range(horizon or task.meta.horizon):
        line = decide(policy, request, history)
        if line == DONE:
            break
        executions.append(execute(world, line))
        history.append((line, executions[-1].text))
    return _judged(task, world, executions)


def fingerprint(changes: Iterable[Change]) -> tuple[str, ...]:
    """A difference without the ids of what was created: two states with the same fingerprint differ in nothing else.

    Which replies have come shows in what they brought; their own rows name ids.
    """
    lines = []
    for change in (c for c in changes if c.table != "replies"):
        row = change.after
        if change.kind == "created" and row is not None and change.table not in {"files", "config", "channels"}:
            row = replace(row, id="")
            lines.append(f"+ {change.table} {row!r}")
        else:
            lines.append(f"{change.kind} {change.table} {change.key} {row!r}")
    return tuple(sorted(lines))
