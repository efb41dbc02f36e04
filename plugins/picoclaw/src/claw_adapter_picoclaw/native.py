"""Lines of PicoClaw's session files, and the neutral messages that they stand for; see `claw_adapter_picoclaw.store`.

PicoClaw leaves messages of role ``system`` out of its requests, so they are written as the user's, marked ``[system]``; it
also leaves out a tool call that follows another text of the assistant, or nothing, so a filler line is put between them.

Not kept: tool arguments that are no JSON object (they come back as ``{"raw": "..."}``) and lines that PicoClaw has dropped
from the conversation. What it drops from requests without a remedy here: tool calls without a result for each, and results
without a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from claw_adapter.command.folder import OURS, NamedMessages
from claw_adapter.command.messages import call_of, format_speaker, native_call, utc
from claw_adapter.harness import Message

__all__ = ["FILLER", "Told", "native_lines"]

FILLER: Final = "(continued)"


def native_lines(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    """Messages as lines of a session's file."""
    before = ""
    for message in messages:
        if message.tool_calls and before not in ("user", "tool"):
            yield {"role": "user", "content": FILLER, OURS: {"filler": True}}
        record = _record(message)
        before = record["role"]
        yield record


def _record(message: Message) -> dict[str, Any]:
    role = "user" if message.role == "system" else message.role
    text = format_speaker(message.speaker, message.role) + message.text
    record: dict[str, Any] = {"role": role, "content": text}
    if message.time is not None:
        record["created_at"] = utc(message.time).isoformat()  # a line whose time is not RFC 3339 would be skipped
    if message.tool_calls:
        record["tool_calls"] = [native_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        record["tool_call_id"] = message.tool_call_id
    record[OURS] = message.model_dump(mode="json", include={"id", "role", "speaker"})
    record[OURS]["time"] = message.time.isoformat() if message.time else None
    return record


class Told(NamedMessages):
    """The conversation; messages of PicoClaw's own are named by their lines."""

    def __init__(self) -> None:
        super().__init__(
            "picoclaw", lambda record: _ours(record).get("id"), lambda record: not _ours(record).get("filler"), _message
        )


def _ours(record: Mapping[str, Any]) -> Mapping[str, Any]:
    return record.get(OURS) or {}


def _message(record: Mapping[str, Any], name: str) -> Message:
    ours = _ours(record)
    role, speaker = ours.get("role", record["role"]), ours.get("speaker")
    time = ours.get("time") if ours else record.get("created_at")
    return Message(
        id=name,
        role=role,
        text=str(record.get("content") or "").removeprefix(format_speaker(speaker, role) if ours else ""),
        time=datetime.fromisoformat(time) if time else None,
        speaker=speaker,
        tool_calls=tuple(call_of(call) for call in record.get("tool_calls") or ()),
        tool_call_id=record.get("tool_call_id"),
    )
