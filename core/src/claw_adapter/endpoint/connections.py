"""Connections on which nothing happens are closed: those of clients that have nothing to ask, or never finish asking."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from aiohttp import web

__all__ = ["Connections"]


class Connections:
    """Watches the connections of a server; `seconds` is how long one may be without a request."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since: dict[object, float] = {}
        """When each connection was first seen without a request, in monotonic seconds."""
        self._busy: set[object] = set()

    @web.middleware
    async def mark(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Note that a request is being answered; reading its body and writing the answer have bounds of their own."""
        connection = request.protocol
        self._busy.add(connection)
        self._since.pop(connection, None)
        try:
            return await handler(request)
        finally:
            self._busy.discard(connection)
            self._since[connection] = time.monotonic()

    async def watch(self, runner: web.AppRunner) -> None:
        """Close what stays idle, until cancelled."""
        while True:
            await asyncio.sleep(min(self._seconds / 2, 5.0))
            now = time.monotonic()
            known = runner.server.connections if runner.server is not None else []
            self._since = {connection: self._since.get(connection, now) for connection in known}
            for connection in known:
                idle = now - self._since[connection]
                if connection not in self._busy and idle > self._seconds and connection.transport is not None:
                    connection.transport.abort()
