"""NanoBot's session files as the published data has them: a metadata line with the key, then one message a line.

Held: the key (a session's id), roles, text, times, calls and results. Not held: message ids (they are ``m1``, ``m2`` … by
position), channel, kind, title, participants and speakers. The adapter for the NanoBot of today has a store of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.harness import Message, Session
from claw_adapter_clawarena.jsontext import record_lines
from claw_adapter_clawarena.stores.base import (
    FileStore,
    json_line,
    message,
    openai_calls,
    openai_records,
    plain_text,
    read_text,
)
from claw_adapter_clawarena.times import format_time, parse_time

__all__ = ["NanoBotStore"]

EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)


class NanoBotStore(FileStore):
    """The folder ``sessions`` of a workspace, or one file of it."""

    ending: ClassVar[str] = ".jsonl"

    def parse_file(self, path: Path) -> Session:
        """The messages of one file; without a metadata line the id is the file's name."""
        name, found = path.stem, list[Message]()
        for number, record in record_lines(read_text(path), path):
            if record.get("_type") == "metadata":
                name = str(record.get("key", name))
            elif "role" in record:
                found.append(_message(record, f"m{len(found) + 1}", f"{path}:{number}"))
        return Session(id=name, messages=tuple(found))

    def render(self, session: Session, folder: Path) -> Mapping[str, str]:
        """The session's file; a colon in its key is an underscore in its name."""
        del folder
        return {f"{session.id.replace(':', '_')}{self.ending}": "".join(map(json_line, _records(session)))}


def _message(record: Mapping[str, Any], name: str, where: str) -> Message:
    role = str(record.get("role"))
    return message(
        where,
        id=name,
        role=role,
        text=plain_text(record.get("content")),
        time=parse_time(record.get("timestamp")),
        tool_calls=openai_calls(record.get("tool_calls")),
        tool_call_id=str(record.get("tool_call_id", "")) if role == "tool" else None,
    )


def _records(session: Session) -> Iterator[dict[str, Any]]:
    times = [item.time for item in session.messages if item.time] or [EPOCH]
    yield {
        "_type": "metadata",
        "key": session.id,
        "created_at": format_time(times[0]),
        "updated_at": format_time(times[-1]),
        "metadata": {},
        "last_consolidated": 0,
    }
    names = {call.id: call.name for item in session.messages for call in item.tool_calls}
    for item in session.messages:
        record: dict[str, Any] = {"role": item.role, "content": item.text}
        if item.tool_calls:
            record["tool_calls"] = openai_records(item.tool_calls)
        if item.role == "tool":
            call = item.tool_call_id or ""
            record |= {"tool_call_id": call, "name": names.get(call, "")}
        if item.time:
            record["timestamp"] = format_time(item.time)
        yield record
