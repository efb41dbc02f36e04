"""What the commands share: consoles, exit codes, JSON output."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from claw_adapter.errors import (
    ClawError,
    HarnessNotFound,
    JournalError,
    MachineError,
    OverlayNotFound,
    PluginError,
    RunStopped,
    SandboxError,
)

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "FAILED",
    "FAULT",
    "INTERRUPTED",
    "MISSING",
    "PIPE_CLOSED",
    "REFUSED",
    "STOPPED",
    "WRONG",
    "console",
    "exit_code_of",
    "print_json",
]

PIPE_WIDTH = 120
FAILED, WRONG, REFUSED, MISSING, STOPPED, FAULT, INTERRUPTED = 1, 2, 3, 4, 5, 70, 130
PIPE_CLOSED = 141
"""As shells say it of a program whose output nobody reads any more."""


def exit_code_of(error: BaseException) -> int | None:
    """The documented exit code of one of our errors; None for anything else."""
    if isinstance(error, MachineError):
        return STOPPED
    if isinstance(error, JournalError):
        return REFUSED
    if isinstance(error, PluginError | SandboxError | HarnessNotFound | OverlayNotFound):
        return MISSING
    if isinstance(error, RunStopped):
        return STOPPED
    return WRONG if isinstance(error, ClawError) else None


def console(*, stderr: bool = False) -> Console:
    """A console that has colour in a terminal; in a pipe it has none, and room for whole tables."""
    from rich.console import Console

    class Ours(Console):
        """Rich ends the process with exit code 1 when its pipe is closed; `claw` has a code for that."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    made = Ours(stderr=stderr, highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    return made


def print_json(value: Any) -> None:
    """Print one JSON document on standard output; JSON is UTF-8, so another encoding gets ASCII with escapes."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "").replace("_", "") == "utf8"
    json.dump(value, sys.stdout, indent=1, ensure_ascii=not utf8)
    sys.stdout.write("\n")
