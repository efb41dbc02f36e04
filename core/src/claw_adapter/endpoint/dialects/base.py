"""What a dialect does: read requests, and write replies, streams and errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import JsonValue

from claw_adapter.endpoint.neutral import ModelReply
from claw_adapter.model import Delta, ModelRequest
from claw_adapter.protocol.tokens import TokenUse

if TYPE_CHECKING:
    from claw_adapter.endpoint.known import Known

__all__ = ["Dialect", "Head", "StreamRenderer"]

JsonObject = dict[str, JsonValue]

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_NO_TOKENS: Final = TokenUse(0, 0)


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
    count_path: ClassVar[str] = ""
    """Where a client may ask for the tokens of a request; empty where the dialect has no such thing."""
    id_prefix: ClassVar[str]
    """What ids of replies begin with."""
    half_a_reply: ClassVar[bytes]
    """The beginning of a reply (for fault injection): no JSON."""
    filtered: ClassVar[tuple[str, str]]
    """Message and code of the error for a request that the content filter refuses."""

    @abstractmethod
    def parse(
        self, body: JsonValue, headers: Mapping[str, str] = _NO_HEADERS, known: Known | None = None
    ) -> ModelRequest:
        """Read a request; `headers` are looked at for what the dialect announces there, never for keys.

        `known` is what earlier requests of the trial have left to go on from.

        Raises:
            BadRequest: it is not one of this dialect.
        """

    @abstractmethod
    def render(self, reply: ModelReply, head: Head, usage: TokenUse) -> JsonObject:
        """A complete reply."""

    @abstractmethod
    def stream(self, head: Head, *, usage_chunk: bool, known: TokenUse = _NO_TOKENS) -> StreamRenderer:
        """A new stream; `known` is what is known of the usage before the reply has begun."""

    @abstractmethod
    def empty(self, head: Head) -> JsonObject:
        """A well-formed reply with nothing in it (for fault injection)."""

    @abstractmethod
    def empty_stream(self, head: Head) -> bytes:
        """The same as a stream."""

    def half_event(self) -> bytes:
        """`half_a_reply` as the only event of a stream."""
        return b"data: " + self.half_a_reply + b"\n\n"

    def tokens(self, count: int) -> JsonObject:
        """The answer to a question for the tokens of a request."""
        return {"input_tokens": count}

    @abstractmethod
    def overflow(self, tokens: int, window: int) -> tuple[str, str]:
        """Message and code of the error for a request of more tokens than the model's window has."""

    @abstractmethod
    def error(self, status: int, message: str, code: str = "") -> JsonObject:
        """An error body."""
