"""Calls over a stream of JSON lines: one object a line, answers and events by the id of their call.

There: ``{"id": 1, …}``. Back: any number of ``{"id": 1, "event": {...}}``, then one ``{"id": 1, "result": …}`` or
``{"id": 1, "error": {...}}``. What else is in them is for those to say who use it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final

from claw_adapter.errors import ClawError, DeadlineExceeded, HarnessCrash, HarnessProtocolError
from claw_adapter.reading import parse_json

__all__ = ["EventSink", "LineCalls"]

Record = dict[str, Any]
EventSink = Callable[[Record], None]

SHOWN_BYTES: Final = 200


@dataclass(slots=True)
class _Call:
    answer: asyncio.Future[Record]
    on_event: EventSink | None


class LineCalls:
    """The caller's side. Whoever reads the stream hands its lines to `take`, and says to `fail` why there will be no more.

    Several calls may be under way at once. After a failure or a passed deadline every call fails.

    Args:
        write: writes a line; what it returns is waited for, unless it is None: then nothing is left to be done.
        where: the other side, for messages.
        result: what every result is an instance of.
    """

    def __init__(
        self, write: Callable[[bytes], Coroutine[Any, Any, None] | None], where: str, result: type = object
    ) -> None:
        self.fault: ClawError | None = None
        """Why every further call fails."""
        self._write = write
        self._where = where
        self._result = result
        self._calls: dict[int, _Call] = {}
        self._abandoned: set[int] = set()
        self._last = 0

    async def call(
        self, request: Mapping[str, Any], deadline: float | None = None, on_event: EventSink | None = None
    ) -> Record:
        """Send a request, which gets an ``id``, and return its answer, which has a ``result`` or an ``error``.

        `on_event` is called for each event as it comes; what it raises ends the call. A cancelled call leaves the others
        as they are, its late answer is dropped.

        Raises:
            DeadlineExceeded: no answer within `deadline` seconds.
            ClawError: what `fail` was told, at once or by now.
        """
        if self.fault is not None:
            raise self.fault.with_traceback(None)
        self._last += 1
        number = self._last
        self._calls[number] = call = _Call(asyncio.get_running_loop().create_future(), on_event)
        line = json.dumps({**request, "id": number}).encode() + b"\n"
        try:
            async with asyncio.timeout(deadline):
                return await self._exchange(line, call)
        except TimeoutError as error:
            if self.fault is None and call.answer.done() and not call.answer.cancelled():
                return call.answer.result()  # both came while the loop was held up
            what = f"{request.get('method') or request.get('op')}: no answer within {deadline} s"
            self.fault = DeadlineExceeded(what, where=self._where)
            raise self.fault from error
        finally:
            if self._calls.pop(number, None) is not None:
                self._abandoned.add(number)

    def take(self, line: bytes) -> None:
        """Take in a line of the other side.

        Raises:
            HarnessProtocolError: it is no record of the protocol.
        """
        try:
            record = parse_json(line)
            number = record["id"]
        except (ValueError, TypeError, KeyError) as error:
            shown = line[:SHOWN_BYTES].decode("utf-8", "replace").rstrip()
            raise HarnessProtocolError(f"not a record of the protocol: {shown!r}", where=self._where) from error
        call = self._calls.get(number) if isinstance(number, int) else None
        if call is None:
            if number in self._abandoned:
                return
            raise HarnessProtocolError(f"an answer to no call of ours, id {number!r}", where=self._where)
        self._deliver(call, record)

    def fail(self, error: ClawError) -> None:
        """Nothing more will come; the first reason counts."""
        self.fault = self.fault or error
        for call in self._calls.values():
            if not call.answer.done():
                call.answer.set_exception(error)

    async def _exchange(self, line: bytes, call: _Call) -> Record:
        """Write and wait at once: the other side may answer, or die, before it has read everything."""
        rest = self._write(line)
        if rest is None:
            return await call.answer
        writing = asyncio.ensure_future(rest)
        try:
            both: set[asyncio.Future[Any]] = {writing, call.answer}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not call.answer.done():
                with contextlib.suppress(HarnessCrash):  # the reader says it with exit status and last words
                    await writing
            await asyncio.wait({call.answer})
            return call.answer.result()
        finally:
            if not writing.done():
                writing.cancel()
                self.fault = self.fault or HarnessProtocolError("a call was cut off half written", where=self._where)
            await asyncio.wait({writing})
            if not writing.cancelled():
                writing.exception()

    def _deliver(self, call: _Call, record: Record) -> None:
        if call.answer.done():
            return
        if isinstance(record.get("event"), dict):
            _emit(call, record["event"])
        elif ("result" in record and isinstance(record["result"], self._result)) or isinstance(
            record.get("error"), dict
        ):
            call.answer.set_result(record)
        else:
            raise HarnessProtocolError(f"neither event, result nor error: {sorted(record)}", where=self._where)


def _emit(call: _Call, event: Record) -> None:
    if call.on_event is None:
        return
    try:
        call.on_event(event)
    except Exception as error:  # noqa: BLE001  # it belongs to the caller of `call`, not to the reader of all calls
        call.answer.set_exception(error)
