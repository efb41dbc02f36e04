"""Prompts over ACP: OpenClaw's own bridge (``openclaw acp``) beside its gateway, in one process tree and one isolation.

Only the prompt goes another way; sessions, updates and failures are the same as over HTTP, because a turn that failed looks
over ACP like one that ended without text (see QUIRKS.md).
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import ClassVar, Final

from claw_adapter.drivers.acp import AcpChild
from claw_adapter.errors import DeadlineExceeded, HarnessCrash, HarnessProtocolError
from claw_adapter_openclaw.answers import OK, Answer
from claw_adapter_openclaw.gateway import Gateway
from claw_adapter_openclaw.steps import guessed

__all__ = ["AcpGateway"]

FAILED: Final = 500
KEPT: Final = "\t\n"
GAP: Final = "\n\n"
"""Between a text before tool calls and the reply, to the bridge one text: if it had the time to show the first, the gap begins
the second."""
KEPT_TOKENS: Final = 20_000
"""What it keeps free of the window, a quarter of it at most, before a prompt that the bridge brings."""
GO: Final = b"go\n"
SCRIPT: Final = (
    # The gateway's end is the end of the bridge, whose process this shell becomes; standard output is the bridge's alone.
    '("$1" "$2" gateway run --port "$3" </dev/null >&2; kill -KILL $$) & '
    'read -r go; exec "$1" "$2" acp --session "$4" --no-prefix-cwd'
)


class AcpGateway(Gateway):
    """A gateway with an ACP bridge; the bridge is started when the gateway is up."""

    lines: ClassVar[bool] = True
    _agent: AcpChild | None = None
    _session: str = ""
    _window: int = 0

    @classmethod
    def command(cls, node: str, entry: str, port: int, key: str) -> list[str]:
        """A shell that starts both."""
        return ["/bin/sh", "-c", SCRIPT, "sh", node, entry, str(port), key]

    async def _ready(self, deadline: float) -> None:
        await super()._ready(deadline)
        await self._process.write(GO)

    async def attach(self, workspace: Path, window: int, deadline: float) -> None:
        """Wait for the bridge, and begin its session, which is the main session."""
        self._window = window
        self._agent = await AcpChild.connect(self._process, deadline=deadline)
        self._session = await self._agent.new_session(workspace, deadline)

    async def chat(self, prompt: str, deadline: float) -> Answer:
        """See `Gateway.chat`."""
        if self._agent is None:
            raise HarnessCrash("the bridge has not been started", where="openclaw acp")
        if not _arrives(prompt) or self._summarised(prompt):
            return await super().chat(prompt, deadline)
        turn = await self._agent.prompt(self._session, prompt, deadline)
        if isinstance(turn.error, HarnessCrash | DeadlineExceeded | HarnessProtocolError):
            raise turn.error
        if not turn.stop:
            return Answer(FAILED, error=turn.error.what if turn.error else "")
        return Answer(OK, turn.text.removeprefix(GAP), streamed=True)

    def _summarised(self, prompt: str) -> bool:
        """Whether the bridge's prompt would have the past summarised first; over HTTP its being switched off holds.

        OpenClaw may guess more than we do: it counts the last reply twice, and what an update has said since.
        """
        free = self._window - min(KEPT_TOKENS, self._window // 4) - self._window // 16
        return self.filled + guessed(prompt) >= free

    async def close(self) -> int:
        """See `Gateway.close`."""
        agent, self._agent = self._agent, None
        try:
            if agent is not None:
                await agent.close(0)
        finally:  # one who cancels, too, wants it ended
            left = await super().close()
        return left


def _arrives(prompt: str) -> bool:
    """Whether the bridge hands a prompt on as it is; over HTTP every one arrives.

    It takes what begins with a slash for a command, whatever the configuration says, drops control characters, makes line
    feeds of other line ends, and normalises letters.
    """
    odd = any(letter not in KEPT and unicodedata.category(letter) == "Cc" for letter in prompt)
    return not (prompt.lstrip().startswith("/") or odd or not unicodedata.is_normalized("NFC", prompt))
