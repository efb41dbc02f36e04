"""The extension point for environments: what stands beside the workspace for one trial.

A scenario names one in its ``scenario.yaml``, with options::

    environment:
      name: my-world
      options: {size: 3}

An environment holds state that an agent changes by other means than files: a world of commands, a database, a mock API. It
opens with the trial, its snapshots go into the run's store with every round, and a question type is given those before and
after a turn. The class is brought by a plugin (`claw_adapter.hooks.claw_environment`); see docs/write-an-environment.md.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from logging import Logger
from pathlib import Path
from typing import ClassVar

from claw_adapter.drivers.mcp import McpServer
from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Round

__all__ = ["Attached", "Environment", "EnvironmentContext", "McpServer", "Printed", "Surroundings"]


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command line that was executed has printed."""

    text: str
    """Standard output and standard error, as an agent is to read them."""
    status: int = 0
    """Its exit status."""
    over: bool = False
    """True where nothing more will be executed, as when a budget is used up."""


@dataclass(frozen=True, slots=True)
class Attached:
    """What a harness's programs are given so that they work in the environment."""

    path: tuple[Path, ...] = ()
    """Folders of programs, put first on PATH."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Environment variables."""
    readable: tuple[Path, ...] = ()
    """Whatever else a confined program must be able to see, Unix sockets included."""
    mcp: tuple[McpServer, ...] = ()
    """MCP servers for the harness to start; what their commands need is in `readable`. A harness that cannot be given any
    (`claw_adapter.protocol.Capabilities.mcp`) is refused."""

    def search_path(self, before: str = "", after: str = "") -> str:
        """A value for PATH: the folders of programs between what is to be found earlier and what later."""
        return os.pathsep.join(filter(None, (before, *map(str, self.path), after)))


@dataclass(frozen=True, slots=True)
class EnvironmentContext:
    """What an environment may use during one trial."""

    trial: str
    """Id of the trial."""
    scenario: Path
    """The scenario's folder, its hidden part included; no harness sees it."""
    workspace: Path
    """The agent's working directory, laid out; what the environment writes there is part of the workspace."""
    private: tuple[str, ...]
    """Glob patterns of files that the harness keeps in the workspace for itself."""
    folder: Path
    """A folder for the environment alone; a harness sees of it what `Attached` names."""
    seed: int
    isolation: int
    """The isolation level at which programs are to be run."""
    marker: str
    """Every child process carries it (`claw_adapter.drivers.Command.marker`), so that none outlives the trial."""
    log: Logger


class Environment(ABC):
    """One trial's environment; made anew for each trial, with the scenario's options as keyword arguments.

    Calls come one at a time, but for those that reach it through what `attach` has opened.
    """

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"
    command_names: tuple[str, ...] = ()
    """First words of the command lines that `execute` knows, by which a command is found in what a model says; none: its first
    line is the command."""

    @abstractmethod
    async def open(self, ctx: EnvironmentContext) -> None:
        """Bring it into its first state. Called once, before anything else."""

    async def attach(self) -> Attached:
        """Open the ways by which a harness's own programs act in it; called once after `open`, only if a harness has such."""
        return Attached()

    def prompt(self, item: Round) -> str:  # noqa: ARG002  # the default has nothing to say
        """What is put below a round's question; empty for nothing. Called after `attach`, if that is called."""
        return ""

    async def execute(self, line: str) -> Printed:
        """Execute a command line for a harness that executes nothing itself.

        Raises:
            ScenarioError: commands are none of this environment's ways; the default.
        """
        del line
        raise ScenarioError(
            f"environment {self.name!r} executes no commands",
            remedy="Choose a harness with tools of its own, in place of one that acts through the environment alone.",
        )

    @abstractmethod
    async def snapshot(self) -> bytes:
        """Its whole state. What the harness changed by other ways, such as files of the workspace, is taken in before."""

    @abstractmethod
    async def restore(self, snapshot: bytes) -> None:
        """Go back to a state that `snapshot` has returned, in this trial or before it was interrupted.

        The workspace is back in the state of that moment already, and no harness is at work.
        """

    async def close(self) -> None:  # noqa: B027  # optional on purpose
        """End everything that was started. Called once, also where `open` failed."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The environment as an adapter sees it (`claw_adapter.harness.TrialContext.environment`)."""

    attached: Attached
    """Every child of the trial gets it; an adapter passes it on where its harness starts programs in another way."""
    execute: Callable[[str], Awaitable[Printed]]
    """Execute a command line; for harnesses that execute nothing themselves."""
    command_names: tuple[str, ...] = ()
    """First words of the command lines that it knows (`Environment.command_names`)."""
