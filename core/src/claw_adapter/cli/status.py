"""`claw status`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter.cli.common import console, print_json

if TYPE_CHECKING:
    from claw_adapter.runs.status import PartStatus, RunStatus

__all__ = ["command"]


@click.command("status")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(runs: tuple[Path, ...], as_json: bool) -> int:
    """Say how far runs have got, also while they are under way; shards of one plan are summed up.

    A run folder is read as it lies there. Whether a process is at work on it is known on this machine only.
    """
    from claw_adapter.runs.status import run_status

    found = run_status(runs)
    if as_json:
        print_json([one.model_dump(mode="json") for one in found])
        return 0
    for one in found:
        _show(one)
    return 0


def _show(status: RunStatus) -> None:
    from rich.table import Table

    out = console()
    done = status.finished + status.failed
    out.print(
        f"run {status.digest}: {done} of {status.trials} trials over, {status.recorded} of {status.rounds} rounds recorded",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False)
    for heading in ("folder", "shard", "state"):
        table.add_column(heading, overflow="fold")
    for heading in ("trials", "finished", "ended early", "begun", "rounds", "scored"):
        table.add_column(heading, justify="right")
    table.add_column("failures", overflow="fold")
    for part in status.parts:
        table.add_row(*_cells(part))
    out.print(table, highlight=False)
    if status.missing:
        out.print(f"no folder was named for shard {', '.join(status.missing)}", highlight=False)


def _cells(part: PartStatus) -> list[str]:
    over = part.finished + part.failed == part.trials
    return [
        part.path,
        part.shard or "–",
        "running" if part.running else ("over" if over else "not running"),
        *map(str, (part.trials, part.finished, part.failed, part.begun)),
        f"{part.recorded}/{part.rounds}",
        str(part.scored),
        ", ".join(f"{owner} {count}" for owner, count in part.failures.items()) or "–",
    ]
