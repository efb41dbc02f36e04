"""A request being answered: where it comes from, where it goes to, what came of it, and the turn that it belongs to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

from claw_adapter.endpoint.events import EventLog
from claw_adapter.endpoint.failures import CLIENT_CLOSED, ProviderError
from claw_adapter.endpoint.faults import FaultRule
from claw_adapter.endpoint.known import Known
from claw_adapter.endpoint.metering import TurnMeter, output_tokens, rendered_tokens
from claw_adapter.endpoint.neutral import ModelReply
from claw_adapter.endpoint.prefixes import MeasuredRequest
from claw_adapter.endpoint.proxy_routes import RoutedRequest
from claw_adapter.errors import ClawError
from claw_adapter.model import Delta, ModelRequest, TurnId
from claw_adapter.protocol.journal import FirstRequest
from claw_adapter.protocol.tokens import TokenCounts, TokenUse
from claw_adapter.protocol.turn import Failure
from claw_adapter.runs.transcript import Exchange

__all__ = ["MeteredTurn", "Pending", "Source", "Way", "exchange_of", "given_up"]

Source = Callable[[ModelRequest], AsyncGenerator[Delta, None]]


@dataclass(frozen=True, slots=True)
class Way:
    """Where a request comes from and where it goes to.

    Attributes:
        faces_harness: the harness itself sent it: what becomes of it is what becomes of the turn.
        reaches_model: the model answers it, not an overlay.
        own: it is an overlay's own.
        before: its passage through the overlay that sent it.
        after: its passage through the overlay that it is sent to.
    """

    faces_harness: bool = True
    reaches_model: bool = True
    own: bool = False
    before: RoutedRequest | None = None
    after: RoutedRequest | None = None


@dataclass(slots=True)
class Pending:
    """A request being answered; becomes an `Exchange` when it is done."""

    request: ModelRequest
    dialect: str
    turn: MeteredTurn
    number: int
    started: float
    at: str
    source: Source
    """What answers it: the model, or an overlay."""
    way: Way
    known: Known
    status: int = CLIENT_CLOSED
    reply: ModelReply | None = None
    error: ClawError | None = None
    fault: FaultRule | None = None
    """The scheduled fault that takes the place of a reply."""
    code: str = ""
    retry_after: str = ""
    """How the dialect names the error, and the seconds to wait that it gives."""
    sent: bool = False
    """Whether the model was asked: not by a request that a fault, or the end of the run, was the answer to."""
    held: float = 0.0
    """Seconds from its beginning in which it was held, because the provider was away or had not answered anybody yet."""
    refused: ProviderError | None = None
    """How the provider was away when it was last asked, or went away within its reply; None once it answers."""
    had: int | None = None
    """What `cached` is, once that was looked for."""
    _output: tuple[ModelReply | None, TokenUse] = None, TokenUse()
    _measured: MeasuredRequest | None = None
    """Known at once of a request that is too large for us: a helper has found it out."""

    @property
    def measured(self) -> MeasuredRequest:
        """Size and parts of the request."""
        if self._measured is None:
            self._measured = self.known.measured(self.request)
        return self._measured

    def counted(self) -> TokenUse:
        """Our own count of request and reply (of the reply as far as it is known now)."""
        if self.reply is not self._output[0]:
            self._output = self.reply, output_tokens(self.reply) if self.reply is not None else TokenUse()
        size = self.measured.size
        return self._output[1] + TokenUse(size.text + size.tools, 0, self.cached if self.way.reaches_model else None)

    @property
    def cached(self) -> int:
        """Tokens of its longest prefix that a request answered before it has as well."""
        if self.had is None:
            self.had = self.known.prefixes.cached(self.measured)
        return self.had

    def rendered(self) -> int:
        """cl100k tokens of the conversation, reply included, as ChatML."""
        return self.measured.size.text + rendered_tokens((), self.reply)

    def usage(self) -> TokenUse:
        """What the harness is told: the upstream's counts if it gave any, else ours."""
        return (self.reply.usage if self.reply is not None else None) or self.counted()


@dataclass(slots=True)
class MeteredTurn:
    """A turn of the harness, or the time between two: its counts, its events, how its last request ended."""

    id: TurnId
    began: float
    begun: int = 0
    """Requests to the model that have come."""
    came: asyncio.Event = field(default_factory=asyncio.Event)
    """Set whenever one has."""
    meter: TurnMeter = field(default_factory=TurnMeter)
    log: EventLog = field(default_factory=EventLog)
    last: Pending | None = None
    first: FirstRequest | None = None
    failure: tuple[int, Failure | None] = (0, None)
    away: ProviderError | None = None
    """How the provider was away when the last request was given up, or went away within its reply."""
    under_way: list[Pending] = field(default_factory=list)
    """Its requests to the model that have not been answered yet."""
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)


def given_up(pending: Pending) -> ProviderError | None:
    """How the provider was away when its harness gave a request up, or its reply broke off."""
    return pending.refused if pending.status != 200 else None


def exchange_of(pending: Pending, counted: TokenUse, ended: float, failure: Failure | None) -> Exchange:
    """What is written down of a request that ended at `ended` (monotonic seconds), beside its messages and tools."""
    reply, turn = pending.reply, pending.turn.id
    usage = TokenCounts.of(counted, reply.usage if reply is not None else None)
    return Exchange(
        number=pending.number,
        round=turn.round,
        attempt=turn.attempt,
        at=pending.at,
        seconds=round(ended - pending.started, 6),
        dialect=pending.dialect,
        origin="overlay" if pending.way.own else "harness" if pending.way.reaches_model else "hop",
        stream=pending.request.stream,
        asked=pending.request.model,
        params=pending.request.params,
        native=dict(pending.request.native),
        fault=pending.fault.kind if pending.fault is not None else "",
        sent=pending.sent,
        held=round(pending.held, 6),
        given_up=given_up(pending) is not None,
        status=pending.status,
        reply=reply.message() if reply is not None else None,
        finish=reply.finish if reply is not None else "",
        usage=usage.model_dump(exclude_none=True),
        failure=failure,
    )
