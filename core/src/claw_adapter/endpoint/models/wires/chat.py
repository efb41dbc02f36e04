"""OpenAI chat completions as an upstream, tolerant of the small differences between those that speak it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

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
    loaded,
)
from claw_adapter.endpoint.sampling import LIMITS, effective
from claw_adapter.model import CallDelta, Delta, ModelRequest
from claw_adapter.protocol.tokens import TokenUse

__all__ = ["ChatWire"]

JsonObject = dict[str, JsonValue]
_OURS = frozenset({"role", "content", "tool_calls"})


class ChatWire(Wire):
    """The neutral form is this one, so that there is nothing to translate.

    ``options.limit`` is the name that the upstream has for the limit of a reply: some know only ``max_completion_tokens``.
    """

    name = "openai-chat"

    @property
    def url(self) -> str:
        """``/chat/completions`` below the base, which ends in ``/v1`` or in the name of a deployment."""
        return f"{self.spec.base_url.rstrip('/')}/chat/completions"

    def body(self, request: ModelRequest) -> JsonObject:
        """Messages and tools as they are; the run's model, sampling and limit."""
        params = effective(self.spec, request.params)
        limit = self.spec.options.get("limit")
        if isinstance(limit, str):
            given = [params.pop(name) for name in sorted(LIMITS & params.keys())]
            params |= {limit: given[0]} if given else {}
        body: JsonObject = {**params, "model": self.model, "messages": list(request.messages)}
        if request.tool_json:
            body["tools"] = list(request.tool_json)
        if request.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body

    def whole(self, body: bytes, new_id: NewId) -> Delta:
        """A ``chat.completion``."""
        value = _loaded(body)
        choice = _choice(value, "message")
        if choice is None:
            raise Malformed("a completion without choices")
        content, finish = choice
        return _delta(content, finish or "stop", _calls(content, new_id, whole=True), _usage(value))

    async def pieces(self, chunks: AsyncIterator[bytes], new_id: NewId) -> AsyncIterator[Delta]:
        """The events of a ``chat.completion``."""
        begun = finished = False
        async for data in events(chunks):
            if data == "[DONE]":
                finished = finished or begun  # some upstreams never give a reason
                break
            value = _loaded(data)
            usage, choice = _usage(value), _choice(value, "delta")
            if choice is None:
                if usage is not None:
                    yield Delta(usage=usage)
                continue
            content, finish = choice
            begun, finished = True, finished or finish is not None
            yield _delta(content, finish, _calls(content, new_id, whole=False), usage)
        if not finished:
            raise Unfinished("the stream ended before the reply did")


def _loaded(text: str | bytes) -> JsonObject:
    value = loaded(text)
    if value.get("error"):
        raise UpstreamRefused(value["error"])
    return value


def _usage(value: JsonObject) -> TokenUse | None:
    usage = value.get("usage")
    if not isinstance(usage, dict):
        return None
    counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
    sent, received = (int(n) if isinstance(n, int | float) else 0 for n in counts)
    return TokenUse(sent, received, cached_tokens(usage, "prompt_tokens_details"))


def _choice(value: JsonObject, part: str) -> tuple[JsonObject, str | None] | None:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        return None
    content, finish = first.get(part), first.get("finish_reason")
    return (content if isinstance(content, dict) else {}), (finish if isinstance(finish, str) else None)


def _calls(content: JsonObject, new_id: NewId, *, whole: bool) -> tuple[CallDelta, ...]:
    """Tool calls of a message or delta. Upstreams leave out the index or the id, and send arguments as an object."""
    found = []
    calls = content.get("tool_calls")
    for position, call in enumerate(calls if isinstance(calls, list) else []):
        if not isinstance(call, dict):
            continue
        function = as_dict(call.get("function"))
        index, name, arguments = call.get("index"), str(function.get("name") or ""), function.get("arguments")
        text = arguments if isinstance(arguments, str) else "" if arguments is None else json.dumps(arguments)
        call_id = str(call.get("id") or "") or (new_id() if name else "")
        found.append(CallDelta(position if whole or not isinstance(index, int) else index, call_id, name, text))
    return tuple(found)


def _delta(content: JsonObject, finish: str | None, calls: tuple[CallDelta, ...], usage: TokenUse | None) -> Delta:
    text = content.get("content")
    if finish == "function_call":
        finish = "tool_calls"
    extra = {name: value for name, value in content.items() if name not in _OURS and value is not None}
    return Delta(text if isinstance(text, str) else "", calls, finish, usage, extra)
