"""Server-sent events out of chunks of bytes, in bounded memory (WHATWG HTML, section 9.2.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from claw_adapter.drivers.errors import LineTooLong
from claw_adapter.errors import HarnessProtocolError

__all__ = ["EventParser", "ServerEvent"]

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event; `data` is its data lines joined by line feeds."""

    data: str
    event: str = "message"
    id: str = ""


class EventParser:
    """Feed it chunks that end anywhere, take events; a line, and an event's data, may have `limit` bytes."""

    def __init__(self, limit: int, where: str = "") -> None:
        self._limit = limit
        self._where = where
        self._rest = bytearray()
        self._scanned = 0
        self._data: list[str] = []
        self._size = 0
        self._event = ""
        self._id = ""

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """The events that this chunk completes.

        Raises:
            LineTooLong: a line or an event is longer than the limit.
        """
        self._rest += chunk
        while (line := self._line()) is not None:
            if line:
                self._field(line)
            elif self._data:
                yield self._event_of_data()
            else:
                self._event = ""
        if len(self._rest) > self._limit:
            raise self._too_long("a line")

    def end(self) -> None:
        """The stream is over.

        Raises:
            HarnessProtocolError: it ended inside an event, so that what came of it must not be used.
        """
        if self._rest.strip(b"\r\n") or self._data:
            raise HarnessProtocolError("the event stream was cut inside an event", where=self._where)

    def _line(self) -> bytes | None:
        """The next whole line; a carriage return that ends a chunk may be half of a line end, and waits."""
        span = _line_end(self._rest, self._scanned)
        if span is None:
            self._scanned = max(0, len(self._rest) - 1)
            return None
        line = bytes(self._rest[: span[0]])
        del self._rest[: span[1]]
        self._scanned = 0
        if len(line) > self._limit:
            raise self._too_long("a line")
        return line

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if name == b"data":
            self._size += len(value)
            if self._size > self._limit:
                raise self._too_long("an event")
            self._data.append(text)
        elif name == b"event":
            self._event = text
        elif name == b"id":
            self._id = text

    def _event_of_data(self) -> ServerEvent:
        event = ServerEvent("\n".join(self._data), self._event or "message", self._id)
        self._data, self._size, self._event = [], 0, ""
        return event

    def _too_long(self, what: str) -> LineTooLong:
        return LineTooLong(f"{what} of more than {self._limit} bytes in an event stream", where=self._where)


def _line_end(data: bytearray, start: int) -> tuple[int, int] | None:
    """Where the first line end stands; the match object must not live on, it forbids `data` to shrink."""
    found = _LINE_END.search(data, start)
    if found is None or (found.group() == b"\r" and found.end() == len(data)):
        return None
    return found.span()
