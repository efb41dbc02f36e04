"""The breakdowns in a terminal."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter.report.clean import one_line
from claw_adapter.report.facet_records import Facets
from claw_adapter.report.facet_words import FacetTable, facet_tables

__all__ = ["render_facets"]

MOST_ROWS: Final = 16
"""Rows of a table before the rest is only counted; the page has them all."""
WIDEST: Final = 40


def render_facets(facets: Facets | None, console: Console) -> None:
    """Print every breakdown that has data; text from a run folder is cleaned and never read as markup."""
    for table in facet_tables(facets):
        console.print(Text(f"\n{table.title}", style="bold"))
        console.print(_table(table))
        if (left := len(table.rows) - MOST_ROWS) > 0:
            console.print(Text(f"  and {left} more rows, on the page"))
        for line in Text(one_line(table.note, 400)).wrap(console, max(console.width - 2, 20)):
            line.rstrip()
            console.print(Text.assemble("  ", line))


def _table(table: FacetTable) -> Table:
    made = Table(box=None, pad_edge=False, padding=(0, 1))
    for place, name in enumerate(table.head):
        made.add_column(Text(one_line(name, WIDEST)), overflow="fold", justify="left" if place == 0 else "right")
    for row in table.rows[:MOST_ROWS]:
        made.add_row(*(Text(one_line(cell, 80)) for cell in row))
    return made
