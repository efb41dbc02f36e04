"""What a wire form does, and what two of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from typing import ClassVar, Final

from pydantic import JsonValue

from claw_adapter.drivers.errors import LineTooLong
from claw_adapter.drivers.sse import EventParser
from claw_adapter.model import Delta, ModelRequest
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.reading import parse_json

__all__ = [
    "Malformed",
    "NewId",
    "Unfinished",
    "UpstreamRefused",
    "Wire",
    "as_dict",
    "cached_tokens",
    "events",
    "integer",
    "loaded",
    "pairs",
]

JsonObject = dict[str, JsonValue]
NewId = Callable[[], str]
"""Makes an id for a call that came without one."""
EVENT_BYTES: Final = 64 * 1024 * 1024


class Malformed(ValueError):
    """What came is no completion."""


class Unfinished(Malformed):
    """What came may be the beginning of one."""


class UpstreamRefused(Exception):  # the upstream's own error, inside a reply that had begun well
    """An error object in the middle of a stream, or in place of a completion."""

    def __init__(self, error: JsonValue) -> None:
        super().__init__(str(error))
        self.error = error


class Wire(ABC):
    """One wire form, for one model."""

    name: ClassVar[str]

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    @property
    @abstractmethod
    def url(self) -> str:
        """Where requests are posted to, without a query."""

    @abstractmethod
    def body(self, request: ModelRequest) -> JsonObject:
        """The request as it is sent."""

    @abstractmethod
    def whole(self, body: bytes, new_id: NewId) -> Delta:
        """A complete reply as a single piece.

        Raises:
            Malformed: it is not one, or there is nothing in it.
            UpstreamRefused: it is an error.
        """

    @abstractmethod
    def pieces(self, chunks: AsyncIterator[bytes], new_id: NewId) -> AsyncIterator[Delta]:
        """The pieces of a streamed reply.

        Raises:
            Malformed: an event is not JSON, or the stream ends before the reply does.
            UpstreamRefused: an error comes instead.
        """

    def headers(self, request: ModelRequest) -> dict[str, str]:
        """Headers of the form itself; credentials are added by the caller."""
        del request
        return {}

    @property
    def model(self) -> str:
        """The id that the upstream knows the model by."""
        return self.spec.model or self.spec.name


def as_dict(value: JsonValue) -> JsonObject:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def pairs(value: JsonValue) -> list[JsonObject]:
    """The objects of a list; nothing if it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def integer(values: Mapping[str, JsonValue], *names: str) -> int:
    """The sum of counts; those that are missing count nothing."""
    return sum(int(value) for name in names if isinstance(value := values.get(name), int | float))


def cached_tokens(usage: Mapping[str, JsonValue], details: str) -> int | None:
    """What the upstream had in its cache, as OpenAI's dialects say it: in an object of details; None if it is silent."""
    given = as_dict(usage.get(details)).get("cached_tokens")
    return int(given) if isinstance(given, int | float) else None


def loaded(text: str | bytes) -> JsonObject:
    """A JSON object.

    Raises:
        Malformed: it is none; `Unfinished` where it begins like one.
    """
    try:
        value = parse_json(text, halves=True)
    except ValueError as error:
        begins = text.lstrip()[:1] in ("{", "", b"{", b"")
        raise (Unfinished if begins else Malformed)(f"no JSON: {error}") from None
    if not isinstance(value, dict):
        raise Malformed("not a JSON object")
    return value


async def events(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of each event of a stream; the last one may end with the stream.

    Raises:
        Malformed: an event of more than `EVENT_BYTES`.
    """
    parser = EventParser(EVENT_BYTES)
    try:
        async for chunk in chunks:
            for event in parser.feed(chunk):
                yield event.data
        for event in parser.feed(b"\n\n"):
            yield event.data
    except LineTooLong as error:
        raise Malformed(error.what) from None
