"""What the server and the terminal mode share: a NanoBot that lives on, and tells what happened in its session files only.

It holds its sessions in memory, so a changed session file needs a new start, before the next turn.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final

from claw_adapter.command.turns import OpenTurn, over
from claw_adapter.errors import ClawError, DeadlineExceeded, EndpointError, HarnessCrash
from claw_adapter.harness import Checkpoint, Conversation, SessionChange, TurnResult
from claw_adapter_nanobot.conversation import take_in
from claw_adapter_nanobot.failures import CLI_EMPTY, CLI_MARK, WORDS
from claw_adapter_nanobot.state import State
from claw_adapter_nanobot.steps import steps
from claw_adapter_nanobot.store import file_name

__all__ = ["LastingConversation", "reply_of"]

SETTLE_SECONDS: Final = 2.0
"""How long after its answer NanoBot may take to write the session."""
PAUSE_SECONDS: Final = 0.01
SENTENCES: Final = ("Error", "The AI provider")
"""How NanoBot's own words about a failed model begin."""
RETRY: Final = "↳ Model request failed, retry"


def reply_of(said: str, usage: dict[str, Any] | None, shown: str) -> dict[str, Any]:
    """A turn as `failures.failure` takes it, from the session's last word and from what NanoBot showed as the answer."""
    if said == CLI_MARK:
        return {"text": "", "stop_reason": "error", **_fault(shown)}
    if said == CLI_EMPTY:
        return {"text": "", "stop_reason": "empty_final_response"}
    return {"text": said, "stop_reason": "completed", "usage": usage}


def _fault(shown: str) -> dict[str, str]:
    """NanoBot's own sentence about what failed, the last that it shows; and that it had tried again, if it says so."""
    lines = [line.strip() for line in shown.splitlines() if line.strip() and not line.strip().startswith(RETRY)]
    # Anything else is a part of the model's answer, whose words mean nothing here.
    error = next((line for line in reversed(lines) if line.startswith(SENTENCES)), "")
    again = any(line.strip().startswith(RETRY) for line in shown.splitlines())
    found = {"error": error or "the model failed in the middle of its answer"}
    # It tries again after what it takes for passing: an overload, a lost connection.
    return {**found, "error_kind": "connection"} if again and WORDS.kind(error) is EndpointError else found


class LastingConversation(Conversation):
    """Turns, session changes and checkpoints; how NanoBot is started, asked and ended is the mode's."""

    def __init__(self, state: State, main: str) -> None:
        self._state = state
        self._main = main
        self._over = False

    @abstractmethod
    async def start(self, deadline: float) -> None:
        """Start NanoBot over its files unless it runs; raises what is wrong as a `ClawError`."""

    @abstractmethod
    async def ask(self, prompt: str, deadline: float) -> str:
        """Say the prompt and return what is shown as the answer."""

    @abstractmethod
    async def end(self) -> None:
        """End NanoBot and everything it started; may be called again."""

    @abstractmethod
    def refuse(self, prompt: str) -> None:
        """Raise AdapterError for what would not arrive whole as a question."""

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One turn. After a failure the prompt is still in NanoBot's session; the way on is `Harness.open`."""
        turn, clock = OpenTurn(), time.time()
        try:
            self.refuse(prompt)
            self._refuse_when_over()
            await self.start(deadline)
            before = time.monotonic()
            try:
                shown = await self.ask(prompt, max(deadline - (before - turn.began), PAUSE_SECONDS))
            finally:
                turn.inside = time.monotonic() - before
            await self._settled()
            said, usage = self._state.store.last_turn(self._state.sessions, self._main)
            turn.events = steps(self._file, clock)
            take_in(turn, reply_of(said, usage, shown))
        except ClawError as fault:
            turn.error = fault
            if isinstance(fault, DeadlineExceeded | HarnessCrash):
                await self.close()
        return turn.result()

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Rewrite the changed sessions; NanoBot is started anew over them with the next turn."""
        if not changes:
            return
        self._refuse_when_over()
        await self.end()
        self._state.change(changes)

    async def checkpoint(self) -> Checkpoint:
        """The sessions as the last turn left them."""
        return self._state.checkpoint(self._main)

    async def cancel(self) -> None:
        """Stop the turn under way by ending NanoBot; the way on is `Harness.open`."""
        await self.close()

    async def close(self) -> None:
        """End NanoBot and everything it started."""
        self._over = True
        await self.end()

    @property
    def _file(self) -> Any:
        return self._state.sessions / file_name(self._main, self._state.store.channel)

    async def _settled(self) -> None:
        """Wait until the session on disk has the end of the turn."""
        end = time.monotonic() + SETTLE_SECONDS
        while not self._written() and time.monotonic() < end:  # noqa: ASYNC110  # another process writes it
            await asyncio.sleep(PAUSE_SECONDS)

    def _written(self) -> bool:
        if not self._file.is_file():
            return False
        said, _ = self._state.store.last_turn(self._state.sessions, self._main)
        return bool(said) and self._state.store.finished(self._file)

    def _refuse_when_over(self) -> None:
        if self._over:
            raise over("NanoBot has ended")
