"""One message at a time: neutral messages and those of OpenClaw 2026.9.6's transcripts.

What OpenClaw has no place for stands in files under our own key ``claw`` of a message: the speaker, the role "system", and
the time with its zone. In the running OpenClaw it is left out, because its session tools would show it to the model; the
adapter remembers it itself. A speaker also stands in front of the text (``Ann: hello``), because the model sees nothing
else. Not kept: thinking, images, usage, and whether a tool's result was an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from claw_adapter.command.folder import OURS
from claw_adapter.command.messages import arguments_of, format_speaker, text_of, utc
from claw_adapter.harness import Message, ToolCall

__all__ = ["FILLER", "NativeMessage", "filler", "message_of", "natives"]

NativeMessage = dict[str, Any]
"""``{"id": event id, "message": what OpenClaw stores}``."""
FILLER: Final = "+filler"
"""End of the id of an empty reply that we put in."""
EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_COUNTS: Final = ("input", "output", "cacheRead", "cacheWrite")


def natives(messages: Iterable[Message], model: str = "", *, marked: bool = True) -> list[NativeMessage]:
    """Messages as OpenClaw stores them; `marked` adds our key.

    A message without a time gets one just behind its neighbour's, for OpenClaw needs one.
    """
    found: list[NativeMessage] = []
    tools: dict[str, str] = {}
    now = EPOCH
    for message in messages:
        tools.update({call.id: call.name for call in message.tool_calls})
        now = utc(message.time) if message.time else now + timedelta(milliseconds=1)
        stamp = int(now.timestamp() * 1000)
        native = {**_native(message, tools, model), "timestamp": stamp}
        found.append({"id": message.id, "message": {**native, OURS: _ours(message)} if marked else native})
    return found


def filler(after: NativeMessage, model: str) -> NativeMessage:
    """An empty reply to put behind a user's message at the end of a session.

    Without it OpenClaw takes that message for one whose turn broke off: it joins it to the next prompt and drops it
    afterwards. The reply itself has nothing that could be sent.
    """
    stamp = after["message"]["timestamp"]
    message = {"role": "assistant", "content": [], "timestamp": stamp, **_reply(model, "stop")}
    return {"id": after["id"] + FILLER, "message": message}


def message_of(event: Mapping[str, Any]) -> Message | None:
    """The neutral form of a transcript event; None for what is no message, failed replies and our fillers."""
    native = event.get("message")
    if event.get("type") != "message" or not isinstance(native, Mapping):
        return None
    ours = native.get(OURS) or {}
    if str(event.get("id")).endswith(FILLER) or native.get("stopReason") == "error":
        return None
    role = {"toolResult": "tool"}.get(str(native.get("role")), native.get("role"))
    if role not in ("user", "assistant", "tool"):
        return None
    speaker = ours.get("speaker")
    text = text_of(native.get("content"))
    return Message(
        id=str(event["id"]),
        role=ours.get("role", role),
        text=text.removeprefix(format_speaker(speaker)),
        time=_time(native, ours),
        speaker=speaker,
        tool_calls=tuple(_calls(native.get("content"))) if role == "assistant" else (),
        tool_call_id=str(native["toolCallId"]) if role == "tool" else None,
    )


def _native(message: Message, tools: Mapping[str, str], model: str) -> dict[str, Any]:
    text = format_speaker(message.speaker) + message.text
    if message.role == "assistant":
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        content += [
            {"type": "toolCall", "id": call.id, "name": call.name, "arguments": dict(call.arguments)}
            for call in message.tool_calls
        ]
        return {"role": "assistant", "content": content, **_reply(model, "toolUse" if message.tool_calls else "stop")}
    if message.role == "tool":
        call = str(message.tool_call_id)
        about = {"toolCallId": call, "toolName": tools.get(call, "tool"), "isError": False}
        return {"role": "toolResult", **about, "content": [{"type": "text", "text": text}]}
    return {"role": "user", "content": text}


def _ours(message: Message) -> dict[str, Any]:
    ours: dict[str, Any] = {"time": message.time.isoformat() if message.time else None}
    if message.speaker:
        ours["speaker"] = message.speaker
    if message.role == "system":
        ours["role"] = "system"
    return ours


def _reply(model: str, stop: str) -> dict[str, Any]:
    """What every assistant message has; the counts are 0 because nothing was spent in our trial."""
    usage = {**dict.fromkeys(_COUNTS, 0), "totalTokens": 0, "cost": {**dict.fromkeys(_COUNTS, 0), "total": 0}}
    return {"api": "openai-completions", "provider": "claw", "model": model, "usage": usage, "stopReason": stop}


def _time(native: Mapping[str, Any], ours: Mapping[str, Any]) -> datetime | None:
    if "time" in ours:
        return datetime.fromisoformat(ours["time"]) if ours["time"] else None
    stamp = native.get("timestamp")
    try:
        return EPOCH.fromtimestamp(stamp / 1000, UTC) if isinstance(stamp, int | float) else None
    except (ArithmeticError, OSError):
        raise ValueError("a time that there is not") from None


def _calls(content: object) -> Iterable[ToolCall]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping) and part.get("type") == "toolCall":
            given = arguments_of(part.get("arguments"))
            yield ToolCall(id=str(part.get("id", "")), name=str(part.get("name", "")), arguments=given)
