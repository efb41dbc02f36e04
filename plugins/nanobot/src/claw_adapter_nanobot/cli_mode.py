"""The fallback: NanoBot's command line, started once per turn.

Its exit status is 0 whatever happens and its output is wrapped like a terminal's, so the answer is taken from the session
it leaves behind, and so are the steps of the turn; of a reply that ran into the length limit only the last part is seen.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from claw_adapter.command import refuse_argument
from claw_adapter.command.turns import OpenTurn
from claw_adapter.drivers import Completed
from claw_adapter.errors import AdapterError, ClawError, DeadlineExceeded, HarnessCrash
from claw_adapter.frameworks import Installed
from claw_adapter.harness import Checkpoint, Conversation, SessionChange, TrialContext, TurnResult
from claw_adapter_nanobot.conversation import take_in
from claw_adapter_nanobot.lasting import reply_of
from claw_adapter_nanobot.state import State
from claw_adapter_nanobot.steps import steps
from claw_adapter_nanobot.store import file_name, session_key

__all__ = ["CliConversation", "cleaned"]

TAIL: Final = 2000
_HEAD: Final = re.compile(r"\A.*?^🐈 nanobot[^\n]*\n", re.DOTALL | re.MULTILINE)


def cleaned(output: str) -> str:
    """The answer in what the command prints: without the preamble up to its name, and without the blank lines around."""
    return _HEAD.sub("", output, count=1).strip()


class CliConversation(Conversation):
    """Between turns there is only the state directory."""

    def __init__(
        self, ctx: TrialContext, program: Sequence[str], there: Installed, state: State, env: Mapping[str, str]
    ) -> None:
        self._ctx = ctx
        self._program = program
        self._there = there
        self._state = state
        self._env = env
        self._main = ctx.main.id

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One run of the command; its exit status says nothing, so the session it leaves behind is looked at."""
        turn, clock = OpenTurn(), time.time()
        try:
            self._refuse(prompt)
            done = await self._ctx.run(self._command(prompt), deadline, env=self._env, readable=self._there.readable)
            turn.inside = done.duration
            reply = self._reply(done, deadline)
            turn.events = steps(self._state.sessions / file_name(self._main), clock)
            take_in(turn, reply)
        except ClawError as fault:
            turn.error = fault
        return turn.result()

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Rewrite the changed sessions; the next run reads them."""
        self._state.change(changes)

    async def checkpoint(self) -> Checkpoint:
        """The sessions as the last run left them."""
        return self._state.checkpoint(self._main)

    async def close(self) -> None:
        """Nothing runs between turns."""

    def _command(self, prompt: str) -> list[str]:
        where = ["-w", str(self._ctx.inside(self._ctx.workspace)), "-c", str(self._ctx.inside(self._state.config))]
        return [*self._program, "agent", "-m", prompt, "-s", session_key(self._main), *where, "--no-markdown"]

    @staticmethod
    def _refuse(prompt: str) -> None:
        remedy = "Use the option mode: bridge."
        refuse_argument(prompt, remedy)
        if prompt.strip().startswith("/"):
            raise AdapterError("a prompt that begins with '/' would be a command to it", remedy=remedy)

    def _reply(self, done: Completed, deadline: float) -> dict[str, Any]:
        if done.timed_out:
            raise DeadlineExceeded(f"no answer within {deadline:g} s", where="nanobot agent")
        text = cleaned(done.stdout.text)
        if not done.exit.ok:
            words = (done.stderr.text.strip() or text)[-TAIL:]
            raise HarnessCrash(f"nanobot ended with {done.exit}: {words}", where="nanobot agent")
        said, usage = self._state.store.last_turn(self._state.sessions, self._main)
        return reply_of(said, usage, text)
