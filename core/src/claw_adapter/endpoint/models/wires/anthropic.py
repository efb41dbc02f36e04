"""Anthropic messages as an upstream: passed on as they came, or translated from the OpenAI chat form."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.models.wires.anthropic_body import passed_on, translated
from claw_adapter.endpoint.models.wires.base import (
    Malformed,
    NewId,
    Unfinished,
    UpstreamRefused,
    Wire,
    as_dict,
    events,
    integer,
    loaded,
    pairs,
)
from claw_adapter.model import CallDelta, Delta, ModelRequest
from claw_adapter.protocol.tokens import TokenUse

__all__ = ["VERSION", "AnthropicWire"]

JsonObject = dict[str, JsonValue]

VERSION: Final = "2023-06-01"
_FINISH: Final = {
    "end_turn": "stop", "stop_sequence": "stop", "pause_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length",
    "model_context_window_exceeded": "length", "refusal": "content_filter",
}  # fmt: skip


class AnthropicWire(Wire):
    """Messages with tool use."""

    name = "anthropic-messages"

    @property
    def url(self) -> str:
        """``/v1/messages`` below the base, which may end in ``/v1`` already."""
        return f"{self.spec.base_url.rstrip('/').removesuffix('/v1')}/v1/messages"

    def headers(self, request: ModelRequest) -> dict[str, str]:
        """The version, and the betas that the harness asked for."""
        native = request.native if request.dialect == self.name else {}
        found = {"anthropic-version": str(native.get("anthropic_version") or VERSION)}
        if beta := native.get("anthropic_beta"):
            found["anthropic-beta"] = str(beta)
        return found

    def body(self, request: ModelRequest) -> JsonObject:
        """What the harness sent, if it speaks this dialect, else a translation; the run's model and sampling."""
        made = passed_on if request.dialect == self.name else translated
        return {**made(self.spec, request), "model": self.model, "stream": request.stream}

    def whole(self, body: bytes, new_id: NewId) -> Delta:
        """A ``message``."""
        value = loaded(body)
        if value.get("error"):
            raise UpstreamRefused(value["error"])
        blocks = pairs(value.get("content"))
        finish = _FINISH.get(str(value.get("stop_reason")))
        if value.get("type") != "message" or (not blocks and finish is None):
            raise Malformed("a message without blocks")
        calls: list[CallDelta] = []
        for block in blocks:
            if block.get("type") == "tool_use":
                made = str(block.get("id") or new_id())
                calls.append(CallDelta(len(calls), made, str(block.get("name") or ""), _arguments(block)))
        thoughts = [block for block in blocks if block.get("type") == "thinking"]
        return Delta(
            text="".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text"),
            calls=tuple(calls),
            finish=finish or "stop",
            usage=_usage(value),
            extra=_thought(
                *(("".join(str(b.get(name) or "") for b in thoughts)) for name in ("thinking", "signature"))
            ),
        )

    async def pieces(self, chunks: AsyncIterator[bytes], new_id: NewId) -> AsyncIterator[Delta]:
        """The events of a ``message``."""
        reading = _Reading(new_id)
        async for data in events(chunks):
            value = loaded(data)
            if value.get("type") == "error" or value.get("error"):
                raise UpstreamRefused(value.get("error"))
            if (delta := reading.take(value)) is not None:
                yield delta
            if reading.finished:
                return
        raise Unfinished("the stream ended before the reply did")


class _Reading:
    """One streamed message."""

    def __init__(self, new_id: NewId) -> None:
        self.finished = False
        self._new_id = new_id
        self._calls: dict[int, int] = {}
        """Position of a block → number of its call."""
        self._usage: JsonObject = {}
        self._has_stopped = False

    def take(self, event: JsonObject) -> Delta | None:
        """What an event adds to the reply."""
        match event.get("type"):
            case "message_start":
                self._usage |= as_dict(as_dict(event.get("message")).get("usage"))
            case "content_block_start":
                return self._start(integer(event, "index"), as_dict(event.get("content_block")))
            case "content_block_delta":
                return self._piece(integer(event, "index"), as_dict(event.get("delta")))
            case "message_delta":
                self._usage |= {k: v for k, v in as_dict(event.get("usage")).items() if v is not None}
                reason = as_dict(event.get("delta")).get("stop_reason")
                self._has_stopped = self._has_stopped or reason is not None
                return Delta(finish=_FINISH.get(str(reason), "stop"), usage=_usage({"usage": self._usage}))
            case "message_stop":
                if not self._has_stopped:
                    raise Malformed("a message that ends without a reason")
                self.finished = True
        return None

    def _start(self, index: int, block: JsonObject) -> Delta | None:
        if block.get("type") == "text" and block.get("text"):
            return Delta(text=str(block["text"]))
        if block.get("type") != "tool_use":
            return None
        number = self._calls[index] = len(self._calls)
        arguments = _arguments(block) if block.get("input") else ""
        made = str(block.get("id") or self._new_id())
        return Delta(calls=(CallDelta(number, made, str(block.get("name") or ""), arguments),))

    def _piece(self, index: int, delta: JsonObject) -> Delta | None:
        match delta.get("type"):
            case "text_delta":
                return Delta(text=str(delta.get("text") or ""))
            case "input_json_delta":
                piece = str(delta.get("partial_json") or "")
                return Delta(calls=(CallDelta(self._calls[index], arguments=piece),)) if index in self._calls else None
            case "thinking_delta":
                return Delta(extra=_thought(str(delta.get("thinking") or ""), ""))
            case "signature_delta":
                return Delta(extra=_thought("", str(delta.get("signature") or "")))
        return None


def _arguments(block: JsonObject) -> str:
    return json.dumps(block.get("input") or {}, ensure_ascii=False)


def _thought(text: str, signature: str) -> JsonObject:
    named: JsonObject = {"reasoning_content": text, "reasoning_signature": signature}
    return {name: value for name, value in named.items() if value}


def _usage(value: JsonObject) -> TokenUse | None:
    """Input counts what was read from and written to the cache too."""
    usage = as_dict(value.get("usage"))
    if not usage:
        return None
    read = integer(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    said = "cache_read_input_tokens" in usage
    return TokenUse(read, integer(usage, "output_tokens"), integer(usage, "cache_read_input_tokens") if said else None)
