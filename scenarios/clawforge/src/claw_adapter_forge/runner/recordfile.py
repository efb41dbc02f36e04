"""A file of records: one line of settings, then a line per trial, only ever added to.

A last line without its end is torn: a reader leaves it out and says so, `begin` cuts it. A trial that failed for its provider
or harness is followed by another try when the run is resumed; the last try counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.errors import JournalError
from claw_adapter_forge.runner.records import RUN_FORMAT, RunRecord, mend_end, record_from_line, record_line
from claw_adapter_forge.runner.settings import SETTINGS_FORMAT, Settings

__all__ = ["RecordFile", "begin", "check_free", "read_file", "write_records"]

_OURS = tuple(f'{{"format": "{name}"'.encode() for name in (SETTINGS_FORMAT, RUN_FORMAT))
_WAYS_OUT = "--resume runs what is missing, --fresh starts over and drops them, or name another file with -o"


@dataclass(frozen=True, slots=True)
class RecordFile:
    """What a file holds.

    `settings` is None for files of earlier versions and of `claw forge shim`; `torn` says whether the last line is cut off and
    left out. `all_records` has every try, `records` the last ones.
    """

    path: Path
    settings: Settings | None
    all_records: tuple[RunRecord, ...]
    torn: bool

    @property
    def records(self) -> tuple[RunRecord, ...]:
        """Without failed tries that were followed by another."""
        last = {r.identity: i for i, r in enumerate(self.all_records)}
        return tuple(r for i, r in enumerate(self.all_records) if r.scored or last[r.identity] == i)

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader of the file should know."""
        found = []
        if self.settings is None:
            found.append(f"{self.path}: no line of settings, so profile, seed and isolation are not known")
        if self.torn:
            found.append(f"{self.path}: the last line is torn and left out")
        return tuple(found)


def _lines(content: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """(number, line, whether it has its end) of every line that is not empty."""
    for number, line in enumerate(content.splitlines(keepends=True), start=1):
        if line.strip():
            yield number, line, line.endswith(b"\n")


def read_file(path: Path) -> RecordFile:
    """Read a file of records.

    Raises:
        JournalError: a line that is not the last one is damaged, or the file is something else.
        OSError: it cannot be read.
    """
    content = path.read_bytes()
    settings: Settings | None = None
    records: list[RunRecord] = []
    torn = False
    for number, line, ended in _lines(content):
        try:
            if number == 1 and line.startswith(_OURS[0]):
                settings = Settings.from_json(json.loads(line))
            else:
                records.append(record_from_line(line.decode("utf-8")))
        except (ValueError, KeyError, TypeError) as error:
            if ended or not (number > 1 or any(o.startswith(line[: len(o)]) for o in _OURS)):
                raise _damaged(path, number, error) from error
            torn = True
            break
    return RecordFile(path, settings, tuple(records), torn)


def _damaged(path: Path, number: int, error: Exception) -> JournalError:
    return JournalError(
        f"not a {RUN_FORMAT} record: {error!r}",
        where=f"{path}:{number}",
        remedy="give a file that `claw forge run -o` wrote; if it is one, take the line out and --resume runs that trial again",
    )


def write_records(path: Path, records: Iterable[RunRecord], settings: Settings | None = None) -> int:
    """Write a new file; returns the number of records."""
    known = list(records)
    path.parent.mkdir(parents=True, exist_ok=True)
    head = json.dumps(settings.to_json(), ensure_ascii=False) + "\n" if settings else ""
    path.write_text(head + "".join(map(record_line, known)), encoding="utf-8")
    return len(known)


def check_free(path: Path, *, resume: bool, fresh: bool) -> None:
    """Whether a run may write to this file; it is only looked at.

    Raises:
        JournalError: it holds records and neither way of dealing with them was chosen, or it is something else.
    """
    if not path.exists() or not path.read_bytes().strip():
        return
    if not path.read_bytes().startswith(_OURS):
        raise JournalError("this file holds something else than records", where=str(path), remedy="name another one")
    if not resume and not fresh:
        held = sum(1 for _ in _lines(path.read_bytes()))
        raise JournalError(f"this file holds records already ({held} lines)", where=str(path), remedy=_WAYS_OUT)


def begin(path: Path, settings: Settings, *, resume: bool = False, fresh: bool = False) -> tuple[RunRecord, ...]:
    """Make a file ready for records made with `settings`; returns those that stay and need no other try.

    Nothing is written before every reason to refuse was looked for.

    Raises:
        JournalError: as `check_free`; or the file to go on with was made with other settings, has none, or is damaged.
    """
    check_free(path, resume=resume, fresh=fresh)
    if fresh or not path.exists() or not path.read_bytes().strip():
        write_records(path, (), settings)
        return ()
    found = read_file(path)
    _same_settings(found, settings)
    mend_end(path)
    return tuple(r for r in found.records if r.scored)


def _same_settings(found: RecordFile, settings: Settings) -> None:
    if found.settings is None:
        raise JournalError(
            "it cannot be gone on with: it does not say with which settings it was made",
            where=str(found.path),
            remedy="name another file with -o; `claw forge report` reads this one",
        )
    if different := found.settings.differences(settings):
        raise JournalError(
            "it was made with other settings: " + "; ".join(different),
            where=str(found.path),
            remedy="give the settings of the file, or name another one with -o",
        )
