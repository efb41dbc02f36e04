"""A reply without provider keys: an upstream may say them back, in pieces too, and nothing behind the endpoint may see them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace

from pydantic import JsonValue

from claw_adapter.model import CallDelta, Delta
from claw_adapter.redaction import RedactingPieces, RedactingStream, Redactor

__all__ = ["redacted"]


async def redacted(source: AsyncGenerator[Delta, None], redactor: Redactor) -> AsyncGenerator[Delta, None]:
    """The pieces of a reply, cut anew where a key may stand across their borders; as they come where there are no keys."""
    pieces = _Pieces(redactor)
    async with aclosing(source):
        async for delta in source:
            for clean in pieces.feed(delta) if redactor else (delta,):
                yield clean
    for clean in pieces.rest():
        yield clean


class _Pieces:
    """Redacts the parts of a reply, its text, a further field, the arguments of a call, each as one stream of its own."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._streams: dict[str | int, RedactingStream] = {}
        """By a field's name (``""``: the text) or a call's index."""
        self._inner: dict[str, RedactingPieces] = {}
        """By the place of a text within a field."""

    def feed(self, delta: Delta) -> Iterator[Delta]:
        """What can be passed on."""
        if delta.text:
            yield from self._next("", delta.text)
        for name, value in delta.extra.items():
            if isinstance(value, str):
                yield from self._next(name, value)
            else:
                yield Delta(extra={name: self._value(name, value)})
        for call in delta.calls:
            clean = self._redactor.text
            arguments = self._stream(call.index).feed(call.arguments)
            yield Delta(calls=(replace(call, id=clean(call.id), name=clean(call.name), arguments=arguments),))
        if delta.finish or delta.usage:
            yield from self.rest()
            yield Delta(finish=delta.finish, usage=delta.usage)

    def rest(self) -> Iterator[Delta]:
        """What was kept back."""
        for part, stream in self._streams.items():
            if kept := stream.end():
                yield _delta(part, kept)

    def _value(self, place: str, value: JsonValue) -> JsonValue:
        """A value within a field; its texts may be pieces, or words of a format, of which nothing can be kept back."""
        if isinstance(value, str):
            return self._inner.setdefault(place, RedactingPieces(self._redactor)).feed(value)
        if isinstance(value, dict):
            return {name: self._value(f"{place}.{name}", item) for name, item in value.items()}
        if not isinstance(value, list):
            return value
        return [self._value(f"{place}.{_number(item, at)}", item) for at, item in enumerate(value)]

    def _next(self, part: str, piece: str) -> Iterator[Delta]:
        if clean := self._stream(part).feed(piece):
            yield _delta(part, clean)

    def _stream(self, part: str | int) -> RedactingStream:
        return self._streams.setdefault(part, RedactingStream(self._redactor))


def _number(item: JsonValue, at: int) -> str:
    """Which member of a list an item goes on with: the one that it says, else the one in its place."""
    return f"index {item['index']}" if isinstance(item, dict) and "index" in item else str(at)


def _delta(part: str | int, text: str) -> Delta:
    if isinstance(part, int):
        return Delta(calls=(CallDelta(part, arguments=text),))
    return Delta(extra={part: text}) if part else Delta(text=text)
