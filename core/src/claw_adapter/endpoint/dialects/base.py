"""What a dialect does: read requests, and write replies, streams and errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from claw_adapter.endpoint.neutral import Delta, ModelReply, ModelRequest, TokenUse

__all__ = ["Dialect", "Head", "StreamRenderer"]

JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Head:
    """What stands on every reply: its id, when it was made (seconds since 1970), and the only model id there is."""

    id: str
    created: int
    model: str


class StreamRenderer(ABC):
    """Writes one reply as server-sent events."""

    @abstractmethod
    def feed(self, delta: Delta) -> bytes:
        """The events for a piece of the reply; may be empty."""

    @abstractmethod
    def end(self, finish: str, usage: TokenUse) -> bytes:
        """The events that close a complete reply."""

    @abstractmethod
    def fail(self, error: Mapping[str, JsonValue]) -> bytes:
        """The event for an error in the middle of the reply; nothing follows it."""


class Dialect(ABC):
    """One wire form. Instances have no state."""

    name: ClassVar[str]
    path: ClassVar[str]
    """Where requests are posted to."""

    @abstractmethod
    def parse(self, body: JsonValue) -> ModelRequest:
        """Read a request.

        Raises:
            BadRequest: it is not one of this dialect.
        """

    @abstractmethod
    def render(self, reply: ModelReply, head: Head, usage: TokenUse) -> JsonObject:
        """A complete reply."""

    @abstractmethod
    def stream(self, head: Head, *, usage_chunk: bool) -> StreamRenderer:
        """A new stream."""

    @abstractmethod
    def empty(self, head: Head) -> JsonObject:
        """A well-formed reply with nothing in it (for fault injection)."""

    @abstractmethod
    def error(self, status: int, message: str, code: str = "") -> JsonObject:
        """An error body."""
