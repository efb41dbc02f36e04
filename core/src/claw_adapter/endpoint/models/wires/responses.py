"""OpenAI responses as an upstream: passed on as they came, or translated from the OpenAI chat form."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.models.wires.base import (
    Malformed,
    NewId,
    Unfinished,
    UpstreamRefused,
    Wire,
    as_dict,
    cached_tokens,
    events,
    integer,
    loaded,
    pairs,
)
from claw_adapter.endpoint.models.wires.responses_body import passed_on, translated
from claw_adapter.model import CallDelta, Delta, ModelRequest
from claw_adapter.protocol.tokens import TokenUse

__all__ = ["ResponsesWire"]

JsonObject = dict[str, JsonValue]

_CUT_SHORT: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ResponsesWire(Wire):
    """Responses, nothing stored. ``options.always_stream`` is for upstreams that only stream."""

    name = "openai-responses"

    @property
    def url(self) -> str:
        """``/responses`` below the base."""
        return f"{self.spec.base_url.rstrip('/')}/responses"

    def body(self, request: ModelRequest) -> JsonObject:
        """What the harness sent, if it speaks this dialect, else a translation; the run's model and sampling."""
        made = passed_on if request.dialect == self.name else translated
        stream = request.stream or self.spec.options.get("always_stream") is True
        return {**made(self.spec, request), "model": self.model, "stream": stream, "store": False}

    def whole(self, body: bytes, new_id: NewId) -> Delta:
        """A ``response``."""
        value = loaded(body)
        if value.get("error"):
            raise UpstreamRefused(value["error"])
        items = pairs(value.get("output"))
        if not items and value.get("status") != "incomplete":
            raise Malformed("a response without output")
        texts = [
            str(part.get("text") or part.get("refusal") or "") for item in items for part in pairs(item.get("content"))
            if item.get("type") == "message"
        ]  # fmt: skip
        made = [item for item in items if item.get("type") == "function_call"]
        calls = tuple(_call(number, item, new_id) for number, item in enumerate(made))
        return Delta("".join(texts), calls, _finish(value, bool(calls)), _usage(value))

    async def pieces(self, chunks: AsyncIterator[bytes], new_id: NewId) -> AsyncIterator[Delta]:
        """The events of a ``response``."""
        calls: dict[int, tuple[int, bool]] = {}  # output index → number of the call, whether arguments have come
        async for data in events(chunks):
            if data == "[DONE]":
                break
            event = loaded(data)
            kind, index = str(event.get("type")), integer(event, "output_index")
            item = as_dict(event.get("item"))
            if kind == "error" or (event.get("error") and not kind.startswith("response.")):
                raise UpstreamRefused(event.get("error") or event)
            if kind in ("response.output_text.delta", "response.refusal.delta"):
                yield Delta(text=str(event.get("delta") or ""))
            elif kind == "response.output_item.added" and item.get("type") == "function_call":
                calls[index] = (len(calls), bool(item.get("arguments")))
                yield Delta(calls=(_call(calls[index][0], item, new_id),))
            elif kind == "response.function_call_arguments.delta" and index in calls:
                calls[index] = (calls[index][0], True)
                yield Delta(calls=(CallDelta(calls[index][0], arguments=str(event.get("delta") or "")),))
            elif kind == "response.output_item.done" and index in calls and not calls[index][1]:
                yield Delta(calls=(CallDelta(calls[index][0], arguments=str(item.get("arguments") or "")),))
            elif kind in _ENDS:
                final = as_dict(event.get("response"))
                if kind == "response.failed":
                    raise UpstreamRefused(final.get("error"))
                yield Delta(finish=_finish(final, bool(calls)), usage=_usage(final))
                return
        raise Unfinished("the stream ended before the reply did")


def _call(number: int, item: JsonObject, new_id: NewId) -> CallDelta:
    made = str(item.get("call_id") or new_id())
    return CallDelta(number, made, str(item.get("name") or ""), str(item.get("arguments") or ""))


def _finish(response: JsonObject, called: bool) -> str:
    reason = as_dict(response.get("incomplete_details")).get("reason")
    return _CUT_SHORT.get(str(reason), "length") if reason else "tool_calls" if called else "stop"


def _usage(response: JsonObject) -> TokenUse | None:
    usage = as_dict(response.get("usage"))
    if not usage:
        return None
    cached = cached_tokens(usage, "input_tokens_details")
    return TokenUse(integer(usage, "input_tokens"), integer(usage, "output_tokens"), cached)
