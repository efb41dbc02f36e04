"""The reader as a model of the endpoint: one per trial, told about each round by the runner, out of band."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

from claw_adapter.endpoint.reader.memory import Memory
from claw_adapter.endpoint.reader.policy import ACKNOWLEDGED
from claw_adapter.endpoint.reader.turn import ReaderTurn
from claw_adapter.model import CallDelta, Delta, Model, ModelRequest, TurnId
from claw_adapter.protocol.answer_key import AnswerKey, Seen
from claw_adapter.protocol.model import ModelSpec

__all__ = ["ReaderModel"]

PIECE: Final = 48
"""Characters of text in one piece of a streamed reply."""


class ReaderModel(Model):
    """Answers a round's requests from what they show; anything else gets a fixed acknowledgement."""

    def __init__(self, spec: ModelSpec, trial: str) -> None:
        self._spec = spec
        self._memory = Memory()
        self._trial = trial
        self._turn: ReaderTurn | None = None

    def begin(self, turn: TurnId, answer_key: AnswerKey | None) -> None:
        """Forget the last turn's requests, all but which fragments they showed."""
        if self._turn is not None:
            self._turn.end()
        self._turn = ReaderTurn(self._spec, turn, answer_key, self._memory) if answer_key is not None else None

    def seen(self) -> Seen | None:
        """What of the round's evidence has been seen; None when the round has no evidence layer."""
        return self._turn.seen if self._turn is not None and not self._turn.blind else None

    async def answer_overlay(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """The text of ``options.overlay_reply``, else the acknowledgement: no overlay is told anything about the evidence."""
        del request
        yield Delta(text=str(self._spec.options.get("overlay_reply") or ACKNOWLEDGED))
        yield Delta(finish="stop")

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """The calls or the answer of the turn under way."""
        response = self._turn.respond(request) if self._turn is not None else ACKNOWLEDGED
        if isinstance(response, str):
            for start in range(0, len(response), PIECE):
                yield Delta(text=response[start : start + PIECE])
            yield Delta(finish="stop")
            return
        for index, call in enumerate(response):
            yield Delta(calls=(CallDelta(index, call.id, call.name, call.arguments),))
        yield Delta(finish="tool_calls")
