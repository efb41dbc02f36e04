"""What the model said in a recorded plan, held against its script, which gives the same replies to the same requests."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import JsonValue

from claw_adapter.endpoint.dialects.openai_chat import assemble, parse_call
from claw_adapter.endpoint.faults import BEGUN, FaultSchedule, broken_call
from claw_adapter.endpoint.models.played import PlayedModel, parse_script
from claw_adapter.endpoint.neutral import Collector
from claw_adapter.model import Delta, ModelRequest, TurnId
from claw_adapter.protocol import TrialSpec
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.runner.context import WORKSPACE
from claw_adapter.runs.transcript import Exchange

__all__ = ["unlike_script"]

Said = tuple[JsonValue, list[tuple[str, str]]]
"""The text of a reply, and its calls without their ids."""


class _Held(Exception):
    """The script has no reply to a request: whoever sent it is to wait in vain."""


class _Prompter(PlayedModel):
    """Plays without letting time pass."""

    async def wait(self, seconds: float) -> None:
        """Nobody listens."""

    async def hold(self) -> None:
        """Nobody can be kept waiting."""
        raise _Held


def unlike_script(spec: TrialSpec, exchanges: Iterable[Exchange]) -> str:
    """Which request of a trial the model has answered otherwise than its script does, or has failed otherwise than drawn.

    The player of the script is given each request, in the order in which they came, so that the tools that are called, and
    with what, follow from the results before. What a harness did not wait for was not said.
    """
    return asyncio.run(_unlike(spec, sorted(exchanges, key=lambda one: one.number)))


async def _unlike(spec: TrialSpec, exchanges: Sequence[Exchange]) -> str:
    model, schedule = _Prompter(parse_script(spec.model)), FaultSchedule(spec.model)
    workspace, turn = _workspace(spec, exchanges), TurnId(spec.id)
    for exchange in exchanges:
        if (now := TurnId(spec.id, exchange.round, exchange.attempt)) != turn:
            turn = now
            model.begin(turn, AnswerKey(round=turn.round, type="", workspace=workspace) if turn.round else None)
        fault = schedule.next(exchange.round)
        if exchange.fault != (fault.kind if fault is not None else ""):
            return f"request {exchange.number} fails otherwise than was drawn ({exchange.fault or 'not at all'})"
        asked = fault is None or fault.kind == "cut_late"
        said = [await _reply(model, exchange)] if asked else _begun(exchange)
        if exchange.reply is not None and _said(exchange.reply) not in said:
            return f"the model's reply to request {exchange.number} is not the one that was drawn"
    return ""


def _begun(exchange: Exchange) -> list[Said | None]:
    """What may have come of a reply that failed."""
    collector = Collector()
    collector.add(Delta(text="".join(BEGUN)))
    text = _said(collector.reply().message())
    collector.add(broken_call(_request(exchange), ""))
    return [("", []), text, _said(collector.reply().message())]


async def _reply(model: PlayedModel, exchange: Exchange) -> Said | None:
    """What the script says to a request; None where it lets it wait."""
    collector = Collector()
    try:
        async for delta in model.answer(_request(exchange)):
            collector.add(delta)
    except _Held:
        return None
    return _said(collector.reply().message())


def _request(exchange: Exchange) -> ModelRequest:
    return assemble(exchange.dialect, {}, list(exchange.messages), list(exchange.tools), exchange.params)


def _said(message: dict[str, Any]) -> Said:
    calls = message.get("tool_calls")
    found = map(parse_call, calls) if isinstance(calls, list) else ()
    return message.get("content") or "", [(call.name, call.arguments) for call in found]


def _workspace(spec: TrialSpec, exchanges: Sequence[Exchange]) -> str:
    """The path by which the harness knew its workspace, as far as anybody has ever said it."""
    known = re.compile(rf"{re.escape(str(WORKSPACE))}|/[^\s\"'\\]*/{re.escape(spec.id)}/workspace")
    said = (json.dumps([exchange.reply, exchange.messages], ensure_ascii=False) for exchange in exchanges)
    return next((found.group() for text in said for found in [known.search(text)] if found), "")
