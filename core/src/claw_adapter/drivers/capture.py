"""Keep the beginning and the end of a stream of any length, in bounded memory."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["Capture", "Captured", "Limits"]

KIB: Final = 1024
MAX_UTF8_TAIL: Final = 3
"""Bytes of a cut UTF-8 character that can stand at the edge of a cut."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a child's output is kept, per stream, in bytes.

    Attributes:
        head_bytes: kept from the beginning.
        tail_bytes: kept from the end.
        spill: file that gets the whole standard output; standard error goes beside it as ``NAME.stderr``.
        spill_bytes: most that is written to each spill file.
    """

    head_bytes: int = 256 * KIB
    tail_bytes: int = 256 * KIB
    spill: Path | None = None
    spill_bytes: int = 1024 * 1024 * KIB


@dataclass(frozen=True, slots=True)
class Captured:
    """What was kept of a stream.

    Attributes:
        head: the first bytes (all of them unless `truncated`).
        tail: the last bytes; empty unless `truncated`.
        total: bytes the child wrote.
        invalid_utf8: the stream as a whole is not UTF-8.
        spill: the file with the whole stream, if one was asked for.
        spill_error: why that file is incomplete, or empty.
    """

    head: bytes = b""
    tail: bytes = b""
    total: int = 0
    invalid_utf8: bool = False
    spill: Path | None = None
    spill_error: str = ""

    @property
    def truncated(self) -> bool:
        """True if bytes in the middle were dropped."""
        return self.total > len(self.head) + len(self.tail)

    @property
    def data(self) -> bytes:
        """The kept bytes, head then tail, with no mark where bytes were dropped."""
        return self.head + self.tail

    @property
    def text(self) -> str:
        """The kept bytes as text, bad UTF-8 replaced, with a line in the middle that says what was left out."""
        if not self.truncated:
            return self.data.decode("utf-8", "replace")
        dropped = self.total - len(self.head) - len(self.tail)
        head = _without_cut_end(self.head).decode("utf-8", "replace")
        tail = _without_cut_start(self.tail).decode("utf-8", "replace")
        return f"{head}\n[... {dropped} bytes left out ...]\n{tail}"


def _without_cut_end(data: bytes) -> bytes:
    """Drop the beginning of a character that the cut went through."""
    for back in range(1, min(MAX_UTF8_TAIL, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        wanted = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return data[:-back] if wanted > back else data
    return data


def _without_cut_start(data: bytes) -> bytes:
    """Drop the end of a character that the cut went through."""
    start = 0
    while start < min(MAX_UTF8_TAIL, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]


class Capture:
    """Collects one stream; `write` never raises and never grows beyond the limits."""

    def __init__(self, limits: Limits, spill: Path | None = None) -> None:
        self._limits = limits
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._decoder: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")("strict")
        self._spill = spill
        self._spilled = 0
        self._spill_error = ""
        self._file: BinaryIO | None = None
        if spill is not None:
            self._open(spill)

    def write(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._total += len(data)
        self._validate(data)
        self._write_spill(data)
        room = self._limits.head_bytes - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self._limits.tail_bytes:
            self._trim()

    def close(self) -> None:
        """Close the spill file; may be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def captured(self) -> Captured:
        """Return what is kept now."""
        self._trim()
        return Captured(
            head=bytes(self._head),
            tail=bytes(self._tail),
            total=self._total,
            invalid_utf8=self._invalid(),
            spill=self._spill,
            spill_error=self._spill_error,
        )

    def _trim(self) -> None:
        excess = len(self._tail) - self._limits.tail_bytes
        if excess > 0:
            del self._tail[:excess]

    def _validate(self, data: bytes) -> None:
        if self._decoder is None:
            return
        try:
            self._decoder.decode(data)
        except UnicodeDecodeError:
            self._decoder = None

    def _invalid(self) -> bool:
        """Bad bytes so far, or a character that was begun and never ended."""
        return self._decoder is None or bool(self._decoder.getstate()[0])

    def _open(self, spill: Path) -> None:
        try:
            self._file = spill.open("wb", buffering=0)
        except OSError as error:
            self._spill_error = str(error)

    def _write_spill(self, data: bytes) -> None:
        """A full disk must not cost the answer: the reason is recorded and the capture goes on."""
        if self._file is None:
            return
        part = data[: self._limits.spill_bytes - self._spilled]
        if len(part) < len(data):
            self._spill_error = f"cut at {self._limits.spill_bytes} bytes"
        try:
            view = memoryview(part)
            while view:
                written = self._file.write(view)
                self._spilled += written
                view = view[written:]
        except OSError as error:
            self._spill_error = str(error)
        if self._spill_error:
            self.close()
