"""A recorded plan at the endpoint once more: its requests, in the order in which they came, get what its script gives them.

Whatever the endpoint makes of a request (the reply, a fault, tokens, the counts of the turn) is made by the same code again.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from aiohttp.test_utils import make_mocked_request
from pydantic import JsonValue

from claw_adapter.certify.plans.recorded import differing
from claw_adapter.endpoint.answering import Answering
from claw_adapter.endpoint.dialects import DIALECTS, anthropic_parse, responses_parse
from claw_adapter.endpoint.dialects.openai_chat import assemble
from claw_adapter.endpoint.failures import CLIENT_CLOSED
from claw_adapter.endpoint.intake import LARGE
from claw_adapter.endpoint.models.played import PlayedModel, parse_script
from claw_adapter.endpoint.pending import Pending
from claw_adapter.endpoint.records import RoundMeter
from claw_adapter.endpoint.trial import EndpointTrial
from claw_adapter.folders import scratch
from claw_adapter.model import TurnId
from claw_adapter.protocol import TrialSpec
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.runner.context import WORKSPACE
from claw_adapter.runs.transcript import Exchange, read_transcript

__all__ = ["Replay", "replay"]

TICK: Final = 0.001
"""Seconds to which the beginnings of requests are written down."""
NATIVE: Final[Mapping[str, Callable[[dict[str, JsonValue]], dict[str, JsonValue]]]] = {
    "openai-chat": lambda _: {},
    "anthropic-messages": lambda found: anthropic_parse.native(found, {}),
    "openai-responses": responses_parse.native,
}
"""What of the native fields of a request its dialect does not tell elsewhere."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of it.

    Attributes:
        unlike: which request has been answered, has failed or was counted otherwise than now; empty where none was.
        meters: what reached the model in each turn, by round and attempt.
    """

    unlike: str
    meters: Mapping[tuple[str, int], RoundMeter]


class _Held(asyncio.CancelledError):
    """The script has no reply to a request: whoever sent it is to wait in vain."""


class _Prompter(PlayedModel):
    """Plays without letting time pass."""

    async def wait(self, seconds: float) -> None:
        """Nobody listens."""

    async def hold(self) -> None:
        """Nobody can be kept waiting."""
        raise _Held


def replay(spec: TrialSpec, exchanges: Sequence[Exchange]) -> Replay:
    """Have the requests of a trial answered again.

    When each came, how long it took, and that a harness gave one up, is taken as it was recorded.

    Args:
        spec: the trial, with the script of its model.
        exchanges: its requests, in the order in which they ended.

    Raises:
        ValueError: a time is none.
    """
    if len({one.number for one in exchanges}) != len(exchanges):
        return Replay("two of its requests have one number", {})
    with scratch("claw-replay-") as folder:
        endpoint = EndpointTrial(
            spec.id,
            spec.model.model_copy(update={"timeout": 0.0}),
            folder / "transcript.jsonl",
            make=lambda model, _: _Prompter(parse_script(model)),
        )
        meters = asyncio.run(_Replay(endpoint, _workspace(spec, exchanges)).meters(exchanges))
        again = list(read_transcript(endpoint.transcript.path))
    for one, other in zip(exchanges, again, strict=True):
        if names := differing(other.model_copy(update={"at": one.at, "seconds": one.seconds}), one):
            return Replay(f"of request {one.number}, {', '.join(names)} is not what was drawn", meters)
    return Replay("", meters)


class _Replay:
    def __init__(self, endpoint: EndpointTrial, workspace: str) -> None:
        self._endpoint, self._workspace = endpoint, workspace
        self._turn = TurnId(endpoint.name)
        self._meters: dict[tuple[str, int], RoundMeter] = {}
        self._large = False
        """Whether a helper may have read a request: of such only whole messages are compared with those before."""

    async def meters(self, exchanges: Sequence[Exchange]) -> dict[tuple[str, int], RoundMeter]:
        coming = deque(sorted(exchanges, key=lambda one: one.number))
        begun: dict[int, Pending] = {}
        for ended in exchanges:
            while coming and (ended.number not in begun or _meanwhile(coming[0], ended)):
                following = coming.popleft()
                begun[following.number] = await self._begun(following)
            pending = begun.pop(ended.number)
            pending.started = time.monotonic() - ended.seconds
            counted = ended.usage.get("cached")
            if pending.had != counted:
                pending.had = None  # it was counted only now, for what was not streamed or was given up
            if self._large and isinstance(counted, int) and 0 <= counted < pending.cached:
                pending.had = counted
            self._endpoint.finish(pending)
        await self._to(TurnId(self._endpoint.name))
        await self._endpoint.close()
        return self._meters

    async def _begun(self, exchange: Exchange) -> Pending:
        """A request has come, and is answered as far as anybody listened."""
        await self._to(TurnId(self._endpoint.name, exchange.round, exchange.attempt))
        dialect = next((one for one in DIALECTS if one.name == exchange.dialect), DIALECTS[0])
        request = assemble(
            dialect.name,
            {"model": exchange.asked, "stream": exchange.stream},
            list(exchange.messages),
            list(exchange.tools),
            exchange.params,
            native=NATIVE[dialect.name](exchange.native),
        )
        self._large = self._large or len(json.dumps([exchange.messages, exchange.tools])) > LARGE // 2
        pending = self._endpoint.begin(request, dialect.name)
        pending.number = exchange.number
        with suppress(_Held):
            await Answering(dialect, self._endpoint, pending).answer(make_mocked_request("POST", dialect.path))
        if exchange.status == CLIENT_CLOSED and pending.fault is None:
            pending.status = CLIENT_CLOSED
            pending.reply = pending.reply if exchange.reply is not None else None
        return pending

    async def _to(self, turn: TurnId) -> None:
        if turn == self._turn:
            return
        if self._turn.round:
            self._meters[self._turn.round, self._turn.attempt] = await self._endpoint.end_round(0)
        if turn.round:
            key = AnswerKey(round=turn.round, type="", workspace=self._workspace)
            self._endpoint.begin_round(turn.round, key, turn.attempt)
        self._turn = turn


def _meanwhile(following: Exchange, ended: Exchange) -> bool:
    """Whether a request of the same turn has come before this one ended."""
    if (following.round, following.attempt) != (ended.round, ended.attempt):
        return False
    came, began = (datetime.fromisoformat(one.at).replace(tzinfo=UTC).timestamp() for one in (following, ended))
    return came + TICK < began + ended.seconds


def _workspace(spec: TrialSpec, exchanges: Sequence[Exchange]) -> str:
    """The path by which the harness knew its workspace, as far as anybody has ever said it."""
    # a word is looked at once, from its beginning
    ours = rf"(?<![^\s\"'\\])[^\s\"'\\/]*(?P<path>/[^\s\"'\\]*/{re.escape(spec.id)}/workspace)"
    known = re.compile(rf"(?P<inside>{re.escape(str(WORKSPACE))})|{ours}")
    said = (json.dumps([exchange.reply, exchange.messages], ensure_ascii=False) for exchange in exchanges)
    return next((found[found.lastgroup or 0] for text in said for found in [known.search(text)] if found), "")
