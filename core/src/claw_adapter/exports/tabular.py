"""The tables of a run as files: CSV, or Parquet. Rows are written as they are read, so that memory stays flat."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, Final

from claw_adapter.api.frames import arrow_table
from claw_adapter.api.tables import types_of
from claw_adapter.exporter import Exporter
from claw_adapter.exports.rows import TABLES
from claw_adapter.runs.load import load_run

__all__ = ["CsvExporter", "ParquetExporter"]

BATCH: Final = 10_000
"""Rows of a group."""


class CsvExporter(Exporter):
    """``TABLE.csv``: UTF-8 with a line of headings; an empty field where there is no value."""

    name: ClassVar[str] = "csv"

    def write(self, run: Path, out: Path) -> tuple[str, ...]:
        """Write all tables."""
        data = load_run(run)
        for table, (kind, make) in TABLES.items():
            names = list(types_of(kind))
            with (out / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(names)
                for row in make(data):
                    writer.writerow([_cell(getattr(row, name)) for name in names])
        return ()


class ParquetExporter(Exporter):
    """``TABLE.parquet``, with the types of the columns; null where there is no value. Needs ``claw-adapter[arrow]``."""

    name: ClassVar[str] = "parquet"

    def write(self, run: Path, out: Path) -> tuple[str, ...]:
        """Write all tables."""
        data = load_run(run)
        for table, (kind, make) in TABLES.items():
            schema = arrow_table(kind, ()).schema
            from pyarrow.parquet import ParquetWriter

            with ParquetWriter(out / f"{table}.parquet", schema) as writer:
                for rows in _batches(make(data)):
                    writer.write_table(arrow_table(kind, rows))
        return ()


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _batches(rows: Iterable[object]) -> Iterator[list[object]]:
    given = iter(rows)
    while batch := list(itertools.islice(given, BATCH)):
        yield batch
