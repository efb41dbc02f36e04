"""Answering one request: ask the model, and send what it says as JSON or as a stream, faults included."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from aiohttp import web

from claw_adapter.endpoint.dialects import Dialect, Head, StreamRenderer
from claw_adapter.endpoint.failures import CLIENT_CLOSED, BrokenWire, ProviderError
from claw_adapter.endpoint.neutral import Collector, Delta
from claw_adapter.endpoint.trial import Pending, Trial
from claw_adapter.errors import ClawError, KitError

__all__ = ["Answering"]

_log = logging.getLogger(__name__)

_GARBAGE: Final = b'{"choices": [{"message": {"role": "assistant", "content": "gar'
_EVENTS: Final = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}


class Answering:
    """One request on its way to an answer; leaves status, reply and error in `pending`."""

    def __init__(self, dialect: Dialect, trial: Trial, pending: Pending) -> None:
        self._dialect = dialect
        self._trial = trial
        self._pending = pending
        self._collector = Collector()
        self._response: web.StreamResponse | None = None
        self._renderer: StreamRenderer | None = None
        prefix = pending.turn.id.name("chatcmpl", pending.number).replace("_", "-")
        self._head = Head(prefix, int(time.time()), trial.spec.name)

    async def answer(self, http: web.Request) -> web.StreamResponse:
        """Answer; errors become responses of the dialect."""
        try:
            if self._pending.request.stream:
                return await self._stream(http)
            return await self._whole()
        except ProviderError as error:
            return await self._fail(error.status, error.error, error.code, error.retry_after)
        except BrokenWire as broken:
            return await self._break(http, broken)
        except ConnectionError:  # the harness has hung up while we were writing
            self._pending.status = CLIENT_CLOSED
            return self._response or web.Response(status=CLIENT_CLOSED)
        except Exception as error:  # noqa: BLE001  # a fault of ours must be recorded as ours, not the harness's
            _log.exception("internal error while answering trial %s", self._trial.name)
            what = f"internal error of the endpoint: {type(error).__name__}"
            return await self._fail(500, KitError(what, remedy="see endpoint.log in the run folder"))

    async def _deltas(self) -> AsyncGenerator[Delta, None]:
        """The reply, piece by piece: the one place that every reply passes, where scheduled faults will be put in."""
        async with aclosing(self._trial.model.answer(self._pending.request)) as source:
            async for delta in source:
                self._collector.add(delta)
                yield delta

    async def _whole(self) -> web.Response:
        async for _ in self._deltas():
            pass
        reply = self._pending.reply = self._collector.reply()
        self._pending.status = 200
        return web.json_response(self._dialect.render(reply, self._head, self._pending.usage()))

    async def _stream(self, http: web.Request) -> web.StreamResponse:
        renderer = self._dialect.stream(self._head, usage_chunk=self._pending.request.usage_chunk)
        async with aclosing(self._deltas()) as deltas:
            async for delta in deltas:
                if data := renderer.feed(delta):
                    await (await self._open(http, renderer)).write(data)
        reply = self._pending.reply = self._collector.reply()
        response = await self._open(http, renderer)
        self._pending.status = 200
        await response.write(renderer.end(reply.finish, self._pending.usage()))
        await response.write_eof()
        return response

    async def _open(self, http: web.Request, renderer: StreamRenderer | None = None) -> web.StreamResponse:
        """Send the headers, as late as the first piece, so that an error before it has a status of its own."""
        if self._response is None:
            self._renderer = renderer
            self._response = web.StreamResponse(headers=_EVENTS)
            await self._response.prepare(http)
        return self._response

    async def _fail(self, status: int, error: ClawError, code: str = "", retry_after: str = "") -> web.StreamResponse:
        self._pending.error, self._pending.status = error, status
        body = self._dialect.error(status, error.what, code)
        if self._response is not None and self._renderer is not None:
            self._pending.reply = self._collector.reply()
            await self._response.write(self._renderer.fail(body))
            await self._response.write_eof()
            return self._response
        headers = {"Retry-After": retry_after} if retry_after else None
        return web.json_response(body, status=status, headers=headers)

    async def _break(self, http: web.Request, broken: BrokenWire) -> web.StreamResponse:
        self._pending.error = broken.error
        stream = self._pending.request.stream
        match broken.fault:
            case "stall":
                await asyncio.sleep(self._trial.spec.timeout)
                return self._hang_up(http)
            case "drop":
                if stream:
                    half = self._dialect.stream(self._head, usage_chunk=False)
                    await (await self._open(http)).write(half.feed(Delta(text="…")))
                return self._hang_up(http)
            case "garbage":
                data, self._pending.status = (b"data: " if stream else b"") + _GARBAGE, 200
            case "empty":
                data, self._pending.status = self._nothing(stream=stream), 200
        if not stream:
            return web.Response(body=data, content_type="application/json")
        response = await self._open(http)
        await response.write(data + b"\n\n")
        await response.write_eof()
        return response

    def _nothing(self, *, stream: bool) -> bytes:
        body = json.dumps(self._dialect.empty(self._head)).encode()
        return b"data: " + body + b"\n\ndata: [DONE]" if stream else body

    def _hang_up(self, http: web.Request) -> web.StreamResponse:
        self._pending.status = CLIENT_CLOSED
        if http.transport is not None:
            http.transport.abort()
        return self._response or web.Response(status=CLIENT_CLOSED)
