"""`claw export`."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("export")
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--format", "form", required=True, metavar="NAME", help="csv, parquet, atif, eval, harbor-job, or a plugin's."
)
@click.option("--out", type=click.Path(path_type=Path), help="A new folder [default: RUN-NAME, beside the run].")
def command(run: Path, form: str, out: Path | None) -> int:
    """Write a run in the form of another tool; the run is only read.

    csv and parquet are tables; atif is trajectories, eval a log of Inspect, harbor-job a folder for Harbor's viewer.
    """
    from claw_adapter.exports import export

    root = run.resolve()
    target = out or root.with_name(f"{root.name}-{form}")
    notes = export(run, form, target)
    click.echo(f"written: {target}")
    for note in notes:
        click.echo(note)
    return 0
