"""Runs in NanoBot's own interpreter and drives its Python interface for us: JSON lines in, JSON lines out.

Only the standard library and NanoBot are imported here. One call a line, answered by its id (events come before)::

    {"id": 1, "method": "open",   "params": {"config": "/state/config.json"}}       {"version", "tools"}; see `Bridge.open`
    {"id": 2, "method": "send",   "params": {"key": "cli:main", "prompt": "..."}}   {"text", "stop_reason", "error", ...}
    {"id": 3, "method": "reload", "params": {"keys": ["cli:ops"]}}                  {}    the files were rewritten
    {"id": 4, "method": "flush",  "params": {}}                                     {}    what is in memory is in files
    {"id": 5, "method": "cancel", "params": {}}                                     {"cancelled": true}
    {"id": 6, "method": "close",  "params": {}}                                     {}    and the process ends

Events of a turn: {"kind": "tool_call" | "tool_result" | "text" | "note", "at": seconds, ...}. The end of our input ends
the process.
"""
# ruff: noqa: ARG001, ARG002  # NanoBot's hooks and our own methods have one signature for all

from __future__ import annotations

import asyncio
import functools
import importlib.metadata
import runpy
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

Emit = Callable[[dict[str, Any]], None]
METHODS = ("open", "send", "reload", "flush", "cancel", "close")
PARTS = ("bridge", "hook", "lines")
"""The files of ours that NanoBot's interpreter reads."""


@functools.cache
def _beside(name: str) -> Any:
    """What a file of this folder defines; the interpreter does not look for modules here."""
    return SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name(f"{name}.py"))))


class Bridge:
    """One NanoBot instance and at most one turn at a time."""

    def __init__(self) -> None:
        self._bot: Any = None
        self._loop: Any = None
        self._turn: asyncio.Task[dict[str, Any]] | None = None
        self._note: Emit | None = None

    async def open(self, params: dict[str, Any], emit: Emit) -> dict[str, Any]:
        """Start NanoBot over its configuration; its sessions are in its files already.

        Also among the parameters: "denied", names of tools, and "pauses", seconds before each repetition of a request.
        The error "refused" is NanoBot's own; any other is met at what this file uses of it.
        """
        from loguru import logger  # type: ignore[import-not-found]

        logger.remove()
        logger.add(sys.stderr, level="WARNING")
        try:
            from nanobot import Nanobot

            self._bot = Nanobot.from_config(params["config"])
        except Exception as error:
            raise _beside("lines").Refused("refused", f"{type(error).__name__}: {error}") from error
        from nanobot.providers.base import LLMProvider

        self._loop = self._bot._loop  # noqa: SLF001  # no public way to what the next lines and `reload` need
        # A prompt that begins with "/" is a question to us, and a command (such as /new, which empties the session) to
        # NanoBot's chat channels. We are no such channel.
        self._loop.commands.dispatch = _no_command
        _beside("hook").watch_compaction(lambda: self._note)
        if (pauses := params.get("pauses")) is not None:
            LLMProvider._CHAT_RETRY_DELAYS = tuple(pauses)  # noqa: SLF001  # its configuration has no word for them
        for name in params.get("denied", ()):
            self._loop.tools.unregister(name)
        names = [tool["function"]["name"] for tool in self._loop.tools.get_definitions()]
        return {"version": importlib.metadata.version("nanobot-ai"), "tools": sorted(names)}

    async def send(self, params: dict[str, Any], emit: Emit) -> dict[str, Any]:
        """One turn; what went wrong in it is in the answer, not an error of the call."""
        if self._turn is not None and not self._turn.done():
            raise _beside("lines").Refused("busy", "a turn is under way")
        started = time.monotonic()

        def timed(event: dict[str, Any]) -> None:
            emit({**event, "at": round(time.monotonic() - started, 6)})

        self._note = timed
        self._turn = asyncio.ensure_future(self._run(params, timed))
        try:
            reply = await self._turn
        except asyncio.CancelledError:
            reply = {"text": "", "stop_reason": "cancelled", "error": "the turn was cancelled"}
        finally:
            self._note = None
        return {**reply, "seconds": time.monotonic() - started}

    async def _run(self, params: dict[str, Any], emit: Emit) -> dict[str, Any]:
        events = _beside("hook").events_of(emit)
        try:
            run = await self._bot.run_streamed(params["prompt"], session_key=params["key"], hooks=[events])
            result = await run.wait()
        except Exception as error:  # noqa: BLE001 - whatever NanoBot raises is the outcome of the turn
            traceback.print_exc()
            return {"text": "", "stop_reason": "exception", "error": f"{type(error).__name__}: {error}"}
        return {
            "text": result.content,
            "stop_reason": result.stop_reason,
            "error": result.error,
            "status": events.status,
            "error_kind": events.kind,
            "finish_reason": events.finish,
            "usage": asdict(result.usage) if result.usage is not None else None,
        }

    async def reload(self, params: dict[str, Any], emit: Emit) -> dict[str, Any]:
        """Forget sessions whose files were rewritten; they are read again when next needed."""
        for key in params["keys"]:
            self._loop.sessions.invalidate(key)
        return {}

    async def flush(self, params: dict[str, Any], emit: Emit) -> dict[str, Any]:
        """Write everything that is in memory."""
        self._bot.sessions.flush()
        return {}

    async def cancel(self, params: dict[str, Any], emit: Emit) -> dict[str, Any]:
        """Stop the turn under way."""
        running = self._turn is not None and not self._turn.done()
        if running and self._turn is not None:
            self._turn.cancel()
        return {"cancelled": running}

    async def close(self, params: dict[str, Any], emit: Emit) -> dict[str, Any]:
        """End the turn and NanoBot."""
        await self.cancel({}, emit)
        if self._bot is not None:
            await self._bot.aclose()
            self._bot = None
        return {}


async def _no_command(context: Any) -> None:
    return None


if __name__ == "__main__":
    made = Bridge()
    _beside("lines").serve({name: getattr(made, name) for name in METHODS})
