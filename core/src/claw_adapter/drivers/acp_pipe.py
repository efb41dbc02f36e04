"""The messages of an ACP agent over the streams of one of our processes, as the protocol's library wants a transport.

The library runs each message as a task of its own and logs to the root logger what it does not know. So notifications are
handed on here, in their order, and only well-formed requests and answers get to it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any, Final

from claw_adapter.drivers.process import Process
from claw_adapter.drivers.reading import EXIT_SECONDS, LineReader
from claw_adapter.errors import ClawError, HarnessCrash, HarnessProtocolError
from claw_adapter.reading import parse_json

__all__ = ["AcpPipe", "Notice"]

Message = dict[str, Any]
Notice = Callable[[str, Any], None]
"""Called with method and parameters of each notification."""

MESSAGE_BYTES: Final = 64 * 1024 * 1024
NOISE_LINES: Final = 100
"""Lines on standard output that are no messages: programs let a warning slip, a flood is another protocol."""
REQUESTS: Final = 10_000
"""Most requests of an agent to us in its life."""
WAITING: Final = 256
SHOWN_BYTES: Final = 200
log = logging.getLogger(__name__)


class AcpPipe:
    """One agent's process, started with ``lines=True``. After its first fault nothing comes any more; see `fault`."""

    def __init__(self, process: Process, on_notice: Notice) -> None:
        process.limit_lines(MESSAGE_BYTES)
        self.process = process
        self.fault: ClawError | None = None
        self.noise: list[str] = []
        """What the agent wrote between its messages."""
        self._on_notice = on_notice
        self._requests = 0
        self._inbox: asyncio.Queue[Message | None] = asyncio.Queue(WAITING)
        self._reader = LineReader(process, "the agent", self._take, self.fail)

    async def send(self, message: Message) -> None:
        """Write one message; if the agent is gone, whoever waits for its answer learns it from `fault`."""
        try:
            await self.process.write(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        except HarnessCrash as error:
            await self.process.ended(EXIT_SECONDS)
            self.fail(self._reader.crash() if self.process.exit else error)

    async def receive(self) -> Message | None:
        """The next request or answer; None when there will be none."""
        if self.fault is not None and self._inbox.empty():
            return None
        return await self._inbox.get()

    async def close(self) -> None:
        """Stop reading."""
        await self._reader.close()

    @property
    def where(self) -> str:
        """The program, for messages."""
        return self.process.argv[0]

    def fail(self, error: ClawError) -> None:
        """Nothing is exchanged any more; the first reason counts."""
        self.fault = self.fault or error
        if not self._inbox.full():
            self._inbox.put_nowait(None)

    async def _take(self, line: bytes) -> None:
        if (message := self._message(line)) is not None:
            await self._inbox.put(message)

    def _message(self, line: bytes) -> Message | None:
        """A request or an answer; notifications are handed on and noise is put aside."""
        if not line.strip():
            return None
        try:
            record = parse_json(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            self._hear(line)
            return None
        method, number = record.get("method"), record.get("id")
        if isinstance(method, str) and "id" not in record:
            self._on_notice(method, record.get("params"))
            return None
        if not isinstance(number, int | str) or not (method is None or isinstance(method, str)):
            raise self._protocol("neither request, answer nor notification", line)
        if method is not None:
            return self._counted(record, line)
        if "result" not in record and not isinstance(record.get("error"), dict):
            raise self._protocol("an answer with neither result nor error", line)
        return record

    def _counted(self, request: Message, line: bytes) -> Message:
        self._requests += 1
        if self._requests > REQUESTS:
            raise self._protocol(f"more than {REQUESTS} requests", line)
        return request

    def _hear(self, line: bytes) -> None:
        shown = line[:SHOWN_BYTES].decode("utf-8", "replace").rstrip()
        log.warning("%s wrote between its messages: %s", self.where, shown)
        self.noise.append(shown)
        if len(self.noise) > NOISE_LINES:
            raise self._protocol(f"more than {NOISE_LINES} lines that are not messages", line)

    def _protocol(self, what: str, line: bytes) -> HarnessProtocolError:
        shown = line[:SHOWN_BYTES].decode("utf-8", "replace").rstrip()
        return HarnessProtocolError(f"{what}: {shown!r}{self._reader.last_words()}", where=self.where)
