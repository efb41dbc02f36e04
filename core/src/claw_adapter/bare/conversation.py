"""One conversation of the bare loop: prompt, command, what it printed, command, …, until ``done`` or a stop rule."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from claw_adapter.bare.client import ChatClient, ChatRefused
from claw_adapter.bare.command import STOP_WORDS, command_of
from claw_adapter.bare.history import NO_COMMAND, RULE, History
from claw_adapter.bare.options import BareOptions
from claw_adapter.environment import Printed, Surroundings
from claw_adapter.errors import ClawError, DeadlineExceeded, EndpointFilteredError, HarnessError
from claw_adapter.harness import (
    Checkpoint,
    Conversation,
    Endpoint,
    Event,
    Failure,
    Message,
    ReportedUsage,
    Session,
    SessionChange,
    Timing,
    TurnResult,
)
from claw_adapter.merge import merged
from claw_adapter.protocol.session import Role

__all__ = ["BareConversation"]

REPEATS: Final = 5
SILENCES: Final = 3
WHERE: Final = "harness bare"
STOPPED: Final = {
    "repeats": "stopped: the same command five times in a row",
    "silence": "stopped: three messages in a row without a command",
    "over": "stopped: nothing more is executed",
}
"""Stop rule → what stands in the place of a last word."""
_ID: Final = "bare-"


@dataclass(slots=True)
class _Turn:
    """A turn under way: its events, and the seconds that model and environment took."""

    began: float = field(default_factory=time.monotonic)
    events: list[Event] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    silences: int = 0
    worked: float = 0.0

    def note(self, name: str, text: str, **about: str | int) -> None:
        """Something that the loop did by itself."""
        self.events.append(Event(kind="note", at=self.seconds(), name=name, text=text, arguments=dict(about)))

    def command(self, call: str, line: str) -> None:
        """A command is going to be executed."""
        self.commands.append(line)
        self.events.append(
            Event(kind="tool_call", at=self.seconds(), id=call, name="command", arguments={"command": line})
        )

    def printed(self, call: str, done: Printed) -> None:
        """It was executed."""
        failed, at = done.status != 0, self.seconds()
        self.events.append(Event(kind="tool_result", at=at, id=call, name="command", text=done.text, is_error=failed))

    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.began

    def rule(self) -> str:
        """The stop rule that applies now; empty for none."""
        if self.silences >= SILENCES:
            return "silence"
        last = self.commands[-REPEATS:]
        return "repeats" if len(last) == REPEATS and len(set(last)) == 1 else ""


class BareConversation(Conversation):
    """A list of messages, and the environment in which its commands are executed."""

    def __init__(
        self, options: BareOptions, endpoint: Endpoint, environment: Surroundings, sessions: Sequence[Session]
    ) -> None:
        self._options = options
        self._history = History(options)
        self._client = ChatClient(endpoint)
        self._environment = environment
        self._main, *self._others = sessions
        self._messages = list(self._main.messages)
        own = (message.id.removeprefix(_ID) for message in self._messages if message.id.startswith(_ID))
        self._number = max((int(number) for number in own if number.isdecimal()), default=-1)
        self._limit: asyncio.Timeout | None = None
        self._cancelled = False

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One turn; after a failure the conversation is as if the turn had not been."""
        turn, before = _Turn(), list(self._messages)
        self._cancelled, self._client.input, self._client.output = False, 0, 0
        text = ""
        error: ClawError | None = None
        try:
            async with asyncio.timeout(deadline) as limit:
                self._limit = limit
                text = await self._work(prompt, turn)
        except TimeoutError:
            if not limit.expired():
                raise
            late = DeadlineExceeded(f"no answer within {deadline:g} s", where=WHERE)
            error = HarnessError("the turn was cancelled", where=WHERE) if self._cancelled else late
        except ClawError as fault:
            error = fault
        finally:
            self._limit = None
        if error is not None:
            self._messages = before
            await self._client.close()
        total = turn.seconds()
        return TurnResult(
            text=text,
            error=Failure.of(error) if error else None,
            events=tuple(turn.events),
            usage=ReportedUsage(kind="per_turn", input=self._client.input, output=self._client.output),
            timing=Timing(total=total, own=max(total - turn.worked, 0.0)),
        )

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Bring changes of the main session into the conversation."""
        for change in changes:
            if change.after is not None and change.session == self._main.id:
                self._main = merged(change.before, change.after, self._main.with_messages(self._messages))
                self._messages = list(self._main.messages)

    async def checkpoint(self) -> Checkpoint:
        """The messages as the model has seen them, and will see them again."""
        return Checkpoint(sessions=(self._main.with_messages(self._messages), *self._others))

    async def cancel(self) -> None:
        """End the turn under way."""
        if self._limit is not None:
            self._cancelled = True
            self._limit.reschedule(asyncio.get_running_loop().time())

    async def close(self) -> None:
        """Close the connection to the endpoint."""
        await self._client.close()

    async def _work(self, prompt: str, turn: _Turn) -> str:
        """Ask and execute until the turn is over; returns the last thing that was said."""
        self._say("user", f"{prompt}\n\n{RULE}")
        while True:
            said = await self._ask(turn)
            command = command_of(said, self._environment.command_names)
            if command.lower() in STOP_WORDS:
                return self._stop(turn, "done", command, said.strip())
            self._say("assistant", command)
            over = await self._answer(command, turn)
            if rule := turn.rule() or ("over" if over else ""):
                return self._stop(turn, rule, STOPPED[rule], STOPPED[rule])

    def _stop(self, turn: _Turn, rule: str, kept: str, text: str) -> str:
        self._say("assistant", kept)
        turn.note("stopped", text, rule=rule)
        return text

    async def _answer(self, command: str, turn: _Turn) -> bool:
        """Execute a command and show what it printed, or say that none was given; True if nothing more is executed."""
        if not command:
            turn.silences += 1
            self._say("user", NO_COMMAND)
            return False
        turn.silences = 0
        call, began = f"command-{self._number}", turn.seconds()
        turn.command(call, command)
        printed = await self._environment.execute(command)
        turn.worked += turn.seconds() - began
        turn.printed(call, printed)
        self._say("user", f"[exit {printed.status}]\n{printed.text}")
        return printed.over

    async def _ask(self, turn: _Turn) -> str:
        """The model's next message; empty where its provider's filter took it away.

        Raises:
            EndpointError: there is none.
        """
        messages, note = self._history.shown(self._messages)
        if note:
            turn.note("history", note)
        failed = 0
        while True:
            began = turn.seconds()
            try:
                return await self._client.ask(messages)
            except ChatRefused as refused:
                error = refused.error
                if isinstance(error, EndpointFilteredError):
                    turn.note("filtered", error.what)
                    return ""
                if refused.too_long and (note := self._history.tighten()):
                    turn.note("history", note)
                    messages, _ = self._history.shown(self._messages)
                    continue
                if not refused.again or failed == self._options.retries:
                    raise error from None
                turn.note("retry", error.what)
                await asyncio.sleep(self._options.retry_pause * 2**failed)
                failed += 1
            finally:
                turn.worked += turn.seconds() - began

    def _say(self, role: Role, text: str) -> None:
        self._number += 1
        self._messages.append(Message(id=f"{_ID}{self._number}", role=role, text=text))
