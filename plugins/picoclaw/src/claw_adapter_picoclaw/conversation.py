"""One conversation with PicoClaw: its command once per turn, over the same session."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Final

from claw_adapter.command import refuse_argument
from claw_adapter.command.turns import OpenTurn, TurnConversation
from claw_adapter.drivers import Completed
from claw_adapter.errors import AdapterError, DeadlineExceeded, HarnessProtocolError
from claw_adapter.harness import TrialContext
from claw_adapter_picoclaw.failures import answered, ended
from claw_adapter_picoclaw.options import SCRIPT, interpreter
from claw_adapter_picoclaw.state import State
from claw_adapter_picoclaw.store import session_key
from claw_adapter_picoclaw.trace import Trace

__all__ = ["PicoClawConversation", "answer", "refuse"]

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


class PicoClawConversation(TurnConversation):
    """One run of the command per turn; between turns there are only files."""

    def __init__(self, ctx: TrialContext, program: Path, state: State) -> None:
        super().__init__("picoclaw agent", state)
        self._ctx = ctx
        self._program = program
        self._state = state

    def refuse(self, prompt: str) -> None:
        """See `refuse`."""
        refuse(prompt)

    async def turn(self, prompt: str, deadline: float, turn: OpenTurn) -> None:
        """One run; the hook has written down what happened in it, whatever its end."""
        argv = [str(self._program), "agent", "-s", session_key(self._state.main), "-m", prompt]
        readable = [self._program, SCRIPT, interpreter()]
        began = time.monotonic()
        try:
            done = await self._ctx.run(argv, deadline, env=self._state.environment(), readable=readable)
        finally:
            turn.inside = time.monotonic() - began
            trace = Trace.read(self._state.trace, turn.began)
            turn.events, turn.usage = trace.events, trace.usage
        turn.inside = done.duration
        turn.text = self._text(done, deadline)
        if error := answered(turn.text, trace):
            raise error
        trace = trace.trusted()
        turn.events, turn.usage = trace.events, trace.usage

    def _text(self, done: Completed, deadline: float) -> str:
        if done.timed_out:
            raise DeadlineExceeded(f"no answer within {deadline:g} s", where="picoclaw agent")
        if not done.exit.ok:
            raise ended(str(done.exit), done.stderr.text)
        # A very long answer is not kept whole by the driver; the session has it, too.
        return self._state.last_text() if done.stdout.truncated else answer(done.stdout.text)
