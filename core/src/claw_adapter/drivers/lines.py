"""Calls to a child that speaks JSON lines (`claw_adapter.drivers.calls`).

To the child: ``{"id": 1, "method": "turn", "params": {...}}``. From it: any number of ``{"id": 1, "event": {...}}``,
then one ``{"id": 1, "result": {...}}`` or ``{"id": 1, "error": {"kind": "...", "message": "..."}}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claw_adapter.drivers.calls import EventSink, LineCalls
from claw_adapter.drivers.errors import RemoteError
from claw_adapter.drivers.process import Process
from claw_adapter.drivers.reading import LineReader
from claw_adapter.drivers.waiting import shielded
from claw_adapter.errors import HarnessProtocolError

__all__ = ["EventSink", "LineChild"]


class LineChild:
    """The caller's side of the protocol over a process started with ``stdin=PIPE, lines=True``.

    Several calls may be under way at once (a cancel beside a turn). After an error of the protocol, a crash or a
    passed deadline the child is unusable: every call fails until the caller closes it.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._calls = LineCalls(process.write, process.argv[0], dict)
        self._reader = LineReader(process, "the child", self._take, self._calls.fail)

    @property
    def process(self) -> Process:
        """The child itself."""
        return self._process

    async def call(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        deadline: float | None = None,
        on_event: EventSink | None = None,
    ) -> dict[str, Any]:
        """Send one call and return its result.

        `on_event` is called for each event as it comes; what it raises ends the call. A cancelled call leaves the
        child usable, its late answer is dropped.

        Raises:
            RemoteError: the child answered with an error.
            HarnessProtocolError: it wrote something else than the protocol says.
            HarnessCrash: it ended or closed its output before the answer.
            DeadlineExceeded: no answer within `deadline` seconds; the child is unusable from then on.
        """
        request = {"method": method, "params": dict(params or {})}
        answer = await self._calls.call(request, deadline, on_event)
        if "result" not in answer:
            error = answer["error"]
            message, kind = str(error.get("message", "")), str(error.get("kind", ""))
            raise RemoteError(message, kind=kind, where=self._process.argv[0])
        result: dict[str, Any] = answer["result"]
        return result

    async def close(self, grace: float = 2.0) -> int:
        """End the child (end of input first, then `Process.stop`); return its survivors (0)."""
        try:
            self._process.close_stdin()
            await self._process.ended(grace / 2)
        finally:  # one who cancels, too, wants it ended
            left = await shielded(self._stop(grace / 2))
        return left

    async def _stop(self, grace: float) -> int:
        left = await self._process.stop(grace)
        await self._reader.close()
        return left

    async def _take(self, line: bytes) -> None:
        try:
            self._calls.take(line)
        except HarnessProtocolError as error:
            error.what += self._reader.last_words()
            raise
