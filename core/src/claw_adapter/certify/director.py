"""The model of a certification trial: plays the replies of the turn under way, and remembers every request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from functools import cached_property
from typing import Final

from claw_adapter.endpoint.models.played import PlayedModel, PlayedReply, PlayedRound
from claw_adapter.model import Delta, ModelRequest, TurnId
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.tokens.meter import flatten

__all__ = ["Director", "Request"]

STAYS: Final = 0.1
"""Seconds after which a client that is gone has been noticed."""


class Request:
    """One model request as the endpoint saw it; `messages` and `tools` are in the OpenAI chat form whatever the dialect."""

    def __init__(self, round_id: str, request: ModelRequest) -> None:
        self.round = round_id
        self.messages = tuple(request.messages)
        self.tools = tuple(request.tool_json)
        self.awaited = False
        """Whether its answer was still waited for a moment later; only known of what came outside rounds or was held."""

    @cached_property
    def said(self) -> tuple[tuple[str, str], ...]:
        """Role and whole text (tool calls included) of each message."""
        return tuple((str(message.get("role", "")), flatten(message)[0]) for message in self.messages)

    @cached_property
    def text(self) -> str:
        """All messages as one text."""
        return "\n".join(text for _, text in self.said)

    def texts(self, *roles: str) -> tuple[str, ...]:
        """The texts of the messages with these roles."""
        return tuple(text for role, text in self.said if role in roles)


class Director(PlayedModel):
    """Plays one turn after another."""

    def __init__(self, workspace: str) -> None:
        super().__init__((), workspace)
        self._played: tuple[Sequence[PlayedReply], str] = (), ""
        self.requests: list[Request] = []
        self.arrived = asyncio.Event()
        """Set whenever a request has come."""

    def play(self, replies: Sequence[PlayedReply], mark: str) -> None:
        """What to say and do in the next turn; call it before the round begins."""
        self._played = replies, mark
        self.arrived.clear()

    def begin(self, turn: TurnId, answer_key: AnswerKey | None) -> None:
        """The turn that was announced, or the time between turns."""
        super().begin(turn, answer_key)
        replies, mark = self._played
        played = PlayedRound(round=turn.round, mark=mark, replies=tuple(replies))
        self._rounds = {turn.round: played} if turn.round else {}

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Play on."""
        self.requests.append(Request(self._turn.round, request))
        self.arrived.set()
        if not self._turn.round:
            await _stays(self.requests[-1])
        async for delta in super().answer(request):
            yield delta

    async def hold(self) -> None:
        """Never come back; the request is marked if its client stays."""
        await _stays(self.requests[-1])
        await super().hold()


async def _stays(seen: Request) -> None:
    """See whether the client does; if it has hung up, this is cancelled."""
    await asyncio.sleep(STAYS)
    seen.awaited = True
