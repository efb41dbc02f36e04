"""An artefact of CSV: every expected row once, and no other."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from .faults import Faults, Unreadable
from .typed import judge
from .values import clean, fold

__all__ = ["check_csv", "has_column", "read_table"]

DELIMITERS = (",", ";", "\t")


def read_table(rule: Mapping[str, Any], text: str) -> list[dict[str, str]]:
    """The rows by the names of the columns that were asked for, which may stand in any order.

    Raises:
        Unreadable: it is no table of these columns.
    """
    columns = rule["rows"]["columns"]
    names = {fold(clean(name)): name for name in columns}
    faults: list[csv.Error] = []
    for delimiter in DELIMITERS:
        try:
            lines = _lines(text, delimiter)
        except csv.Error as error:  # as with another sign between cells in quotes
            faults.append(error)
            continue
        header = [fold(clean(name)) for name in lines[0]] if lines else []
        if sorted(header) == sorted(names):
            break
    else:
        if len(faults) == len(DELIMITERS):
            raise Unreadable("format", f"no CSV: {faults[0]}")
        raise Unreadable("schema", f"its first line does not name the columns {','.join(columns)}, and no others")
    if any(len(line) != len(columns) for line in lines):
        raise Unreadable("schema", "a line has too few or too many cells")
    return [{names[name]: cell for name, cell in zip(header, line, strict=True)} for line in lines[1:]]


def has_column(rule: Mapping[str, Any], text: object) -> bool:
    """Whether a text is a table with one of the columns that were asked for."""
    wanted = {fold(clean(name)) for name in rule["rows"]["columns"]}
    first = text.lstrip().partition("\n")[0] if isinstance(text, str) else ""
    return any(wanted.intersection(fold(clean(cell)) for cell in first.split(sign)) for sign in DELIMITERS)


def _lines(text: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    return [line for line in reader if any(cell.strip() for cell in line)]


def check_csv(rule: Mapping[str, Any], rows: Sequence[Mapping[str, str]]) -> Faults:
    """Every expected row, told apart by its first columns."""
    wanted = rule["rows"]
    columns, width = wanted["columns"], wanted["key"]
    left = list(rows)
    for expected in wanted["rows"]:
        cells = dict(zip(columns, expected, strict=True))
        name = ", ".join(str(cell["value"]) for cell in expected[:width])
        fits = [row for row in left if all(judge(cells[key], row[key], {}) is None for key in columns[:width])]
        if len(fits) != 1:
            kind = "format" if fits else "missing"
            yield (
                name,
                "format" if fits else "missing",
                f"the row is {'there twice' if kind == 'format' else 'not there'}",
            )
        for row in fits[:1]:
            for column in columns[width:]:
                if (fault := judge(cells[column], row[column], {})) is not None:
                    yield f"{name}: {column}", *fault
        left = [row for row in left if row not in fits]
    if left:
        yield "", "schema", f"has {len(left)} rows more than it should"
