"""Replies between the models, which answer, and the dialects, which render them; requests are in `claw_adapter.model`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from claw_adapter.model import Call, Delta
from claw_adapter.protocol.tokens import TokenUse

__all__ = ["Collector", "ModelReply"]

JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A complete reply; `finish` is stop, tool_calls, length or content_filter."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = "stop"
    usage: TokenUse | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict)

    def message(self) -> JsonObject:
        """The reply as a message in the OpenAI chat form."""
        content: JsonValue = self.text if self.text or not self.calls else None
        message: JsonObject = {"role": "assistant", "content": content, **self.extra}
        if self.calls:
            message["tool_calls"] = [call.wire() for call in self.calls]
        return message


class Collector:
    """Puts the pieces of a reply together."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: dict[int, tuple[str, str, list[str]]] = {}
        self._finish: str | None = None
        self._usage: TokenUse | None = None
        self._extra: JsonObject = {}

    def add(self, delta: Delta) -> None:
        """Take the next piece."""
        self._text.append(delta.text)
        for call in delta.calls:
            known_id, known_name, pieces = self._calls.get(call.index, ("", "", []))
            pieces.append(call.arguments)
            self._calls[call.index] = (known_id or call.id, known_name or call.name, pieces)
        self._finish = delta.finish or self._finish
        self._usage = delta.usage or self._usage
        for name, value in delta.extra.items():
            before = self._extra.get(name)
            joined = isinstance(before, str) and isinstance(value, str)
            self._extra[name] = f"{before}{value}" if joined else value

    def reply(self) -> ModelReply:
        """What has come so far, as a reply."""
        calls = tuple(Call(i, n, "".join(parts)) for _, (i, n, parts) in sorted(self._calls.items()))
        finish = self._finish or "stop"
        if calls and finish == "stop":  # some providers say so, and some harnesses then drop the calls
            finish = "tool_calls"
        return ModelReply("".join(self._text), calls, finish, self._usage, self._extra)
