"""The socket behind the clients of one episode.

Protocol: a client connects, sends a line of JSON (``token``, ``argv``) and is sent one back (``stdout``, ``stderr``, ``exit``).
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from claw_adapter.sandbox import listen_unix
from claw_adapter_forge.shim.install import install_clients
from claw_adapter_forge.surfaces.grammar import Output

__all__ = ["MAX_REQUEST", "ClientServer"]

MAX_REQUEST = 256 * 1024
"""Bytes of one request line."""


class ClientServer:
    """Clients of every program in `folder`, and the server that they ask.

    `execute` is given the words of a command and returns what to print. What it raises is kept in `failure`: the client only
    hears that the world is gone.
    """

    def __init__(self, folder: Path, execute: Callable[[list[str]], Awaitable[Output]]) -> None:
        self.folder = folder
        self.token = secrets.token_hex(16)
        self.failure: Exception | None = None
        self._execute = execute
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def bin(self) -> Path:
        """The folder to put first on PATH."""
        return self.folder / "bin"

    @property
    def lib(self) -> Path:
        """What a client reads, the socket included."""
        return self.folder / "lib"

    @property
    def socket(self) -> Path:
        """Where the server listens."""
        return self.lib / "world.sock"

    async def start(self) -> None:
        """Write the clients and serve them."""
        install_clients(self.bin, str(self.socket), self.token)
        listening = listen_unix(self.socket)
        listening.setblocking(False)
        self._server = await asyncio.start_unix_server(self._serve, sock=listening, limit=MAX_REQUEST)

    async def stop(self) -> None:
        """Turn everybody away."""
        if self._server is None:
            return
        self._server.close()
        for writer in tuple(self._writers):
            writer.close()
        await self._server.wait_closed()
        self.socket.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            answer = await self._answer(await reader.readline())
            writer.write(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
            await writer.drain()
        except (ConnectionError, ValueError, asyncio.LimitOverrunError):
            pass  # the client went away or sent more than a request may have: nothing was executed
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
            words = [str(w) for w in request["argv"]]
            known = secrets.compare_digest(str(request["token"]), self.token)
        except (ValueError, KeyError, TypeError):
            return {"stdout": "", "stderr": "malformed request", "exit": 2}
        if not known or not words:
            return {"stdout": "", "stderr": "not a client of this world", "exit": 77}
        try:
            done = await self._execute(words)
        except Exception as error:  # noqa: BLE001 - kept, and raised where the trial hears of it
            self.failure = error
            return {"stdout": "", "stderr": "the world is not there", "exit": 69}
        return {"stdout": done.stdout, "stderr": done.stderr, "exit": done.code}
