"""One conversation with PicoClaw: its command once per turn, over the same session."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from claw_adapter.command import refuse_argument
from claw_adapter.drivers import Completed
from claw_adapter.errors import (
    AdapterError,
    ClawError,
    DeadlineExceeded,
    HarnessCrash,
    HarnessError,
    HarnessProtocolError,
)
from claw_adapter.harness import (
    Checkpoint,
    Conversation,
    Failure,
    SessionChange,
    Timing,
    TrialContext,
    TurnResult,
)
from claw_adapter_picoclaw.failures import answered, ended
from claw_adapter_picoclaw.options import SCRIPT, interpreter
from claw_adapter_picoclaw.state import State
from claw_adapter_picoclaw.store import session_key
from claw_adapter_picoclaw.trace import Trace

__all__ = ["TurnConversation", "answer", "refuse"]

COMMANDS: Final = frozenset(
    "start help stop show list use btw switch check clear context subagents reload".split()  # noqa: SIM905  # readable
)
"""What PicoClaw takes for a command of its own behind ``/`` or ``!``; ``clear`` empties the session."""
_COMMAND: Final = re.compile(r"\s*[/!]([^\s@]+)")
_MARK: Final = "\n🦞 "


def answer(output: str) -> str:
    """The answer in what the command prints: between its mark and the line end it adds.

    Before the mark stand a banner, notices about the time zone, and log lines; the answer is the model's text, character for
    character, so nothing is taken out of it.

    Raises:
        HarnessProtocolError: there is no mark.
    """
    before, mark, text = output.partition(_MARK)
    if not mark:
        raise HarnessProtocolError(f"printed no answer: {before[-500:]!r}", where="picoclaw agent")
    return text.removesuffix("\n")


def refuse(prompt: str) -> None:
    """Refuse what would not arrive whole as a question.

    Raises:
        AdapterError: too long for an argument, empty, no text, or a command of PicoClaw.
    """
    refuse_argument(prompt)
    found = _COMMAND.match(prompt)
    if found and found[1].lower() in COMMANDS:
        remedy = "Begin the question with another word."
        raise AdapterError(f"a prompt that begins with {found[0].strip()!r} is a command of PicoClaw", remedy=remedy)


class TurnConversation(Conversation):
    """Between turns there are only files."""

    def __init__(self, ctx: TrialContext, program: Path, state: State) -> None:
        self._ctx = ctx
        self._program = program
        self._state = state
        self._failed = False
        self._running: asyncio.Task[Completed] | None = None

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One run of the command.

        After a failure its prompt stays in the session; the way on is `Harness.open`. Of a cancelled turn nothing stays there.
        """
        started = time.monotonic()
        inside, text, trace = 0.0, "", Trace()
        error: ClawError | None = None
        try:
            refuse(prompt)
            self._refuse_after_failure()
            before = self._state.native()
            self._failed = True
            self._state.next_turn()
            done = await self._run(prompt, deadline)
            inside = done.duration if done else time.monotonic() - started
            trace = Trace.read(self._state.trace, started)
            if done is None:
                self._forget(before)
                raise HarnessError("the turn was cancelled", where="picoclaw agent")
            text = self._text(done, deadline)
            error = answered(text, trace)
            self._failed = error is not None
            trace = trace if error else trace.trusted()
        except ClawError as fault:
            error = fault
        total = time.monotonic() - started
        return TurnResult(
            text="" if error else text,
            error=Failure.of(error) if error else None,
            events=trace.events,
            usage=trace.usage,
            timing=Timing(total=total, own=max(total - inside, 0.0)),
        )

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Rewrite the changed sessions; the next run reads them."""
        if changes:
            self._state.change(changes)

    async def checkpoint(self) -> Checkpoint:
        """The session as the last run left it."""
        return self._state.checkpoint()

    async def cancel(self) -> None:
        """Kill the run of the turn under way with all that it started; back when nothing of it is alive."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.wait({running})

    async def close(self) -> None:
        """Nothing runs between turns; a turn under way is cancelled."""
        await self.cancel()

    async def _run(self, prompt: str, deadline: float) -> Completed | None:
        """The run of the command; None if `cancel` ended it."""
        argv = [str(self._program), "agent", "-s", session_key(self._state.main), "-m", prompt]
        readable = [self._program, SCRIPT, interpreter()]
        work = self._ctx.run(argv, deadline, env=self._state.environment(), readable=readable)
        self._running = asyncio.ensure_future(work)
        try:
            return await self._running
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # it is `send` itself that is given up, and its run with it
                raise
            return None
        finally:
            self._running = None

    def _forget(self, before: Mapping[str, bytes]) -> None:
        """Make the session what it was before the turn: it may hold the prompt, half an answer, or a torn line."""
        self._state.put_back(before)
        self._failed = False

    def _text(self, done: Completed, deadline: float) -> str:
        if done.timed_out:
            raise DeadlineExceeded(f"no answer within {deadline:g} s", where="picoclaw agent")
        if not done.exit.ok:
            raise ended(str(done.exit), done.stderr.text)
        # A very long answer is not kept whole by the driver; the session has it, too.
        return self._state.last_text() if done.stdout.truncated else answer(done.stdout.text)

    def _refuse_after_failure(self) -> None:
        if self._failed:
            raise HarnessCrash(
                "the last turn failed and its prompt is still in PicoClaw's session",
                remedy="Open the conversation again from the last checkpoint.",
            )
