"""Tables in a narrow terminal: split between columns, so that no number and no name is cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rich.cells import cell_len
from rich.table import Column, Table

__all__ = ["parts"]

FOLDED: Final = 10
"""Characters that a column which may be folded gets at least."""


def parts(table: Table, width: int, keys: int = 1) -> Iterator[Table]:
    """The table, or several below each other where `width` characters are too few for it.

    Args:
        table: of columns that are `no_wrap`, or may be folded; cells are text.
        width: of the terminal.
        keys: how many columns at the left say what a row is; every part has them.
    """
    gap = max(table.padding[1], table.padding[3]) if table.collapse_padding else table.padding[1] + table.padding[3]
    for column in table.columns:
        column.min_width = _least(
            column
        )  # rich would fold down to one character what stands beside columns that are not
    head, chosen = table.columns[:keys], list[Column]()
    first = True
    for column in table.columns[keys:]:
        if chosen and _needed([*head, *chosen, column], gap) > width:
            yield _part(table, [*head, *chosen], first=first)
            chosen, first = [], False
        chosen.append(column)
    yield table if first else _part(table, [*head, *chosen], first=False)


def _needed(columns: Sequence[Column], gap: int) -> int:
    return sum(map(_least, columns)) + gap * (len(columns) - 1)


def _least(column: Column) -> int:
    """Characters without which something in a column would be cut."""
    lines = [line for cell in (column.header, *column.cells) for line in str(cell).splitlines()]
    longest = max(map(cell_len, lines), default=0)
    return longest if column.no_wrap else min(longest, FOLDED)


def _part(table: Table, columns: Sequence[Column], *, first: bool) -> Table:
    made = Table(
        box=table.box,
        title=table.title if first else None,
        title_justify=table.title_justify,
        title_style=table.title_style,
        pad_edge=table.pad_edge,
        padding=table.padding,
        collapse_padding=table.collapse_padding,
    )
    made.columns = [replace(column, _index=number) for number, column in enumerate(columns)]
    made.rows = table.rows
    return made
