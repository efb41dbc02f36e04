"""Requests going out to a provider: at once, or when the limits of this run, and those that it shares with others, let them."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from decimal import Decimal
from typing import Final, Protocol

from claw_adapter.endpoint.failures import RUN_LIMIT, ProviderError
from claw_adapter.endpoint.pending import Pending
from claw_adapter.endpoint.rates import LeaseRequest, Leases, LeaseUse, Rates, SharedRates
from claw_adapter.errors import EndpointTransientError
from claw_adapter.model import Delta
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.stopping import StopRules
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.runs.spending import price_of

__all__ = ["MORE", "Departures"]

MORE: Final = "The same command with a higher limit goes on from the last finished round."


class RunLine(Protocol):
    """Where a run says what it waits for, and why it ends."""

    def stop(self, error: ProviderError, what: str, remedy: str) -> None:
        """End the run."""

    def say(self, model: str, text: str) -> None:
        """Why requests wait; empty when they go on."""


class Departures:
    """Lets the requests of a run go out."""

    def __init__(self, rules: StopRules, run: RunLine) -> None:
        self._rules = rules
        self._run = run
        self._own: dict[str, Rates] = {}
        self._shared = SharedRates(rules.budget) if rules.budget else None
        self._queued = Counter[str]()

    @contextlib.asynccontextmanager
    async def depart(self, spec: ModelSpec, pending: Pending) -> AsyncIterator[Callable[[Delta], None]]:
        """Wait until a request may go out; inside, it is out, and what is given hears of every piece of the reply.

        The wait is nobody's: who gives it up meanwhile was kept waiting by the provider.
        """
        use = TokenUse(pending.counted().input, 0)
        asked = LeaseRequest(provider=_provider(spec), tokens=use.input, cost=self._price(spec, use))
        came, before = time.monotonic(), pending.refused
        queued = EndpointTransientError("the request waits until the limits let it go out", where=f"model {spec.name}")
        pending.refused = before or ProviderError(429, queued)
        async with contextlib.AsyncExitStack() as stack:
            self._queue(spec, 1)
            try:
                leases = [await stack.enter_async_context(way.lease(asked)) for way in self._ways(spec)]
            except ProviderError as error:
                if error.code == RUN_LIMIT:
                    self._run.stop(error, error.error.what, MORE)
                raise
            finally:
                self._queue(spec, -1)
                pending.held += time.monotonic() - came
            pending.refused = before
            back = _Back(use)
            try:
                yield back.hear
            finally:
                spent = back.use()
                for lease in leases:
                    lease.used = LeaseUse(tokens=spent.input + spent.output, cost=self._price(spec, spent))

    async def close(self) -> None:
        """Close the connections."""
        if self._shared is not None:
            await self._shared.close()

    def _ways(self, spec: ModelSpec) -> list[Leases]:
        ways = list[Leases]()
        if self._rules.limited:
            ways.append(self._own.setdefault(_provider(spec), Rates(self._rules)))
        if self._shared is not None:
            ways.append(self._shared)
        return ways

    def _price(self, spec: ModelSpec, use: TokenUse) -> Decimal:
        """In US dollars; 0 where nobody asks for it."""
        return price_of(spec, use) if self._shared is not None else Decimal(0)

    def _queue(self, spec: ModelSpec, more: int) -> None:
        """Say in the progress line that requests of a model wait."""
        was, name = self._queued[spec.name], f"{spec.name} limits"
        self._queued[spec.name] += more
        if bool(was) != bool(was + more):
            self._run.say(name, f"{spec.name}: requests wait for the limits that are set" if was + more else "")


class _Back:
    """What comes back of a request that is out."""

    def __init__(self, sent: TokenUse) -> None:
        self._sent = sent
        self._reported: TokenUse | None = None
        self._text: list[str] = []

    def hear(self, delta: Delta) -> None:
        """A piece of the reply."""
        self._reported = delta.usage or self._reported
        self._text += [delta.text, *(call.arguments for call in delta.calls)]

    def use(self) -> TokenUse:
        """Its tokens: the provider's counts, else ours."""
        from claw_adapter.tokens.cl100k import count

        return self._reported or TokenUse(self._sent.input, count("".join(self._text)))


def _provider(spec: ModelSpec) -> str:
    """What limits are for: a model of a provider, whatever the run calls it."""
    return f"{spec.base_url} {spec.model or spec.name}"
