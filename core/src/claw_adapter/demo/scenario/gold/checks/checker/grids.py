"""Labels and values in the tables of a document of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .pairs import Entry, cells_of, find_label
from .values import clean

__all__ = ["columns_of", "entries_of", "framed", "tables_of"]

DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*")
RULE = re.compile(r":?-+:?|")


def tables_of(lines: Sequence[str | None]) -> Iterator[list[list[str]]]:
    """The cells of every table, by rows."""
    table: list[list[str]] = []
    for line in [*framed(lines), None]:
        cells = cells_of(line) if line else None
        if cells is not None:
            table.append(cells)
        elif table:
            yield table
            table = []


def columns_of(tables: Iterable[list[list[str]]], labels: dict[str, str], every: dict[str, str]) -> Iterator[Entry]:
    """What stands below one of `labels` at the head of a column, beside whatever others; not in rows of a label."""
    for rows in tables:
        head = [find_label(_bare(cell), labels) for cell in rows[0]]
        for cells in rows[1:] if any(head) else ():
            if not all(RULE.fullmatch(cell) for cell in cells) and not find_label(_bare(cells[0]), every):
                yield from (entry for _, entry in _below(head, cells))


def entries_of(rows: list[list[str]], labels: dict[str, str]) -> Iterator[tuple[str, Entry]]:
    """A label to a row, its value beside it and remarks behind that; or the labels as head, the values below them."""
    head = [find_label(_bare(cell), labels) for cell in rows[0]] if rows else []
    if (labelled := sum(named is not None for named in head)) > 1 or labelled == len(head) == 1:
        for cells in rows[1:]:
            if not all(RULE.fullmatch(cell) for cell in cells):
                yield from _below(head, cells)
        return
    unit = _unit(rows[0][1]) if rows and len(rows[0]) > 1 else ""
    heads = tuple(rows[0][1:2]) if rows and not head[0] else ()
    columns = tuple(rows[0][:2]) if heads else ()
    for cells in rows:
        if len(cells) > 1 and (named := find_label(_bare(cells[0]), labels)):
            beside = tuple(filter(None, cells[2:]))
            yield named[0], Entry(cells[1], named[1] or unit, bool(named[1]), beside, heads=heads, columns=columns)


def _below(head: Sequence[tuple[str, str] | None], cells: Sequence[str]) -> Iterator[tuple[str, Entry]]:
    heads = tuple(cell for named, cell in zip(head, cells, strict=False) if named is None)
    for at, named in enumerate(head):
        if named is not None:
            yield named[0], Entry(cells[at] if at < len(cells) else "", named[1], bool(named[1]), heads=heads)


def _bare(cell: str) -> str:
    """A cell without emphasis and a colon behind it."""
    return re.sub(r"\s*[:：]\Z", "", clean(cell))  # noqa: RUF001


def framed(lines: Sequence[str | None]) -> list[str | None]:
    """The lines, with the outer bars of those tables that were written without."""
    framed = list(lines)
    for at in range(1, len(lines)):
        head, line = lines[at - 1], lines[at]
        if head and line and "|" in head and DELIMITER.fullmatch(line):
            for row in range(at - 1, len(lines)):
                if not (text := lines[row]) or "|" not in text:
                    break
                framed[row] = text if text.lstrip().startswith("|") else f"|{text.rstrip().removesuffix('|')}|"
    return framed


def _unit(header: str) -> str:
    inner = re.search(r"[(（\[]([^()（）\[\]]+)[)）\]]\s*\Z", header)  # noqa: RUF001
    return clean(inner[1] if inner else header)
