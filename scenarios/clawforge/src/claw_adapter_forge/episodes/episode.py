"""One episode: a world, a step budget, and what was executed; for the environment, `claw forge play` and Harbor's server."""

from __future__ import annotations

from collections.abc import Iterable

from claw_adapter_forge.episodes.modes import Backend, backend, execute_line
from claw_adapter_forge.evaluation.verdict import Verdict, evaluate
from claw_adapter_forge.surfaces.grammar import Output
from claw_adapter_forge.surfaces.shell import Execution
from claw_adapter_forge.surfaces.words import join_words
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.difference import Change
from claw_adapter_forge.world.state import State, World

__all__ = ["EXHAUSTED", "Episode"]

EXHAUSTED = 75
"""Exit status of a command after the budget is used up; the world does not move any more."""


class Episode:
    """A task in progress. An unknown or refused command costs a step like any other and ends nothing."""

    def __init__(self, task: ForgeTask, mode: str = "multi", horizon: int = 0, execute: Backend | None = None) -> None:
        self.task = task
        self.horizon = horizon or task.meta.horizon
        self.world = World(task.start)
        self.executions: list[Execution] = []
        self.used = 0
        self._execute = execute or backend(mode)

    @property
    def observation(self) -> str:
        """o₀."""
        return first_observation(self.task.instruction, self.task.start)

    @property
    def exhausted(self) -> bool:
        """Whether the budget is used up."""
        return self.used >= self.horizon

    def step(self, line: str) -> Execution:
        """Execute one command line."""
        if self.exhausted:
            return self._spent(line)
        return self._count(execute_line(self._execute, self.world, line))

    def step_words(self, words: list[str]) -> Execution:
        """Execute one command whose words a shell has split already."""
        line = join_words(words)
        if self.exhausted:
            return self._spent(line)
        return self._count(self._execute(self.world, words, line))

    def note(self, label: str, changes: tuple[Change, ...]) -> None:
        """Take down changes that were made to the world by other means than a command; they cost no step."""
        self.executions.append(Execution(label, None, Output(), changes))

    def go_back(self, state: State, executions: Iterable[Execution], used: int) -> None:
        """Be where an episode of this task was when it had this state."""
        self.world = World(state)
        self.executions = list(executions)
        self.used = used

    def _count(self, done: Execution) -> Execution:
        self.used += 1
        self.executions.append(done)
        return done

    def _spent(self, line: str) -> Execution:
        return Execution(line, None, Output("", f"step budget exhausted ({self.horizon} commands)", EXHAUSTED))

    def verdict(self) -> Verdict:
        """Judge the present state."""
        return evaluate(self.task, self.world.state, [e.changes for e in self.executions])
