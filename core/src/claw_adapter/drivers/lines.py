"""Calls to a child that speaks JSON lines: one object a line, answers and events by the id of their call.

To the child: ``{"id": 1, "method": "turn", "params": {...}}``. From it: any number of ``{"id": 1, "event": {...}}``,
then one ``{"id": 1, "result": {...}}`` or ``{"id": 1, "error": {"kind": "...", "message": "..."}}``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from claw_adapter.drivers.errors import RemoteError
from claw_adapter.drivers.process import Process
from claw_adapter.drivers.waiting import shielded
from claw_adapter.errors import ClawError, DeadlineExceeded, HarnessCrash, HarnessProtocolError

__all__ = ["EventSink", "LineChild"]

Record = dict[str, Any]
EventSink = Callable[[Record], None]

TAIL_CHARACTERS: Final = 2000
"""How much of the child's standard error goes into an error's text."""
SHOWN_BYTES: Final = 200
EXIT_SECONDS: Final = 1.0


@dataclass(slots=True)
class _Call:
    answer: asyncio.Future[Record]
    on_event: EventSink | None


class LineChild:
    """The caller's side of the protocol over a process started with ``stdin=PIPE, lines=True``.

    Several calls may be under way at once (a cancel beside a turn). After an error of the protocol, a crash or a
    passed deadline the child is unusable: every call fails until the caller closes it.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._calls: dict[int, _Call] = {}
        self._abandoned: set[int] = set()
        self._last = 0
        self._fault: ClawError | None = None
        self._reader = asyncio.get_running_loop().create_task(self._read())
        self._watcher = asyncio.get_running_loop().create_task(self._watch())

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
    ) -> Record:
        """Send one call and return its result.

        `on_event` is called for each event as it comes; what it raises ends the call. A cancelled call leaves the
        child usable, its late answer is dropped.

        Raises:
            RemoteError: the child answered with an error.
            HarnessProtocolError: it wrote something else than the protocol says.
            HarnessCrash: it ended or closed its output before the answer.
            DeadlineExceeded: no answer within `deadline` seconds; the child is unusable from then on.
        """
        if self._fault is not None:
            raise self._fault.with_traceback(None)
        self._last += 1
        number = self._last
        self._calls[number] = call = _Call(asyncio.get_running_loop().create_future(), on_event)
        line = json.dumps({"id": number, "method": method, "params": dict(params or {})}).encode() + b"\n"
        try:
            async with asyncio.timeout(deadline):
                return await self._exchange(line, call)
        except TimeoutError as error:
            if self._fault is None and call.answer.done() and not call.answer.cancelled():
                return call.answer.result()  # both came while the loop was held up
            self._fault = DeadlineExceeded(f"{method}: no answer within {deadline} s", where=self._where())
            raise self._fault from error
        finally:
            if self._calls.pop(number, None) is not None:
                self._abandoned.add(number)

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
        tasks = {self._reader, self._watcher}
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        self._fail(HarnessCrash("the child was closed", where=self._where()))
        return left

    async def _exchange(self, line: bytes, call: _Call) -> Record:
        """Write and wait at once: a child may answer, or die, before it has read everything."""
        writing = asyncio.get_running_loop().create_task(self._process.write(line))
        try:
            both: set[asyncio.Future[Any]] = {writing, call.answer}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not call.answer.done():
                with contextlib.suppress(HarnessCrash):  # the reader says it with exit status and last words
                    await writing
            await asyncio.wait({call.answer})  # unlike awaiting it, this leaves it whole when we are cancelled
            return call.answer.result()
        finally:
            if not writing.done():
                writing.cancel()
                self._fault = self._fault or HarnessProtocolError(
                    "a call was cut off half written", where=self._where()
                )
            await asyncio.wait({writing})
            if not writing.cancelled():
                writing.exception()

    async def _read(self) -> None:
        try:
            while line := await self._process.readline():
                self._take(line)
            await self._process.ended(EXIT_SECONDS)
            await self._process.drained(EXIT_SECONDS)
            self._crashed()
        except ClawError as error:
            self._fail(error)

    async def _watch(self) -> None:
        """A child can be gone while something it started keeps its output open: that is no reason to wait."""
        await self._process.ended()
        await asyncio.wait({self._reader}, timeout=EXIT_SECONDS)
        self._crashed()

    def _crashed(self) -> None:
        state = self._process.exit or "closed its output but runs on"
        self._fail(HarnessCrash(f"the child ended: {state}{self._last_words()}", where=self._where()))

    def _take(self, line: bytes) -> None:
        try:
            record = json.loads(line)
            number = record["id"]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            shown = line[:SHOWN_BYTES].decode("utf-8", "replace").rstrip()
            raise self._protocol(f"not a record of the protocol: {shown!r}") from error
        call = self._calls.get(number) if isinstance(number, int) else None
        if call is None:
            if number in self._abandoned:
                return
            raise self._protocol(f"an answer to no call of ours, id {number!r}")
        self._deliver(call, record)

    def _deliver(self, call: _Call, record: Record) -> None:
        if call.answer.done():
            return
        if isinstance(record.get("event"), dict):
            _emit(call, record["event"])
        elif isinstance(record.get("result"), dict):
            call.answer.set_result(record["result"])
        elif isinstance(error := record.get("error"), dict):
            message, kind = str(error.get("message", "")), str(error.get("kind", ""))
            call.answer.set_exception(RemoteError(message, kind=kind, where=self._where()))
        else:
            raise self._protocol(f"neither event, result nor error: {sorted(record)}")

    def _fail(self, error: ClawError) -> None:
        self._fault = self._fault or error
        for call in self._calls.values():
            if not call.answer.done():
                call.answer.set_exception(error)

    def _protocol(self, what: str) -> HarnessProtocolError:
        return HarnessProtocolError(what + self._last_words(), where=self._where())

    def _last_words(self) -> str:
        text = self._process.stderr.text[-TAIL_CHARACTERS:].strip()
        return f"\nstandard error ends with:\n{text}" if text else ""

    def _where(self) -> str:
        return self._process.argv[0]


def _emit(call: _Call, event: Record) -> None:
    if call.on_event is None:
        return
    try:
        call.on_event(event)
    except Exception as error:  # noqa: BLE001  # it belongs to the caller of `call`, not to the reader of all calls
        call.answer.set_exception(error)
