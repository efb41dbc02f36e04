"""How fast requests may go out to a provider: so many at a time, so many and so many tokens a minute.

`Rates` keeps to that in one process, which is a run's endpoint, or `claw budget` for runs on several machines; `SharedRates`
asks the latter. Requests go out in the order in which they came, and whoever waits is charged with nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Protocol

from pydantic import Field, ValidationError

from claw_adapter.endpoint.failures import RUN_LIMIT, ProviderError
from claw_adapter.errors import EndpointQuotaError, EndpointTransientError
from claw_adapter.keys import key_of
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.stopping import RateLimits

if TYPE_CHECKING:
    from aiohttp import ClientSession

__all__ = ["BUDGET_KEY", "Lease", "LeaseAnswer", "LeaseRequest", "LeaseUse", "Leases", "Rates", "SharedRates"]

MINUTE: Final = 60.0
BUDGET_KEY: Final = "CLAW_BUDGET_KEY"
"""The environment variable that the key to a budget of other machines stands in."""
CONNECT_SECONDS: Final = 10.0
HEARTBEAT: Final = 10.0
"""Seconds between signs of life of who waits and of who is waited for."""


class LeaseRequest(Record):
    """A request that wants to go out."""

    provider: str
    """Which limits it counts for: base URL and model."""
    tokens: int = Field(ge=0)
    """That will be sent, by our count."""
    cost: Decimal = Field(default=Decimal(0), ge=0, allow_inf_nan=False)
    """Of these, in US dollars at list price."""


class LeaseAnswer(Record):
    """Whether it may: it may go out now, unless `refused` says which limit is used up."""

    refused: str = ""


class LeaseUse(Record):
    """What it has spent, in the end: sent and received."""

    tokens: int = Field(ge=0)
    cost: Decimal = Field(default=Decimal(0), ge=0, allow_inf_nan=False)


@dataclass(slots=True)
class Lease:
    """A request that is out; `used` is what it is charged with when it is back, as the provider counts."""

    used: LeaseUse
    at: float = math.inf
    """When it came back."""


class Leases(Protocol):
    """What both kinds can do."""

    def lease(self, asked: LeaseRequest) -> AbstractAsyncContextManager[Lease]:
        """Wait until a request may go out; inside, it is out."""


class Rates:
    """Keeps the requests to one provider within limits, in any minute that is looked at.

    A request that is larger than the tokens of a whole minute goes out alone: what to say of it is the provider's.
    """

    def __init__(self, limits: RateLimits, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._turn = asyncio.Lock()
        self._back = asyncio.Event()
        self._went = deque[float]()
        self._leases = list[Lease]()

    @contextlib.asynccontextmanager
    async def lease(self, asked: LeaseRequest) -> AsyncIterator[Lease]:
        """Wait until a request may go out; inside, it is out."""
        async with self._turn:
            while wait := self._seconds(asked.tokens):
                self._back.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(None if wait == math.inf else wait):
                        await self._back.wait()
            self._went.append(self._clock())
            lease = Lease(LeaseUse(tokens=asked.tokens, cost=asked.cost))
            self._leases.append(lease)
        try:
            yield lease
        finally:
            lease.at = self._clock()
            self._back.set()

    def _seconds(self, tokens: int) -> float:
        """Seconds until the next request may go out, as far as is known now; infinite: not before one is back."""
        now, limits = self._clock(), self._limits
        while self._went and self._went[0] <= now - MINUTE:
            self._went.popleft()
        self._leases = [lease for lease in self._leases if lease.at > now - MINUTE]
        wait = 0.0
        if limits.concurrent is not None and sum(lease.at > now for lease in self._leases) >= limits.concurrent:
            return math.inf
        if limits.requests_per_minute is not None and len(self._went) >= limits.requests_per_minute:
            wait = self._went[-limits.requests_per_minute] + MINUTE - now
        if limits.tokens_per_minute is not None:
            over = sum(lease.used.tokens for lease in self._leases) + tokens - limits.tokens_per_minute
            for lease in sorted(self._leases, key=lambda one: one.at):
                if over <= 0:
                    break
                over -= lease.used.tokens
                wait = max(wait, lease.at + MINUTE - now)
        return max(wait, 0.0)


class SharedRates:
    """Asks the budget of `url` for every request, whoever else does.

    Raises:
        ProviderError: from `lease`: the budget is not there, or says that a limit of all runs together is used up.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._session: ClientSession | None = None

    @contextlib.asynccontextmanager
    async def lease(self, asked: LeaseRequest) -> AsyncIterator[Lease]:
        """Wait until a request may go out; inside, it is out."""
        import aiohttp

        key = key_of(BUDGET_KEY)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            client = self._client()
            async with asyncio.timeout(CONNECT_SECONDS):
                line = await client.ws_connect(f"{self._url}/lease", headers=headers, heartbeat=HEARTBEAT)
        except (aiohttp.ClientError, OSError) as error:
            raise self._away(str(error) or "it does not answer") from error
        try:
            await line.send_str(asked.model_dump_json())
            answer = await self._answer(line)
            if answer.refused:
                raise ProviderError(402, EndpointQuotaError(answer.refused, where=self._url), code=RUN_LIMIT)
            lease = Lease(LeaseUse(tokens=asked.tokens, cost=asked.cost))
            try:
                yield lease
            finally:
                with contextlib.suppress(aiohttp.ClientError, OSError):
                    await line.send_str(lease.used.model_dump_json())
        finally:
            await line.close()

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _answer(self, line: object) -> LeaseAnswer:
        try:
            return LeaseAnswer.model_validate_json(await line.receive_str())  # type: ignore[attr-defined]
        except (TypeError, ValidationError) as error:  # closed, in aiohttp's words
            raise self._away("it has closed the connection") from error

    def _away(self, why: str) -> ProviderError:
        return ProviderError(503, EndpointTransientError(f"no answer of the budget: {why}", where=self._url))

    def _client(self) -> ClientSession:
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout()
            )
        return self._session
