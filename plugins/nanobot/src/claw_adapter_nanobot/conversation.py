"""One conversation with NanoBot behind the bridge: turns, session changes, checkpoints."""

from __future__ import annotations

import time
from collections.abc import Sequence
from logging import Logger
from typing import TYPE_CHECKING, Any

from claw_adapter.command.turns import OpenTurn, over
from claw_adapter.errors import ClawError, DeadlineExceeded, HarnessCrash, HarnessProtocolError
from claw_adapter.harness import Checkpoint, Conversation, Event, ReportedUsage, SessionChange, TurnResult
from claw_adapter_nanobot.failures import failure
from claw_adapter_nanobot.state import State
from claw_adapter_nanobot.store import session_key

if TYPE_CHECKING:
    from claw_adapter.drivers.lines import LineChild

__all__ = ["BridgeConversation", "take_in"]

STEP_SECONDS = 30.0
"""Most that anything but a turn may take."""
GRACE_SECONDS = 1.0


def take_in(turn: OpenTurn, reply: dict[str, Any]) -> None:
    """Make what NanoBot says of a turn its text, its error and its usage."""
    turn.text, turn.error, usage = str(reply.get("text") or ""), failure(reply), reply.get("usage")
    if usage:
        turn.usage = ReportedUsage(
            kind="per_turn",
            input=usage["input_tokens"],
            output=usage["output_tokens"],
            cached=usage.get("cache_read_tokens") or 0,
        )


class BridgeConversation(Conversation):
    """A NanoBot that lives as long as the conversation."""

    def __init__(self, child: LineChild, state: State, main: str, log: Logger) -> None:
        self._child: LineChild | None = child
        self._state = state
        self._main = main
        self._log = log

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One turn. After a passed deadline or a crash NanoBot is gone; the way on is `Harness.open`."""
        turn = OpenTurn()
        events: list[Event] = []
        turn.events = events
        seconds: float | None = None
        try:
            reply = await self._alive().call(
                "send",
                {"key": session_key(self._main), "prompt": prompt},
                deadline,
                on_event=lambda record: events.append(Event.model_validate(record)),
            )
            seconds = float(reply["seconds"])
            take_in(turn, reply)
        except (DeadlineExceeded, HarnessCrash, HarnessProtocolError) as fault:
            turn.error = fault
            await self.close(grace=0.0)
        except ClawError as fault:
            turn.error = fault
        turn.inside = time.monotonic() - turn.began if seconds is None else seconds
        return turn.result()

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Rewrite the changed sessions between two turns, and have NanoBot forget what it holds of them."""
        if not changes:
            return
        child = self._alive()
        await child.call("flush", {}, STEP_SECONDS)
        self._state.change(changes)
        await child.call("reload", {"keys": [session_key(change.session) for change in changes]}, STEP_SECONDS)

    async def checkpoint(self) -> Checkpoint:
        """The sessions as NanoBot holds them now, and its files."""
        await self._alive().call("flush", {}, STEP_SECONDS)
        return self._state.checkpoint(self._main)

    async def cancel(self) -> None:
        """Stop the turn under way; its `send` returns with an error."""
        if self._child is not None:
            await self._child.call("cancel", {}, STEP_SECONDS)

    async def close(self, grace: float = GRACE_SECONDS) -> None:
        """End NanoBot and everything it started."""
        child, self._child = self._child, None
        if child is None:
            return
        left = await child.close(grace)
        if left:
            self._log.warning("%s: processes still there after being killed: %d", "NanoBot", left)

    def _alive(self) -> LineChild:
        if self._child is None:
            raise over("NanoBot has ended")
        return self._child
