"""The breakdowns in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import islice
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter.report.breakdown_records import Breakdown, Breakdowns
from claw_adapter.report.breakdown_words import TextTable, breakdown_table, breakdown_tables
from claw_adapter.report.clean import one_line
from claw_adapter.report.narrow import parts

__all__ = ["render_breakdown", "render_breakdowns"]

MOST_ROWS: Final = 24
"""Rows of a table before the rest is only counted; the page has them all."""
WIDEST: Final = 40
NARROWEST: Final = 8
"""Characters that a heading has at least."""


def render_breakdowns(found: Breakdowns | None, console: Console, *, most: int | None = None) -> None:
    """Print every breakdown that has data, or so many; text from a run folder is cleaned and never read as markup."""
    for table in islice(breakdown_tables(found), most):
        _print(table, table.rows[:MOST_ROWS], console)


def render_breakdown(found: Breakdown, console: Console) -> None:
    """Print one breakdown, with all of its rows and metrics; below each other where the terminal is too narrow."""
    table = breakdown_table(found)
    _print(table, table.rows, console)


def _print(table: TextTable, rows: Sequence[tuple[str, ...]], console: Console) -> None:
    console.print(Text(f"\n{one_line(table.title, 200)}", style="bold"))
    made = Table(box=None, pad_edge=False, padding=(0, 1))
    for place, name in enumerate(table.head):
        head = one_line(name, WIDEST)
        if table.keys:
            made.add_column(
                Text(_folded(head, rows, place)), no_wrap=True, justify="left" if place < table.keys else "right"
            )
        else:
            made.add_column(Text(head), overflow="fold", justify="right" if place else "left")
    for row in rows:
        made.add_row(*(Text(one_line(cell, 80)) for cell in row))
    for part in parts(made, console.width, table.keys) if table.keys else (made,):
        console.print(part)
    if (left := len(table.rows) - len(rows)) > 0:
        console.print(Text(f"  and {left} more rows, on the page"))
    for line in Text(one_line(table.note, 1000)).wrap(console, max(console.width - 2, 20)):
        line.rstrip()
        console.print(Text.assemble("  ", line))


def _folded(head: str, rows: Sequence[tuple[str, ...]], place: int) -> str:
    """A heading on as many lines as keep it from being wider than what is below it."""
    widest = max((cell_len(one_line(row[place], 80)) for row in rows), default=0)
    word = max(map(cell_len, head.split()), default=0)
    return "\n".join(textwrap.wrap(head, max(widest, word, NARROWEST), break_on_hyphens=False))
