"""Options and output that the commands share."""

from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from claw_adapter.errors import ClawError

if TYPE_CHECKING:
    from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["JSON", "OUT", "as_json", "fail_clean", "pick_tasks", "profile_options", "progress_line", "stratified"]

OUT = click.Path(path_type=Path)
JSON = click.option("--json", "json_out", is_flag=True, help="Print JSON.")

F = TypeVar("F", bound=Callable[..., Any])


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
    """Turn this package's errors into a message and exit status 2."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except ClawError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(2)

    return run  # type: ignore[return-value]  # the wrapper has the signature of what it wraps


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
    """`size` tasks that go round the families, so that each is there; all of them if `size` is 0."""
    if not 0 < size < len(tasks):
        return tasks
    by_family: dict[str, list[ForgeTask]] = {}
    # in an order that goes by nothing, so that variants and styles mix, and the same one every time
    for task in sorted(tasks, key=lambda t: sha256(t.instruction.encode()).digest()):
        by_family.setdefault(task.meta.family, []).append(task)
    rounds = zip_longest(*by_family.values())
    chosen = [task for one_round in rounds for task in one_round if task is not None]
    return sorted(chosen[:size], key=lambda t: t.number)
