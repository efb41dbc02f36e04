"""`claw merge`."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from claw_adapter.cli.common import FAILED, print_json

__all__ = ["command"]


@click.command("merge")
@click.argument("runs", metavar="SHARD...", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Run folder of the whole; may hold a part.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(runs: tuple[Path, ...], out: Path, as_json: bool) -> int:
    """Put run folders of one plan together, such as the shards that `claw run … --shard I/N` made.

    They are only read. Folders of another plan are refused, with what differs. Exit code 1 when trials of the plan are in none
    of them: merge what is missing into the same folder later, or call `claw run` on it with the whole plan.
    """
    from claw_adapter.runs.merging import merge

    found = merge(runs, out)
    if as_json:
        print_json(dataclasses.asdict(found) | {"root": str(found.root)})
    else:
        known = f", {found.known} were there already" if found.known else ""
        click.echo(f"{found.root}: {found.trials} trials taken{known}; {found.total} in the plan")
        if found.missing:
            click.echo(f"missing: shard {', '.join(found.missing)}")
        if found.absent:
            names = ", ".join(found.absent[:5]) + (" …" if len(found.absent) > 5 else "")
            click.echo(f"{len(found.absent)} trials have not begun anywhere: {names}")
    return FAILED if found.absent else 0
