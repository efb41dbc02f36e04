"""OpenClaw's sessions, version 3: ``sessions.json`` and one JSON-lines file per session.

Held: ids, channel, order, roles, text, times, calls and results. Not held: a session's kind, title and participants, and
speakers (the published data has them in the text). On reading, parts other than text and calls (thinking) are left out, and
records other than messages are skipped. The chain of parents is written anew, so that appended messages join it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.errors import ScenarioError
from claw_adapter.harness import Message, Session, ToolCall
from claw_adapter_clawarena.jsontext import read_json, record_lines
from claw_adapter_clawarena.stores.base import (
    FileStore,
    arguments_of,
    json_line,
    message,
    plain_text,
    read_text,
    write_text,
)
from claw_adapter_clawarena.times import format_time, milliseconds, parse_time

__all__ = ["INDEX", "OpenClawStore"]

INDEX: Final = "sessions.json"
EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_ROLES: Final = {"toolResult": "tool"}


class OpenClawStore(FileStore):
    """The folder ``agents/<agent>/sessions``, or one file of it."""

    ending: ClassVar[str] = ".jsonl"

    def read(self, path: Path) -> list[Session]:
        """The sessions that ``sessions.json`` lists, in its order; without it, those that are there, by name."""
        if path.is_file() or not (path / INDEX).is_file():
            return super().read(path)
        index = read_json(path / INDEX)
        found = []
        for key, entry in index.data.items():
            name = entry.get("sessionFile") if isinstance(entry, dict) else None
            if not isinstance(name, str):
                raise ScenarioError(f"session {key!r} has no 'sessionFile'", where=index.where(key))
            session = self.read_file(path / name)
            found.append(session.model_copy(update={"channel": str(entry.get("channel", "main"))}))
        return found

    def parse_file(self, path: Path) -> Session:
        """The messages of one file; the channel stands in ``sessions.json`` only."""
        found, name = [], path.stem
        for number, record in record_lines(read_text(path), path):
            if record.get("type") == "session":
                name = str(record.get("id", name))
            elif record.get("type") == "message":
                found.append(_message(record, f"{path}:{number}"))
        return Session(id=name, messages=tuple(found))

    def render(self, session: Session, folder: Path) -> Mapping[str, str]:
        """The session's file."""
        del folder
        return {f"{session.id}{self.ending}": "".join(map(json_line, _records(session)))}

    def write(self, sessions: Sequence[Session], path: Path) -> None:
        """Write all sessions and their index."""
        super().write(sessions, path)
        agent = path.parent.name if path.name == "sessions" else path.name
        index = {f"agent:{agent}:{session.id}": _entry(session) for session in sessions}
        write_text(path / INDEX, json.dumps(index, ensure_ascii=False, indent=2) + "\n")


def _message(record: Mapping[str, Any], where: str) -> Message:
    inner = record.get("message")
    if not isinstance(inner, dict):
        raise ScenarioError("a message record without a message", where=where)
    content = inner.get("content")
    role = str(inner.get("role", ""))
    calls = (
        [p for p in content if isinstance(p, dict) and p.get("type") == "toolCall"] if isinstance(content, list) else []
    )
    return message(
        where,
        id=str(record.get("id", "")),
        role=_ROLES.get(role, role),
        text=plain_text(content),
        time=parse_time(record.get("timestamp")),
        tool_calls=tuple(
            ToolCall(id=str(c.get("id", "")), name=str(c.get("name", "")), arguments=arguments_of(c.get("arguments")))
            for c in calls
        ),
        tool_call_id=str(inner.get("toolCallId", "")) if role == "toolResult" else None,
    )


def _records(session: Session) -> Iterator[dict[str, Any]]:
    start = next((m.time for m in session.messages if m.time), EPOCH)
    yield {"type": "session", "version": 3, "id": session.id, "timestamp": format_time(start)}
    parent: str | None = None
    for kind, fields in (
        ("model_change", {"provider": "claw", "modelId": "claw"}),
        ("thinking_level_change", {"thinkingLevel": "low"}),
    ):
        name = sha256(f"{session.id}/{kind}".encode()).hexdigest()[:8]
        yield {"type": kind, "id": name, "parentId": parent, "timestamp": format_time(start), **fields}
        parent = name
    names = {call.id: call.name for m in session.messages for call in m.tool_calls}
    for item in session.messages:
        stamp = {"timestamp": format_time(item.time)} if item.time else {}
        yield {"type": "message", "id": item.id, "parentId": parent, **stamp, "message": _inner(item, names)}
        parent = item.id


def _inner(item: Message, names: Mapping[str, str]) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": item.text}] if item.text else []
    content += [
        {"type": "toolCall", "id": c.id, "name": c.name, "arguments": dict(c.arguments)} for c in item.tool_calls
    ]
    stamp = {"timestamp": milliseconds(item.time)} if item.time else {}
    if item.role == "tool":
        call = item.tool_call_id or ""
        return {"role": "toolResult", "toolCallId": call, "toolName": names.get(call, ""), "content": content, **stamp}
    return {"role": item.role, "content": content, **stamp}


def _entry(session: Session) -> dict[str, Any]:
    last = next((m.time for m in reversed(session.messages) if m.time), EPOCH)
    return {
        "sessionId": session.id,
        "sessionFile": f"{session.id}.jsonl",
        "channel": session.channel,
        "lastChannel": session.channel,
        "updatedAt": milliseconds(last),
    }
