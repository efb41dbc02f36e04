"""Claude Code's project folder: ``<uuid>.jsonl`` per session, one record per message.

Held: ids, roles, text, times, calls and results. Not held: channel, kind, title, participants and speakers. A record with
several tool results becomes several messages, the second named ``<uuid>.2`` and so on; each is written as a record of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.errors import ScenarioError
from claw_adapter.harness import Message, Session, ToolCall
from claw_adapter_clawarena.jsontext import record_lines
from claw_adapter_clawarena.stores.base import FileStore, arguments_of, json_line, message, plain_text, read_text
from claw_adapter_clawarena.times import format_time, parse_time

__all__ = ["ClaudeCodeStore"]

TYPES: Final = frozenset({"user", "assistant", "system"})


class ClaudeCodeStore(FileStore):
    """A project folder, or one session's file."""

    ending: ClassVar[str] = ".jsonl"

    def parse_file(self, path: Path) -> Session:
        """The messages of one file; records of other types (summaries, snapshots) are skipped."""
        found: list[Message] = []
        for number, record in record_lines(read_text(path), path):
            if record.get("type") in TYPES and isinstance(record.get("message"), dict):
                found.extend(_messages(record, f"{path}:{number}"))
        return Session(id=path.stem, messages=tuple(found))

    def render(self, session: Session, folder: Path) -> Mapping[str, str]:
        """The session's file."""
        del folder
        return {f"{session.id}{self.ending}": "".join(map(json_line, _records(session)))}


def _messages(record: Mapping[str, Any], where: str) -> Iterator[Message]:
    inner = record["message"]
    content, role = inner.get("content"), str(inner.get("role", record["type"]))
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    results = [part for part in parts if part.get("type") == "tool_result"]
    base = {"time": parse_time(record.get("timestamp"))}
    name = record.get("uuid")
    if not isinstance(name, str) or not name:
        raise ScenarioError("a record without a uuid", where=where)
    for position, part in enumerate(results, start=1):
        text, call = plain_text(part.get("content")), str(part.get("tool_use_id", ""))
        numbered = name if position == 1 else f"{name}.{position}"
        yield message(where, id=numbered, role="tool", text=text, tool_call_id=call, **base)
    text = plain_text(content)
    if results and not text:
        return
    yield message(
        where,
        id=f"{name}.{len(results) + 1}" if results else name,
        role=role,
        text=text,
        tool_calls=tuple(
            ToolCall(id=str(p.get("id", "")), name=str(p.get("name", "")), arguments=arguments_of(p.get("input")))
            for p in parts
            if p.get("type") == "tool_use"
        ),
        **base,
    )


def _records(session: Session) -> Iterator[dict[str, Any]]:
    parent: str | None = None
    for item in session.messages:
        kind = "user" if item.role == "tool" else item.role
        yield {
            "type": kind,
            "uuid": item.id,
            "parentUuid": parent,
            "sessionId": session.id,
            **({"timestamp": format_time(item.time)} if item.time else {}),
            "message": {"role": kind, "content": _content(item)},
        }
        parent = item.id


def _content(item: Message) -> str | list[dict[str, Any]]:
    if item.role == "tool":
        return [{"type": "tool_result", "tool_use_id": item.tool_call_id or "", "content": item.text}]
    if item.role != "assistant":
        return item.text
    content: list[dict[str, Any]] = [{"type": "text", "text": item.text}] if item.text else []
    return content + [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": dict(c.arguments)} for c in item.tool_calls
    ]
