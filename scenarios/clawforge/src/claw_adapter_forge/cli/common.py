"""Options and output that the commands share."""

from __future__ import annotations

import functools
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from claw_adapter.errors import ClawError, HarnessNotFound, JournalError, PluginError, SandboxError

if TYPE_CHECKING:
    from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = [
    "COUNT",
    "JSON",
    "OUT",
    "SECONDS",
    "as_json",
    "fail_clean",
    "pick_tasks",
    "profile_options",
    "progress_line",
    "stratified",
]

OUT = click.Path(path_type=Path)
COUNT = click.IntRange(min=1)
WRONG, REFUSED, MISSING = 2, 3, 4
JSON = click.option("--json", "json_out", is_flag=True, help="Print JSON.")

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class _Seconds(click.FloatRange):
    """More than 0, and a number: a plain range lets "nan" and "inf" through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is no number of seconds", param, ctx)
        return found


SECONDS = _Seconds(min=0, min_open=True)


def profile_options(command: F) -> F:
    """``--profile``, ``--seed`` and ``-n``."""
    options = (
        click.option("--profile", default="paper362", show_default=True, help="paper362 (published counts) or scale."),
        click.option("--seed", default=0, show_default=True, help="The same seed gives the same bytes."),
        click.option("-n", "count", default=362, show_default=True, help="Tasks of the scale profile."),
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


def pick_tasks(profile: str, seed: int, count: int, names: tuple[str, ...] = ()) -> Iterator[ForgeTask]:
    """The tasks of a profile, or those named by id or number.

    Raises:
        ScenarioError: a name fits no task.
    """
    from claw_adapter.errors import ScenarioError
    from claw_adapter_forge.tasks.compiler import check_task
    from claw_adapter_forge.tasks.profiles import blueprints, compile_blueprint

    wanted = {int(name.rpartition("-")[2]) for name in names if name.rpartition("-")[2].isdigit()}
    if names and len(wanted) != len(set(names)):
        raise ScenarioError(f"no such task among {', '.join(names)}", remedy="name tasks by number or as in forge-017")
    found = 0
    for blueprint in blueprints(profile, seed, count):
        if not names or blueprint.number in wanted:
            found += 1
            yield check_task(compile_blueprint(blueprint))
    if names and found != len(wanted):
        raise ScenarioError(f"no such task in {profile}", where=", ".join(names), remedy="see `claw forge generate`")


def stratified(tasks: list[ForgeTask], size: int) -> list[ForgeTask]:
    """`size` tasks that go round the abilities, and round the families of each; all of them if `size` is 0.

    Six have every ability and 17 every family, where the profile has them.
    """
    if not 0 < size < len(tasks):
        return tasks
    abilities: dict[str, dict[str, list[ForgeTask]]] = {}
    # in an order that goes by nothing, so that variants and styles mix, and the same one every time
    for task in sorted(tasks, key=lambda t: sha256(t.instruction.encode()).digest()):
        abilities.setdefault(task.meta.ability, {}).setdefault(task.meta.family, []).append(task)
    # the families in turns of one per ability; then their tasks in turns of one per family
    families = _in_turns([list(of.values()) for of in abilities.values()])
    return sorted(_in_turns(families)[:size], key=lambda t: t.number)


def _in_turns(piles: list[list[T]]) -> list[T]:
    """The first of each pile, then the second of each, and so on."""
    missing = object()
    turns = zip_longest(*piles, fillvalue=missing)
    return [one for turn in turns for one in turn if one is not missing]  # type: ignore[misc]  # the fill value is left out
