"""A provider on loopback that answers every request alike, refuses for a while, or is gone and comes back."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from typing import Self

from aiohttp import web

ANSWER = "\\bbox{A}"
USAGE = {"prompt_tokens": 70, "completion_tokens": 30, "total_tokens": 100}


class FakeProvider:
    """An async context manager. `refuse` gives the status for a request's number (from 1), or 0 to answer it."""

    def __init__(self) -> None:
        self.requests = 0
        self.answered = 0
        self.refuse: Callable[[int], int] = lambda _number: 0
        self.headers: dict[str, str] = {}
        self.code = ""
        self._slow, self._under_way, self._most = False, 0, 0
        self.asked: asyncio.Event = asyncio.Event()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._runner: web.AppRunner | None = None

    def watch_concurrent(self) -> Callable[[], int]:
        """Answer slowly from now on; what is returned tells how many requests were under way at a time since it was asked."""
        self._slow = True

        def most() -> int:
            found, self._most = self._most, 0
            return found

        return most

    @property
    def model(self) -> dict:
        """The model as an experiment names it."""
        return {"name": "m", "base_url": f"http://127.0.0.1:{self._port}/v1", "model": "real"}

    async def come(self) -> None:
        """Listen."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()

    async def go(self) -> None:
        """Refuse connections."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @contextlib.asynccontextmanager
    async def away_after(self, requests: int, seconds: float) -> AsyncIterator[None]:
        """Be gone for so long once so many requests were answered."""

        async def leave() -> None:
            while self.answered < requests:
                await self.asked.wait()
                self.asked.clear()
            await self.go()
            await asyncio.sleep(seconds)
            await self.come()

        task = asyncio.create_task(leave())
        yield
        await task

    async def _answer(self, request: web.Request) -> web.Response:
        self.requests += 1
        if status := self.refuse(self.requests):
            error = {"message": f"refused with {status}", "code": self.code}
            return web.json_response({"error": error}, status=status, headers=self.headers)
        await request.read()
        self._under_way += 1
        self._most = max(self._most, self._under_way)
        await asyncio.sleep(0.2 if self._slow else 0)
        self._under_way -= 1
        self.answered += 1
        self.asked.set()
        choice = {"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}
        return web.json_response({"id": "x", "model": "real", "choices": [choice], "usage": USAGE})

    async def __aenter__(self) -> Self:
        await self.come()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.go()
