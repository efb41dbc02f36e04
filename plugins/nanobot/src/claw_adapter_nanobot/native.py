"""Lines of NanoBot's session files, and the neutral messages that they stand for; see `claw_adapter_nanobot.store`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from claw_adapter.command.folder import OURS, NamedMessages, ours_of
from claw_adapter.command.messages import call_of, format_speaker, native_call, text_of, utc
from claw_adapter.harness import Message, Session

__all__ = ["UNFINISHED", "Told", "head", "hidden", "native_lines"]

EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
HIDDEN: Final = ("_hidden_history", "_command")
UNFINISHED: Final = ("pending_user_turn", "runtime_checkpoint", "pending_user_followups")
"""Metadata of a turn that did not end; left in, NanoBot would merge it into the history at its next start."""


def hidden(record: Mapping[str, Any]) -> bool:
    """Whether NanoBot keeps a line for itself: nobody said it."""
    return any(record.get(mark) for mark in HIDDEN)


def head(session: Session, key: str, position: int, kept: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata line. Times are those of the messages: NanoBot shows them to the model, so they must not vary."""
    times = sorted(_naive(m.time) for m in session.messages if m.time) or [_naive(EPOCH)]
    metadata = {name: value for name, value in kept.items() if name not in (*UNFINISHED, "_last_summary")}
    title = f"{session.channel}: {session.title or session.id}"
    return {
        "_type": "metadata",
        "key": key,
        "created_at": times[0],
        "updated_at": times[-1],
        "metadata": {**metadata, "title": title, OURS: ours_of(session, position)},
        "last_archived": 0,
        "last_consolidated": 0,
    }


def _naive(time: datetime) -> str:
    """NanoBot's own times have no zone; it runs with TZ=UTC."""
    return utc(time).replace(tzinfo=None).isoformat()


def native_lines(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    """Messages as lines of a session's file, behind its head."""
    tools: dict[str, str] = {}
    for at, message in enumerate(messages):
        if at == 0 and message.role != "user":
            # What stands before the first user message is left out of requests; a command is, too, and counts as one.
            yield {"role": "user", "content": "", "_command": True}
        tools.update({call.id: call.name for call in message.tool_calls})
        record: dict[str, Any] = {
            "role": message.role,
            "content": format_speaker(message.speaker) + message.text,
        }
        if message.tool_calls:
            record["tool_calls"] = [native_call(call) for call in message.tool_calls]
        if message.tool_call_id is not None:
            record |= {"tool_call_id": message.tool_call_id, "name": tools.get(message.tool_call_id, "tool")}
        if message.time is not None:
            record["timestamp"] = message.time.isoformat()
        record[OURS] = {"id": message.id, "speaker": message.speaker}
        yield record


class Told(NamedMessages):
    """The conversation; messages of NanoBot's own are named by their lines."""

    def __init__(self) -> None:
        super().__init__("nanobot", _own, lambda record: "role" in record and not hidden(record), _message)


def _own(record: Mapping[str, Any]) -> str | None:
    ours = record.get(OURS)
    return ours["id"] if ours else None


def _message(record: Mapping[str, Any], name: str) -> Message:
    ours = record.get(OURS) or {}
    time = datetime.fromisoformat(record["timestamp"]) if record.get("timestamp") else None
    if time is not None and time.tzinfo is None and not ours:
        time = time.replace(tzinfo=UTC)
    speaker = ours.get("speaker")
    return Message(
        id=name,
        role=record["role"],
        text=text_of(record.get("content")).removeprefix(format_speaker(speaker)),
        time=time,
        speaker=speaker,
        tool_calls=tuple(call_of(call) for call in record.get("tool_calls") or ()),
        tool_call_id=record.get("tool_call_id"),
    )
