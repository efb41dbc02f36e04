"""PicoClaw's sessions: JSON lines with a ``.meta.json`` beside them; and the same without it, as message logs.

Held: the key (a session's id), roles, text, calls and results. Not held: message ids (``m1``, ``m2`` … by position), times,
channel, kind, title, participants and speakers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.harness import Message, Session
from claw_adapter_clawarena.jsontext import read_json, record_lines
from claw_adapter_clawarena.stores.base import (
    FileStore,
    json_line,
    message,
    openai_calls,
    openai_records,
    plain_text,
    read_text,
)

__all__ = ["META", "PicoClawLogStore", "PicoClawStore"]

META: Final = ".meta.json"
EPOCH: Final = "2000-01-01T00:00:00.000Z"


class PicoClawLogStore(FileStore):
    """Plain JSON lines, named by the session: the folder ``message_logs`` of a workspace."""

    ending: ClassVar[str] = ".jsonl"

    def parse_file(self, path: Path) -> Session:
        """The messages of one file."""
        found: list[Message] = []
        for number, record in record_lines(read_text(path), path):
            if "role" in record:
                found.append(_message(record, f"m{len(found) + 1}", f"{path}:{number}"))
        return Session(id=self.key(path), messages=tuple(found))

    def key(self, path: Path) -> str:
        """The session's id."""
        return path.stem

    def render(self, session: Session, folder: Path) -> Mapping[str, str]:
        """The session's file; a colon in its key is an underscore in its name."""
        del folder
        name = session.id.replace(":", "_")
        return {f"{name}{self.ending}": "".join(json_line(_record(item)) for item in session.messages)}


class PicoClawStore(PicoClawLogStore):
    """The folder ``memory``: the key stands in the file beside a session's own."""

    def key(self, path: Path) -> str:
        """The key from the ``.meta.json``; without one, the file's name."""
        meta = path.with_suffix("").with_name(path.stem + META)
        return str(read_json(meta).data.get("key", path.stem)) if meta.is_file() else path.stem

    def render(self, session: Session, folder: Path) -> Mapping[str, str]:
        """The session's file and the one beside it."""
        files = dict(super().render(session, folder))
        times = {"created_at": EPOCH, "updated_at": EPOCH}
        meta = {"key": session.id, "summary": "", "skip": 0, "count": len(session.messages), **times}
        return files | {session.id.replace(":", "_") + META: json.dumps(meta, ensure_ascii=False, indent=2)}


def _message(record: Mapping[str, Any], name: str, where: str) -> Message:
    role = str(record.get("role"))
    return message(
        where,
        id=name,
        role=role,
        text=plain_text(record.get("content")),
        tool_calls=openai_calls(record.get("tool_calls")),
        tool_call_id=str(record.get("tool_call_id", "")) if role == "tool" else None,
    )


def _record(item: Message) -> dict[str, Any]:
    calls = openai_records(item.tool_calls) or None
    return {"role": item.role, "content": item.text, "tool_calls": calls, "tool_call_id": item.tool_call_id or ""}
