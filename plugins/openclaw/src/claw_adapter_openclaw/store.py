"""OpenClaw's transcripts as files: one ``<session id>.jsonl`` per session, a header line and one event a line.

OpenClaw itself keeps the same events in a database of its own, which nobody else may write; the adapter reads and writes
that through the gateway (see `claw_adapter_openclaw.gateway`). These files are what it exports, and what
`openclaw doctor --session-sqlite import` reads.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from claw_adapter.errors import AdapterError, HarnessProtocolError
from claw_adapter.harness import Message, Session, SessionStore
from claw_adapter.reading import parse_json, read_text, why
from claw_adapter_openclaw.native import message_of as neutral
from claw_adapter_openclaw.native import natives
from claw_adapter_openclaw.options import AGENT

__all__ = ["OpenClawSessions", "branch", "refuse_collisions", "session_id", "session_key"]

VERSION: Final = 4
_NAMES: Final = uuid.UUID("6f1d4f0e-7d0b-4c57-9f53-2b8a4b1c9a02")


def session_key(name: str) -> str:
    """The key by which OpenClaw's own tools know a session; OpenClaw writes all keys in lower case."""
    return f"agent:{AGENT}:{name.lower()}"


def session_id(name: str, revision: int = 0) -> str:
    """Id of a session's transcript: the same in equal trials, another one after each rewriting."""
    return str(uuid.uuid5(_NAMES, f"{session_key(name)}#{revision}"))


def refuse_collisions(names: Sequence[str]) -> None:
    """Session ids must differ in more than their case.

    Raises:
        AdapterError: they do not.
    """
    keys = [session_key(name) for name in names]
    for key in keys:
        if keys.count(key) > 1:
            raise AdapterError("two sessions would have the same key in OpenClaw", where=key)


class OpenClawSessions(SessionStore):
    """A folder of transcript files, or one of them."""

    def read(self, path: Path) -> list[Session]:
        """All sessions, in the order in which they were written.

        Raises:
            HarnessProtocolError: a file is no transcript of OpenClaw.
        """
        files = [path] if path.is_file() else sorted(path.glob("*.jsonl"))
        found = [_session(file) for file in files]
        return [session for _, session in sorted(found, key=lambda item: (item[0], item[1].id))]

    def write(self, sessions: Sequence[Session], path: Path) -> None:
        """Write every session anew, and remove the files of all others."""
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file in path.glob("*.jsonl"):
            file.unlink()
        for position, session in enumerate(sessions):
            lines = [_header(session, position), *_events(session.messages)]
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (path / f"{quote(session.id, safe='')}.jsonl").write_text(text, "utf-8", newline="\n")


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
    ours = {**session.model_dump(mode="json", exclude={"messages"}), "position": position}
    start = times[0].isoformat() if times else datetime(2000, 1, 1, tzinfo=UTC).isoformat()
    return {"type": "session", "version": VERSION, "id": session_id(session.id), "timestamp": start, "claw": ours}


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


def _session(file: Path) -> tuple[int, Session]:
    try:
        lines = [parse_json(line) for line in read_text(file).split("\n") if line.strip()]
        head, *events = lines
        if head["type"] != "session" or head["version"] != VERSION:
            raise HarnessProtocolError(f"not a transcript of version {VERSION}", where=f"{file}:1")
        ours = dict(head.get("claw") or {"id": head["id"]})
        position = int(ours.pop("position", 1_000_000))
        messages = [message for event in branch(events) if (message := neutral(event)) is not None]
        return position, Session.model_validate({**ours, "messages": tuple(messages)})
    except (ArithmeticError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise HarnessProtocolError(f"not a transcript of OpenClaw: {why(error)}", where=str(file)) from error
