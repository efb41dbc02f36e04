"""What to start and what came of it: the plain records of the process driver."""

from __future__ import annotations

import os
import signal as signals
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from claw_adapter.drivers.capture import Captured, Limits
from claw_adapter.drivers.errors import CommandInvalid

__all__ = ["ALLOWED", "PIPE", "Command", "Completed", "ExitStatus", "Stdin", "environment"]

ALLOWED: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM")
"""The variables of our own environment that a child may see unless told otherwise."""

ARGUMENT_BYTES: Final = 100 * 1024
"""Longest single argument or variable; Linux refuses 128 KiB (MAX_ARG_STRLEN) with an unhelpful error."""


class Stdin(Enum):
    """Special kinds of standard input."""

    PIPE = "pipe"


PIPE: Final = Stdin.PIPE
"""Standard input stays open for `Process.write`."""


def environment(allow: Iterable[str] = ALLOWED, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a complete environment for a child: the allowed variables of ours, then `extra` on top."""
    kept = {name: os.environ[name] for name in allow if name in os.environ}
    return {**kept, **(extra or {})}


@dataclass(frozen=True, slots=True)
class Command:
    """One child process to start.

    Attributes:
        argv: program and arguments; the program is looked for on the PATH of `env`, not on ours.
        env: the complete environment of the child; nothing else reaches it but CLAW_TRIAL.
        cwd: working folder; None means ours.
        stdin: bytes or a file to feed, None for nothing, `PIPE` to write to it while it runs.
        marker: beginning of the CLAW_TRIAL value by which survivors are found. A part of our own is added to it,
            so that ending one child never touches another child of the same trial.
        limits: how much output is kept.
        lines: True makes standard output available to `Process.readline` instead of capturing it.
        max_line: longest line of a line protocol, in bytes.
        pass_fds: file descriptors the child inherits besides 0, 1 and 2.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path | None = None
    stdin: bytes | Path | Stdin | None = None
    marker: str = ""
    limits: Limits = field(default_factory=Limits)
    lines: bool = False
    max_line: int = 256 * 1024 * 1024
    pass_fds: tuple[int, ...] = ()

    def check(self) -> None:
        """Refuse what the system would refuse, with a better sentence.

        Raises:
            CommandInvalid: no argument, an over-long argument or variable, or a NUL byte in either.
        """
        if not self.argv:
            raise CommandInvalid("a command without a program", remedy="Give at least one argument.")
        for index, item in enumerate(self.argv):
            _check_item(item, f"argument {index} of {self.argv[0]}")
        for name, value in self.env.items():
            _check_item(f"{name}={value}", f"environment variable {name}")


def _check_item(item: str, where: str) -> None:
    if "\0" in item:
        raise CommandInvalid("contains a NUL byte", where=where, remedy="Send such data on standard input.")
    if len(item) > ARGUMENT_BYTES // 4 and len(os.fsencode(item)) > ARGUMENT_BYTES:
        raise CommandInvalid(
            f"is longer than {ARGUMENT_BYTES // 1024} KiB",
            where=where,
            remedy="Send it on standard input or through a file.",
        )


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """How a process ended: exactly one of `code` (0 to 255) and `signal` (its number) is set."""

    code: int | None = None
    signal: int | None = None

    @classmethod
    def of(cls, returncode: int) -> ExitStatus:
        """Translate the return code of `subprocess` (negative for a signal)."""
        return cls(signal=-returncode) if returncode < 0 else cls(code=returncode)

    @property
    def ok(self) -> bool:
        """True for exit status 0 only."""
        return self.code == 0

    def __str__(self) -> str:
        if self.signal is None:
            return f"exit status {self.code}"
        try:
            return f"ended by {signals.Signals(self.signal).name}"
        except ValueError:
            return f"ended by signal {self.signal}"


@dataclass(frozen=True, slots=True)
class Completed:
    """What `run` returns.

    Attributes:
        exit: how the process ended.
        stdout: what it wrote, bounded.
        stderr: what it wrote to standard error, bounded.
        duration: seconds from start to the end of clean-up.
        timed_out: True if the deadline ended it.
        drained: True if both streams were read to their end; False if something still held them open.
        survivors: processes of it that could not be killed (0 but for uninterruptible ones).
        over: why it was ended before its deadline, in the words of who watched it, or empty.
    """

    exit: ExitStatus
    stdout: Captured
    stderr: Captured
    duration: float
    timed_out: bool
    drained: bool
    survivors: int
    over: str = ""
