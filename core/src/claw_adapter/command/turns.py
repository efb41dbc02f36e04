"""A turn while it goes on, and conversations whose turns are tasks over files, so that a cancelled one leaves nothing."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from claw_adapter.errors import ClawError, HarnessCrash, HarnessError
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

__all__ = ["OpenTurn", "TurnConversation", "TurnFiles", "over"]


@dataclass(slots=True)
class OpenTurn:
    """What is known of a turn so far.

    Attributes:
        began: on the monotonic clock.
        inside: seconds spent in the harness; the rest is the adapter's.
    """

    began: float = field(default_factory=time.monotonic)
    text: str = ""
    error: ClawError | None = None
    events: Sequence[Event] = ()
    usage: ReportedUsage | None = None
    inside: float = 0.0

    def result(self) -> TurnResult:
        """The turn, now at its end; one with an error has no text."""
        total = time.monotonic() - self.began
        return TurnResult(
            text="" if self.error else self.text,
            error=Failure.of(self.error) if self.error else None,
            events=tuple(self.events),
            usage=self.usage,
            timing=Timing(total=total, own=max(total - self.inside, 0.0)),
        )


def over(what: str, where: str = "") -> HarnessCrash:
    """The error of a prompt, or of anything else, that comes when the conversation is over."""
    return HarnessCrash(what, where=where, remedy="Open the conversation again from the last checkpoint.")


class TurnFiles(Protocol):
    """The files of a conversation between its turns."""

    def native(self) -> dict[str, bytes]:
        """Those that hold the conversation, by name."""

    def put_back(self, files: Mapping[str, bytes]) -> None:
        """Make them these again, as if a turn had not been."""

    def begin(self) -> None:
        """A turn begins."""

    def change(self, changes: Sequence[SessionChange]) -> None:
        """Bring in changed sessions."""

    def checkpoint(self) -> Checkpoint:
        """The sessions as they are now, and the files."""


class TurnConversation(Conversation):
    """After a failed turn no further prompt is taken: what is left of it is not known. A cancelled one leaves nothing.

    Args:
        name: of the harness, for messages.
        files: of the conversation.
    """

    def __init__(self, name: str, files: TurnFiles) -> None:
        self._name, self._files = name, files
        self._failed = False
        self._asking: asyncio.Task[None] | None = None

    @abstractmethod
    async def turn(self, prompt: str, deadline: float, turn: OpenTurn) -> None:
        """Say the prompt, wait for the end of the turn, and fill in what became of it.

        Raises:
            ClawError: the turn has failed.
        """

    def refuse(self, prompt: str) -> None:
        """Raise AdapterError for a prompt that would not arrive whole; the conversation goes on."""

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One turn. After a failure the way on is `Harness.open`."""
        turn = OpenTurn()
        try:
            self._refuse_after_failure()
            self.refuse(prompt)
            before = self._files.native()
            self._files.begin()
            self._failed = True
            await self._run(prompt, deadline - (time.monotonic() - turn.began), turn, before)
            self._failed = False
        except ClawError as fault:
            turn.error = fault
        return turn.result()

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Bring changed sessions into the files; they are read with the next turn."""
        if changes:
            self._refuse_after_failure()
            await self.end()
            self._files.change(changes)

    async def checkpoint(self) -> Checkpoint:
        """The sessions as the last turn left them."""
        return self._files.checkpoint()

    async def cancel(self) -> None:
        """End the turn under way with all that it started; back when nothing of it is alive."""
        asking, self._asking = self._asking, None
        if asking is not None:
            asking.cancel()
            await asyncio.wait({asking})

    async def close(self) -> None:
        """End everything."""
        await self.cancel()
        await self.end()

    async def end(self) -> None:
        """End what lives between turns: nothing, where every turn has a process of its own."""

    async def _run(self, prompt: str, deadline: float, turn: OpenTurn, before: Mapping[str, bytes]) -> None:
        self._asking = asyncio.ensure_future(self.turn(prompt, deadline, turn))
        try:
            await self._asking
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # it is `send` itself that is given up, and its turn with it
                raise
            await self.end()
            self._files.put_back(before)
            self._failed = False
            raise HarnessError("the turn was cancelled", where=self._name) from None
        finally:
            self._asking = None

    def _refuse_after_failure(self) -> None:
        if self._failed:
            raise over("the last turn failed, and what is left of it in the session is not known", self._name)
