"""What both protocols of the reference agent share: how it is started as a child, and what its model's failures are."""

from __future__ import annotations

import sys
from pathlib import Path

from claw_adapter.errors import (
    ClawError,
    EndpointFilteredError,
    EndpointMalformedError,
    EndpointTransientError,
    HarnessError,
    endpoint_error,
)
from claw_adapter.reference import agent, serve

__all__ = ["child_command", "model_failure"]

CLASSES: dict[int, type[ClawError]] = {
    agent.CANCELLED: HarnessError, agent.GAVE_UP: HarnessError,
    -1: EndpointMalformedError, 0: EndpointTransientError,
}  # fmt: skip
"""Of the numbers that stand for no HTTP status."""


def model_failure(status: int, message: str) -> ClawError:
    """The error of a turn that the model's endpoint, or its being cancelled, ended; see `agent.ModelFailure`."""
    kind = CLASSES.get(status) or endpoint_error(status)
    if status == 400 and '"content_filter"' in message:
        kind = EndpointFilteredError
    return kind(message, where=f"model request, status {status}")


def child_command(protocol: str) -> tuple[list[str], list[Path]]:
    """How the agent is started as a child: the command line, and the files that it must be able to read."""
    files = [Path(serve.__file__), Path(agent.__file__)]
    python = str(Path(sys.executable).resolve())  # not the link in a virtual environment, which is not shown inside
    return [python, "-I", str(files[0]), protocol], files
