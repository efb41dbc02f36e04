"""One child process: started with exactly the environment it is given, read in bounded memory, ended with all its kin."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
import time
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast

from claw_adapter.drivers import reaper
from claw_adapter.drivers.capture import Capture, Captured
from claw_adapter.drivers.command import Command, ExitStatus, Stdin
from claw_adapter.drivers.errors import CommandInvalid, LineTooLong
from claw_adapter.drivers.streams import LineBuffer, PipeReader, PipeWriter
from claw_adapter.drivers.waiting import readable
from claw_adapter.errors import DeadlineExceeded, HarnessCrash

__all__ = ["Process"]

KILL_SECONDS: Final = 0.8
"""Most that `stop` spends on killing after the grace; more is only needed for uninterruptible processes.

On a machine that stands still it takes longer: everything is killed at least once, and looked for afterwards.
"""
PAUSE_SECONDS: Final = 0.005


class Process:
    """A running child, made by `launch.start`; as an async context manager it is stopped at the end.

    Attributes:
        argv: what was started.
        pid: its process id, also of its process group and session.
        marker: the CLAW_TRIAL value by which everything that came of it is found.
    """

    def __init__(self, command: Command, popen: subprocess.Popen[bytes], marker: str) -> None:
        self.argv = command.argv
        self.pid = popen.pid
        self.marker = marker
        self._popen = popen
        self._loop = asyncio.get_running_loop()
        self._began = _ticks(popen.pid)
        self._exit: ExitStatus | None = None
        self._ended = asyncio.Event()
        self._family: reaper.Known = frozenset()
        self._stopping: asyncio.Task[int] | None = None
        self._feeding: asyncio.Task[None] | None = None
        self._pidfd = self._first = -1
        self._open_outputs(command)
        self._open_input(command.stdin)
        self._watch()

    def _open_outputs(self, command: Command) -> None:
        spill = command.limits.spill
        beside = spill.with_name(spill.name + ".stderr") if spill else None
        self._stdout = Capture(command.limits, None if command.lines else spill)
        self._stderr = Capture(command.limits, beside)
        self._lines = LineBuffer(command.max_line) if command.lines else None
        stdout, stderr = cast("FileIO", self._popen.stdout), cast("FileIO", self._popen.stderr)
        if self._lines is None:
            self._out = PipeReader(stdout, self._stdout.write)
        else:
            self._out = PipeReader(stdout, self._lines.feed, self._lines.end)
            self._lines.source = self._out
        self._err = PipeReader(stderr, self._stderr.write)

    def _open_input(self, stdin: bytes | Path | Stdin | None) -> None:
        self._in = PipeWriter(cast("FileIO", self._popen.stdin)) if self._popen.stdin is not None else None
        if self._in is not None and isinstance(stdin, bytes):
            self._feeding = self._loop.create_task(self._in.write_all_and_close(stdin))

    def _watch(self) -> None:
        """Learn of the end without polling: a pidfd where there is one, else a thread that waits."""
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            threading.Thread(target=self._wait_in_thread, daemon=True, name=f"wait-{self.pid}").start()
        else:
            self._loop.add_reader(self._pidfd, self._on_end)

    def _wait_in_thread(self) -> None:
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        with contextlib.suppress(RuntimeError):  # the loop is gone, and so is everyone who would ask
            self._loop.call_soon_threadsafe(self._on_end)

    def _on_end(self) -> None:
        """Note who is left of its session *before* the id is given back to the system, then collect the status."""
        if self._exit is not None:
            return
        self._remember()
        self._exit = ExitStatus.of(self._popen.wait())
        self._ended.set()
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1

    def contain(self, first: int) -> None:
        """Learn that everything that comes of it lives in the process namespace whose first process has the id `first`.

        When that one has ended there is nothing else to look for, which is a hundred times as fast as looking.
        """
        with contextlib.suppress(AttributeError, OSError):  # it has ended, or the system has no such descriptors
            self._first = os.pidfd_open(first)

    def _remember(self) -> None:
        """Note who is of its session; without a descriptor to look with, its mark has to do."""
        if self._first >= 0:
            return
        with contextlib.suppress(OSError):
            self._family |= reaper.snapshot(self.pid)

    @property
    def exit(self) -> ExitStatus | None:
        """How it ended, or None while it runs."""
        return self._exit

    @property
    def stdout(self) -> Captured:
        """What was captured so far (empty for a line protocol)."""
        return self._stdout.captured()

    @property
    def stderr(self) -> Captured:
        """What it wrote to standard error so far."""
        return self._stderr.captured()

    async def write(self, data: bytes) -> None:
        """Write to its standard input, which must be `PIPE`; a cancelled write may leave a part of the data written.

        Raises:
            HarnessCrash: it closed its standard input, or was not started with one.
        """
        if self._in is None:
            raise HarnessCrash("has no standard input to write to", where=self.argv[0])
        try:
            await self._in.write(data)
        except BrokenPipeError as error:
            raise HarnessCrash("closed its standard input", where=self.argv[0]) from error

    def close_stdin(self) -> None:
        """End its standard input; may be called twice."""
        if self._in is not None:
            self._in.close()

    def limit_lines(self, most: int) -> None:
        """From now on a line of more than `most` bytes is an error; for a child started with ``lines=True``."""
        if self._lines is None:
            raise CommandInvalid("was not started with lines=True", where=self.argv[0])
        self._lines.max_line = most

    async def readline(self, deadline: float | None = None) -> bytes:
        """Return the next line of a child started with ``lines=True``, ``b""`` at the end.

        Cancelling or timing out loses no bytes and leaves the child running.

        Raises:
            DeadlineExceeded: no line within `deadline` seconds.
            LineTooLong: the line is longer than `Command.max_line`.
        """
        if self._lines is None:
            raise CommandInvalid("was not started with lines=True", where=self.argv[0])
        try:
            try:
                async with asyncio.timeout(deadline):
                    return await self._lines.next()
            except TimeoutError as error:
                if (line := self._lines.ready()) is not None:  # it came while the loop was held up
                    return line
                raise DeadlineExceeded(f"no line within {deadline} s", where=self.argv[0]) from error
        except LineTooLong as error:
            raise LineTooLong(error.what, where=self.argv[0]) from None

    async def ended(self, deadline: float | None = None) -> bool:
        """Wait up to `deadline` seconds for its end; only watches, cancelling does nothing to the child.

        Where both are due at once, because the loop was held up, it has ended.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(deadline):
                await self._ended.wait()
        return self._ended.is_set()

    async def wait(self, deadline: float | None = None) -> ExitStatus:
        """Wait for its end; cancelling kills it and everything that came of it.

        Raises:
            DeadlineExceeded: it still runs after `deadline` seconds (and goes on running).
        """
        try:
            done = await self.ended(deadline)
        except asyncio.CancelledError:
            await self.stop(0)
            raise
        if not done or self._exit is None:
            raise DeadlineExceeded(f"still runs after {deadline} s", where=self.argv[0])
        return self._exit

    async def drained(self, deadline: float) -> bool:
        """Wait up to `deadline` seconds until both output streams have ended; True if they have."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(deadline):
                await asyncio.gather(self._out.ended.wait(), self._err.ended.wait())
        return self._out.ended.is_set() and self._err.ended.is_set()

    async def stop(self, grace: float = 2.0) -> int:
        """End the child and everything that came of it; return how many processes could not be killed (0).

        SIGTERM to the group, up to `grace` seconds, then SIGKILL to every process that is left of it. Takes at most
        `grace` + 1 s. May be called again and from several tasks; it goes on when its caller is cancelled. Called again
        after processes were left, it tries again.
        """
        if (before := self._stopping) is not None and before.done() and not before.cancelled() and before.result():
            self._stopping = None
            if self._exit is None:  # the try before has given up watching
                self._watch()
        if self._stopping is None:
            self._stopping = self._loop.create_task(self._stop(grace))
        return await asyncio.shield(self._stopping)

    async def _stop(self, grace: float) -> int:
        try:
            if self._exit is None:
                self._remember()
                if grace > 0:
                    reaper.ask_to_end(self.pid)
                    await self.ended(grace)
            end = time.monotonic() + KILL_SECONDS
            left = await self._kill(end)
            await self.ended(max(end - time.monotonic(), PAUSE_SECONDS * 20))
            return left and len(self._kin()[0])
        finally:
            await self._close()

    def _kin(self) -> tuple[list[int], bool]:
        """What came of it and lives, and whether that must be all."""
        return reaper.look(self.marker, self._family, self._began)

    async def _kill(self, end: float) -> int:
        """Kill until one look that missed nothing, or two that may have, find nothing.

        The clock is asked only after killing and a second look, however long the first took.
        """
        if self._first >= 0 and await self._kill_first(end):
            return 0
        quiet = looked = False
        while True:
            if self._exit is None:  # until it is waited for, nobody else can have its id
                self._remember()
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            left, whole = self._kin()
            reaper.send(left, signal.SIGKILL)
            if not left and (quiet or whole):
                return 0
            if looked and time.monotonic() > end:
                return len(left)
            quiet, looked = not left, True
            await asyncio.sleep(PAUSE_SECONDS)

    async def _kill_first(self, end: float) -> bool:
        """Kill the first process of its namespace, with which the system ends all others, and it; True when that is done."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(self._first, signal.SIGKILL)
        if self._exit is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        return await readable(self._first, max(end - time.monotonic(), PAUSE_SECONDS))

    async def _close(self) -> None:
        self.close_stdin()
        if self._feeding is not None:
            await asyncio.wait({self._feeding})
        for reader in (self._out, self._err):
            reader.finish()
        for capture in (self._stdout, self._stderr):
            capture.close()
        if self._first >= 0:
            os.close(self._first)
            self._first = -1
        if self._exit is None and self._pidfd >= 0:  # could not be killed: give up watching
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


def _ticks(pid: int) -> int:
    """Start of a process in clock ticks since boot, 0 where unknown."""
    entry = reaper.entry(pid)
    return entry.started if entry else 0
