"""OpenAI responses as objects and as server-sent events: one output item per text or tool call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.dialects.base import Head, StreamRenderer
from claw_adapter.endpoint.dialects.openai_chat import event
from claw_adapter.model import CallDelta, Delta
from claw_adapter.protocol.tokens import TokenUse

__all__ = ["ResponsesStream", "call_item", "response", "text_item"]

JsonObject = dict[str, JsonValue]

_CUT_SHORT: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}


def response(head: Head, output: list[JsonObject], finish: str = "", usage: TokenUse | None = None) -> JsonObject:
    """A ``response``; without usage, one still in progress."""
    reason = _CUT_SHORT.get(finish)
    status = "in_progress" if usage is None else "incomplete" if reason else "completed"
    spent: JsonObject | None = None
    if usage is not None:
        spent = {
            "input_tokens": usage.input, "input_tokens_details": {"cached_tokens": usage.cached or 0},
            "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": usage.thoughts},
            "total_tokens": usage.input + usage.output,
        }  # fmt: skip
    return {
        "id": head.id, "object": "response", "created_at": head.created, "status": status, "error": None,
        "incomplete_details": {"reason": reason} if reason else None, "instructions": None, "max_output_tokens": None,
        "model": head.model, "output": list(output), "parallel_tool_calls": True, "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None}, "store": False, "temperature": None,
        "text": {"format": {"type": "text"}}, "tool_choice": "auto", "tools": [], "top_p": None,
        "truncation": "disabled", "usage": spent, "user": None, "metadata": {},
    }  # fmt: skip


def text_item(head: Head, number: int, text: str | None, status: str = "completed") -> JsonObject:
    """An output message; without a text, one that has just begun."""
    content: list[JsonValue] = [] if text is None else [_text_part(text)]
    return {
        "id": f"msg_{head.id.rpartition('_')[2]}_{number}", "type": "message", "status": status, "role": "assistant",
        "content": content,
    }  # fmt: skip


def call_item(head: Head, number: int, call: CallDelta, status: str = "completed") -> JsonObject:
    """A function call."""
    return {
        "id": f"fc_{head.id.rpartition('_')[2]}_{number}", "type": "function_call", "status": status,
        "call_id": call.id, "name": call.name, "arguments": call.arguments,
    }  # fmt: skip


def _text_part(text: str) -> JsonObject:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


@dataclass(slots=True)
class _Item:
    number: int
    id: str
    call: CallDelta | None = None
    pieces: list[str] = field(default_factory=list)


class ResponsesStream(StreamRenderer):
    """Items are opened as they come and closed, in order, at the end."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._sent = 0
        self._text: _Item | None = None
        self._calls: dict[int, _Item] = {}
        self._items: list[_Item] = []

    def feed(self, delta: Delta) -> bytes:
        """The events for a piece."""
        data = self._begin()
        if delta.text:
            data += self._write_text(delta.text)
        for call in delta.calls:
            data += self._write_call(call)
        return data

    def end(self, finish: str, usage: TokenUse) -> bytes:
        """The ends of all items, and the whole response."""
        data = self._begin()
        for item in self._items:
            data += self._close(item)
        whole = response(self._head, [self._whole(item) for item in self._items], finish, usage)
        return data + self._event(f"response.{whole['status']}", response=whole)

    def fail(self, error: Mapping[str, JsonValue]) -> bytes:
        """An ``error`` event, and a response that has failed."""
        reason = error.get("error")
        reason = reason if isinstance(reason, dict) else {}
        code, message = reason.get("code") or reason.get("type"), reason.get("message")
        failed: JsonObject = {
            **response(self._head, []), "status": "failed", "error": {"code": code, "message": message},
        }  # fmt: skip
        return self._event("error", code=code, message=message, param=None) + self._event(
            "response.failed", response=failed
        )

    def nothing(self) -> bytes:
        """A stream whose response completes without any output."""
        return self.end("stop", TokenUse(0, 0))

    def _begin(self) -> bytes:
        if self._sent:
            return b""
        started = response(self._head, [])
        return self._event("response.created", response=started) + self._event("response.in_progress", response=started)

    def _write_text(self, text: str) -> bytes:
        data = b""
        if self._text is None:
            item = self._text = self._open(text_item(self._head, len(self._items), None, "in_progress"), None)
            data = self._added(item, text_item(self._head, item.number, None, "in_progress"))
            data += self._event("response.content_part.added", item, content_index=0, part=_text_part(""))
        self._text.pieces.append(text)
        return data + self._event("response.output_text.delta", self._text, content_index=0, delta=text, logprobs=[])

    def _write_call(self, call: CallDelta) -> bytes:
        data = b""
        item = self._calls.get(call.index)
        if item is None:
            bare = CallDelta(call.index, call.id, call.name)
            begun = call_item(self._head, len(self._items), bare, "in_progress")
            item = self._calls[call.index] = self._open(begun, bare)
            data = self._added(item, begun)
        if call.arguments:
            item.pieces.append(call.arguments)
            data += self._event("response.function_call_arguments.delta", item, delta=call.arguments)
        return data

    def _open(self, item: JsonObject, call: CallDelta | None) -> _Item:
        opened = _Item(len(self._items), str(item["id"]), call)
        self._items.append(opened)
        return opened

    def _added(self, item: _Item, value: JsonObject) -> bytes:
        return self._event("response.output_item.added", output_index=item.number, item=value)

    def _close(self, item: _Item) -> bytes:
        text = "".join(item.pieces)
        if item.call is not None:
            data = self._event("response.function_call_arguments.done", item, arguments=text, name=item.call.name)
        else:
            data = self._event("response.output_text.done", item, content_index=0, text=text, logprobs=[])
            data += self._event("response.content_part.done", item, content_index=0, part=_text_part(text))
        return data + self._event("response.output_item.done", output_index=item.number, item=self._whole(item))

    def _whole(self, item: _Item) -> JsonObject:
        text = "".join(item.pieces)
        if item.call is None:
            return text_item(self._head, item.number, text)
        return call_item(self._head, item.number, CallDelta(item.call.index, item.call.id, item.call.name, text))

    def _event(self, kind: str, of: _Item | None = None, **fields: JsonValue) -> bytes:
        value: JsonObject = {"type": kind, "sequence_number": self._sent}
        if of is not None:
            value |= {"item_id": of.id, "output_index": of.number}
        self._sent += 1
        return b"event: " + kind.encode() + b"\n" + event({**value, **fields})
