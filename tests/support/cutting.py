"""A provider on loopback that closes its connections at a named instant of chosen requests, and answers all others."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Final, Literal, Self, get_args

from support.provider import ANSWER, USAGE

Instant = Literal["asked", "read", "headers", "announced", "begun", "half", "ending", ""]
"""Before the request is read, after it, in the headers, after them, before anything is said, in the middle, before the end."""
INSTANTS: Final = tuple(name for name in get_args(Instant) if name)
Framing = Literal["length", "chunked", "close"]


class CuttingProvider:
    """An async context manager. `cut` gives the instant for a request's number (from 1); `framing` is that of all replies."""

    def __init__(self, framing: Framing = "chunked", *, reset: bool = False, stream: bool | None = None) -> None:
        self.framing, self.reset, self.stream = framing, reset, stream
        self.cut: Callable[[int], Instant] = lambda _number: ""
        self.requests = self.answered = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def model(self) -> dict:
        """The model as an experiment names it."""
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        return {"name": "m", "base_url": f"http://127.0.0.1:{port}/v1", "model": "real", "timeout": 20}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._answer(reader, writer):
                await writer.drain()
        if self.reset:
            writer.transport.abort()
        writer.close()
        self._open.discard(writer)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer a request; False if the connection ends here."""
        head = await reader.readuntil(b"\r\n\r\n")
        self.requests += 1
        instant = self.cut(self.requests)
        if instant == "asked":
            return False
        length = next(
            int(line.split(b":")[1]) for line in head.splitlines() if line.lower().startswith(b"content-length")
        )
        asked = json.loads(await reader.readexactly(length))
        if instant == "read":
            return False
        stream = bool(asked.get("stream")) if self.stream is None else self.stream
        framing = "close" if stream and self.framing == "length" else self.framing
        parts = _events() if stream else _halves()
        headers = _headers(stream, framing, sum(map(len, parts)))
        if instant == "headers":
            writer.write(headers[: len(headers) // 2])
            return False
        writer.write(headers)
        sent = {"announced": 0, "begun": 1, "half": len(parts) // 2, "ending": len(parts) - 1}.get(instant, len(parts))
        for part in parts[:sent]:
            writer.write(b"%x\r\n%b\r\n" % (len(part), part) if framing == "chunked" else part)
            await writer.drain()
            await asyncio.sleep(0.01)  # so that what came before the end is read before it
        if instant:
            return False
        if framing == "chunked":
            writer.write(b"0\r\n\r\n")
        self.answered += 1
        return framing != "close"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._open:
            writer.transport.abort()


def _headers(stream: bool, framing: Framing, length: int) -> bytes:
    framed = {
        "length": f"Content-Length: {length}",
        "chunked": "Transfer-Encoding: chunked",
        "close": "Connection: close",
    }
    kind = "text/event-stream" if stream else "application/json"
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{framed[framing]}\r\n\r\n".encode()


def _halves() -> list[bytes]:
    choice = {"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}
    body = json.dumps({"id": "x", "model": "real", "choices": [choice], "usage": USAGE}).encode()
    return [body[at : at + 40] for at in range(0, len(body), 40)]


def _events() -> list[bytes]:
    """The reply in events: the role alone, the text, the reason why it ends, the counts."""
    deltas: list[dict] = [{"role": "assistant", "content": ""}, *({"content": letter} for letter in ANSWER), {}]
    events: list[dict] = [{"id": "x", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    events[-1]["choices"][0]["finish_reason"] = "stop"
    events.append({"id": "x", "choices": [], "usage": USAGE})
    return [*(f"data: {json.dumps(event)}\n\n".encode() for event in events), b"data: [DONE]\n\n"]
