"""One process of Claude Code: prompts go in as lines of JSON, records come out, until the one that ends the turn."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final, Self

from claw_adapter.command import find_installed
from claw_adapter.drivers import Process
from claw_adapter.errors import (
    ClawError,
    DeadlineExceeded,
    HarnessCrash,
    HarnessNotFound,
    HarnessStartError,
)
from claw_adapter.frameworks import Framework, Installed
from claw_adapter.harness import TrialContext
from claw_adapter_claude_code.configuration import MCP, arguments, environment
from claw_adapter_claude_code.failures import failure
from claw_adapter_claude_code.options import Options
from claw_adapter_claude_code.state import State
from claw_adapter_claude_code.stream import Outcome, Turn

__all__ = ["REMEDY", "Program", "executable", "framework", "installed", "spoken"]

REMEDY: Final = "claw frameworks install claude-code"
TAIL: Final = 2000
EXIT_SECONDS: Final = 1.0


def framework() -> Framework:
    """The version of Claude Code that this adapter was made for."""
    return Framework.load(Path(__file__).parent / "framework" / "framework.toml")


def installed() -> Installed:
    """Where it is.

    Raises:
        HarnessNotFound: it is not installed.
    """
    wanted = framework()
    there = find_installed(wanted)
    if executable(there) is None:
        what = f"the program of {wanted.title} {wanted.version} is gone from {there.modules}"
        raise HarnessNotFound(what, where="harness claude-code", remedy=f"Run: {REMEDY}")
    return there


def executable(there: Installed) -> Path | None:
    """The program itself. It comes in a package of its own for each kind of machine, and only the right one is installed."""
    found = sorted((there.modules / "@anthropic-ai").glob("claude-code-*/claude"))
    return found[0] if found else None


def spoken(prompt: str) -> str | list[dict[str, str]]:
    """The content of a user's message.

    What begins with ``/`` would be a command, known or not; with an empty piece behind it, which is left out, it is text.
    """
    if not prompt.startswith("/"):
        return prompt
    return [{"type": "text", "text": piece} for piece in (prompt, "")]


class Program:
    """A running Claude Code, confined like everything of the trial."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, ctx: TrialContext, options: Options, state: State, deadline: float) -> Self:
        """Start it over the session; it says nothing before the first prompt.

        Raises:
            HarnessNotFound: it is not installed.
        """
        del deadline  # there is nothing to wait for
        there = installed()
        session = ["--resume", str(ctx.inside(state.file))] if state.exists else ["--session-id", state.uuid]
        servers = ["--mcp-config", str(ctx.inside(state.folder / MCP))] if ctx.mcp else []
        argv = [str(executable(there)), *arguments(options), *servers, *session]
        env = environment(ctx, options, state.config)
        return cls(await ctx.spawn(argv, env=env, readable=there.readable, lines=True))

    async def turn(self, prompt: str, deadline: float) -> Outcome:
        """Say a prompt and take in what comes until the turn's end; what goes wrong is in the outcome."""
        turn = Turn()
        error: ClawError | None
        try:
            async with asyncio.timeout(deadline):
                await self._exchange(prompt, turn)
            error = failure(turn.result)
        except TimeoutError:
            error = DeadlineExceeded(f"no answer within {deadline:g} s", where="claude -p")
        except ClawError as fault:
            error = fault
        return Outcome(str(turn.result.get("result") or ""), error, turn.events, turn.usage(), turn.own)

    async def cancel(self) -> None:
        """Ask it to stop the turn under way."""
        await self._say({"type": "control_request", "request_id": "1", "request": {"subtype": "interrupt"}})

    async def finish(self, seconds: float) -> None:
        """Let it end by itself, which is when it has written everything."""
        self._process.close_stdin()
        await self._process.ended(seconds)

    async def close(self, grace: float) -> int:
        """End it with all that it started; the number of processes that could not be ended."""
        return await self._process.stop(grace)

    async def _exchange(self, prompt: str, turn: Turn) -> None:
        await self._say({"type": "user", "message": {"role": "user", "content": spoken(prompt)}})
        while line := await self._process.readline():
            if turn.hear(line):
                return
        raise await self._ended()

    async def _say(self, record: dict[str, Any]) -> None:
        try:
            await self._process.write(json.dumps(record).encode() + b"\n")
        except HarnessCrash as error:
            raise await self._ended() from error

    async def _ended(self) -> HarnessCrash | HarnessStartError:
        await self._process.ended(EXIT_SECONDS)
        await self._process.drained(EXIT_SECONDS)
        status = self._process.exit or "closed its output but runs on"
        said = self._process.stderr.text[-TAIL:].strip()
        kind = HarnessStartError if "could not start" in said else HarnessCrash
        return kind(f"Claude Code ended with {status}: {said or 'it said nothing'}", where=self._process.argv[0])
