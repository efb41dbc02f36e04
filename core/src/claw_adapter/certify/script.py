"""What the scripted model is told to do in a turn, for any harness: it says texts and uses tools by purpose, not by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from claw_adapter.endpoint.faults import FaultKind

__all__ = ["Fail", "Hang", "Say", "Step", "Use", "history", "read", "run", "write"]


@dataclass(frozen=True, slots=True)
class Say:
    """Say a text and end the turn; `delay` seconds pass before it."""

    text: str
    delay: float = 0.0
    finish: Literal["stop", "length", "content_filter"] = "stop"


@dataclass(frozen=True, slots=True)
class Use:
    """Use whatever tool of the harness serves a purpose; made by `read`, `write`, `run` and `history`.

    `wanted` are texts that should come back: it goes on reading (pages, searches) until they have. `says` is text in the same
    reply as the call.
    """

    kind: Literal["read", "write", "run", "history"]
    target: str
    content: str = ""
    wanted: tuple[str, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True)
class Fail:
    """Let the next `times` requests of the turn fail (0: all of them)."""

    kind: FaultKind
    times: int = 1


@dataclass(frozen=True, slots=True)
class Hang:
    """Do not answer until the harness hangs up or the turn ends."""


Step = Say | Use | Fail | Hang


def read(path: str, *wanted: str, says: str = "") -> Use:
    """Read a file of the workspace."""
    return Use("read", path, wanted=wanted, says=says)


def write(path: str, content: str, *, says: str = "") -> Use:
    """Write a file of the workspace."""
    return Use("write", path, content, says=says)


def run(command: str, *, says: str = "") -> Use:
    """Run a shell command in the workspace."""
    return Use("run", command, says=says)


def history(session: str, *wanted: str) -> Use:
    """Read a history session: with the harness's session tools, or its file where core writes one."""
    return Use("history", session, wanted=wanted)
