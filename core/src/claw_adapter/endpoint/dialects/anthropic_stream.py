"""Anthropic messages as server-sent events, one content block after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.dialects.base import Head, StreamRenderer
from claw_adapter.endpoint.dialects.openai_chat import event
from claw_adapter.model import CallDelta, Delta
from claw_adapter.protocol.tokens import TokenUse

__all__ = ["STOP_REASONS", "AnthropicStream", "envelope", "named_event", "spent"]

JsonObject = dict[str, JsonValue]

STOP_REASONS: Final = {
    "stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal",
}  # fmt: skip
"""Why a reply ended, in the OpenAI chat form and here."""

_THOUGHTS: Final = (
    ("reasoning_content", "thinking_delta", "thinking"),
    ("reasoning_signature", "signature_delta", "signature"),
)


def named_event(value: JsonObject) -> bytes:
    """One server-sent event, named by the type of its data."""
    return b"event: " + str(value["type"]).encode() + b"\n" + event(value)


def envelope(head: Head) -> JsonObject:
    """What stands on every message."""
    return {
        "id": head.id, "type": "message", "role": "assistant", "model": head.model, "content": [],
        "stop_reason": None, "stop_sequence": None,
    }  # fmt: skip


def spent(usage: TokenUse) -> JsonObject:
    """Token counts; here the input is what the cache had not."""
    cached = usage.cached or 0
    return {
        "input_tokens": usage.input - cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cached,
        "output_tokens": usage.output,
    }  # fmt: skip


class AnthropicStream(StreamRenderer):
    """Blocks cannot overlap here: while a call is open, pieces of other calls and of text are kept until the end."""

    def __init__(self, head: Head, known: TokenUse) -> None:
        self._head = head
        self._known = known
        self._begun = False
        self._block = -1
        self._open = ""
        self._live: int | None = None
        """The call that is written as it comes."""
        self._late = ""
        self._later: dict[int, list[CallDelta]] = {}

    def feed(self, delta: Delta) -> bytes:
        """The events for a piece."""
        data = self._begin()
        if self._live is None:
            data += self._thought(delta) + self._text(delta.text)
        else:
            self._late += delta.text
        for call in delta.calls:
            if self._live is None:
                self._live = call.index
            if call.index == self._live:
                data += self._call(call)
            else:
                self._later.setdefault(call.index, []).append(call)
        return data

    def end(self, finish: str, usage: TokenUse) -> bytes:
        """The rest, the reason, the counts."""
        data = self._begin() + self._text(self._late)
        for index in sorted(self._later):
            data += b"".join(self._call(piece) for piece in self._later[index])
        data += self._stop()
        reason: JsonObject = {"stop_reason": STOP_REASONS.get(finish, "end_turn"), "stop_sequence": None}
        data += named_event({"type": "message_delta", "delta": reason, "usage": spent(usage)})
        return data + named_event({"type": "message_stop"})

    def fail(self, error: Mapping[str, JsonValue]) -> bytes:
        """An ``error`` event."""
        return named_event({"type": "error", **error})

    def nothing(self) -> bytes:
        """A stream that ends before it has said anything, or why."""
        return self._begin() + named_event({"type": "message_stop"})

    def _begin(self) -> bytes:
        if self._begun:
            return b""
        self._begun = True
        message: JsonObject = {**envelope(self._head), "usage": spent(self._known)}
        return named_event({"type": "message_start", "message": message})

    def _thought(self, delta: Delta) -> bytes:
        data = b""
        for name, kind, field in _THOUGHTS:
            if value := delta.extra.get(name):
                data += self._start("thinking", {"type": "thinking", "thinking": "", "signature": ""})
                data += self._delta({"type": kind, field: value})
        return data

    def _text(self, text: str) -> bytes:
        if not text:
            return b""
        return self._start("text", {"type": "text", "text": ""}) + self._delta({"type": "text_delta", "text": text})

    def _call(self, call: CallDelta) -> bytes:
        block: JsonObject = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        data = self._start(f"call {call.index}", block)
        if call.arguments:
            data += self._delta({"type": "input_json_delta", "partial_json": call.arguments})
        return data

    def _start(self, what: str, block: JsonObject) -> bytes:
        if self._open == what:
            return b""
        data = self._stop()
        self._open = what
        self._block += 1
        return data + named_event({"type": "content_block_start", "index": self._block, "content_block": block})

    def _delta(self, delta: JsonObject) -> bytes:
        return named_event({"type": "content_block_delta", "index": self._block, "delta": delta})

    def _stop(self) -> bytes:
        if not self._open:
            return b""
        self._open = ""
        return named_event({"type": "content_block_stop", "index": self._block})
