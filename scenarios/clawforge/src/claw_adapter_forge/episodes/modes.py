"""Modes that execute a command in this process.

``mock`` runs every command on one executor. ``multi`` routes by the first word to what owns it, as the paper's default does;
the router knows nothing of the services but their programs. ``real`` and ``hybrid`` are in `claw_adapter_forge.real`; in
``shim`` a line is typed into a real shell, and its clients come here with words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.surfaces.grammar import Output, UsageError
from claw_adapter_forge.surfaces.registry import programs
from claw_adapter_forge.surfaces.shell import UNKNOWN, Execution, execute_words
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.world.state import World

__all__ = ["LOCAL_MODES", "Backend", "Router", "backend", "execute_line"]

Backend = Callable[[World, list[str], str], Execution]
"""Executes a command that is split into words; the last argument is the line as it is noted down."""

LOCAL_MODES = ("mock", "multi")


class Router:
    """Sends a command to the backend that is registered for its first word."""

    def __init__(self, backends: Mapping[str, Backend]) -> None:
        self._backends = dict(backends)

    def __call__(self, world: World, words: list[str], line: str) -> Execution:
        """Route and execute one command."""
        if not words or words[0] == "help":
            return execute_words(world, words, line)
        backend = self._backends.get(words[0])
        if backend is None:
            known = ", ".join(self._backends)
            return Execution(line, None, Output("", f"{words[0]}: command not found; available: {known}", UNKNOWN))
        return backend(world, words, line)


def execute_line(backend: Backend, world: World, line: str) -> Execution:
    """Split a command line as a shell would, and execute it."""
    try:
        words = split_words(line)
    except UsageError as error:
        return Execution(line, None, Output("", str(error), error.code))
    return backend(world, words, line)


def backend(mode: str) -> Backend:
    """The backend of a local mode.

    Raises:
        ScenarioError: the mode is not one that runs in this process.
    """
    if mode == "mock":
        return execute_words
    if mode == "multi":
        return Router(dict.fromkeys(programs(), execute_words))
    raise ScenarioError(
        f"mode {mode!r} does not run in this process", remedy=f"Modes here are {', '.join(LOCAL_MODES)}."
    )
