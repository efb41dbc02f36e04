"""NanoBot's own server (``nanobot serve``): one process for the whole conversation, one HTTP request per turn.

Its answer has the text and the usage, no tool calls, and status 200 when the model failed: the session file tells the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from claw_adapter.command.data import at
from claw_adapter.drivers.http import HttpChild, ServerFailed, ServerRefused
from claw_adapter.drivers.ports import free_port
from claw_adapter.errors import AdapterError, ClawError, HarnessError, HarnessStartError
from claw_adapter.frameworks import Installed
from claw_adapter.harness import TrialContext
from claw_adapter_nanobot.lasting import LastingConversation
from claw_adapter_nanobot.state import State

if TYPE_CHECKING:
    from claw_adapter.drivers import Process

__all__ = ["CHANNEL", "ServeConversation"]

CHANNEL: Final = "api"
"""What its server puts in front of the session's id."""
PATIENCE: Final = "86400"
BODY_BYTES: Final = 18_000_000
"""Its server takes requests of up to 20 MB."""


class ServeConversation(LastingConversation):
    """A ``nanobot serve`` that is started with the first turn, and anew after a change of sessions."""

    def __init__(
        self,
        ctx: TrialContext,
        program: Sequence[str],
        there: Installed,
        state: State,
        env: Mapping[str, str],
        token: str,
    ) -> None:
        super().__init__(state, ctx.main.id)
        self._ctx = ctx
        self._program = program
        self._there = there
        self._env = env
        self._token = token
        self._process: Process | None = None
        self._http: HttpChild | None = None

    async def start(self, deadline: float) -> None:
        """Start the server and wait until it answers.

        Raises:
            HarnessStartError: it ended, or did not answer in time.
        """
        if self._http is not None:
            return
        port = free_port()
        where = ["-w", str(self._ctx.inside(self._ctx.workspace)), "-c", str(self._ctx.inside(self._state.config))]
        argv = [*self._program, "serve", "-H", "127.0.0.1", "-p", str(port), "-t", PATIENCE, *where]
        self._process = await self._ctx.spawn(argv, env=self._env, readable=self._there.readable, listens=port)
        reach = self._ctx.reach(port)
        try:
            headers = {"Authorization": f"Bearer {self._token}"}
            url = f"http://127.0.0.1:{reach.port}"
            self._http = HttpChild(url, process=self._process, socket=reach.socket, headers=headers)
            await self._http.wait_ready("/health", deadline)
        except ClawError as error:
            await self.end()
            said = f"NanoBot's server does not come up: {error.what}"
            raise HarnessStartError(said, where="nanobot serve", remedy=error.remedy) from error
        except BaseException:
            await self.end()
            raise

    async def ask(self, prompt: str, deadline: float) -> str:
        """One request; its server takes the prompt alone, the session is its own."""
        body = {"messages": [{"role": "user", "content": prompt}], "session_id": self._main}
        if self._http is None:
            raise AdapterError("NanoBot's server was not started", where="nanobot serve")
        try:
            said = await self._http.request("POST", "/v1/chat/completions", body, deadline=deadline)
        except (ServerFailed, ServerRefused) as error:
            raise HarnessError(f"NanoBot's server refused: {error.what}", where="nanobot serve") from error
        return str(at(said, "choices.0.message.content") or "")

    async def end(self) -> None:
        """End the server, at once: all that counts of a turn is on disk before `send` returns."""
        http, self._http = self._http, None
        process, self._process = self._process, None
        if http is not None:
            await http.close()
        if process is not None and (left := await process.stop(0)):
            self._ctx.log.warning("%s: processes still there after being killed: %d", "NanoBot", left)

    def refuse(self, prompt: str) -> None:
        """Refuse what its server would not take as a question."""
        if prompt.strip().startswith("/"):
            raise AdapterError(
                "a prompt that begins with '/' would be a command to it", remedy="Use the option mode: bridge."
            )
        if not prompt.strip() or len(prompt.encode()) > BODY_BYTES:
            what = f"an empty prompt, or one of more than {BODY_BYTES} bytes, is not taken by its server"
            raise AdapterError(what, remedy="Use the option mode: bridge.")
