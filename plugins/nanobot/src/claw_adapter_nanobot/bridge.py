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
import importlib.metadata
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

SHOWN = 20_000
"""Characters of a tool call's arguments and of a result that go into an event."""

Emit = Callable[[dict[str, Any]], None]


class Refused(Exception):
    """A call that cannot be carried out; its first argument is the kind of error."""


def _events_of(emit: Emit) -> Any:
    """NanoBot's hook for one turn: every tool call and result as it happens, and what the model's replies looked like."""
    from nanobot.agent.hook import AgentHook

    class Events(AgentHook):  # type: ignore[misc]  # NanoBot is not there where types are checked
        def __init__(self) -> None:
            super().__init__()
            self.status: int | None = None
            self.kind = ""
            self.finish = ""
            self.answered: set[str] = set()

        async def before_execute_tools(self, context: Any) -> None:
            for call in context.tool_calls:
                arguments = call.arguments if isinstance(call.arguments, dict) else {"raw": str(call.arguments)}
                emit({"kind": "tool_call", "id": call.id, "name": call.name, "arguments": _plain(arguments)})

        async def after_execute_tool(self, context: Any, tool_call: Any, tool: Any, params: Any, result: Any) -> None:
            self._result(tool_call, result, failed=False)

        async def on_execute_tool_error(self, context: Any, tool_call: Any, tool: Any, params: Any, error: Any) -> None:
            self._result(tool_call, error, failed=True)

        def _result(self, tool_call: Any, result: Any, *, failed: bool) -> None:
            self.answered.add(tool_call.id)
            text = _text(result)[:SHOWN]
            emit({"kind": "tool_result", "id": tool_call.id, "name": tool_call.name, "text": text, "is_error": failed})

        async def after_iteration(self, context: Any) -> None:
            response = context.response
            self.finish = str(getattr(response, "finish_reason", "") or "")
            self.status = getattr(response, "error_status_code", None)
            self.kind = str(getattr(response, "error_kind", "") or "")
            for call, result in zip(context.tool_calls, context.tool_results, strict=False):
                if call.id not in self.answered:  # refused before it was tried: no such tool, wrong arguments
                    self._result(call, result, failed=True)
            said = str(getattr(response, "content", "") or "")
            if context.tool_calls and said.strip():
                emit({"kind": "text", "text": said})
            if self.finish == "length":
                emit(
                    {"kind": "note", "text": "the reply ran into the length limit; NanoBot asks for the rest by itself"}
                )

    return Events()


def _text(result: Any) -> str:
    """What the model is shown of a tool's result; images by their kind."""
    if isinstance(result, list):
        return "\n".join(str(part.get("text", part.get("type"))) for part in result if isinstance(part, dict))
    return str(result)


def _plain(value: Any) -> Any:
    """The same value as JSON can hold it; over-long ones are cut."""
    text = json.dumps(value, default=str)
    return json.loads(text) if len(text) <= SHOWN else {"raw": text[:SHOWN]}


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
        """
        from loguru import logger  # type: ignore[import-not-found]

        logger.remove()
        logger.add(sys.stderr, level="WARNING")
        from nanobot import Nanobot
        from nanobot.providers.base import LLMProvider

        self._bot = Nanobot.from_config(params["config"])
        self._loop = self._bot._loop  # noqa: SLF001  # no public way to what the next lines and `reload` need
        # A prompt that begins with "/" is a question to us, and a command (such as /new, which empties the session) to
        # NanoBot's chat channels. We are no such channel.
        self._loop.commands.dispatch = _no_command
        self._watch_compaction()
        if (pauses := params.get("pauses")) is not None:
            LLMProvider._CHAT_RETRY_DELAYS = tuple(pauses)  # noqa: SLF001  # its configuration has no word for them
        for name in params.get("denied", ()):
            self._loop.tools.unregister(name)
        names = [tool["function"]["name"] for tool in self._loop.tools.get_definitions()]
        return {"version": importlib.metadata.version("nanobot-ai"), "tools": sorted(names)}

    async def send(self, params: dict[str, Any], emit: Emit) -> dict[str, Any]:
        """One turn; what went wrong in it is in the answer, not an error of the call."""
        if self._turn is not None and not self._turn.done():
            raise Refused("busy", "a turn is under way")
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

    def _watch_compaction(self) -> None:
        """Say among a turn's events when NanoBot summarises what was said; its own stream does not tell."""
        from nanobot.events import ContextCompactionEvent, EventSink

        original = EventSink.emit

        async def emit(sink: Any, event: Any) -> None:
            if isinstance(event, ContextCompactionEvent) and self._note is not None:
                self._note(
                    {"kind": "note", "name": "compaction", "text": f"NanoBot summarises the session: {event.phase}"}
                )
            await original(sink, event)

        EventSink.emit = emit

    async def _run(self, params: dict[str, Any], emit: Emit) -> dict[str, Any]:
        events = _events_of(emit)
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


class Lines:
    """The protocol: calls from standard input, answers to the descriptor that was standard output."""

    METHODS = ("open", "send", "reload", "flush", "cancel", "close")

    def __init__(self, output: int) -> None:
        self._output = output
        self._bridge = Bridge()
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Answer calls until ``close`` or the end of input."""
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes] = asyncio.Queue()

        def read() -> None:
            for line in sys.stdin.buffer:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, b"")

        threading.Thread(target=read, daemon=True).start()
        while line := await lines.get():
            call = json.loads(line)
            task = asyncio.ensure_future(self._answer(call))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if call.get("method") == "close":
                await task
                return

    async def _answer(self, call: dict[str, Any]) -> None:
        number = call["id"]
        try:
            method = self._method(call["method"])
            result = await method(call["params"], lambda event: self._write({"id": number, "event": event}))
            self._write({"id": number, "result": result})
        except Refused as refusal:
            self._write({"id": number, "error": {"kind": refusal.args[0], "message": str(refusal.args[1])}})
        except Exception as error:  # noqa: BLE001 - the caller must learn of it, whatever it is
            traceback.print_exc()
            self._write({"id": number, "error": {"kind": type(error).__name__, "message": str(error)}})

    def _method(self, name: str) -> Any:
        if name not in self.METHODS:
            raise Refused("protocol", f"no method {name!r}")
        return getattr(self._bridge, name)

    def _write(self, record: dict[str, Any]) -> None:
        data = memoryview(json.dumps(record).encode() + b"\n")
        while data:
            data = data[os.write(self._output, data) :]


def main() -> None:
    """Keep the protocol's descriptor to ourselves: whatever prints goes to standard error."""
    output = os.dup(1)
    os.set_inheritable(output, False)
    os.dup2(2, 1)
    asyncio.run(Lines(output).serve())
    os._exit(0)  # NanoBot may leave threads behind


if __name__ == "__main__":
    main()
