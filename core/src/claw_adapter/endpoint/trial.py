"""One trial at the endpoint: its key, its model, its transcript, and the turn under way."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import secrets
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from claw_adapter.endpoint.failures import CLIENT_CLOSED
from claw_adapter.endpoint.faults import FaultSchedule
from claw_adapter.endpoint.gate import Gate
from claw_adapter.endpoint.known import Known
from claw_adapter.endpoint.metering import TurnMeter, begun_with
from claw_adapter.endpoint.models import build
from claw_adapter.endpoint.outages import FIRST_PAUSE, LONGEST_PAUSE
from claw_adapter.endpoint.pending import MeteredTurn, Pending, Source, Way, exchange_of, given_up
from claw_adapter.endpoint.prefixes import MeasuredRequest
from claw_adapter.endpoint.proxy_routes import ProxyRoute, RoutedRequest, RoutedRequests, refusal, stays_with
from claw_adapter.endpoint.records import RoundMeter
from claw_adapter.endpoint.sampling import asked
from claw_adapter.errors import (
    ClawError,
    EndpointFilteredError,
    EndpointTransientError,
    HarnessProtocolError,
    OverlayError,
    Owner,
)
from claw_adapter.model import Model, ModelRequest, TurnId
from claw_adapter.overlay import Front
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.protocol.journal import Metered
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.protocol.turn import Failure
from claw_adapter.redaction import Redactor
from claw_adapter.runs.transcript import Transcript

__all__ = ["EndpointTrial"]

QUIET: Final = 0.25
"""Seconds in which an overlay that wants something of the model for itself has begun to ask."""
PATIENCE: Final = 20.0
"""Seconds without an answer after which a harness that hangs up is taken to have lost patience with the model."""


class EndpointTrial:
    """Everything the endpoint knows about one trial.

    Raises:
        EndpointError: the model cannot be built.
        OSError: the transcript cannot be written.
    """

    def __init__(
        self,
        name: str,
        spec: ModelSpec,
        transcript: Path,
        provider_keys: Iterable[str] = (),
        make: Callable[[ModelSpec, str], Model] = build,
        gate: Gate | None = None,
    ) -> None:
        self.name = name
        self.spec = spec
        self.key = f"claw-{secrets.token_urlsafe(24)}"
        self._gate = gate or Gate()
        self._faults = FaultSchedule(spec)
        self.model: Model = make(spec, name)
        self.redactor = Redactor(provider_keys)
        self._hidden = self.redactor.plus(self.key)
        self.transcript = Transcript(transcript, self._hidden)
        self.known = Known()
        self._routes: list[ProxyRoute] = []
        self._marks = RoutedRequests()
        self._own = TurnMeter()
        self._own_tasks: set[asyncio.Task[Any]] = set()
        self._own_begun = 0
        self._wrapped = False
        self._number = 0
        self._outside = Metered()
        self._open = False
        self._broken: tuple[str, float, int] = "", 0.0, 0
        """The round whose turns the provider broke off, since when, and how many."""
        self._turn = self._new_turn(TurnId(name), None)

    def begin_round(self, round_id: str, answer_key: AnswerKey | None, attempt: int) -> None:
        """Requests belong to this round from now on; a round still open is forgotten."""
        if not self._open:
            self._outside = self._turn.meter.record()
        self._open = True
        self._turn = self._new_turn(TurnId(self.name, round_id, attempt), answer_key)

    async def end_round(self, grace: float) -> RoundMeter:
        """Wait up to `grace` seconds for requests still being answered, cancel the rest, and sum the round up."""
        turn = self._turn
        left = next(
            (p.refused for p in turn.under_way if p.refused), None
        )  # nobody waits any more for what comes of it
        if turn.tasks:
            _, late = await asyncio.wait(turn.tasks, timeout=grace)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=grace)
        turn.away = turn.away or left
        result = self._sum_up(turn)
        self._open = False
        self._turn = self._new_turn(TurnId(self.name), None)
        return result

    async def requested(self, number: int, seconds: float) -> bool:
        """Wait, at most so long, until the turn under way has had so many requests; whether it has."""
        turn = self._turn
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while turn.begun < number:
                    turn.came.clear()
                    await turn.came.wait()
        return turn.begun >= number

    async def close(self) -> None:
        """Cancel what is being answered, close routes, model and transcript."""
        tasks = self._turn.tasks | self._own_tasks
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1.0)
        await self.close_routes()
        await self.model.close()
        self.transcript.close()

    def open_route(self, front: Front) -> ProxyRoute:
        """Open a proxy route, before those opened earlier."""
        route = ProxyRoute(front, self.spec, self._marks)
        self._routes.append(route)
        self._wrapped = True
        self._hidden = self._hidden.plus(route.key)
        self.transcript.hide(self._hidden)
        return route

    async def close_routes(self) -> None:
        """Close all proxy routes, and give up what overlays still ask for themselves."""
        for task in self._own_tasks:
            task.cancel()
        routes, self._routes = self._routes, []
        for route in routes:
            await route.close()

    async def settle(self, seconds: float) -> None:
        """Wait, at most so long, until no overlay's own request is being answered and for a short while none has come."""
        end, begun = time.monotonic() + seconds, -1
        while begun != self._own_begun and (left := end - time.monotonic()) > 0:
            begun = self._own_begun
            if self._own_tasks:
                await asyncio.wait(self._own_tasks, timeout=left)
            await asyncio.sleep(QUIET)

    def begin(
        self,
        request: ModelRequest,
        dialect: str,
        route: ProxyRoute | None = None,
        measured: MeasuredRequest | None = None,
    ) -> Pending:
        """A request has come, through the entry of a route or that of the model."""
        self._number += 1
        turn = self._turn
        now = time.monotonic()
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        request, way, source = self._routed(request, route)
        pending = Pending(request, dialect, turn, self._number, now, at, source, way, self.known, _measured=measured)
        if way.faces_harness:
            turn.meter.asked.add(asked({**request.native, **request.params}, request.model))
        if way.reaches_model:
            pending.source = functools.partial(self._gate.answer, pending, self.spec, source)
        if way.reaches_model and not way.own:
            turn.begun += 1
            turn.came.set()
            turn.log.request(request.lines, now - turn.began)
            turn.under_way.append(pending)
            pending.fault = self._faults.next(turn.id.round)
            turn.last = pending
            turn.first = begun_with(turn.first, request)
        return pending

    def _routed(self, request: ModelRequest, route: ProxyRoute | None) -> tuple[ModelRequest, Way, Source]:
        """The request without marks, its way, and what answers it."""
        if not self._wrapped:
            return request, Way(), self.model.answer
        before, request = self._marks.find(request)
        outermost = route is (self._routes[-1] if self._routes else None)
        own = not outermost and (before is None or before.own)
        if before is not None:
            before.reached = before.under_way = True
            before.refusal = None
        if route is None:
            answer = self.model.answer_overlay if own else self.model.answer
            return request, Way(outermost, True, own, before), answer
        after = RoutedRequest(own)
        return request, Way(outermost, False, own, before, after), functools.partial(route.carry, routed=after)

    def track(self, pending: Pending, task: asyncio.Task[Any]) -> None:
        """`task` answers the request; `end_round` waits for it or cancels it, unless it is an overlay's own."""
        tasks = self._own_tasks if pending.way.own else pending.turn.tasks
        self._own_begun += pending.way.own
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def finish(self, pending: Pending) -> None:
        """A request has been answered, has failed, or was given up: meter and record it."""
        turn, way, ended = pending.turn, pending.way, time.monotonic()
        reply = pending.reply
        if reply is not None and pending.status == 200:
            if way.reaches_model and not way.own:
                turn.log.reply(reply.calls, ended - turn.began)
            if reply.finish == "content_filter" and pending.error is None:
                pending.error = EndpointFilteredError("the provider's content filter withheld the answer")
        elif pending.error is None and (refused := given_up(pending)):
            pending.error = refused.error
            self._gate.hung(pending, self.spec, refused.error)
        elif pending.status == CLIENT_CLOSED and pending.error is None and ended - pending.started >= PATIENCE:
            pending.error = self._too_slow(way.after, ended - pending.started)
            if way.reaches_model:
                self._gate.hung(pending, self.spec, pending.error)
        if way.before is not None:
            way.before.under_way = False
            if pending.error is not None:
                way.before.refusal = refusal(pending.status, pending.error, pending.code, pending.retry_after)
        failure = Failure.of(pending.error) if pending.error is not None else None
        if way.faces_harness and pending.number >= turn.failure[0]:
            turn.failure = pending.number, failure
        self._record(pending, ended, failure)

    def _too_slow(self, routed: RoutedRequest | None, seconds: float) -> ClawError:
        """Whose patience ended: that of the model, or that of an overlay which it did not wait for."""
        if routed is not None and not routed.under_way:
            return stays_with(routed, self._routes[-1].label if self._routes else "?")
        waited = f"the model had not answered after {seconds:.0f} s when the harness hung up"
        return EndpointTransientError(waited, where=f"model {self.spec.name}")

    def _record(self, pending: Pending, ended: float, failure: Failure | None) -> None:
        """Meter what reached the model; write that down, and what an overlay kept from it."""
        way, reply = pending.way, pending.reply
        if not way.reaches_model:
            if not way.faces_harness or failure is None or (way.after is not None and way.after.reached):
                return
            self._write(pending, pending.counted(), ended, failure)
            return
        counted = pending.counted()
        if pending.status == 200:
            self.known.prefixes.learn(pending.measured)
        self._gate.settle(pending, self.spec)
        if not way.own:
            pending.turn.away = given_up(pending)
            pending.turn.under_way.remove(pending)
        meter = self._own if way.own else pending.turn.meter
        failed = failure is not None and failure.owner is Owner.ENDPOINT
        times = pending.started, ended
        meter.add(counted, reply.usage if reply else None, times, failed=failed, held=pending.held)
        self._write(pending, counted, ended, failure)

    def _write(self, pending: Pending, counted: TokenUse, ended: float, failure: Failure | None) -> None:
        self.transcript.append(exchange_of(pending, counted, ended, failure), pending.measured.parts)

    def malformed(self, what: str, route: ProxyRoute | None = None) -> None:
        """A request came that could not be read: the fault of whoever has the key to that entry."""
        self._number += 1
        where = f"trial {self.name}"
        outermost = self._routes[-1] if self._routes else None
        error = HarnessProtocolError(what, where=where) if route is outermost else OverlayError(what, where=where)
        self._turn.failure = self._number, Failure.of(error)

    def fail(self, error: ClawError) -> None:
        """A request came that we could not read by a fault of our own."""
        self._number += 1
        self._turn.failure = self._number, Failure.of(error)

    def _retry_in(self, turn: MeteredTurn) -> float | None:
        """Seconds until a turn that the provider broke off may be begun anew; None if it did not, or did for too long."""
        if turn.away is None:
            return None
        name, since, times = self._broken if self._broken[0] == turn.id.round else (turn.id.round, time.monotonic(), 0)
        self._broken = name, since, times + 1
        if time.monotonic() - since > self._gate.patience:
            return None
        pause = 0.0 if not times else min(FIRST_PAUSE * 2 ** (times - 1), LONGEST_PAUSE)
        return max(self._gate.outages(self.spec).retry_in, pause)

    def _new_turn(self, turn: TurnId, answer_key: AnswerKey | None) -> MeteredTurn:
        self.model.begin(turn, answer_key)
        return MeteredTurn(turn, time.monotonic())

    def _sum_up(self, turn: MeteredTurn) -> RoundMeter:
        last, failure = turn.last, turn.failure[1]
        if turn.away is not None:
            failure = failure or Failure.of(turn.away.error)
        meter = RoundMeter(
            metered=turn.meter.record(),
            rendered=last.rendered() if last is not None else None,
            first=turn.first,
            seen=self.model.seen() if self._open else None,
            failure=failure,
            retry_in=self._retry_in(turn),
            events=turn.log.events,
            outside=self._outside,
            overlay=self._own.record() if self._wrapped else None,
        )
        self._own = TurnMeter()
        return self._hidden.record(meter)  # a tool may have shown the harness's configuration
