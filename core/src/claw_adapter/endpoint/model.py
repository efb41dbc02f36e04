"""What a model does: answer requests, piece by piece, knowing which round of which trial they belong to."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from claw_adapter.endpoint.neutral import Delta, ModelRequest
from claw_adapter.protocol.brief import Brief, Seen

__all__ = ["Model", "TurnId"]


@dataclass(frozen=True, slots=True)
class TurnId:
    """A turn of a trial; outside rounds the round is empty."""

    trial: str
    round: str = ""
    attempt: int = 0

    def name(self, kind: str, number: int) -> str:
        """A name for the thing number `number` of this turn: the same in every repetition, unique within the trial."""
        text = "\0".join((self.trial, self.round, str(self.attempt), kind, str(number)))
        return f"{kind}_{hashlib.sha256(text.encode()).hexdigest()[:24]}"


class Model(ABC):
    """Answers the requests of one trial."""

    def begin(self, turn: TurnId, brief: Brief | None) -> None:  # noqa: B027  # optional on purpose
        """A turn begins, or with an empty round the time between turns."""

    def seen(self) -> Seen | None:
        """What of the round's evidence reached the model in the turn under way."""
        return None

    @abstractmethod
    def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Answer a request.

        Raises:
            ProviderError: there is no answer; also in the middle of one.
            BrokenWire: a fault that was asked for.
        """

    def answer_overlay(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Answer what an overlay asks for itself: no part of the turn under way."""
        return self.answer(request)

    async def close(self) -> None:  # noqa: B027  # optional on purpose
        """Let go of connections."""
