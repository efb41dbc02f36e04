"""One trial at the endpoint: its key, its model, its transcript, and the turn under way."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pydantic import JsonValue

from claw_adapter.endpoint.events import EventLog
from claw_adapter.endpoint.failures import CLIENT_CLOSED
from claw_adapter.endpoint.faults import FaultRule, FaultSchedule
from claw_adapter.endpoint.metering import TurnMeter, output_tokens, rendered_tokens, request_tokens
from claw_adapter.endpoint.models import Model, TurnId, build
from claw_adapter.endpoint.neutral import ModelReply, ModelRequest, TokenUse
from claw_adapter.endpoint.records import RoundMeter
from claw_adapter.endpoint.sampling import asked
from claw_adapter.endpoint.transcript import Exchange, Transcript, blank
from claw_adapter.errors import ClawError, EndpointFilteredError, EndpointTransientError, HarnessProtocolError
from claw_adapter.protocol.brief import Brief
from claw_adapter.protocol.journal import Metered
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.turn import Failure

__all__ = ["Pending", "Trial"]

PATIENCE: Final = 20.0
"""Seconds without an answer after which a harness that hangs up is taken to have lost patience with the model."""


@dataclass(slots=True)
class Pending:
    """A request being answered; becomes an `Exchange` when it is done."""

    request: ModelRequest
    dialect: str
    turn: _Turn
    number: int
    started: float
    at: str
    status: int = CLIENT_CLOSED
    reply: ModelReply | None = None
    error: ClawError | None = None
    fault: FaultRule | None = None
    """The scheduled fault that takes the place of a reply."""
    _counted: TokenUse | None = None

    def counted(self) -> TokenUse:
        """Our own count of request and reply (of the reply as far as it is known now)."""
        if self._counted is None:
            self._counted = TokenUse(request_tokens(self.request), 0)
        output = output_tokens(self.reply) if self.reply is not None else 0
        return TokenUse(self._counted.input, output)

    def usage(self) -> TokenUse:
        """What the harness is told: the upstream's counts if it gave any, else ours."""
        return (self.reply.usage if self.reply is not None else None) or self.counted()


@dataclass(slots=True)
class _Turn:
    id: TurnId
    began: float
    meter: TurnMeter = field(default_factory=TurnMeter)
    log: EventLog = field(default_factory=EventLog)
    last: Pending | None = None
    failure: tuple[int, Failure | None] = (0, None)
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)


class Trial:
    """Everything the endpoint knows about one trial.

    Raises:
        EndpointError: the model cannot be built.
        OSError: the transcript cannot be written.
    """

    def __init__(self, name: str, spec: ModelSpec, transcript: Path, provider_keys: Iterable[str] = ()) -> None:
        self.name = name
        self.spec = spec
        self.key = f"claw-{secrets.token_urlsafe(24)}"
        self._faults = FaultSchedule(spec)
        self.model: Model = build(spec, name)
        self._hidden = (self.key, *provider_keys)
        self._transcript = Transcript(transcript, self._hidden)
        self._number = 0
        self._outside = Metered()
        self._open = False
        self._turn = self._new_turn(TurnId(name), None)

    def begin_round(self, round_id: str, brief: Brief | None, attempt: int) -> None:
        """Requests belong to this round from now on; a round still open is forgotten."""
        if not self._open:
            self._outside = self._turn.meter.record()
        self._open = True
        self._turn = self._new_turn(TurnId(self.name, round_id, attempt), brief)

    async def end_round(self, grace: float) -> RoundMeter:
        """Wait up to `grace` seconds for requests still being answered, cancel the rest, and sum the round up."""
        turn = self._turn
        if turn.tasks:
            _, late = await asyncio.wait(turn.tasks, timeout=grace)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=grace)
        result = self._sum_up(turn)
        self._open = False
        self._turn = self._new_turn(TurnId(self.name), None)
        return result

    async def close(self) -> None:
        """Cancel what is being answered, close model and transcript."""
        for task in self._turn.tasks:
            task.cancel()
        if self._turn.tasks:
            await asyncio.wait(self._turn.tasks, timeout=1.0)
        await self.model.close()
        self._transcript.close()

    def begin(self, request: ModelRequest, dialect: str) -> Pending:
        """A request has come."""
        self._number += 1
        turn = self._turn
        now = time.monotonic()
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        turn.meter.asked.add(asked({**request.native, **request.params}, request.model))
        turn.log.request(request.lines, now - turn.began)
        fault = self._faults.next(turn.id.round)
        turn.last = Pending(request, dialect, turn, self._number, now, at, fault=fault)
        return turn.last

    def track(self, pending: Pending, task: asyncio.Task[Any]) -> None:
        """`task` answers the request; `end_round` waits for it or cancels it."""
        pending.turn.tasks.add(task)
        task.add_done_callback(pending.turn.tasks.discard)

    def finish(self, pending: Pending) -> None:
        """A request has been answered, has failed, or was given up: meter and record it."""
        turn, ended = pending.turn, time.monotonic()
        reply = pending.reply
        if reply is not None and pending.status == 200:
            turn.log.reply(reply.calls, ended - turn.began)
            if reply.finish == "content_filter" and pending.error is None:
                pending.error = EndpointFilteredError("the provider's content filter withheld the answer")
        elif pending.status == CLIENT_CLOSED and pending.error is None and ended - pending.started >= PATIENCE:
            waited = f"the model had not answered after {ended - pending.started:.0f} s when the harness hung up"
            pending.error = EndpointTransientError(waited, where=f"model {self.spec.name}")
        failure = Failure.of(pending.error) if pending.error is not None else None
        if pending.number >= turn.failure[0]:
            turn.failure = pending.number, failure
        counted = pending.counted()
        turn.meter.add(counted, reply.usage if reply else None, (pending.started, ended))
        self._transcript.append(_exchange(pending, counted, ended, failure))

    def malformed(self, what: str) -> None:
        """A request came that could not be read: the harness's fault."""
        self._number += 1
        self._turn.failure = self._number, Failure.of(HarnessProtocolError(what, where=f"trial {self.name}"))

    def _new_turn(self, turn: TurnId, brief: Brief | None) -> _Turn:
        self.model.begin(turn, brief)
        return _Turn(turn, time.monotonic())

    def _sum_up(self, turn: _Turn) -> RoundMeter:
        last = turn.last
        meter = RoundMeter(
            metered=turn.meter.record(),
            rendered=rendered_tokens(last.request.messages, last.reply) if last is not None else None,
            seen=self.model.seen() if self._open else None,
            failure=turn.failure[1],
            events=turn.log.events,
            outside=self._outside,
        )
        text = meter.model_dump_json()
        clean = blank(text, self._hidden)  # a tool may have shown the harness's configuration
        return meter if clean == text else RoundMeter.model_validate_json(clean)


def _exchange(pending: Pending, counted: TokenUse, ended: float, failure: Failure | None) -> Exchange:
    reply, turn = pending.reply, pending.turn.id
    usage: dict[str, JsonValue] = {"input": counted.input, "output": counted.output}
    if reply is not None and reply.usage is not None:
        usage |= {"upstream_input": reply.usage.input, "upstream_output": reply.usage.output}
    return Exchange(
        number=pending.number,
        round=turn.round,
        attempt=turn.attempt,
        at=pending.at,
        seconds=round(ended - pending.started, 6),
        dialect=pending.dialect,
        stream=pending.request.stream,
        asked=pending.request.model,
        messages=tuple(pending.request.messages),
        tools=tuple(pending.request.tool_json),
        params=pending.request.params,
        native=dict(pending.request.native),
        fault=pending.fault.kind if pending.fault is not None else "",
        status=pending.status,
        reply=reply.message() if reply is not None else None,
        finish=reply.finish if reply is not None else "",
        usage=usage,
        failure=failure,
    )
