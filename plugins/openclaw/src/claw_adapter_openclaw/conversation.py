"""One conversation with OpenClaw behind its gateway: turns, session changes, checkpoints."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from logging import Logger
from typing import Any

from claw_adapter.command.turns import OpenTurn, over
from claw_adapter.errors import ClawError
from claw_adapter.harness import Checkpoint, Conversation, Session, SessionChange, TurnResult
from claw_adapter_openclaw.failures import failure
from claw_adapter_openclaw.gateway import Gateway
from claw_adapter_openclaw.sessions import READ_SECONDS, LiveSessions
from claw_adapter_openclaw.steps import counted, filled, reply_text, steps

__all__ = ["GatewayConversation"]


class GatewayConversation(Conversation):
    """A gateway that lives as long as the conversation. The neutral sessions are kept, turns added as they come."""

    def __init__(self, gateway: Gateway, sessions: Sequence[Session], model: str, log: Logger) -> None:
        self._gateway: Gateway | None = gateway
        self._sessions = LiveSessions(self._alive, sessions, model)
        self._filled = 0
        self._log = log

    async def seed(self) -> None:
        """See `LiveSessions.seed`."""
        await self._sessions.seed()

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One turn. After any failure the conversation is over; the way on is `Harness.open`."""
        turn, begun = OpenTurn(), time.time()
        events: list[Mapping[str, Any]] = []
        try:
            gateway = self._alive()
            gateway.filled = max(self._filled, self._sessions.guessed)
            try:
                answer = await gateway.chat(prompt, deadline)
            finally:
                turn.inside = time.monotonic() - turn.began
            left = max(deadline - turn.inside, 0.0) + READ_SECONDS
            events = await self._sessions.read_news(left, answered=bool(answer.text))
            turn.inside += self._sessions.waited
            self._filled = filled(events)
            turn.text, turn.usage = reply_text(answer, events), answer.usage
            turn.error = failure(answer.status, answer.text, answer.error, events)
        except ClawError as fault:
            turn.error = fault
        turn.events = [event for record in events for event in steps(record, begun)]
        turn.usage = turn.usage or counted(self._sessions.used, events)
        if turn.error is None:
            self._sessions.take(prompt, events)
        else:
            # A prompt that failed would come back in the next turn, and a refused key stays refused: nothing goes on here.
            await self.close()
        return turn.result()

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Bring changed sessions into OpenClaw's store between two turns; what is only longer is only appended to."""
        if changes:
            self._alive()
            await self._sessions.change(changes)

    async def checkpoint(self) -> Checkpoint:
        """The sessions with all finished turns, main first. OpenClaw remembers nothing else that is not in the workspace."""
        self._alive()
        return Checkpoint(sessions=self._sessions.all)

    async def cancel(self) -> None:
        """Stop the turn under way by ending OpenClaw: a cancelled prompt would come back in the next turn."""
        await self.close()

    async def close(self) -> None:
        """End the gateway and everything it started."""
        gateway, self._gateway = self._gateway, None
        if gateway is not None and (left := await gateway.close()):
            self._log.warning("%s: processes still there after being killed: %d", "OpenClaw", left)

    def _alive(self) -> Gateway:
        if self._gateway is None:
            raise over("OpenClaw has ended")
        return self._gateway
