"""How request bodies come in: so many bytes at a time for all trials together, and none for ever.

A large body needs room before it is read. While there is none it waits, unread, and so does its sender; when too many wait,
or one for too long, the answer is 429, as a provider's would be. A body beyond `MAX_BODY` is refused with 413.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final, Self

from aiohttp import web

__all__ = ["LARGE", "MAX_BODY", "Intake", "RequestRefused", "Room"]

MAX_BODY: Final = 64 * 1024 * 1024
"""Twice what the providers we know take."""
LARGE: Final = 512 * 1024
"""Bytes from which on a body needs room, and is read by a process of its own."""
ROOM: Final = 2 * MAX_BODY
"""Bytes of large bodies that are in flight at a time, and half of it for a single trial."""
MOST_WAITING: Final = 64
WAIT_SECONDS: Final = 120.0
BODY_SECONDS: Final = 60.0
"""How long a body may take from its first byte to its last, and as long again for all 16 MB of it."""


class RequestRefused(Exception):
    """A request that is not taken; `status` says why in HTTP's terms."""

    def __init__(self, status: int, what: str, code: str) -> None:
        super().__init__(what)
        self.status, self.what, self.code = status, what, code


class Intake:
    """The room that there is for bodies, shared by all trials of an endpoint."""

    def __init__(self, *, room: int = ROOM, seconds: float = BODY_SECONDS) -> None:
        self._room = room
        self._seconds = seconds
        self._taken: Counter[str] = Counter()
        self._waiting = 0
        self._freed = asyncio.Condition()

    async def take(self, who: str, size: int) -> None:
        """Wait for room.

        Raises:
            RequestRefused: too many wait already, or it takes too long.
        """
        if self._waiting >= MOST_WAITING:
            raise RequestRefused(429, f"{self._waiting} large requests wait already", "rate_limit_exceeded")
        self._waiting += 1
        try:
            async with asyncio.timeout(WAIT_SECONDS), self._freed:
                await self._freed.wait_for(lambda: self._fits(who, size))
                self._taken[who] += size
        except TimeoutError:
            raise RequestRefused(429, "there was no room for another large request", "rate_limit_exceeded") from None
        finally:
            self._waiting -= 1

    async def free(self, who: str, size: int) -> None:
        """Give room back."""
        self._taken[who] -= size
        self._taken += Counter()
        async with self._freed:
            self._freed.notify_all()

    def _fits(self, who: str, size: int) -> bool:
        """A body alone always does, for none is larger than half of the room."""
        return self._taken[who] + size <= self._room // 2 and self._taken.total() + size <= self._room

    async def receive(self, request: web.Request, room: Room) -> bytearray:
        """Read a request's body.

        Raises:
            RequestRefused: it is too large, too slow, or there is no room for it.
        """
        declared = request.content_length or 0
        if declared > MAX_BODY:
            raise RequestRefused(413, f"the request is larger than {MAX_BODY} bytes", "request_too_large")
        if declared > LARGE:
            await room.take(declared)
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds * (1 + declared / MAX_BODY * 4)):
                async for data in request.content.iter_any():
                    body += data
                    if len(body) > MAX_BODY:
                        raise RequestRefused(413, f"the request is larger than {MAX_BODY} bytes", "request_too_large")
                    if len(body) > LARGE and not room.size:
                        await room.take(MAX_BODY)  # nobody has said how long it will be
        except TimeoutError:
            raise RequestRefused(
                408, f"the request's body did not come within {self._seconds:g} s", "timeout"
            ) from None
        return body


class Room:
    """What one request has of the room; an async context manager."""

    def __init__(self, intake: Intake, who: str) -> None:
        self._intake, self._who = intake, who
        self.size = 0

    async def take(self, size: int) -> None:
        """Wait for so much."""
        await self._intake.take(self._who, size)
        self.size = size

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.size:
            await asyncio.shield(self._intake.free(self._who, self.size))
