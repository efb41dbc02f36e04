"""Answering one request: ask the model, and send what it says as JSON or as a stream, faults included."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from email.utils import formatdate
from typing import Final

from aiohttp import web

from claw_adapter.endpoint.dialects import Dialect, Head, StreamRenderer
from claw_adapter.endpoint.failures import CLIENT_CLOSED, BrokenWire, ProviderError
from claw_adapter.endpoint.faults import BEGUN, broken_call, raise_fault, too_long
from claw_adapter.endpoint.neutral import Collector
from claw_adapter.endpoint.pending import Pending
from claw_adapter.endpoint.redacting import redacted
from claw_adapter.endpoint.trial import EndpointTrial
from claw_adapter.errors import AdapterError, ClawError, EndpointError, EndpointMalformedError, InternalError
from claw_adapter.machine import machine_error
from claw_adapter.model import Delta

__all__ = ["Answering"]

_log = logging.getLogger(__name__)

_EVENTS: Final = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
_PAGE: Final = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n"
    "<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n"
)
"""What a proxy says in a provider's place."""


class Answering:
    """One request on its way to an answer; leaves status, reply and error in `pending`."""

    def __init__(self, dialect: Dialect, trial: EndpointTrial, pending: Pending) -> None:
        self._dialect = dialect
        self._trial = trial
        self._pending = pending
        self._collector = Collector()
        self._response: web.StreamResponse | None = None
        self._renderer: StreamRenderer | None = None
        digits = pending.turn.id.name("chatcmpl", pending.number).rpartition("_")[2]
        self._head = Head(f"{dialect.id_prefix}{digits}", int(time.time()), trial.spec.name)

    async def answer(self, http: web.Request) -> web.StreamResponse:
        """Answer; errors become responses of the dialect."""
        try:
            if self._pending.request.stream:
                return await self._stream(http)
            return await self._whole()
        except ProviderError as error:
            return await self._fail(error.status, error.error, error.code, error.retry_after, page=error.page)
        except BrokenWire as broken:
            return await self._break(http, broken)
        except ConnectionError:  # the harness has hung up while we were writing
            self._pending.status = CLIENT_CLOSED
            return self._response or web.Response(status=CLIENT_CLOSED)
        except Exception as error:  # noqa: BLE001  # a fault of ours must be recorded as ours, not the harness's
            return await self._fail(500, self._own_fault(error))

    def _own_fault(self, error: Exception) -> ClawError:
        """Why there is no answer, where no provider is at fault."""
        if isinstance(error, EndpointError):  # a plugin's model says that it has none
            return error
        if (short := machine_error(error)) is not None:
            return short
        _log.error("internal error while answering trial %s", self._trial.name, exc_info=error)
        spec = self._trial.spec
        own = spec.embedded and spec.kind != "replay"
        kind, whose = (AdapterError, "model's plugin") if own else (InternalError, "endpoint")
        what = f"internal error of the {whose}: {type(error).__name__}"
        return kind(what, remedy="see endpoint.log in the run folder")

    async def _deltas(self) -> AsyncGenerator[Delta, None]:
        """The reply, piece by piece: the one place that every reply passes, and where scheduled faults are put in."""
        if self._pending.fault is not None and not self._late:
            raise_fault(self._pending.fault, self._dialect)
            source = self._broken_call()
        elif (window := self._trial.spec.window) and (tokens := self._pending.counted().input) > window:
            raise too_long(self._dialect, tokens, window)
        else:
            source = redacted(self._pending.source(self._pending.request), self._trial.redactor)
        async with aclosing(source):
            async for delta in source:
                self._collector.add(delta)
                yield delta

    @property
    def _late(self) -> bool:
        """Whether a scheduled fault lets all of the reply come but its end."""
        return self._pending.fault is not None and self._pending.fault.kind == "cut_late"

    async def _broken_call(self) -> AsyncGenerator[Delta, None]:
        self._pending.error = EndpointMalformedError("the arguments of a tool call end in the middle")
        yield self._call_begun()
        yield Delta(finish="tool_calls")

    def _call_begun(self) -> Delta:
        return broken_call(self._pending.request, self._pending.turn.id.name("call_broken", self._pending.number))

    async def _whole(self) -> web.Response:
        async for _ in self._deltas():
            pass
        if self._late:
            raise BrokenWire("drop")
        reply = self._pending.reply = self._collector.reply()
        self._pending.status = 200
        return web.json_response(self._dialect.render(reply, self._head, self._pending.usage()))

    async def _stream(self, http: web.Request) -> web.StreamResponse:
        request, known = self._pending.request, self._pending.counted()
        renderer = self._dialect.stream(self._head, usage_chunk=request.usage_chunk, known=known)
        async with aclosing(self._deltas()) as deltas:
            async for delta in deltas:
                if data := renderer.feed(delta):
                    await (await self._open(http, renderer)).write(data)
        reply = self._pending.reply = self._collector.reply()
        if self._late:
            raise BrokenWire("drop_late")
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

    async def _fail(
        self, status: int, error: ClawError, code: str = "", retry_after: str = "", *, page: bool = False
    ) -> web.StreamResponse:
        clean = self._trial.redactor.text
        error.what, error.where, error.remedy = clean(error.what), clean(error.where), clean(error.remedy)
        code, retry_after = clean(code), clean(retry_after)
        self._pending.error, self._pending.status = error, status
        self._pending.code, self._pending.retry_after = code, retry_after
        body = self._dialect.error(status, error.what, code)
        if self._response is not None and self._renderer is not None:
            self._pending.reply = self._collector.reply()
            await self._response.write(self._renderer.fail(body))
            await self._response.write_eof()
            return self._response
        if page:
            soon = {"Retry-After": formatdate(time.time() + 1, usegmt=True)}
            return web.Response(text=_PAGE, content_type="text/html", status=status, headers=soon)
        headers = {"Retry-After": retry_after} if retry_after else None
        return web.json_response(body, status=status, headers=headers)

    async def _break(self, http: web.Request, broken: BrokenWire) -> web.StreamResponse:
        self._pending.error = broken.error
        stream = self._pending.request.stream
        match broken.fault:
            case "refused":
                return self._hang_up(http)
            case "stall":
                await asyncio.sleep(self._trial.spec.timeout)
                return self._hang_up(http)
            case "drop" | "drop_call" | "drop_late":
                if broken.fault != "drop_late":
                    await self._half(http, call=broken.fault == "drop_call")
                return self._hang_up(http)
            case "told":
                if stream:
                    await self._half(http)
                return await self._fail(502, broken.error)
            case "garbage":
                data = self._dialect.half_event() if stream else self._dialect.half_a_reply
            case "empty":
                head = self._head
                data = self._dialect.empty_stream(head) if stream else json.dumps(self._dialect.empty(head)).encode()
        self._pending.status = 200
        if not stream:
            return web.Response(body=data, content_type="application/json")
        response = await self._open(http)
        await response.write(data)
        await response.write_eof()
        return response

    async def _half(self, http: web.Request, *, call: bool = False) -> None:
        """Send the beginning of a reply: of a stream some events, of a JSON body less than its length announces."""
        if self._pending.request.stream:
            renderer = self._dialect.stream(self._head, usage_chunk=False)
            response = await self._open(http, renderer)
            for delta in (*(Delta(text=piece) for piece in BEGUN), *([self._call_begun()] if call else ())):
                self._collector.add(delta)
                await response.write(renderer.feed(delta))
            self._pending.reply = self._collector.reply()
            return
        half = self._dialect.half_a_reply
        headers = {"Content-Type": "application/json", "Content-Length": str(2 * len(half))}
        self._response = web.StreamResponse(headers=headers)
        await self._response.prepare(http)
        await self._response.write(half)

    def _hang_up(self, http: web.Request) -> web.StreamResponse:
        self._pending.status = CLIENT_CLOSED
        if http.transport is not None:
            http.transport.abort()
        return self._response or web.Response(status=CLIENT_CLOSED)
