"""OpenClaw's transcripts as files: one ``<session id>.jsonl`` per session, a header line and one event a line.

OpenClaw itself keeps the same events in a database of its own, which nobody else may write; the adapter reads and writes
that through the gateway (see `claw_adapter_openclaw.gateway`). These files are what it exports, and what
`openclaw doctor --session-sqlite import` reads.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import quote

from claw_adapter.command.folder import OURS, SessionFolder, json_lines, ours_of, replace, session_of
from claw_adapter.errors import AdapterError, HarnessProtocolError
from claw_adapter.harness import Message, Session
from claw_adapter_openclaw.native import message_of as neutral
from claw_adapter_openclaw.native import natives
from claw_adapter_openclaw.options import AGENT

__all__ = ["OpenClawSessions", "branch", "refuse_collisions", "session_id", "session_key"]

VERSION: Final = 4
_NAMES: Final = uuid.UUID("6f1d4f0e-7d0b-4c57-9f53-2b8a4b1c9a02")


def session_key(name: str) -> str:
    """The key by which OpenClaw's own tools know a session; OpenClaw writes all keys in lower case.

    A name with capitals gets some digits of its own behind it, so that ``Ops`` is another one than ``ops``.
    """
    low = name.lower()
    return f"agent:{AGENT}:{low}" if low == name else f"agent:{AGENT}:{low}-{uuid.uuid5(_NAMES, name).hex[:6]}"


def session_id(name: str, revision: int = 0) -> str:
    """Id of a session's transcript: the same in equal trials, another one after each rewriting."""
    return str(uuid.uuid5(_NAMES, f"{session_key(name)}#{revision}"))


def refuse_collisions(names: Sequence[str]) -> None:
    """Session ids must have keys of their own (M5).

    Raises:
        AdapterError: they do not.
    """
    keys = [session_key(name) for name in names]
    for key in keys:
        if keys.count(key) > 1:
            raise AdapterError("two sessions would have the same key in OpenClaw", where=key)


class OpenClawSessions(SessionFolder):
    """A folder of transcript files, or one of them."""

    title: ClassVar[str] = "OpenClaw"

    def file(self, session_id: str, folder: Path) -> Path:
        """Where a transcript lies."""
        return folder / f"{quote(session_id, safe='')}.jsonl"

    def load(self, file: Path) -> tuple[int, Session]:
        """See `SessionFolder.load`."""
        lines = self.lines(file)
        if not lines or lines[0]["type"] != "session" or lines[0]["version"] != VERSION:
            raise HarnessProtocolError(f"not a transcript of version {VERSION}", where=f"{file}:1")
        head, *events = lines
        messages = self.once(file)(branch(events), neutral)
        return session_of(head.get(OURS) or {}, head["id"], (said for said in messages if said is not None))

    def save(self, session: Session, position: int, folder: Path, there: Session | None = None) -> None:
        """Write a transcript anew."""
        del there
        lines = [_header(session, position), *_events(session.messages)]
        replace(self.file(session.id, folder), json_lines(lines))

    def clear(self, folder: Path) -> None:
        """Remove all transcripts."""
        for file in self.files(folder):
            file.unlink()


def branch(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The events that are in force: OpenClaw branches off when it drops a message, and the last event names its parent."""
    by_id = {event["id"]: event for event in events if event.get("type") != "session" and "id" in event}
    chain: list[Mapping[str, Any]] = []
    event = events[-1] if events and events[-1].get("type") != "session" else None
    while event is not None and len(chain) <= len(events):
        chain.append(event)
        event = by_id.get(event.get("parentId"))
    return chain[::-1]


def _header(session: Session, position: int) -> dict[str, Any]:
    times = [message.time for message in session.messages if message.time]
    start = times[0].isoformat() if times else datetime(2000, 1, 1, tzinfo=UTC).isoformat()
    return {
        "type": "session",
        "version": VERSION,
        "id": session_id(session.id),
        "timestamp": start,
        OURS: ours_of(session, position),
    }


def _events(messages: Iterable[Message]) -> Iterable[dict[str, Any]]:
    parent = None
    for native in natives(messages):
        time = datetime.fromtimestamp(native["message"]["timestamp"] / 1000, UTC).isoformat()
        yield {
            "type": "message",
            "id": native["id"],
            "parentId": parent,
            "timestamp": time,
            "message": native["message"],
        }
        parent = native["id"]
