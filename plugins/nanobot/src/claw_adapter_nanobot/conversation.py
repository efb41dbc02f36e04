"""One conversation with NanoBot behind the bridge: turns, session changes, checkpoints."""

from __future__ import annotations

import time
from collections.abc import Sequence
from logging import Logger
from typing import TYPE_CHECKING, Any

from claw_adapter.errors import ClawError, DeadlineExceeded, HarnessCrash, HarnessProtocolError
from claw_adapter.harness import (
    Checkpoint,
    Conversation,
    Event,
    Failure,
    ReportedUsage,
    SessionChange,
    Timing,
    TurnResult,
)
from claw_adapter_nanobot.failures import failure
from claw_adapter_nanobot.state import State
from claw_adapter_nanobot.store import session_key

if TYPE_CHECKING:
    from claw_adapter.drivers.lines import LineChild

__all__ = ["BridgeConversation", "result"]

STEP_SECONDS = 30.0
"""Most that anything but a turn may take."""
GRACE_SECONDS = 1.0


def result(
    reply: dict[str, Any], error: ClawError | None, events: Sequence[Event], total: float, inside: float
) -> TurnResult:
    """A turn's outcome; `inside` are the seconds spent in NanoBot."""
    usage = reply.get("usage")
    return TurnResult(
        text="" if error else str(reply["text"]),
        error=Failure.of(error) if error else None,
        events=tuple(events),
        usage=ReportedUsage(
            kind="per_turn",
            input=usage["input_tokens"],
            output=usage["output_tokens"],
            cached=usage.get("cache_read_tokens") or 0,
        )
        if usage
        else None,
        timing=Timing(total=total, own=max(total - inside, 0.0)),
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
        started = time.monotonic()
        events: list[Event] = []
        reply: dict[str, Any] = {}
        error: ClawError | None
        try:
            call = self._alive().call(
                "send",
                {"key": session_key(self._main), "prompt": prompt},
                deadline,
                on_event=lambda record: events.append(Event.model_validate(record)),
            )
            reply = await call
            error = failure(reply)
        except (DeadlineExceeded, HarnessCrash, HarnessProtocolError) as fault:
            error = fault
            await self.close(grace=0.0)
        except ClawError as fault:
            error = fault
        total = time.monotonic() - started
        return result(reply, error, events, total, float(reply.get("seconds", total)))

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
            raise HarnessCrash("NanoBot has ended", remedy="Open the conversation again from the last checkpoint.")
        return self._child
