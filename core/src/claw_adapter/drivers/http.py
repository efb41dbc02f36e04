"""A harness that is a server on this machine: wait until it is up, ask it, read its event streams.

Nothing leaves the loopback interface: other hosts are refused, names are not looked up, redirects are not followed and
proxies are not used. Every call has a deadline, every answer a limit, and a server that dies is noticed at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json as jsonlib
from collections.abc import AsyncIterator, Coroutine, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import aiohttp
from yarl import URL

from claw_adapter.drivers import reaper
from claw_adapter.drivers.http_errors import SHOWN_BYTES, ServerFailed, ServerRefused, excerpt, refusal
from claw_adapter.drivers.loopback import connector, loopback
from claw_adapter.drivers.ports import listens
from claw_adapter.drivers.process import Process
from claw_adapter.drivers.sse import EventParser, ServerEvent
from claw_adapter.errors import (
    AdapterError,
    DeadlineExceeded,
    HarnessCrash,
    HarnessError,
    HarnessProtocolError,
    HarnessStartError,
)

__all__ = ["HttpChild", "ServerEvent", "ServerFailed", "ServerRefused"]

T = TypeVar("T")

BODY_BYTES: Final = 64 * 1024 * 1024
LINE_BYTES: Final = 16 * 1024 * 1024
TAIL_CHARACTERS: Final = 2000
EXIT_SECONDS: Final = 1.0
"""How long an answer may still be read from a server whose process is gone, and how long we wait to learn that it is."""
SETTLE_SECONDS: Final = 0.1
"""How long a death is waited for when a stream is over that only the end of the connection could end."""
PROBE_SECONDS: Final = 2.0
PAUSE_SECONDS: Final = (0.02, 0.1)
"""First and longest pause between two looks at a server that is not up yet."""

ENDED_REMEDY: Final = "The end of its output says why; `claw frameworks doctor` examines installed harnesses."
LATE_REMEDY: Final = "Give it a longer deadline, or see in its output what it waits for."


class HttpChild:
    """The client's side of one server; an async context manager, made inside a running loop.

    Args:
        url: ``http://127.0.0.1:PORT`` (any loopback address, or ``localhost``), without a path.
        process: the server's process; with it an early death is noticed and its last words are in the error.
        socket: a Unix socket to connect to instead; `url` is then ``http://localhost``.
        headers: sent with every request.
        max_body: most bytes of an answer.
        max_line: most bytes of a line, and of an event, in a stream.

    Raises:
        AdapterError: another host than this one, or a socket path that is too long.
    """

    def __init__(
        self,
        url: str,
        *,
        process: Process | None = None,
        socket: Path | None = None,
        headers: Mapping[str, str] | None = None,
        max_body: int = BODY_BYTES,
        max_line: int = LINE_BYTES,
    ) -> None:
        self._url = loopback(url)
        self._process = process
        self._socket = socket
        self._max_body = max_body
        self._max_line = max_line
        self._session = aiohttp.ClientSession(
            connector=connector(socket),
            headers={"Accept-Encoding": "identity", **(headers or {})},
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            trust_env=False,
        )

    async def wait_ready(self, path: str = "/", deadline: float = 30.0) -> None:
        """Wait until the server answers `path` with a status below 400, and it is our server that does.

        Raises:
            HarnessStartError: the process ended first, or the server was not ready within `deadline` seconds.
        """
        last, pause = "", PAUSE_SECONDS[0]
        loop = asyncio.get_running_loop()
        end = loop.time() + deadline
        while (left := end - loop.time()) > 0:
            if await self._gone(0):
                what = f"ended before it was ready: {self._state()}"
                raise HarnessStartError(what, where=str(self._url), remedy=ENDED_REMEDY)
            said = await self._look(path, min(left, PROBE_SECONDS))
            if not said and not await self._gone(0):
                return
            if not last or loop.time() < end:  # a look that the deadline cut short has nothing new to say
                last = said
            await self._gone(min(pause, max(end - loop.time(), 0)))
            pause = min(2 * pause, PAUSE_SECONDS[1])
        raise HarnessStartError(
            f"was not ready within {deadline} s: {last}{self._last_words()}",
            where=f"{self._url.origin()}{path}",
            remedy=LATE_REMEDY,
        )

    async def request(self, method: str, path: str, json: Any = None, *, deadline: float) -> Any:
        """Send a request and return the JSON of its answer; None for an answer without a body.

        Raises:
            ServerRefused: status 4xx: what we sent is wrong.
            ServerFailed: status 5xx, 408, 425 or 429.
            HarnessProtocolError: no JSON, too long, cut, a redirect, or no HTTP at all.
            HarnessCrash: the server ended or cannot be reached.
            DeadlineExceeded: no complete answer within `deadline` seconds; the server is left running.
        """
        end = asyncio.get_running_loop().time() + deadline
        where = f"{method} {path}"
        body = await self._guarded(self._whole(method, path, json), end, where)
        if not body.strip():
            return None
        try:
            return jsonlib.loads(body)
        except (ValueError, RecursionError) as error:
            raise HarnessProtocolError(f"its answer is not JSON: {excerpt(body)}", where=where) from error

    @contextlib.asynccontextmanager
    async def stream(
        self, method: str, path: str, json: Any = None, *, deadline: float
    ) -> AsyncIterator[AsyncIterator[ServerEvent]]:
        """Send a request and iterate over the events of its answer; leaving the context ends the connection.

        Entering and iterating raise what `request` raises; `deadline` covers both. The iteration ends when the server
        ends the stream between two events: whether that was the last one is for the caller to know. Events that arrive
        together with the break of a connection may be lost to it.

        Raises:
            HarnessProtocolError: no event stream, one that was cut inside an event, or a line that is too long.
        """
        end = asyncio.get_running_loop().time() + deadline
        where = f"{method} {path}"
        response = await self._guarded(self._open(method, path, json, "text/event-stream"), end, where)
        try:
            if response.content_type != "text/event-stream":
                raise HarnessProtocolError(f"answers {response.content_type}, no event stream", where=where)
            yield self._events(response, end, where)
        finally:
            response.close()

    async def close(self) -> None:
        """Close all connections; the server's process is its owner's to stop."""
        await self._session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _open(self, method: str, path: str, json: Any, accept: str) -> aiohttp.ClientResponse:
        response = await self._session.request(
            method, self._target(path), json=json, headers={"Accept": accept}, allow_redirects=False
        )
        if response.status // 100 != 2:
            try:
                said = await response.content.read(SHOWN_BYTES)
            finally:
                response.close()
            wait = response.headers.get("Retry-After", "")
            raise refusal(response.status, response.reason or "", said, wait, f"{method} {path}")
        return response

    async def _whole(self, method: str, path: str, json: Any) -> bytes:
        response = await self._open(method, path, json, "application/json")
        try:
            return await self._body(response, self._max_body, f"{method} {path}")
        finally:
            response.close()

    async def _body(self, response: aiohttp.ClientResponse, limit: int, where: str) -> bytes:
        body = bytearray()
        async for chunk in response.content.iter_any():
            body += chunk
            if len(body) > limit:
                raise HarnessProtocolError(f"an answer of more than {limit} bytes", where=where)
        return bytes(body)

    async def _events(self, response: aiohttp.ClientResponse, end: float, where: str) -> AsyncIterator[ServerEvent]:
        parser = EventParser(self._max_line, where)
        while chunk := await self._guarded(response.content.readany(), end, where):
            for event in parser.feed(chunk):
                yield event
        parser.end()
        if self._process is not None and not _delimited(response) and await self._gone(SETTLE_SECONDS):
            raise HarnessCrash(f"the server ended in mid stream: {self._state()}", where=where)

    async def _guarded(self, work: Coroutine[Any, Any, T], end: float, where: str) -> T:
        """Do one step before `end` (loop time) and before the server dies; whatever goes wrong is typed."""
        loop = asyncio.get_running_loop()
        step, death = loop.create_task(work), loop.create_task(self._died())
        began, taken = loop.time(), False
        try:
            async with asyncio.timeout_at(end) as limit:
                await asyncio.wait({step, death}, return_when=asyncio.FIRST_COMPLETED)
                if not step.done():
                    await asyncio.wait({step}, timeout=EXIT_SECONDS)
                if not step.done():
                    raise HarnessCrash(f"the server ended: {self._state()}", where=where)
                result = await step
                taken = True
                return result
        except TimeoutError as error:
            if not limit.expired():
                raise await self._broken(error, where) from error
            said = f"no complete answer, {loop.time() - began:.1f} s of waiting{self._last_words()}"
            raise DeadlineExceeded(said, where=where) from error
        except (aiohttp.ClientError, OSError) as error:
            raise await self._broken(error, where) from error
        finally:
            await _ended(death, *(() if taken else (step,)))

    async def _died(self) -> None:
        """Wait for the end of the server's process, for ever where there is none."""
        if self._process is None:
            await asyncio.get_running_loop().create_future()
        else:
            await self._process.ended()

    async def _gone(self, seconds: float) -> bool:
        """Whether the process ended within some seconds; without a process just the wait."""
        if self._process is None:
            await asyncio.sleep(seconds)
            return False
        return self._process.exit is not None or await self._process.ended(seconds)

    async def _broken(self, error: Exception, where: str) -> HarnessError:
        """Why a connection failed: the server is gone, cannot be reached, or broke off."""
        if self._process is not None and await self._gone(EXIT_SECONDS):
            return HarnessCrash(f"the server ended: {self._state()}", where=where)
        if isinstance(error, aiohttp.ClientConnectorError):
            return HarnessCrash(f"the server cannot be reached: {error}{self._last_words()}", where=where)
        return HarnessProtocolError(f"the server broke off: {error!r}{self._last_words()}", where=where)

    async def _look(self, path: str, seconds: float) -> str:
        """One look at a server that may not be up yet: empty when it is, else why not."""
        try:
            async with asyncio.timeout(seconds):
                async with self._session.get(self._target(path), allow_redirects=False) as response:
                    status = response.status
        except TimeoutError:
            return f"no answer within {seconds:.1f} s"
        except (aiohttp.ClientError, OSError) as error:
            return str(error) or repr(error)
        if status >= 400:
            return f"status {status}"
        return "" if self._ours() else "another process listens on this port"

    def _ours(self) -> bool:
        """False only when the system says that somebody else listens there."""
        if self._process is None or self._socket is not None or self._url.port is None:
            return True
        pids = {self._process.pid, *reaper.find(self._process.marker)}  # a child just started shows no marker yet
        return listens(pids, self._url.port) is not False

    def _target(self, path: str) -> URL:
        """The address of a path, which must not lead anywhere else."""
        clean = path.isascii() and path.isprintable() and " " not in path
        if not clean or not path.startswith("/") or path.startswith("//"):
            remedy = "Begin it with one /, and percent-encode what is not plain ASCII."
            raise AdapterError(f"{path!r} is not a path on this server", where=str(self._url), remedy=remedy)
        return URL(f"{self._url.origin()}{path}", encoded=True)

    def _state(self) -> str:
        return f"{self._process.exit if self._process else 'unknown'}{self._last_words()}"

    def _last_words(self) -> str:
        if self._process is None:
            return ""
        text = (self._process.stderr.text or self._process.stdout.text)[-TAIL_CHARACTERS:].strip()
        return f"\nits output ends with:\n{text}" if text else ""


def _delimited(response: aiohttp.ClientResponse) -> bool:
    """Whether the server says itself where its answer ends."""
    return "Content-Length" in response.headers or "Transfer-Encoding" in response.headers


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    """Cancel what still runs; an answer that came at the very moment we gave up is closed, not left open."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled() and task.exception() is None and isinstance(task.result(), aiohttp.ClientResponse):
            task.result().close()
