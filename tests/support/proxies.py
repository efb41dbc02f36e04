"""A skill proxy for tests of proxy routes: it behaves like those that people run, and fails as it is told."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import aiohttp
from aiohttp import web

SKILL = "SKILL-CANARY: look before you answer."
Fault = Literal["", "refuse", "garble", "hang", "late garbage", "500"]


class SkillProxy:
    """Puts a skill into the first system message and asks the endpoint in turn, whole replies only.

    `fault` is what it does instead; `own` texts are asked for itself, one before each request that it passes on.
    """

    def __init__(self, endpoint: str, key: str) -> None:
        self.endpoint = endpoint
        self.key = key
        self.fault: Fault = ""
        self.own: list[str] = []
        self.replies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One request of the proxy route."""
        body = await request.json()
        self.headers.append(dict(request.headers))
        self.bodies.append(body)
        if self.fault == "hang":
            await asyncio.sleep(60)
        if self.fault == "refuse":
            return web.json_response({"detail": "no skill today"}, status=400)
        if self.fault == "500":
            return web.Response(text="Internal Server Error", status=500)
        while self.own:
            self.replies.append((await self.ask({"messages": [{"role": "user", "content": self.own.pop()}]}))[1])
        if self.fault == "garble":
            return web.json_response({"choices": []})
        messages = [{"role": "system", "content": SKILL}, *body["messages"]]
        status, answer = await self.ask({**body, "messages": messages})
        if self.fault == "late garbage":
            return web.Response(text="not JSON at all")
        if status >= 500:  # as they do: what failed behind looks like a gateway's error
            return web.json_response({"detail": str(answer)}, status=502)
        return web.json_response(answer if status == 200 else {"detail": str(answer)}, status=status)

    async def ask(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Ask the endpoint."""
        headers = {"Authorization": f"Bearer {self.key}"}
        url = f"{self.endpoint}/v1/chat/completions"
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.post(url, json={"model": "theirs", **body, "stream": False}) as answer,
        ):
            try:
                return answer.status, await answer.json(content_type=None)
            except ValueError:
                return 502, {"detail": "no JSON behind"}


@contextlib.asynccontextmanager
async def serving(proxy: SkillProxy, socket: Path | None = None) -> AsyncIterator[int]:
    """Let it serve, on a free port, or on a Unix socket too."""
    app = web.Application(client_max_size=1 << 28)
    app.router.add_post("/v1/chat/completions", proxy.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        if socket is not None:
            await web.UnixSite(runner, str(socket)).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
