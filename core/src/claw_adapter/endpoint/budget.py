"""A budget: one process that lets the requests of several runs go out, so that together they keep within limits.

A request is a WebSocket: who wants to send says what (`LeaseRequest`), is told when it may (`LeaseAnswer`), sends, and says
what it has cost (`LeaseUse`). Whoever closes the line before, or dies, is charged with what it asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import itertools
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue, ValidationError

from claw_adapter.endpoint.rates import HEARTBEAT, LeaseAnswer, LeaseRequest, LeaseUse, Rates
from claw_adapter.protocol.stopping import RateLimits, SpendingLimits, Spent
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.runs.spending import Allowance

if TYPE_CHECKING:
    from aiohttp import web

__all__ = ["Budget"]

log = logging.getLogger(__name__)

LONGEST: Final = 10_000
"""Bytes of a message."""


class Budget:
    """Serves leases at ``/lease`` and says at ``/`` what was spent since it was started.

    Args:
        rates: for each model of each provider.
        spending: for all of them together.
        key: what every request must bring as bearer token; empty: none.
    """

    def __init__(self, rates: RateLimits, spending: SpendingLimits, key: str = "") -> None:
        self._key = key
        self._rates = defaultdict[str, Rates](lambda: Rates(rates))
        self._allowance = Allowance(spending, Spent())
        self._numbers = itertools.count()
        self._counts = {"waiting": 0, "under_way": 0}

    def app(self) -> web.Application:
        """The application."""
        from aiohttp import web

        @web.middleware
        async def guard(
            request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
        ) -> web.StreamResponse:
            given = request.headers.get("Authorization", "")
            if self._key and not hmac.compare_digest(given.encode(), f"Bearer {self._key}".encode()):
                raise web.HTTPUnauthorized(text="the key of this budget is another one")
            return await handler(request)

        made = web.Application(middlewares=[guard])
        made.router.add_get("/", self._standing)
        made.router.add_get("/lease", self._lease)
        return made

    @property
    def spent(self) -> Spent:
        """Since it was started."""
        return self._allowance.spent

    async def _standing(self, _request: web.Request) -> web.Response:
        from aiohttp import web

        said: dict[str, JsonValue] = {**self._counts, **self.spent.model_dump(mode="json")}
        return web.json_response(said)

    async def _lease(self, request: web.Request) -> web.WebSocketResponse:
        from aiohttp import web

        line = web.WebSocketResponse(heartbeat=HEARTBEAT, max_msg_size=LONGEST)
        await line.prepare(request)
        number = next(self._numbers)
        try:
            asked = LeaseRequest.model_validate_json(await line.receive_str())
        except (TypeError, ValidationError):
            return line
        if over := self._allowance.take(number, TokenUse(asked.tokens, 0), asked.cost):
            await line.send_str(LeaseAnswer(refused=over).model_dump_json())
            return line
        told = asyncio.create_task(line.receive_str())  # what it has cost, or that nobody is there any more
        try:
            await self._let_out(line, number, asked, told)
        finally:
            self._allowance.drop(number)
            told.cancel()
            await asyncio.gather(told, return_exceptions=True)
        return line

    async def _let_out(
        self, line: web.WebSocketResponse, number: int, asked: LeaseRequest, told: asyncio.Task[str]
    ) -> None:
        async with contextlib.AsyncExitStack() as stack:
            lease = asyncio.create_task(stack.enter_async_context(self._rates[asked.provider].lease(asked)))
            with self._counted("waiting"):
                await asyncio.wait({lease, told}, return_when=asyncio.FIRST_COMPLETED)
            if not lease.done():  # it is gone
                lease.cancel()
                await asyncio.gather(lease, return_exceptions=True)
                return
            used = LeaseUse(tokens=asked.tokens, cost=asked.cost)
            try:
                with self._counted("under_way"):
                    await line.send_str(LeaseAnswer().model_dump_json())
                    used = LeaseUse.model_validate_json(await told)
            except (TypeError, ValidationError, ConnectionError):
                log.info("%s has not said what its request has cost", asked.provider)
            finally:
                lease.result().used = used
                self._allowance.settle(number, TokenUse(used.tokens, 0), used.cost)

    @contextlib.contextmanager
    def _counted(self, state: str) -> Iterator[None]:
        self._counts[state] += 1
        try:
            yield
        finally:
            self._counts[state] -= 1
