"""Reading server-sent events and completions of OpenAI-compatible upstreams, tolerant of their small differences."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable

from pydantic import JsonValue

from claw_adapter.model import CallDelta, Delta
from claw_adapter.protocol.tokens import TokenUse

__all__ = ["Malformed", "Refused", "events", "pieces", "whole"]

JsonObject = dict[str, JsonValue]

_OURS = frozenset({"role", "content", "tool_calls"})


class Malformed(ValueError):
    """What came is no completion."""


class Refused(Exception):  # the upstream's own error, inside a reply that had begun well
    """An error object in the middle of a stream, or in place of a completion."""

    def __init__(self, error: JsonValue) -> None:
        super().__init__(str(error))
        self.error = error


async def events(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of each event; lines may be of any length and chunks may end anywhere."""
    rest = bytearray()
    data: list[bytes] = []
    async for chunk in chunks:
        rest += chunk
        *lines, last = rest.split(b"\n")
        rest = bytearray(last)
        for line in lines:
            text = bytes(line).rstrip(b"\r")
            if text.startswith(b"data:"):
                data.append(text[5:].lstrip(b" "))
            elif not text and data:
                yield b"\n".join(data).decode("utf-8", "replace")
                data = []
    tail = bytes(rest).rstrip(b"\r")
    if tail.startswith(b"data:"):
        data.append(tail[5:].lstrip(b" "))
    if data:
        yield b"\n".join(data).decode("utf-8", "replace")


def _loaded(text: str | bytes) -> JsonObject:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Malformed(f"no JSON: {error}") from None
    if not isinstance(value, dict):
        raise Malformed("not a JSON object")
    if value.get("error"):
        raise Refused(value["error"])
    return value


def _usage(value: JsonObject) -> TokenUse | None:
    usage = value.get("usage")
    if not isinstance(usage, dict):
        return None
    counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return TokenUse(*(int(n) if isinstance(n, int | float) else 0 for n in counts))


def _choice(value: JsonObject, part: str) -> tuple[JsonObject, str | None] | None:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        return None
    content, finish = first.get(part), first.get("finish_reason")
    return (content if isinstance(content, dict) else {}), (finish if isinstance(finish, str) else None)


def _calls(content: JsonObject, new_id: Callable[[], str], *, whole: bool) -> tuple[CallDelta, ...]:
    """Tool calls of a message or delta. Upstreams leave out the index or the id, and send arguments as an object."""
    found = []
    calls = content.get("tool_calls")
    for position, call in enumerate(calls if isinstance(calls, list) else []):
        if not isinstance(call, dict):
            continue
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
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


def whole(body: bytes, new_id: Callable[[], str]) -> Delta:
    """A complete ``chat.completion`` as a single piece.

    Raises:
        Malformed: it is not one, or has no choices.
        Refused: it is an error.
    """
    value = _loaded(body)
    choice = _choice(value, "message")
    if choice is None:
        raise Malformed("a completion without choices")
    content, finish = choice
    return _delta(content, finish or "stop", _calls(content, new_id, whole=True), _usage(value))


async def pieces(chunks: AsyncIterator[bytes], new_id: Callable[[], str]) -> AsyncIterator[Delta]:
    """The pieces of a streamed completion, as they come.

    Raises:
        Malformed: an event is not JSON, or the stream ends before the reply does.
        Refused: an error comes instead.
    """
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
        raise Malformed("the stream ended before the reply did")
