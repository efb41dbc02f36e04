r"""A child on a terminal of its own, for harnesses that speak to people only: nothing is echoed, translated or cut.

The terminal is in raw mode before the child begins: a line may have any length (a terminal in its usual mode loses what is
beyond 4096 bytes), bytes arrive as they were sent, ``\n`` stays ``\n``. Control characters are bytes like others:
Ctrl-C interrupts nobody and Ctrl-D ends no input, unless the child sets its terminal so itself.

pexpect starts the child on its terminal and finds patterns; reading is on the event loop, so that cancelling loses nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import re
import secrets
import signal
import subprocess
import traceback
import tty
import warnings
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from io import FileIO
from typing import Any, Final, cast

from claw_adapter.drivers import reaper
from claw_adapter.drivers.capture import Capture, Limits
from claw_adapter.drivers.command import PIPE, Command
from claw_adapter.drivers.errors import CommandInvalid, ProgramNotStarted
from claw_adapter.drivers.launch import candidates, explained  # one explanation of why a program does not start
from claw_adapter.drivers.process import Process
from claw_adapter.drivers.streams import PipeReader
from claw_adapter.drivers.window import Heard, Window
from claw_adapter.errors import DeadlineExceeded, HarnessCrash

__all__ = ["Pattern", "PtyProcess", "start_pty"]

Pattern = str | bytes | re.Pattern[bytes]
"""A regular expression over bytes; a string is taken as its UTF-8."""

WINDOW_BYTES: Final = 8 * 1024 * 1024
GRACE_SECONDS: Final = 0.3
EXIT_SECONDS: Final = 1.0


async def start_pty(command: Command, *, size: tuple[int, int] = (50, 200), window: int = WINDOW_BYTES) -> PtyProcess:
    """Start a child on a terminal.

    Args:
        command: as for `launch.start`; its `stdin` must be None or `PIPE`, both mean the terminal.
        size: rows and columns.
        window: bytes of unread output that are kept at least; of what comes beyond, the oldest is dropped.

    Raises:
        CommandInvalid: nothing the system could start, or an input that is not the terminal.
        ProgramNotFound: no such program.
        ProgramNotStarted: not executable, its interpreter is missing, or the working folder is not a folder.
    """
    command.check()
    if command.stdin not in (None, PIPE) or command.lines:
        raise CommandInvalid("the input of a terminal is what is sent to it", where=command.argv[0])
    marker = f"{command.marker or 'claw'}/{secrets.token_hex(6)}"
    child = _Terminal(command, {**command.env, reaper.MARKER: marker}, size)
    return PtyProcess(replace(command, stdin=PIPE), cast("subprocess.Popen[bytes]", child), marker, window)


class PtyProcess(Process):
    """A running child on a terminal, made by `start_pty`; `stdout` is what was captured of the terminal.

    A passed deadline ends the child with everything that came of it, within a second, before the error is raised.
    A cancelled call leaves the child running and loses no output; of a cancelled `send` a part may have been sent.
    """

    def __init__(self, command: Command, popen: subprocess.Popen[bytes], marker: str, window: int) -> None:
        self._window = Window(window)
        super().__init__(command, popen, marker)

    def _open_outputs(self, command: Command) -> None:
        """One stream for both outputs: captured as a whole, and the unread part in the window."""
        self._stdout = Capture(command.limits, command.limits.spill)
        self._stderr = Capture(Limits(0, 0))
        self._lines = None
        self._out = PipeReader(cast("FileIO", self._popen.stdout), self._hear, self._hang_up)
        self._err = PipeReader(cast("FileIO", self._popen.stderr), self._stderr.write)

    def _hear(self, data: bytes) -> None:
        self._stdout.write(data)
        self._window.feed(data)

    def _hang_up(self) -> None:
        """Nobody has the terminal open any more: a terminal takes input then too, so a writer must be told."""
        self._window.end()
        self.close_stdin()

    async def send(self, data: bytes, deadline: float | None = None) -> None:
        """Write all of `data` to the terminal, exactly as it is: a line end must be part of it.

        Raises:
            HarnessCrash: the child is gone or has closed its terminal.
            DeadlineExceeded: it did not take all of it within `deadline` seconds.
        """
        async with self._within(deadline, "it did not read its input"):
            try:
                await self.write(data)
            except (HarnessCrash, OSError) as error:  # a terminal may answer EIO where a pipe breaks
                raise await self._crash("closed its terminal") from error

    async def expect(self, patterns: Pattern | Sequence[Pattern], deadline: float | None = None) -> Heard:
        """Wait for the first match of any pattern and take everything up to its end.

        A match that arrives in several reads may be `window.SEARCH_BYTES` long.

        Raises:
            HarnessCrash: the terminal was closed and there is no match.
            DeadlineExceeded: no match within `deadline` seconds.
        """
        compiled = _compiled(patterns)
        heard = self._window.find(compiled, anew=True)
        async with self._within(deadline, f"no match of {_named(compiled)}"):
            while heard is None:
                if self._window.ended:
                    raise await self._crash(f"ended before a match of {_named(compiled)}")
                await self._window.changed()
                heard = self._window.find(compiled)
        return heard

    async def read_until_quiet(self, seconds: float, deadline: float | None = None) -> Heard:
        """Take what comes until nothing has come for `seconds`, or the terminal was closed.

        Raises:
            DeadlineExceeded: it was never quiet for that long within `deadline` seconds.
        """
        async with self._within(deadline, f"never quiet for {seconds} s"):
            while not self._window.ended:
                try:
                    async with asyncio.timeout(seconds):
                        await self._window.changed()
                except TimeoutError:
                    break
        return self._window.take()

    @contextlib.asynccontextmanager
    async def _within(self, deadline: float | None, what: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(deadline) as limit:
                yield
        except TimeoutError as error:
            if not limit.expired():
                raise
            await self.stop(GRACE_SECONDS)
            said = f"{what} within {deadline} s{self._last_output()}"
            raise DeadlineExceeded(said, where=self.argv[0]) from error

    async def _crash(self, what: str) -> HarnessCrash:
        await self.ended(EXIT_SECONDS)
        state = f"{what}: {self.exit or 'it runs on'}"
        return HarnessCrash(state + self._last_output(), where=self.argv[0])

    def _last_output(self) -> str:
        text = self.stdout.tail or self.stdout.head
        last = text[-2000:].decode("utf-8", "replace").strip()
        return f"\nits output ends with:\n{last}" if last else ""


def _compiled(patterns: Pattern | Sequence[Pattern]) -> list[re.Pattern[bytes]]:
    several = [patterns] if isinstance(patterns, str | bytes | re.Pattern) else patterns
    return [re.compile(p.encode() if isinstance(p, str) else p) for p in several]


def _named(patterns: Sequence[re.Pattern[bytes]]) -> str:
    return " or ".join(repr(p.pattern.decode("utf-8", "replace")) for p in patterns)


class _Terminal:
    """What `Process` uses of a `subprocess.Popen`, over a child that pexpect's ptyprocess has started on a terminal."""

    def __init__(self, command: Command, env: dict[str, str], size: tuple[int, int]) -> None:
        child = _spawn(command, env, size)
        self.pid: int = child.pid
        self.stdin = FileIO(os.dup(child.fd), "wb")
        self.stdout = FileIO(os.dup(child.fd), "rb")
        child.closed = True  # ours from here on: it would kill and wait, blocking, when it is collected
        child.fileobj.close()
        empty, end = os.pipe()
        os.close(end)
        self.stderr = FileIO(empty, "rb")  # a terminal has one stream for both
        self._code: int | None = None

    def wait(self) -> int:
        """Collect the exit status, as `subprocess` encodes it; may be called again."""
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


def _spawn(command: Command, env: dict[str, str], size: tuple[int, int]) -> Any:  # ptyprocess has no types
    import ptyprocess  # type: ignore[import-untyped]  # what pexpect.spawn is made of; only it can pass descriptors on

    argv = [str(_program(command)), *command.argv[1:]]
    with warnings.catch_warnings():
        # Python 3.12 warns of a fork beside threads; the child does nothing but set its terminal and become the program.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return ptyprocess.PtyProcess.spawn(
                argv,
                cwd=command.cwd,
                env=env,
                echo=False,
                preexec_fn=functools.partial(_prepare, command.pass_fds),
                dimensions=size,
                pass_fds=command.pass_fds,
            )
        except OSError as error:
            traceback.clear_frames(error.__traceback__)  # they hold the terminal and the dead child: both go now
            typed = OSError(error.errno, os.strerror(error.errno)) if error.errno else error
            raise explained(command, typed) from error


def _prepare(pass_fds: Sequence[int]) -> None:
    """In the child, before its program begins: nothing can be lost between two terminal modes."""
    tty.setraw(0)
    for fd in pass_fds:
        os.set_inheritable(fd, True)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these; a program expects the system's way
        signal.signal(number, signal.SIG_DFL)


def _program(command: Command) -> os.PathLike[str]:
    """The program's file, looked for on the child's own PATH; everything that must not fail between fork and exec."""
    if command.cwd is not None and not command.cwd.is_dir():
        raise explained(command, NotADirectoryError())
    if command.cwd is not None and not os.access(command.cwd, os.X_OK):
        raise ProgramNotStarted(f"the working folder {command.cwd} cannot be entered", where=command.argv[0])
    found = candidates(command)
    for path in found:
        if os.access(path, os.X_OK):
            return path.absolute()
    missing: OSError = PermissionError(13, "Permission denied") if found else FileNotFoundError()
    raise explained(command, missing)
