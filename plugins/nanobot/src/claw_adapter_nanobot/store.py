"""NanoBot 0.3.5's session files, translated to and from neutral sessions.

One file per session, ``<base64url(key)>.jsonl``: a metadata line, then one message a line. NanoBot keeps every key of a
message and of the metadata that it does not know, so what its format has no place for travels under our own key
``claw``: message ids and speakers, and a session's kind, channel, title, participants and position. A speaker is also
written in front of the text (``Ann: hello``), because the model sees nothing but the text.

Not kept: a tool result's parts other than text (images), tool arguments that are no JSON object (they come back as
``{"raw": "..."}``), and messages that NanoBot hides (compaction marks, slash commands).
"""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Message, Session, SessionChange, SessionStore, ToolCall
from claw_adapter.merge import merged
from claw_adapter.reading import parse_json, read_text, why

__all__ = [
    "CHANNEL",
    "NanoBotSessions",
    "file_name",
    "finished",
    "hidden",
    "last_turn",
    "message_text",
    "native_lines",
    "session_key",
]

CHANNEL: Final = "cli"
OURS: Final = "claw"
LAST: Final = 1_000_000
EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
HIDDEN: Final = ("_hidden_history", "_command")
UNFINISHED: Final = ("pending_user_turn", "runtime_checkpoint", "pending_user_followups")
"""Metadata of a turn that did not end; left in, NanoBot would merge it into the history at its next start."""


def session_key(session_id: str, channel: str = CHANNEL) -> str:
    """The key by which NanoBot's own tools know a session; its server puts the channel ``api`` in front."""
    return f"{channel}:{session_id}"


def file_name(session_id: str, channel: str = CHANNEL) -> str:
    """Name of a session's file in the store."""
    return _stem(session_key(session_id, channel)) + ".jsonl"


def _stem(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def finished(file: Path) -> bool:
    """Whether no turn was under way when a session's file was written."""
    return not any(native_lines(file)[0].get("metadata", {}).get(mark) for mark in UNFINISHED)


def hidden(record: Mapping[str, Any]) -> bool:
    """Whether NanoBot keeps a line for itself: nobody said it."""
    return any(record.get(mark) for mark in HIDDEN)


def last_turn(folder: Path, session_id: str, channel: str = CHANNEL) -> tuple[str, dict[str, Any] | None]:
    """Last message of a session if it is the assistant's, else an empty text; and the usage of the last turn."""
    head, *records = native_lines(folder / file_name(session_id, channel))
    last: dict[str, Any] = next((record for record in reversed(records) if not hidden(record)), {})
    said = message_text(last.get("content")) if last.get("role") == "assistant" else ""
    return said, head.get("metadata", {}).get("_last_usage")


class NanoBotSessions(SessionStore):
    """The folder ``sessions/<workspace id>`` of a NanoBot instance, or one file of it; keys begin with `channel`."""

    def __init__(self, channel: str = CHANNEL) -> None:
        self.channel = channel

    def read(self, path: Path) -> list[Session]:
        """All sessions, in the order in which they were written; those that NanoBot began itself come last.

        Raises:
            HarnessProtocolError: a file is no session of NanoBot.
        """
        files = [path] if path.is_file() else sorted(path.glob("*.jsonl"))
        found = [self._read_file(file) for file in files if path.is_file() or _key_of(file)]
        return [session for _, session in sorted(found, key=lambda item: (item[0], item[1].id))]

    def write(self, sessions: Sequence[Session], path: Path) -> None:
        """Write every session anew, and remove the files of all others."""
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        wanted = {file_name(session.id, self.channel) for session in sessions}
        for file in path.glob("*.jsonl"):
            if _key_of(file) and file.name not in wanted:
                file.unlink()
        for position, session in enumerate(sessions):
            self._write_file(path, session, position, {})

    def append(self, changes: Sequence[SessionChange], path: Path) -> None:
        """Apply changes of the neutral sessions, keeping the turns that NanoBot has added since."""
        for change in changes:
            file = path / file_name(change.session, self.channel)
            if change.after is None:
                file.unlink(missing_ok=True)
                continue
            position, metadata, there = len(list(path.glob("*.jsonl"))), {}, None
            if file.is_file():
                position, there = self._read_file(file)
                metadata = native_lines(file)[0].get("metadata", {})
            self._write_file(path, merged(change.before, change.after, there), position, metadata)

    def _read_file(self, file: Path) -> tuple[int, Session]:
        head, *records = native_lines(file)
        try:
            ours = head.get("metadata", {}).get(OURS, {})
            key = str(head.get("key", ""))
            session = Session(
                id=ours.get("id") or key.removeprefix(f"{self.channel}:"),
                kind=ours.get("kind", "direct"),
                channel=ours.get("channel", "main"),
                title=ours.get("title", ""),
                participants=tuple(ours.get("participants", ())),
                messages=_messages(records),
            )
            return int(ours.get("position", LAST)), session
        except (ArithmeticError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise HarnessProtocolError(f"not a session as NanoBot writes it: {why(error)}", where=str(file)) from error

    def _write_file(self, folder: Path, session: Session, position: int, kept: Mapping[str, Any]) -> None:
        lines = [_head(session, self.channel, position, kept), *_records(session.messages)]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        target = folder / file_name(session.id, self.channel)
        temporary = folder / f".{target.name}.{secrets.token_hex(4)}.tmp"
        temporary.write_text(text, "utf-8")
        temporary.chmod(0o600)
        temporary.replace(target)


def _key_of(file: Path) -> str:
    """The session key in a file's name, empty if it is another kind of file."""
    try:
        key = base64.urlsafe_b64decode(file.stem + "=" * (-len(file.stem) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeError, ValueError):
        return ""
    return key if _stem(key) == file.stem else ""


def native_lines(file: Path) -> list[dict[str, Any]]:
    """All lines of a session file, the metadata first.

    Raises:
        HarnessProtocolError: it is no session of NanoBot.
    """
    try:
        lines = [parse_json(line) for line in read_text(file).split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise HarnessProtocolError(f"not a session of NanoBot: {why(error)}", where=str(file)) from error
    if not lines or not all(isinstance(line, dict) for line in lines) or lines[0].get("_type") != "metadata":
        raise HarnessProtocolError("not a session of NanoBot: no metadata line", where=str(file))
    return lines


def _head(session: Session, channel: str, position: int, kept: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata line. Times are those of the messages: NanoBot shows them to the model, so they must not vary."""
    times = sorted(_naive(m.time) for m in session.messages if m.time) or [_naive(EPOCH)]
    ours = {
        "id": session.id,
        "position": position,
        **session.model_dump(mode="json", include={"kind", "channel", "title", "participants"}),
    }
    metadata = {key: value for key, value in kept.items() if key not in (*UNFINISHED, "_last_summary")}
    return {
        "_type": "metadata",
        "key": session_key(session.id, channel),
        "created_at": times[0],
        "updated_at": times[-1],
        "metadata": {**metadata, "title": f"{session.channel}: {session.title or session.id}", OURS: ours},
        "last_archived": 0,
        "last_consolidated": 0,
    }


def _naive(time: datetime) -> str:
    """NanoBot's own times have no zone; it runs with TZ=UTC."""
    return (time.astimezone(UTC) if time.tzinfo else time).replace(tzinfo=None).isoformat()


def _records(messages: Iterable[Message]) -> Iterable[dict[str, Any]]:
    tools: dict[str, str] = {}
    spoken = False
    for message in messages:
        tools.update({call.id: call.name for call in message.tool_calls})
        prefix = f"{message.speaker}: " if message.speaker else ""
        record: dict[str, Any] = {"role": message.role, "content": prefix + message.text}
        if message.tool_calls:
            record["tool_calls"] = [_native_call(call) for call in message.tool_calls]
        if message.tool_call_id is not None:
            record |= {"tool_call_id": message.tool_call_id, "name": tools.get(message.tool_call_id, "tool")}
        if message.time is not None:
            record["timestamp"] = message.time.isoformat()
        if message.role == "assistant" and not spoken:
            # Without this NanoBot drops what stands before the first user message from the request.
            record["_channel_delivery"] = True
        spoken = spoken or message.role == "user"
        record[OURS] = {"id": message.id, "speaker": message.speaker}
        yield record


def _native_call(call: ToolCall) -> dict[str, Any]:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _messages(records: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    used = {record[OURS]["id"] for record in records if OURS in record}
    found = []
    for position, record in enumerate(records):
        if "role" not in record or hidden(record):
            continue
        if OURS in record:
            found.append(_message(record, record[OURS]["id"], record[OURS]["speaker"]))
            continue
        name = f"nanobot-{position}"
        while name in used:
            name += "'"
        used.add(name)
        found.append(_message(record, name, None))
    return tuple(found)


def _message(record: Mapping[str, Any], message_id: str, speaker: str | None) -> Message:
    text = message_text(record.get("content"))
    time = datetime.fromisoformat(record["timestamp"]) if record.get("timestamp") else None
    if time is not None and time.tzinfo is None and OURS not in record:
        time = time.replace(tzinfo=UTC)
    return Message(
        id=message_id,
        role=record["role"],
        text=text.removeprefix(f"{speaker}: ") if speaker else text,
        time=time,
        speaker=speaker,
        tool_calls=tuple(_call(call) for call in record.get("tool_calls") or ()),
        tool_call_id=record.get("tool_call_id"),
    )


def message_text(content: object) -> str:
    """The text of a message's content; parts that are no text are left out."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict) and "text" in part)
    return content if isinstance(content, str) else ""


def _call(record: Mapping[str, Any]) -> ToolCall:
    function = record.get("function", {})
    raw = function.get("arguments", "{}")
    try:
        arguments = raw if isinstance(raw, dict) else parse_json(raw)
    except ValueError:
        arguments = raw
    if not isinstance(arguments, dict):
        arguments = {"raw": raw}
    return ToolCall(id=str(record.get("id", "")), name=str(function.get("name", "")), arguments=arguments)
