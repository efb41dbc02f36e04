"""Whether requests may go out to the models of a run: what may be spent, whose provider is away, why the run stops."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncGenerator
from contextlib import aclosing
from decimal import Decimal
from typing import Final

from claw_adapter.endpoint.departing import MORE, Departures
from claw_adapter.endpoint.failures import RUN_LIMIT, ProviderError
from claw_adapter.endpoint.outages import Outages
from claw_adapter.endpoint.pending import Pending, Source
from claw_adapter.endpoint.records import Standing
from claw_adapter.errors import ClawError, EndpointQuotaError
from claw_adapter.model import Delta, ModelRequest
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.stopping import Spent, StopRules
from claw_adapter.protocol.tokens import TokenCounts, TokenUse
from claw_adapter.protocol.turn import Failure
from claw_adapter.runs.spending import Allowance, charged, price_of

__all__ = ["Gate"]


_UPSTREAM: Final = ("openai", "anthropic", "openai-responses")
"""Kinds of models that somebody else answers for."""


class Gate:
    """The one way from the trials of a run to its models. Until it is given rules it lets everything through."""

    def __init__(self) -> None:
        self.patience = 0.0
        self.stopped: ProviderError | None = None
        self._rules: StopRules | None = None
        self._allowance: Allowance | None = None
        self._departures: Departures | None = None
        self._outages: dict[str, Outages] = {}
        self._waiting: dict[str, str] = {}
        self._standing = Standing()
        self._changed = asyncio.Event()
        self._stops = asyncio.Event()

    def limit(self, rules: StopRules, spent: Spent) -> None:
        """Keep to these rules from now on; `spent` is what the run has spent before."""
        self._rules, self._allowance, self.patience = rules, Allowance(rules, spent), rules.patience
        self._departures = Departures(rules, self) if rules.limited or rules.budget else None

    async def answer(
        self, pending: Pending, spec: ModelSpec, source: Source, request: ModelRequest
    ) -> AsyncGenerator[Delta, None]:
        """What `source`, the model `spec`, answers.

        Raises:
            ProviderError: it has failed, or the run stops: then it is not asked.
        """
        if (stopped := self.stopped) is not None:
            raise ProviderError(stopped.status, stopped.error, code=stopped.code)
        self._admit(pending, spec)
        if self._rules is None or spec.kind not in _UPSTREAM:
            pending.sent = True
            deltas = source(request)
        else:
            deltas = self.outages(spec).answer(pending, source, request)
        async with aclosing(deltas):
            async for delta in deltas:
                yield delta

    def outages(self, spec: ModelSpec) -> Outages:
        """When a model's provider is away."""
        if spec.name not in self._outages:
            departure = functools.partial(self._departures.depart, spec) if self._departures else None
            self._outages[spec.name] = Outages(spec.name, self, spec.key_env, departure)
        return self._outages[spec.name]

    async def close(self) -> None:
        """Close the connections."""
        if self._departures is not None:
            await self._departures.close()

    def hung(self, pending: Pending, spec: ModelSpec, error: ClawError) -> None:
        """A harness hung up on a request that its model was very late with."""
        if self._rules is not None and spec.kind in _UPSTREAM and pending.sent:
            self.outages(spec).hung(ProviderError(504, error), pending.started)

    def settle(self, pending: Pending, spec: ModelSpec) -> None:
        """A request is over: what it has spent takes the place of what it was taken for."""
        if self._allowance is None:
            return
        if pending.sent:
            reply = pending.reply
            counts = TokenCounts.of(pending.counted(), reply.usage if reply is not None else None)
            use = charged(counts, pending.status, replied=reply is not None)
            self._allowance.settle(id(pending), use, self._price(spec, use))
        else:
            self._allowance.drop(id(pending))

    def stop(self, error: ProviderError, what: str, remedy: str) -> None:
        """End the run: every request from now on gets `error`, and the runner is told what happened and what to do."""
        if self.stopped is not None:
            return
        self.stopped = error
        told = type(error.error)(what, where=error.error.where, remedy=remedy)
        self._tell(stopped=Failure.of(told))
        self._stops.set()

    def say(self, model: str, text: str) -> None:
        """Why requests of a model wait; empty when they go on."""
        self._waiting.pop(model, None)
        if text:
            self._waiting[model] = text
        self._tell(waiting="; ".join(self._waiting.values()))

    async def pause(self, seconds: float) -> None:
        """Wait, at most until the run stops."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stops.wait()

    async def standing(self, after: int, seconds: float) -> Standing:
        """How the run stands, once that is not what it was in version `after`, or after so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._standing.version == after:
                    await self._changed.wait()
        return self._standing

    def _price(self, spec: ModelSpec, use: TokenUse) -> Decimal:
        """In US dollars; 0 where nothing hangs on it."""
        return price_of(spec, use) if self._rules is not None and self._rules.max_cost is not None else Decimal(0)

    def _tell(self, **changes: str | Failure) -> None:
        self._standing = self._standing.model_copy(update={"version": self._standing.version + 1, **changes})
        self._changed.set()
        self._changed = asyncio.Event()

    def _admit(self, pending: Pending, spec: ModelSpec) -> None:
        """Let a request go out if it, and those under way, keep within the limits; their replies are not known yet.

        Raises:
            ProviderError: it would not; the run stops.
        """
        rules, allowance = self._rules, self._allowance
        if rules is None or allowance is None:
            return
        use = TokenUse(pending.counted().input, 0) if rules.counts_tokens else TokenUse()
        if over := allowance.take(id(pending), use, self._price(spec, use)):
            error = EndpointQuotaError(over, where=f"model {spec.name}")
            refusal = ProviderError(402, error, code=RUN_LIMIT)
            self.stop(refusal, over, MORE)
            raise refusal
