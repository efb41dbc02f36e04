"""The records of several files, and whether they may stand in one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claw_adapter.errors import JournalError
from claw_adapter_forge.runner.recordfile import RecordFile, read_file
from claw_adapter_forge.runner.records import RunRecord
from claw_adapter_forge.runner.settings import Settings, told

__all__ = ["Gathered", "gather"]

_TASKS = ("profile", "seed", "tasks")
"""With other values a task's id means another task."""
_LEVELS = ("isolation", "horizon", "history", "blank")
"""Columns that differ here are compared only if that is asked for."""
_COLUMN = (*_LEVELS, "mode", "provider", "timeout", "versions")
"""Trials of one column never differ here."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """`told` has each setting's values, in order; `notices` say what is not known or was left out."""

    records: tuple[RunRecord, ...]
    told: dict[str, list[Any]]
    notices: tuple[str, ...]


def gather(paths: Sequence[Path], *, allow_mixed: bool = False) -> Gathered:
    """Read files of records for one report.

    Raises:
        JournalError: a file is damaged, there are no records, or the files do not go together.
        OSError: one cannot be read.
    """
    files = [read_file(p) for p in paths]
    records = tuple(r for f in files for r in f.records)
    if not records:
        raise JournalError("there are no records in these files", remedy="run `claw forge run` first")
    known = [(f, f.settings) for f in files if f.settings is not None]
    _agree(known, _TASKS, "these are not the same tasks", "report them one by one")
    _same_requests(records)
    if not allow_mixed:
        remedy = "report them one by one, or side by side with --allow-mixed"
        _agree(known, _LEVELS, "results of different settings are not compared", remedy)
    for label in dict.fromkeys((r.agent, r.harness) for r in records):
        column = [(f, s) for f, s in known if any((r.agent, r.harness) == label for r in f.records)]
        what = f"the trials of {' through '.join(label)} were made in different ways and cannot be one column"
        _agree(column, _COLUMN, what, "report them one by one")
    return Gathered(records, told([s for _, s in known]), tuple(n for f in files for n in f.notices))


def _agree(files: Iterable[tuple[RecordFile, Settings]], names: Sequence[str], what: str, remedy: str) -> None:
    """None, where a setting plays no part, agrees with anything."""
    for name in names:
        first: tuple[RecordFile, Any] | None = None
        for file, settings in files:
            value = getattr(settings, name)
            if value is None:
                continue
            if first is None:
                first = file, value
            elif value != first[1]:
                where = f"{name} is {first[1]!r} in {first[0].path} and {value!r} in {file.path}"
                raise JournalError(what, where=where, remedy=remedy)


def _same_requests(records: Iterable[RunRecord]) -> None:
    """What files without settings can still show: one id, one request."""
    requests: dict[str, str] = {}
    for record in records:
        if record.instruction != requests.setdefault(record.task, record.instruction):
            raise JournalError(
                "these are not the same tasks: its request differs from record to record",
                where=f"task {record.task}",
                remedy="report runs of different profiles, seeds or versions one by one",
            )
