"""Pipes on the event loop: read into a sink, read lines, write; no limit of 64 KiB anywhere."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from io import FileIO
from typing import Final

from claw_adapter.drivers.errors import LineTooLong

__all__ = ["LineBuffer", "PipeReader", "PipeWriter"]

CHUNK: Final = 256 * 1024
HIGH_WATER: Final = 4 * 1024 * 1024
"""Unread bytes of a line protocol at which we stop reading until someone asks for a line."""


class PipeReader:
    """Moves what arrives on a pipe into `sink` until the end; `ended` is set then."""

    def __init__(self, pipe: FileIO, sink: Callable[[bytes], None], at_end: Callable[[], None] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._fd = pipe.fileno()
        self._sink = sink
        self._at_end = at_end
        self._reading = False
        self.ended = asyncio.Event()
        os.set_blocking(self._fd, False)
        self.resume()

    def resume(self) -> None:
        """Read (again) whenever there is something."""
        if not self._reading and not self._pipe.closed:
            self._loop.add_reader(self._fd, self._step)
            self._reading = True

    def pause(self) -> None:
        """Leave further bytes in the pipe, so that the child waits."""
        if self._reading:
            self._loop.remove_reader(self._fd)
            self._reading = False

    def finish(self) -> None:
        """Take what is in the pipe right now, then close it."""
        for _ in range(HIGH_WATER // CHUNK * 4):  # a writer that never stops must not keep us here
            if self._pipe.closed or not self._step():
                break
        self._close()

    def _step(self) -> bool:
        try:
            data = os.read(self._fd, CHUNK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:  # EIO and the like: nothing more will come
            data = b""
        if data:
            self._sink(data)
        else:
            self.ended.set()
            self._close()
        return bool(data)

    def _close(self) -> None:
        if self._pipe.closed:
            return
        self.pause()
        self._pipe.close()
        if self._at_end is not None:
            self._at_end()


class LineBuffer:
    """The sink of a line protocol."""

    def __init__(self, max_line: int) -> None:
        self.max_line = max_line
        self._data = bytearray()
        self._scanned = 0
        self._ended = False
        self._waiting = 0
        self._changed = asyncio.Event()
        self.source: PipeReader | None = None

    def feed(self, data: bytes) -> None:
        """Take bytes from the pipe; holds the child back when nobody reads."""
        self._data += data
        self._changed.set()
        if self.source is not None and not self._waiting and len(self._data) > HIGH_WATER:
            self.source.pause()

    def end(self) -> None:
        """No more bytes will come."""
        self._ended = True
        self._changed.set()

    async def next(self) -> bytes:
        """Return the next line with its line end; at the end what is left, then ``b""``.

        Raises:
            LineTooLong: more than `max_line` bytes came without a line end.
        """
        while (line := self.ready()) is None:
            await self._more()
        return line

    def ready(self) -> bytes | None:
        """What `next` returns without waiting, or None; raises as it does."""
        line = self._take()
        if line is None and self._ended:
            line, self._data, self._scanned = bytes(self._data), bytearray(), 0
        return line

    def _take(self) -> bytes | None:
        at = self._data.find(b"\n", self._scanned)
        if at > self.max_line or (at < 0 and len(self._data) > self.max_line):
            raise LineTooLong(f"a line of more than {self.max_line} bytes")
        if at < 0:
            self._scanned = len(self._data)
            return None
        line = bytes(self._data[: at + 1])
        del self._data[: at + 1]
        self._scanned = 0
        return line

    async def _more(self) -> None:
        self._changed.clear()
        self._waiting += 1
        if self.source is not None:
            self.source.resume()
        try:
            await self._changed.wait()
        finally:
            self._waiting -= 1


class PipeWriter:
    """Writes to a pipe without blocking the loop; writes of several tasks do not mix."""

    def __init__(self, pipe: FileIO) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._lock = asyncio.Lock()
        self._ready: asyncio.Future[None] | None = None
        os.set_blocking(pipe.fileno(), False)

    async def write(self, data: bytes) -> None:
        """Write everything.

        Raises:
            BrokenPipeError: the other side is closed.
        """
        view = memoryview(data)
        async with self._lock:
            while view:
                if self._pipe.closed:
                    raise BrokenPipeError
                try:
                    view = view[os.write(self._pipe.fileno(), view[:CHUNK]) :]
                except BlockingIOError:
                    await self._writable()

    async def write_all_and_close(self, data: bytes) -> None:
        """Feed a fixed input; a child that closes its input early is within its rights."""
        with contextlib.suppress(BrokenPipeError):
            await self.write(data)
        self.close()

    def close(self) -> None:
        """Close our side; the child sees the end of its input. Wakes a writer that waits."""
        if not self._pipe.closed:
            self._loop.remove_writer(self._pipe.fileno())
            self._pipe.close()
        if self._ready is not None:
            _resolve(self._ready)

    async def _writable(self) -> None:
        self._ready = self._loop.create_future()
        fd = self._pipe.fileno()
        self._loop.add_writer(fd, _resolve, self._ready)
        try:
            await self._ready
        finally:
            if not self._pipe.closed:
                self._loop.remove_writer(fd)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
