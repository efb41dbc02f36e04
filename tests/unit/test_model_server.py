"""Promise: why a model server answers no more is known as soon as it has ended, and nobody waits for what cannot be seen."""

from __future__ import annotations

import sys

from claw_adapter.drivers import PIPE, Command, environment, start
from claw_adapter.model_server import ModelServer
from claw_adapter.runner import servers

EXITS = "import sys; sys.stdin.read(); sys.exit(3)"


class Silent:
    """An upstream whose server answers no more; `ended` is the real server's."""

    def __init__(self, server: ModelServer) -> None:
        self.server = server
        self.waited: list[float] = []

    async def health(self) -> bool:
        return False

    async def ended(self, seconds: float) -> None:
        self.waited.append(seconds)
        await self.server.ended(seconds)

    def fault(self) -> str:
        return self.server.fault()


async def test_a_server_of_ours_is_asked_why_when_it_has_ended(monkeypatch):
    monkeypatch.setattr(servers, "END_SECONDS", 60.0)
    process = await start(Command((sys.executable, "-c", EXITS), env=environment(), stdin=PIPE))
    async with process:
        upstream = Silent(ModelServer("http://127.0.0.1:1", process))
        process.close_stdin()
        said = await servers._silence(upstream)
    assert "ended by itself: exit status 3" in said
    assert upstream.waited == [60.0]


async def test_a_server_that_somebody_else_started_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(servers, "END_SECONDS", float("inf"))
    assert await servers._silence(Silent(ModelServer("http://127.0.0.1:1"))) == servers.GONE
