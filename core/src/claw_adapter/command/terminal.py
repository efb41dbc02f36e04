"""A program that speaks to people only: one process on a terminal for the whole conversation."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from claw_adapter.command.conversation import CommandConversation
from claw_adapter.errors import AdapterError, HarnessCrash, HarnessStartError

if TYPE_CHECKING:
    from claw_adapter.drivers.pty import PtyProcess

__all__ = ["TerminalConversation"]


class TerminalConversation(CommandConversation):
    """Started with the first turn, and anew after sessions have changed."""

    _child: PtyProcess | None = None

    async def ask(self, prompt: str, deadline: float) -> None:
        """Type the prompt, and wait until the program waits for the next one."""
        how, end = self._about.terminal, time.monotonic() + deadline
        if how is None:
            raise AdapterError("its description has no terminal", where=self._about.name)
        typed = prompt.encode("utf-8", "replace")
        if how.after and how.after in typed:
            raise AdapterError("the prompt holds the mark that would end it", where=self._about.name)
        if self._child is None:
            start = self._start
            self._child = await self._ctx.terminal(start.argv, env=start.env, readable=start.readable, size=how.size)
            try:
                await self._child.expect(how.ready, end - time.monotonic())
            except HarnessCrash as error:
                raise HarnessStartError(error.what, where=error.where, remedy="Look at its output.") from error
        await self._child.send(how.before + typed + how.after, end - time.monotonic())
        await self._child.expect(how.ready, end - time.monotonic())

    async def end(self) -> None:
        """End the program."""
        child, self._child = self._child, None
        if child is not None and (left := await child.stop(0)):
            self._ctx.log.warning("%s: processes still there after being killed: %d", self._about.name, left)
