"""What the scripted model is told to do in a turn, for any harness: it says texts and uses tools by purpose, not by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from claw_adapter.endpoint.faults import FaultKind
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse
from claw_adapter.harness import Harness
from claw_adapter.protocol import HistoryRoute
from claw_adapter.workspace import history_path

__all__ = ["fail", "hang", "history_reading", "history_use", "read", "run", "say", "write"]

Finish = Literal["stop", "length", "content_filter"]


def say(text: str, delay: float = 0.0, finish: Finish = "stop") -> PlayedReply:
    """Say a text and end the turn; `delay` seconds pass before it."""
    return PlayedReply(text=text, delay=delay, finish=finish, piece=max(40, len(text) // 50))


def fail(kind: FaultKind, times: int = 1) -> PlayedReply:
    """Let the next `times` requests of the turn fail (0: all of them)."""
    return PlayedReply(fault=kind, times=times)


def hang() -> PlayedReply:
    """Do not answer until the harness hangs up or the turn ends."""
    return PlayedReply(hang=True)


def read(path: str, *wanted: str) -> PlayedReply:
    """Read a file of the workspace, on and on until all of `wanted` has come back."""
    return PlayedReply(uses=(ToolUse(kind="read", target=path, wanted=wanted, whole=True),))


def write(path: str, content: str) -> PlayedReply:
    """Write a file of the workspace."""
    return PlayedReply(uses=(ToolUse(kind="write", target=path, content=content),))


def run(command: str) -> PlayedReply:
    """Run a shell command in the workspace."""
    return PlayedReply(uses=(ToolUse(kind="run", target=command),))


def history_use(harness: Harness, session: str) -> ToolUse | None:
    """How a history is read through a harness; None where it cannot be."""
    return history_reading(harness.capabilities().seed_history, session, harness.session_key)


def history_reading(seeded: HistoryRoute, session: str, key: Callable[[str], str]) -> ToolUse | None:
    """The same for a harness that gets histories so; `key` is what it knows a session by, if it has any of its own."""
    match seeded:
        case "native":
            return ToolUse(kind="history", target=session, names=tuple(dict.fromkeys((key(session), session))))
        case "files":
            return ToolUse(kind="read", target=history_path(session))
        case _:
            return None
