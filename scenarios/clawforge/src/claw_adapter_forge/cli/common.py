"""Options and output that the commands share."""

from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from claw_adapter.errors import ClawError, HarnessNotFound, JournalError, PluginError, SandboxError

__all__ = [
    "COUNT",
    "JSON",
    "OUT",
    "as_json",
    "fail_clean",
    "progress_line",
    "special_options",
    "task_options",
]

OUT = click.Path(path_type=Path)
COUNT = click.IntRange(min=1)
WRONG, REFUSED, MISSING = 2, 3, 4
JSON = click.option("--json", "json_out", is_flag=True, help="Print JSON.")

F = TypeVar("F", bound=Callable[..., Any])


def task_options(command: F) -> F:
    """``--task-set``, ``--seed`` and ``-n``."""
    options = (
        click.option(
            "--task-set", default="paper362", show_default=True, help="paper362 (published counts), scale, hard."
        ),
        click.option("--seed", default=0, show_default=True, help="The same seed gives the same bytes."),
        click.option("-n", "count", default=362, show_default=True, help="How many tasks `scale` and `hard` have."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def special_options(command: F) -> F:
    """``--families`` and ``--knobs``, as `counts_in` reads them."""
    options = (
        click.option("--families", default="", help="Only these, each with a number of tasks: SLUG*5+OTHER*3 (scale)."),
        click.option("--knobs", default="", help="Difficulty that is not drawn: sites*12+decoys*1 (hard)."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def fail_clean(command: F) -> F:
    """Turn errors that a user can mend into a message and core's exit status: 3 refused, 4 something is not here, else 2."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:
            raise  # whoever read has enough; `claw` ends quietly
        except (ClawError, OSError, ExceptionGroup) as error:
            known = _only(error)
            if known is None:
                raise
            click.echo(f"Error: {_message(known)}", err=True)
            sys.exit(_exit_status(known))

    return run  # type: ignore[return-value]  # the wrapper has the signature of what it wraps


def _only(error: Exception) -> ClawError | OSError | None:
    """The error itself, or the one that a group of tasks ended with."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error if isinstance(error, (ClawError, OSError)) else None


def _exit_status(error: ClawError | OSError) -> int:
    """As the commands of the core have it."""
    if isinstance(error, JournalError):
        return REFUSED
    return MISSING if isinstance(error, (PluginError, SandboxError, HarnessNotFound)) else WRONG


def _message(error: ClawError | OSError) -> str:
    if isinstance(error, ClawError):
        return str(error)
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    return f"{what}\n  Give a path that can be used."


def as_json(data: object) -> None:
    """Print indented JSON."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


def progress_line(label: str) -> Callable[[int, int], None]:
    """A line on stderr that counts up on a terminal; in a pipe, a line now and then."""
    started = time.monotonic()
    last = [started]
    terminal = sys.stderr.isatty()

    def show(done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - last[0] < (0.2 if terminal else 10.0):
            return
        last[0] = now
        left = (now - started) / done * (total - done)
        text = f"{label}: {done} of {total}, about {left:.0f} s left"
        click.echo(f"\r{text}   " if terminal else text, err=True, nl=not terminal or done == total)

    return show
