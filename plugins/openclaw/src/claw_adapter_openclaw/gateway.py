"""One OpenClaw gateway: start it, wait until our plugin in it answers, talk to it, end it with everything it started.

Prompts go over its HTTP endpoint; `claw_adapter_openclaw.acp` lets them go over ACP.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from claw_adapter.drivers.http import HttpChild, ServerFailed, ServerRefused
from claw_adapter.errors import HarnessProtocolError, HarnessStartError
from claw_adapter.frameworks import Installed
from claw_adapter.harness import TrialContext
from claw_adapter_openclaw.answers import Answer, answer_of
from claw_adapter_openclaw.configuration import STATE
from claw_adapter_openclaw.options import AGENT
from claw_adapter_openclaw.traces import Traces

if TYPE_CHECKING:
    from claw_adapter.drivers import Process

__all__ = ["Gateway"]

ENTRY: Final = ("openclaw", "openclaw.mjs")
CHAT: Final = "/v1/chat/completions"
BRIDGE: Final = "/claw-bridge"
READY: Final = "/readyz"
PAUSE_SECONDS: Final = 0.1
STEP_SECONDS: Final = 60.0
"""Most that anything but a turn may take."""


class Gateway:
    """A running gateway for prompts into one session; use `start`."""

    lines: ClassVar[bool] = False
    """Whether something in it speaks lines on standard output."""
    filled: int = 0
    """Tokens that the main session has, or a few more; whoever prompts says so."""

    def __init__(self, process: Process, http: HttpChild, traces: Traces, configuration: Mapping[str, Any]) -> None:
        self._process, self._http = process, http
        self._traces, self._configuration = traces, configuration

    @classmethod
    async def start(
        cls,
        ctx: TrialContext,
        there: Installed,
        env: Mapping[str, str],
        *,
        port: int,
        token: str,
        key: str,
        configuration: Mapping[str, Any],
    ) -> Self:
        """Start it and wait until its plugins are up and its configuration is complete; `key` is the main session's.

        It starts with the configuration named in `env`, to which `configuration` is added.

        Raises:
            HarnessStartError: it ended, or did not answer in time; the end of its output is in the message.
        """
        traces = Traces(ctx.state_dir / STATE)
        await traces.register(ctx)
        argv = cls.command(str(there.node), str(there.modules.joinpath(*ENTRY)), port, key)
        process = await ctx.spawn(argv, env=env, readable=there.readable, listens=port, lines=cls.lines)
        headers = {"Authorization": f"Bearer {token}", "x-openclaw-session-key": key}
        try:
            reach = ctx.reach(port)
            http = HttpChild(f"http://127.0.0.1:{reach.port}", process=process, socket=reach.socket, headers=headers)
        except BaseException:
            await process.stop(0)
            raise
        gateway = cls(process, http, traces, configuration)
        try:
            await gateway._ready(ctx.deadline)
        except BaseException:
            await gateway.close()
            raise
        return gateway

    @classmethod
    def command(cls, node: str, entry: str, port: int, key: str) -> list[str]:
        """The command line."""
        del key
        return [node, entry, "gateway", "run", "--port", str(port)]

    async def attach(self, workspace: Path, window: int, deadline: float) -> None:
        """Whatever is to be done between the sessions' being written and the first prompt.

        Args:
            workspace: as the gateway sees it.
            window: tokens of the model's window, as it is told them.
            deadline: seconds.
        """

    async def chat(self, prompt: str, deadline: float) -> Answer:
        """One turn in the main session.

        Raises:
            DeadlineExceeded: no answer in time; the gateway is still in mid turn: close it.
            HarnessCrash: it has ended.
        """
        body = {"model": f"openclaw/{AGENT}", "messages": [{"role": "user", "content": prompt}]}
        try:
            said = await self._http.request("POST", CHAT, body, deadline=deadline)
        except (ServerFailed, ServerRefused) as error:
            return Answer(error.status, error=error.what)
        return answer_of(said)

    async def bridge(
        self, operation: str, key: str, *, deadline: float = STEP_SECONDS, **more: Any
    ) -> Mapping[str, Any]:
        """Call our plugin inside the gateway (see ``bridge/index.mjs``).

        Raises:
            HarnessProtocolError: the plugin or OpenClaw refused.
            DeadlineExceeded, HarnessCrash: see `chat`.
        """
        call = {"op": operation, "agent": AGENT, "key": key, **more}
        try:
            said = await self._http.request("POST", BRIDGE, call, deadline=deadline)
        except (ServerFailed, ServerRefused) as error:
            raise HarnessProtocolError(f"OpenClaw refused to {operation} a session: {error.what}", where=key) from error
        return said if isinstance(said, Mapping) else {}

    async def close(self) -> int:
        """End it and everything it started, at once; returns how many processes could not be ended."""
        await self._http.close()
        left = await self._process.stop(0)
        self._traces.remove()
        return left

    async def _ready(self, deadline: float) -> None:
        """Wait for the gateway, then for its plugins, which come up after it; ours completes the configuration."""
        end = time.monotonic() + deadline
        await self._http.wait_ready(READY, deadline)
        while True:
            left = end - time.monotonic()
            try:
                await self.bridge("configure", "", deadline=max(left, PAUSE_SECONDS), config=self._configuration)
            except HarnessProtocolError as error:
                if left < 0:
                    what = f"OpenClaw's plugins did not come up within {deadline:g} s: {error.what}"
                    raise HarnessStartError(what, where="gateway") from error
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                return
