"""`claw prune`."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from claw_adapter.cli.common import print_json

__all__ = ["command"]


@click.command("prune")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(runs: tuple[Path, ...], dry_run: bool, as_json: bool) -> int:
    """Remove what run folders do not need: content that no journal names, and workspaces that a killed runner left.

    Scores, pages, repeated rounds and resuming need nothing of it. A run that is under way is left alone.
    """
    from claw_adapter.runs.pruning import prune

    found = {str(run): prune(run, dry_run=dry_run) for run in runs}
    if as_json:
        print_json({run: dataclasses.asdict(one) for run, one in found.items()})
        return 0
    for run, one in found.items():
        live = " and the workspaces of a killed runner" if one.live else ""
        verb = "would be" if dry_run else "were"
        click.echo(f"{run}: {one.blobs} pieces of content{live} {verb} removed, {one.size:,} bytes")
    return 0
