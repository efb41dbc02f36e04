"""One conversation with Claude Code: a process that lives through it, or one per turn, over the same session file."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from claw_adapter.command.turns import OpenTurn, over
from claw_adapter.errors import ClawError, DeadlineExceeded, HarnessError, HarnessProtocolError
from claw_adapter.harness import Checkpoint, Conversation, SessionChange, TrialContext, TurnResult
from claw_adapter_claude_code.options import Options
from claw_adapter_claude_code.program import Program, spoken
from claw_adapter_claude_code.state import State
from claw_adapter_claude_code.stream import Outcome

if TYPE_CHECKING:
    from claw_adapter_claude_code.acp import AcpProgram

__all__ = ["ClaudeConversation"]

EXIT_SECONDS: Final = 5.0
"""What it may take to end by itself between turns; it has nothing to do then."""
GRACE_SECONDS: Final = 1.0
WRITE_SECONDS: Final = 5.0
PAUSE_SECONDS: Final = 0.02
LATE_SECONDS: Final = 0.5
"""How long after the deadline a process whose turn has ended in time may end by itself; `send` has one second."""


class ClaudeConversation(Conversation):
    """The modes differ in how the program is spoken to, and in whether it is let go after a turn."""

    def __init__(self, ctx: TrialContext, options: Options, state: State) -> None:
        self._ctx = ctx
        self._options = options
        self._state = state
        self._program: Program | AcpProgram | None = None
        self._failed = False
        self._busy = False
        self._cancelled = False
        self._answer = ""

    async def start(self, deadline: float) -> Program | AcpProgram:
        """Start the process that the next prompt goes to."""
        if self._options.mode == "acp":
            from claw_adapter_claude_code.acp import AcpProgram

            self._program = await AcpProgram.start(self._ctx, self._options, self._state, deadline)
        else:
            self._program = await Program.start(self._ctx, self._options, self._state, deadline)
        return self._program

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One turn. After any failure but a cancelled turn the conversation is over; the way on is `Harness.open`."""
        turn = OpenTurn()
        self._busy, self._cancelled = True, False
        size = self._state.size
        outcome = await self._turn(prompt, turn.began + deadline)
        self._busy = False
        turn.inside = time.monotonic() - turn.began - outcome.own
        turn.text, turn.events, turn.usage = outcome.text, outcome.events, outcome.usage
        turn.error = HarnessError("the turn was cancelled") if self._cancelled else outcome.error
        if turn.error is not None:
            # The prompt of a failed turn stays in the session, with a notice in the model's name.
            self._failed = self._failed or not self._cancelled or self._options.mode == "acp"
            await self._end(0.0)
            if not self._failed:
                self._state.forget(spoken(prompt), size)
        else:
            self._answer = outcome.text
        return turn.result()

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Bring a changed main session into its file; a process that is running is replaced, for it would not read it."""
        if not changes:
            return
        self._refuse_after_failure()
        await self._let_go(EXIT_SECONDS)
        self._answer = ""
        self._state.change(changes)

    async def checkpoint(self) -> Checkpoint:
        """The session as it stands in its file. Claude Code writes by the way: the last answer may come a moment later.

        Raises:
            HarnessProtocolError: the session is not readable, or the last answer does not come.
        """
        self._refuse_after_failure()
        end = time.monotonic() + WRITE_SECONDS
        while True:
            try:
                return self._written()
            except HarnessProtocolError:
                if time.monotonic() > end:
                    raise
            await asyncio.sleep(PAUSE_SECONDS)

    async def cancel(self) -> None:
        """Stop the turn under way; its `send` returns with an error."""
        if self._busy and self._program is not None:
            self._cancelled = True
            await self._program.cancel()

    async def close(self) -> None:
        """End the process and everything it started."""
        await self._end(GRACE_SECONDS)

    async def _turn(self, prompt: str, end: float) -> Outcome:
        try:
            self._refuse_after_failure()
            program = self._program or await self._started(end - time.monotonic())
            outcome = await program.turn(prompt, max(end - time.monotonic(), 0.0))
            if self._options.mode == "turn" and outcome.error is None:
                await self._let_go(min(end - time.monotonic() + LATE_SECONDS, EXIT_SECONDS))
        except ClawError as fault:
            return Outcome(error=fault)
        return outcome

    async def _started(self, seconds: float) -> Program | AcpProgram:
        try:
            async with asyncio.timeout(seconds):
                return await self.start(seconds)
        except TimeoutError as error:
            raise DeadlineExceeded(f"Claude Code did not come up within {seconds:g} s") from error

    async def _let_go(self, seconds: float) -> None:
        """Let the process end by itself."""
        if self._program is not None:
            await self._program.finish(seconds)
        await self._end(0.0)

    async def _end(self, grace: float) -> None:
        program, self._program = self._program, None
        if program is not None and (left := await program.close(grace)):
            self._ctx.log.warning("%s: processes still there after being killed: %d", "Claude Code", left)

    def _written(self) -> Checkpoint:
        """The checkpoint if the last answer is in it; the session may have more of that reply before it."""
        found = self._state.checkpoint()
        messages = found.sessions[0].messages
        if self._answer and not (messages and messages[-1].text.endswith(self._answer)):
            raise HarnessProtocolError("the last answer is not in the session", where=str(self._state.file))
        return found

    def _refuse_after_failure(self) -> None:
        if self._failed:
            raise over("the last turn failed and its prompt is still in Claude Code's session")
