r"""NanoBot's interactive command on a terminal: what a person at the keyboard gets, one process for the whole conversation.

A prompt is pasted: between the marks of a bracketed paste line ends are text, and a carriage return after it sends it. The next
input line is the end of the turn; what NanoBot painted in between is a picture of the answer, so the answer itself is taken
from the session file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from claw_adapter.errors import AdapterError, ClawError, DeadlineExceeded, HarnessStartError
from claw_adapter.frameworks import Installed
from claw_adapter.harness import TrialContext
from claw_adapter_nanobot.lasting import LastingConversation
from claw_adapter_nanobot.state import State
from claw_adapter_nanobot.store import session_key

if TYPE_CHECKING:
    from claw_adapter.drivers.pty import PtyProcess

__all__ = ["PtyConversation", "painted"]

SIZE: Final = (50, 4000)
"""Rows and columns: so wide that an error's sentence stands on one line."""
TERMINAL: Final = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "COLUMNS": "4000", "LINES": "50"}
_READY: Final = rb"\x1b\[\?2004h"
"""NanoBot switches bracketed paste on when it waits for input, and off when it has it."""
_TAKEN: Final = rb"\x1b\[\?2004l"
_PASTE: Final = (b"\x1b[200~", b"\x1b[201~")
_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_=>78])")
_SPINNER: Final = re.compile(r"[\u2800-\u28ff] \S+ is thinking")
_WORDS: Final = frozenset(("exit", "quit", ":q"))


def painted(output: str) -> str:
    """What NanoBot said, in what it painted: without terminal sequences and its name."""
    text = _SEQUENCE.sub("", output).replace("\r", "\n")
    lines = [line.strip() for line in text.split("\n")]
    return "\n".join(
        line for line in lines if line and not line.startswith(("🐈", "You:")) and not _SPINNER.match(line)
    )


class PtyConversation(LastingConversation):
    """A ``nanobot agent --classic`` that is started with the first turn, and anew after a change of sessions."""

    def __init__(
        self, ctx: TrialContext, program: Sequence[str], there: Installed, state: State, env: Mapping[str, str]
    ) -> None:
        super().__init__(state, ctx.main.id)
        self._ctx = ctx
        self._program = program
        self._there = there
        self._env = {**env, **TERMINAL}
        self._child: PtyProcess | None = None

    async def start(self, deadline: float) -> None:
        """Start the command and wait until it asks for input.

        Raises:
            HarnessStartError: it ended, or did not ask in time.
        """
        if self._child is not None:
            return
        where = ["-w", str(self._ctx.inside(self._ctx.workspace)), "-c", str(self._ctx.inside(self._state.config))]
        argv = [*self._program, "agent", "--classic", "-s", session_key(self._main), *where, "--no-markdown"]
        self._child = await self._ctx.terminal(argv, env=self._env, readable=self._there.readable, size=SIZE)
        try:
            await self._child.expect(_READY, deadline)
        except (ClawError, DeadlineExceeded) as error:
            await self.end()
            what = f"NanoBot does not ask for input: {painted(error.what)}"
            remedy = "What it has printed says why; `nanobot agent` shows it without us."
            raise HarnessStartError(what, where="nanobot agent", remedy=remedy) from error
        except BaseException:
            await self.end()
            raise

    async def ask(self, prompt: str, deadline: float) -> str:
        """Paste the prompt, and wait for the next time that NanoBot asks for input."""
        if self._child is None:
            raise AdapterError("NanoBot was not started", where="nanobot agent")
        await self._child.send(_PASTE[0] + prompt.encode() + _PASTE[1] + b"\r", deadline)
        await self._child.expect(_TAKEN, deadline)
        heard = await self._child.expect(_READY, deadline)
        return painted(heard.text)

    async def end(self) -> None:
        """End the command, at once: all that counts of a turn is on disk before `send` returns."""
        child, self._child = self._child, None
        if child is not None and (left := await child.stop(0)):
            self._ctx.log.warning("%s: processes still there after being killed: %d", "NanoBot", left)

    def refuse(self, prompt: str) -> None:
        """Refuse what a paste would change, and what is a command to NanoBot."""
        remedy = "Use the option mode: bridge."
        if not prompt.strip():
            raise AdapterError("an empty prompt is passed over", remedy=remedy)
        if prompt.strip().startswith("/") or prompt.strip().lower() in _WORDS:
            raise AdapterError(f"{prompt.strip()[:20]!r} would be a command to it", remedy=remedy)
        if "\r" in prompt or "\x1b" in prompt:
            raise AdapterError("a carriage return or an escape character cannot be pasted unchanged", remedy=remedy)
