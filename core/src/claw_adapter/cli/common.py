"""What the commands share: consoles, exit codes, JSON output."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from claw_adapter.errors import ClawError, HarnessNotFound, JournalError, OverlayNotFound, PluginError, SandboxError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["FAILED", "INTERRUPTED", "MISSING", "REFUSED", "WRONG", "console", "exit_code_of", "print_json"]

PIPE_WIDTH = 120
FAILED, WRONG, REFUSED, MISSING, INTERRUPTED = 1, 2, 3, 4, 130


def exit_code_of(error: BaseException) -> int | None:
    """The documented exit code of one of our errors; None for anything else."""
    if isinstance(error, JournalError):
        return REFUSED
    if isinstance(error, PluginError | SandboxError | HarnessNotFound | OverlayNotFound):
        return MISSING
    return WRONG if isinstance(error, ClawError) else None


def console(*, stderr: bool = False) -> Console:
    """A console that has colour in a terminal; in a pipe it has none, and room for whole tables."""
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    return made


def print_json(value: Any) -> None:
    """Print one JSON document on standard output."""
    json.dump(value, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
