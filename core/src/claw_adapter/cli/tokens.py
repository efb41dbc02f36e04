"""`claw tokens`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter.cli.common import console, print_json

if TYPE_CHECKING:
    from claw_adapter.data_format.counting import Progress
    from claw_adapter.datasets.measuring import Measured

__all__ = ["command"]


@click.command("tokens")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--layout", metavar="NAME", default="all", show_default=True, help="Of a published data set.")
@click.option("--json", "as_json", is_flag=True, help="Print all tables as JSON.")
@click.option(
    "--csv", "csv_file", type=click.Path(path_type=Path, dir_okay=False), help="Also write one row per scenario."
)
def command(path: Path, layout: str, as_json: bool, csv_file: Path | None) -> int:
    """Count the tokens of a data set and show the papers' tables 8 to 11.

    PATH is a published data set (its tests.json) or a folder of scenarios. Tokens are cl100k; equal text is counted once.
    """
    from claw_adapter.datasets.export import write_csv
    from claw_adapter.datasets.measuring import measure

    with _progress() as progress:
        found = measure(path, layout, progress=progress)
    if csv_file is not None:
        write_csv(found, csv_file)
    if found.notice:
        click.echo(found.notice, err=True)
    if as_json:
        print_json(found.as_json())
    else:
        _show(found)
    return 0


@contextlib.contextmanager
def _progress() -> Iterator[Progress | None]:
    """A bar on standard error in a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress as Bars

    with Bars(console=console(stderr=True), transient=True) as bars:
        task = bars.add_task("counting tokens", total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


def _show(found: Measured) -> None:
    """Print the tables; plain text, as a tool that lays out tables takes longer than the counting."""
    from claw_adapter.datasets.export import grids

    for title, head, rows in grids(found):
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        click.secho(title, italic=True)
        click.secho(_line(head, widths), bold=True)
        click.echo("".join(f"{_line(row, widths)}\n" for row in rows))
    click.echo(f"{found.distinct:,} different texts counted with {found.tokenizer}")


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The first cell to the left, the others to the right."""
    first, *others = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return "  ".join((f"{first.strip():<{widths[0]}}", *others)).rstrip()
