"""The other end of `claw_adapter.drivers.lines`: calls come in as JSON lines, each is a task; standard library only."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Record = dict[str, Any]
Method = Callable[[Record, Callable[[Record], None]], Awaitable[Record]]
"""Gets the parameters of a call, and what sends an event of it."""


class Refused(Exception):
    """A call that cannot be carried out; its first argument is the kind of error."""


class Lines:
    """The protocol: calls from standard input, answers to the descriptor that was standard output."""

    def __init__(self, methods: Mapping[str, Method], output: int) -> None:
        self._methods, self._output = methods, output
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
            result = await self._method(call["method"])(
                call["params"], lambda event: self._write({"id": number, "event": event})
            )
            self._write({"id": number, "result": result})
        except Refused as refusal:
            self._write({"id": number, "error": {"kind": refusal.args[0], "message": str(refusal.args[1])}})
        except Exception as error:  # noqa: BLE001 - the caller must learn of it, whatever it is
            traceback.print_exc()
            self._write({"id": number, "error": {"kind": type(error).__name__, "message": str(error)}})

    def _method(self, name: str) -> Method:
        if name not in self._methods:
            raise Refused("protocol", f"no method {name!r}")
        return self._methods[name]

    def _write(self, record: dict[str, Any]) -> None:
        data = memoryview(json.dumps(record).encode() + b"\n")
        while data:
            data = data[os.write(self._output, data) :]


def serve(methods: Mapping[str, Method]) -> None:
    """Answer calls, then end the process. The protocol's descriptor is ours alone: whatever prints goes to standard error."""
    output = os.dup(1)
    os.set_inheritable(output, False)
    os.dup2(2, 1)
    asyncio.run(Lines(methods, output).serve())
    os._exit(0)  # the program may leave threads behind
