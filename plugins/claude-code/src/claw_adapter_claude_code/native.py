"""Lines of Claude Code's session files, and the neutral messages that they stand for; see `claw_adapter_claude_code.store`."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from claw_adapter.command.folder import OURS
from claw_adapter.command.messages import format_speaker, utc
from claw_adapter.harness import Message, ToolCall
from claw_adapter.protocol.session import Role

__all__ = ["VERSION", "Told", "native_lines", "session_uuid"]

VERSION: Final = "2.1.330"
SYNTHETIC: Final = "<synthetic>"
"""The model's name in replies that no model gave."""
NAMESPACE: Final = uuid.UUID("6f1ed002-ab59-5f8a-9bd1-0c1a30c1a30c")
UNKNOWN: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of a message without one; a line must have a time."""
Line = Mapping[str, Any]


def session_uuid(session_id: str) -> str:
    """Under which a session is kept: its id if that is a UUID as Claude Code writes them, else one made from it."""
    try:
        if str(uuid.UUID(session_id)) == session_id:
            return session_id
    except ValueError:
        pass
    return str(uuid.uuid5(NAMESPACE, session_id))


def native_lines(session_id: str, messages: Iterable[Message], parent: str | None = None) -> Iterator[dict[str, Any]]:
    """Messages as chained lines of a session's file; `parent` is the uuid of the line they follow."""
    session = session_uuid(session_id)
    for message in messages:
        name = str(uuid.uuid5(uuid.UUID(session), message.id))
        own = message.model_dump(mode="json", include={"id", "role", "speaker", "time"})
        yield {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/",
            "sessionId": session,
            "version": VERSION,
            "type": "assistant" if message.role == "assistant" else "user",
            "message": _native(message, name),
            "uuid": name,
            "timestamp": utc(message.time or UNKNOWN).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            OURS: own,
        }
        parent = name


def _native(message: Message, name: str) -> dict[str, Any]:
    text = _prefix(message.role, message.speaker) + message.text
    if message.role == "tool":
        return {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": message.tool_call_id or "", "content": text}],
        }
    if message.role != "assistant":
        return {"role": "user", "content": text}
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in message.tool_calls]
    reply = {"id": f"msg_{name}", "type": "message", "role": "assistant", "model": "claw", "content": blocks}
    return {**reply, "stop_reason": "tool_use" if message.tool_calls else "end_turn", "stop_sequence": None}


def _prefix(role: Role, speaker: str | None) -> str:
    return "" if role == "tool" else format_speaker(speaker, role)


class Told:
    """The conversation, each reply of the model put together from its lines, before the results of its calls."""

    def __init__(self) -> None:
        self._done: list[Message] = []
        self._waiting: list[Message] = []
        self._replies: dict[str, int] = {}
        """Which of the waiting ones each reply is."""

    @property
    def messages(self) -> list[Message]:
        """See `Teller.messages`."""
        return [*self._done, *self._waiting]

    def add(self, lines: Sequence[Line]) -> None:
        """See `Teller.add`."""
        for line in filter(_said, lines):
            messages = list(_translated(line))
            reply = str(line["message"].get("id") or "") if line["type"] == "assistant" else ""
            if reply and reply in self._replies:
                place = self._replies[reply]
                self._waiting[place] = _joined(self._waiting[place], messages[0])
                continue
            for message in messages:
                if message.role in ("user", "system"):
                    self._done += self._waiting
                    self._waiting, self._replies = [], {}
                self._waiting.append(message)
            if reply:
                self._replies[reply] = len(self._waiting) - 1


def _said(line: Line) -> bool:
    """Whether a line is something that the user, the model or a tool said."""
    if line["type"] not in ("user", "assistant") or line.get("isSidechain") or line.get("isMeta"):
        return False
    if line.get("isCompactSummary") or line.get("isApiErrorMessage"):
        return False
    return bool(line["message"].get("model") != SYNTHETIC)


def _joined(first: Message, more: Message) -> Message:
    fields = {"text": first.text + more.text, "tool_calls": (*first.tool_calls, *more.tool_calls)}
    return Message.model_validate({**dict(first), **fields})


def _translated(line: Line) -> Iterator[Message]:
    """The messages of one line: several if it has the results of several calls."""
    ours: Mapping[str, Any] = line.get(OURS) or {}
    content: Any = line["message"]["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    name = ours.get("id") or line["uuid"]
    time = ours.get("time") if ours else line.get("timestamp")
    common: dict[str, Any] = {"time": datetime.fromisoformat(time) if time else None, "speaker": ours.get("speaker")}
    results = [block for block in blocks if block["type"] == "tool_result"]
    for number, block in enumerate(results):
        own = name if number == 0 else f"{name}-{number}"
        yield Message(
            id=own, role="tool", text=_text(block.get("content")), tool_call_id=block["tool_use_id"], **common
        )
    if results and not any(block["type"] == "text" for block in blocks):
        return
    role: Any = ours.get("role", line["type"])
    calls = tuple(
        ToolCall(id=block["id"], name=block["name"], arguments=block["input"])
        for block in blocks
        if block["type"] == "tool_use"
    )
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    own = f"{name}-text" if results else name
    text = text.removeprefix(_prefix(role, common["speaker"])) if ours else text
    yield Message(id=own, role=role, text=text, tool_calls=calls, **common)


def _text(content: Any) -> str:
    """The text of a tool's result, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = content or ()
    return "\n".join(b["text"] if b.get("type") == "text" else f"[{b.get('type')}]" for b in blocks)
