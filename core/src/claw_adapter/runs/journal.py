"""The journal of a trial: JSON lines with chained checksums, appended and synced one finished round at a time.

A line is ``{"sum": S, "record": R}`` with S = the first 16 hex digits of sha256 over the previous line's S and the bytes of
R, so a line that was changed, lost or moved is noticed. A torn last line is cut when the journal is opened for writing.

Nothing is ever taken out. A `Voided` record says that what stands before it, from a round on, no longer counts; who reads a
journal gets what counts, and `read_all` what stands in it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, TypeAdapter, ValidationError

from claw_adapter.crashpoints import crashpoint
from claw_adapter.errors import JournalError
from claw_adapter.protocol import JournalRecord, RoundRecord, TrialEnd, TrialStart, Voided
from claw_adapter.reading import read_bytes, why
from claw_adapter.redaction import Redactor
from claw_adapter.runs.named_folders import NamedFolders

__all__ = ["Journal", "read_all", "read_bodies", "read_journal", "read_lines", "standing", "written_so"]

_RECORD: TypeAdapter[JournalRecord] = TypeAdapter(Annotated[JournalRecord, Field(discriminator="kind")])
REMEDY = "Restore the run folder from a copy, or start the run anew with --fresh."
_HEAD, _MIDDLE = b'{"sum":"', b'","record":'


def _sum(previous: str, body: bytes) -> str:
    return hashlib.sha256(previous.encode() + body).hexdigest()[:16]


def _parse(line: bytes, previous: str) -> tuple[str, bytes] | None:
    """The checksum of a line and its record as JSON, or None if it is not whole."""
    if not (line.startswith(_HEAD) and line.endswith(b"}") and line[24:].startswith(_MIDDLE)):
        return None
    found, body = line[8:24].decode("ascii", "replace"), line[24 + len(_MIDDLE) : -1]
    if found != _sum(previous, body):
        return None
    return found, body


def _content(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except OSError as error:
        raise JournalError(f"the journal cannot be read: {why(error)}", where=str(path), remedy=REMEDY) from error


def _bodies(path: Path) -> Iterator[tuple[int, str, bytes]]:
    """End offset, checksum and record as JSON of every whole line; stops before a torn last one."""
    data = _content(path)
    offset, previous = 0, ""
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        parsed = _parse(line.rstrip(b"\n"), previous) if line.endswith(b"\n") else None
        if parsed is None:
            if offset + len(line) < len(data):
                raise JournalError(
                    "the journal is damaged before its end",
                    where=f"{path}:{number}",
                    remedy=REMEDY,
                )
            return
        offset += len(line)
        previous = parsed[0]
        yield offset, previous, parsed[1]


def _lines(path: Path) -> Iterator[tuple[int, str, JournalRecord]]:
    """End offset, checksum and record of every whole line; stops before a torn last one.

    Raises:
        JournalError: a line before the last is damaged, or a record is not of this version.
    """
    for number, (offset, checksum, body) in enumerate(_bodies(path), 1):
        try:
            record = _RECORD.validate_json(body)
        except ValidationError as error:
            what = f"a record is not of this version: {why(error)}"
            raise JournalError(what, where=f"{path}:{number}", remedy=REMEDY) from None
        yield offset, checksum, record


def standing(records: Iterable[JournalRecord]) -> list[JournalRecord]:
    """Those that count: without what was voided, and without the records that say so."""
    found: list[JournalRecord] = []
    for record in records:
        if isinstance(record, Voided):
            first = record.index
            found = [r for r in found if isinstance(r, TrialStart) or (isinstance(r, RoundRecord) and r.index < first)]
        else:
            found.append(record)
    return found


def read_journal(path: Path) -> list[JournalRecord]:
    """All whole records that count; an empty list where there is no journal.

    Raises:
        JournalError: the journal is damaged before its end.
    """
    return standing(read_all(path))


def read_all(path: Path) -> list[JournalRecord]:
    """All whole records, those that were voided with them.

    Raises:
        JournalError: the journal is damaged before its end.
    """
    return [record for _, record in read_lines(path)]


def read_lines(path: Path) -> list[tuple[str, JournalRecord]]:
    """`read_all`, each record with its checksum, which is over all lines up to its own.

    Raises:
        JournalError: the journal is damaged before its end.
    """
    return [(checksum, record) for _, checksum, record in _lines(path)] if path.exists() else []


def read_bodies(path: Path) -> list[tuple[str, bytes]]:
    """`read_lines`, with each record as the JSON that it is.

    Raises:
        JournalError: the journal is damaged before its end.
    """
    return [(checksum, body) for _, checksum, body in _bodies(path)] if path.exists() else []


def written_so(path: Path) -> bool:
    """Whether a journal has its records to the letter as this version writes them: each value once, and of its own type."""
    return all(_RECORD.validate_json(body).model_dump_json().encode() == body for _, body in read_bodies(path))


class Journal:
    """A journal open for appending; one writer.

    `redactor` removes keys from what is appended, `folders` puts names in the place of the machine's.
    """

    def __init__(self, path: Path, redactor: Redactor | None = None, folders: NamedFolders | None = None) -> None:
        self.path = path
        self._redactor, self._folders = redactor or Redactor(), folders
        whole = list(_lines(path)) if path.exists() else []
        self._stand(record for _, _, record in whole)
        end, self._last = whole[-1][:2] if whole else (0, "")
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        os.ftruncate(self._file, end)
        os.lseek(self._file, end, os.SEEK_SET)

    def _stand(self, records: Iterable[JournalRecord]) -> None:
        self.records = standing(records)
        """What counts."""
        self.rounds = [record for record in self.records if isinstance(record, RoundRecord)]
        """The finished rounds, in order."""

    @property
    def start(self) -> TrialStart | None:
        """What is being tried, once it was written; a trial that failed before it could begin has none."""
        return next((record for record in self.records if isinstance(record, TrialStart)), None)

    @property
    def finished(self) -> bool:
        """Whether the trial came to its end without an error."""
        last = self.records[-1] if self.records else None
        return isinstance(last, TrialEnd) and last.error is None

    def append(self, record: JournalRecord) -> None:
        """Write one record and wait until it is on disk."""
        try:
            record = self._redactor.record(record)
            self._append(self._folders.record(record) if self._folders else record)
        except OSError as error:
            error.filename = error.filename or str(self.path)  # the system does not say what a descriptor is called
            raise

    def _append(self, record: JournalRecord) -> None:
        body = record.model_dump_json().encode()
        checksum = _sum(self._last, body)
        line = _HEAD + checksum.encode() + _MIDDLE + body + b"}\n"
        if os.environ.get("CLAW_CRASH_AT"):
            half = len(line) // 2
            os.write(self._file, line[:half])
            crashpoint("journal-write")
            line = line[half:]
        view = memoryview(line)
        while view:
            view = view[os.write(self._file, view) :]
        os.fsync(self._file)
        self._last = checksum
        if isinstance(record, Voided):
            self._stand([*self.records, record])
            return
        self.records.append(record)
        if isinstance(record, RoundRecord):
            self.rounds.append(record)

    def close(self) -> None:
        """Close the file; the journal can be opened again."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
