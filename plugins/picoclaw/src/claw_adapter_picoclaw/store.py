"""PicoClaw's session files, translated to and from neutral sessions.

Three files per session in ``sessions/`` of the workspace: ``agent_main_<id>.jsonl`` (a message a line) and
``agent_main_<id>.meta.json`` (counters, a summary, how many lines at the beginning are forgotten) are PicoClaw's,
``agent_main_<id>.claw`` is ours: a session's kind, channel, title, participants and position, for which its format has no
place. (Named ``….json`` it would be taken for a session of an older version.) PicoClaw keeps every key of a line that it
does not know, so message ids, exact times and speakers travel in the lines under the key ``claw``. A speaker is also written
in front of the text (``Ann: hello``), because the model sees nothing else.

PicoClaw leaves messages of role ``system`` out of its requests, so they are written as the user's, marked ``[system]``; it
also leaves out a tool call that follows another text of the assistant, or nothing, so a filler line is put between them.

Not kept: tool arguments that are no JSON object (they come back as ``{"raw": "..."}``) and lines that PicoClaw has dropped
from the conversation. What it drops from requests without a remedy here: tool calls without a result for each, and results
without a call.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Message, Session, SessionChange, SessionStore, ToolCall
from claw_adapter.merge import merged
from claw_adapter.reading import parse_json, read_text, why

__all__ = ["PicoClawSessions", "names", "session_key"]

AGENT: Final = "agent:main:"
"""Only a key that begins with ``agent:`` (or ``sk_v1_``) is a session; all others share a single one."""
STEM: Final = "agent_main_"
OURS: Final = "claw"
LAST: Final = 1_000_000
FILLER: Final = "(continued)"
SYSTEM: Final = "[system] "


def session_key(session_id: str) -> str:
    """What ``-s`` must say for a session to be that session."""
    return AGENT + session_id


def names(session_id: str) -> tuple[str, str, str]:
    """File names of a session: messages, PicoClaw's own data, ours."""
    stem = STEM + session_id
    return f"{stem}.jsonl", f"{stem}.meta.json", f"{stem}.claw"


class PicoClawSessions(SessionStore):
    """A folder ``sessions``, or one session's file of messages in it."""

    def read(self, path: Path) -> list[Session]:
        """All sessions, in the order in which they were written; those that PicoClaw began itself come last.

        Raises:
            HarnessProtocolError: a file is no session of PicoClaw.
        """
        files = [path] if path.is_file() else sorted(path.glob("*.jsonl"))
        found = [_read(file) for file in files]
        return [session for _, session in sorted(found, key=lambda item: (item[0], item[1].id))]

    def write(self, sessions: Sequence[Session], path: Path) -> None:
        """Write every session anew, and remove those that an earlier `write` put there; other files stay."""
        path.mkdir(parents=True, exist_ok=True)
        for mark in path.glob(f"{STEM}*.claw"):
            self._remove(mark.name.removesuffix(".claw"), path)
        for position, session in enumerate(sessions):
            self._write(session, position, path)

    def append(self, changes: Sequence[SessionChange], path: Path) -> None:
        """Apply changes of the neutral sessions, keeping the turns that PicoClaw has added since."""
        for change in changes:
            file = path / names(change.session)[0]
            position, there = len(list(path.glob(f"{STEM}*.claw"))), None
            if file.is_file():
                position, there = _read(file)
            summary = _beside(file, "meta.json").get("summary", "")
            self._remove(STEM + change.session, path)
            self._write(merged(change.before, change.after, there), position, path, summary)

    @staticmethod
    def _remove(stem: str, folder: Path) -> None:
        for ending in (".jsonl", ".meta.json", ".claw"):
            (folder / f"{stem}{ending}").unlink(missing_ok=True)

    @staticmethod
    def _write(session: Session, position: int, folder: Path, summary: str = "") -> None:
        lines, meta, mark = names(session.id)
        fields = {"kind", "channel", "title", "participants"}
        ours = {"id": session.id, "position": position, **session.model_dump(mode="json", include=fields)}
        records = list(_records(session.messages))
        _put(folder / mark, _json(ours) + "\n")
        if summary:
            _put(folder / meta, _json({"key": session_key(session.id), "summary": summary, "count": len(records)}))
        _put(folder / lines, "".join(_json(record) + "\n" for record in records))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _put(target: Path, text: str) -> None:
    """Replace a file; never write into what lies there."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    temporary.write_text(text, "utf-8")
    temporary.replace(target)


def _read(file: Path) -> tuple[int, Session]:
    """A session and its position."""
    ours, meta = _beside(file, "claw"), _beside(file, "meta.json")
    key = str(meta.get("key") or file.stem.replace(STEM, AGENT, 1))
    try:
        position, lines = int(ours.get("position", LAST)), _lines(file)[int(meta.get("skip") or 0) :]
        session = Session(
            id=ours.get("id") or key.removeprefix(AGENT),
            kind=ours.get("kind", "direct"),
            channel=ours.get("channel", "main"),
            title=ours.get("title", ""),
            participants=tuple(ours.get("participants", ())),
            messages=tuple(_messages(lines)),
        )
    except (ArithmeticError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise HarnessProtocolError(f"not a session as PicoClaw writes it: {why(error)}", where=str(file)) from error
    return position, session


def _beside(file: Path, kind: str) -> dict[str, Any]:
    """PicoClaw's or our own data of the session in `file`; empty where there is none."""
    path = file.with_name(f"{file.stem}.{kind}")
    try:
        value = parse_json(read_text(path)) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise HarnessProtocolError(f"not readable: {why(error)}", where=str(path)) from error
    if not isinstance(value, dict):
        raise HarnessProtocolError("not a JSON object", where=str(path))
    return value


def _lines(file: Path) -> list[dict[str, Any]]:
    try:
        lines = [parse_json(line) for line in read_text(file).split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise HarnessProtocolError(f"not a session of PicoClaw: {why(error)}", where=str(file)) from error
    if not all(isinstance(line, dict) and "role" in line for line in lines):
        raise HarnessProtocolError("not a session of PicoClaw: a line is no message", where=str(file))
    return lines


def _records(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    before = ""
    for message in messages:
        if message.tool_calls and before not in ("user", "tool"):
            yield {"role": "user", "content": FILLER, OURS: {"filler": True}}
        record = _record(message)
        before = record["role"]
        yield record


def _record(message: Message) -> dict[str, Any]:
    role = "user" if message.role == "system" else message.role
    text = _prefix(message.role, message.speaker) + message.text
    time = message.time.isoformat() if message.time else None
    record: dict[str, Any] = {"role": role, "content": text}
    if message.time is not None:
        record["created_at"] = _native_time(message.time)
    if message.tool_calls:
        record["tool_calls"] = [_native_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        record["tool_call_id"] = message.tool_call_id
    record[OURS] = {"id": message.id, "role": message.role, "speaker": message.speaker, "time": time}
    return record


def _prefix(role: str, speaker: str | None) -> str:
    return (SYSTEM if role == "system" else "") + (f"{speaker}: " if speaker else "")


def _native_time(time: datetime) -> str:
    """PicoClaw skips a line whose time is not RFC 3339; a time without a zone counts as UTC."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC).isoformat()
    except OverflowError:  # the first or last hours of the calendar
        return aware.replace(tzinfo=UTC).isoformat()


def _native_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": _json(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _messages(records: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
    used = {record[OURS].get("id") for record in records if OURS in record}
    for position, record in enumerate(records):
        ours = record.get(OURS) or {}
        if ours.get("filler"):
            continue
        name = ours.get("id")
        if name is None:
            name = f"picoclaw-{position}"
            while name in used:
                name += "'"
            used.add(name)
        yield _message(record, ours, name)


def _message(record: Mapping[str, Any], ours: Mapping[str, Any], name: str) -> Message:
    role, speaker = ours.get("role", record["role"]), ours.get("speaker")
    time = ours.get("time") if ours else record.get("created_at")
    return Message(
        id=name,
        role=role,
        text=str(record.get("content") or "").removeprefix(_prefix(role, speaker) if ours else ""),
        time=datetime.fromisoformat(time) if time else None,
        speaker=speaker,
        tool_calls=tuple(_call(call) for call in record.get("tool_calls") or ()),
        tool_call_id=record.get("tool_call_id"),
    )


def _call(record: Mapping[str, Any]) -> ToolCall:
    function = record.get("function") or {}
    raw = function.get("arguments", "{}")
    try:
        arguments = parse_json(raw)
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        arguments = {"raw": raw}
    return ToolCall(id=str(record.get("id", "")), name=str(function.get("name", "")), arguments=arguments)
