"""Content-addressed blobs on disk: what a run keeps of workspaces, checkpoints and traces, each content once."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from pydantic import JsonValue

from claw_adapter.errors import JournalError
from claw_adapter.reading import parse_json
from claw_adapter.redaction import RedactingFile, Redactor

__all__ = ["CHUNK", "Store", "canonical", "hash_of"]

CHUNK: Final = 1024 * 1024
STALE_SECONDS: Final = 3600.0
DIGEST: Final = re.compile(r"[0-9a-f]{64}")
REMEDY: Final = "The store of this run is damaged; restore it from a copy, or start the run anew in another folder."


def canonical(value: JsonValue) -> bytes:
    r"""The one spelling of a JSON value: sorted keys, no spaces, UTF-8.

    Lone surrogates, which stand for the undecodable bytes of a file name, are written as ``\udcXX``: the result is always
    valid UTF-8 and reads back as it was.

    Raises:
        ValueError: a number that JSON has not (NaN, infinity).
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace")


def hash_of(source: BinaryIO) -> str:
    """The sha256 of what is left to read of a file, in hexadecimal."""
    digest = hashlib.sha256()
    while block := source.read(CHUNK):
        digest.update(block)
    return digest.hexdigest()


class Store:
    """A folder of blobs named by their sha256: ``root/ab/cdef…``.

    A blob appears complete or not at all (written beside, flushed, renamed), is never changed, and putting the same content
    again is free, so any number of processes may use one store at once. Contents are verified whenever they are read.
    `redactor` removes keys from files and JSON values that are put; blobs are kept as they are.

    Args:
        root: the folder.
        redactor: removes keys; without, nothing is removed.
        sweep: make the folder, and remove what killed writers left; without it a store is only read.
    """

    def __init__(self, root: Path, redactor: Redactor | None = None, *, sweep: bool = True) -> None:
        self.root = root
        self._redactor = redactor or Redactor()
        self._temporary = root / "tmp"
        if sweep:
            self._temporary.mkdir(parents=True, exist_ok=True)
            self._sweep()

    def path(self, digest: str) -> Path:
        """Where the blob of this digest is or would be.

        Raises:
            JournalError: `digest` is not a sha256.
        """
        return Path(self._name(digest))

    def _name(self, digest: str) -> str:
        """The same as text: every round puts something, and paths take longer to make than files to look at."""
        if not DIGEST.fullmatch(digest):
            raise JournalError(f"{digest!r} is not a digest", where=str(self.root), remedy=REMEDY)
        return f"{self.root}/{digest[:2]}/{digest[2:]}"

    def has(self, digest: str) -> bool:
        """Whether the blob is there; its content is not looked at."""
        return self.path(digest).is_file()

    def put(self, data: bytes) -> str:
        """Keep `data`; return its digest."""
        digest = hashlib.sha256(data).hexdigest()
        if not self._complete(digest, len(data)):
            with self._writing() as (target, name):
                target.write(data)
                self._publish(target, name, digest)
        return digest

    def put_file(self, path: Path) -> str:
        """Keep the content of a file of any size; return its digest."""
        with path.open("rb") as source:
            return self.put_stream(source)

    def put_stream(self, file: BinaryIO) -> str:
        """Keep what is left to read of an open file, in bounded memory; return its digest."""
        source = RedactingFile(file, self._redactor) if self._redactor else file
        first = source.read(CHUNK)
        if len(first) < CHUNK:
            rest = source.read(1)
            if not rest:
                return self.put(first)
            first += rest
        check = hashlib.sha256()
        with self._writing() as (target, name):
            block = first
            while block:
                check.update(block)
                target.write(block)
                block = source.read(CHUNK)
            digest = check.hexdigest()
            if not self._complete(digest, target.tell()):
                self._publish(target, name, digest)
        return digest

    def get(self, digest: str) -> bytes:
        """The content of a blob.

        Raises:
            JournalError: the blob is missing or damaged; names it.
        """
        with self._open(digest) as source:
            data = source.read()
        if hashlib.sha256(data).hexdigest() != digest:
            raise self._damaged(digest)
        return data

    def copy_into(self, digest: str, target: BinaryIO) -> None:
        """Write the content of a blob to an open file; raises like `get`, the target is then worthless."""
        check = hashlib.sha256()
        with self._open(digest) as source:
            while block := source.read(CHUNK):
                check.update(block)
                target.write(block)
        if check.hexdigest() != digest:
            raise self._damaged(digest)

    def copy_to(self, digest: str, path: Path) -> None:
        """Write the content of a blob to `path`, replacing what is there; raises like `get`, then leaving `path` alone."""
        handle, name = tempfile.mkstemp(prefix=".copy-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as target:
                self.copy_into(digest, target)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def put_json(self, value: JsonValue) -> str:
        """Keep a JSON value in its canonical spelling; return the digest."""
        return self.put(canonical(self._redactor.value(value)))

    def get_json(self, digest: str) -> JsonValue:
        """The value that `put_json` kept.

        Raises:
            JournalError: the blob is missing, damaged, or not JSON.
        """
        data = self.get(digest)
        try:
            value: JsonValue = parse_json(data, halves=True)
        except ValueError as error:
            raise JournalError(
                f"blob {digest} is not JSON: {error}", where=str(self.path(digest)), remedy=REMEDY
            ) from None
        return value

    def _open(self, digest: str) -> BinaryIO:
        path = self.path(digest)
        try:
            return path.open("rb")
        except FileNotFoundError:
            raise JournalError(f"blob {digest} is missing", where=str(path), remedy=REMEDY) from None

    def _damaged(self, digest: str) -> JournalError:
        return JournalError(f"blob {digest} is damaged", where=str(self.path(digest)), remedy=REMEDY)

    def _complete(self, digest: str, size: int) -> bool:
        """A blob of another size was damaged from outside and is written again."""
        try:
            return os.stat(self._name(digest)).st_size == size  # noqa: PTH116 - see `_name`
        except FileNotFoundError:
            return False

    @contextmanager
    def _writing(self) -> Iterator[tuple[BinaryIO, str]]:
        """A new file with its name; gone afterwards unless it was published."""
        name = f"{self._temporary}/{secrets.token_hex(8)}"
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb") as target:
                yield target, name
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)  # noqa: PTH108 - see `_name`

    def _publish(self, target: BinaryIO, name: str, digest: str) -> None:
        """Flush, then rename: the name stands for the whole content also after a power cut.

        Folders are not flushed one by one: what makes a blob needed is a journal record written, and flushed, after it.
        """
        path = self._name(digest)
        target.flush()
        os.fchmod(target.fileno(), 0o444)
        os.fsync(target.fileno())
        try:
            os.replace(name, path)  # noqa: PTH105 - see `_name`
        except FileNotFoundError:  # the first one of its folder
            Path(path).parent.mkdir(exist_ok=True)
            os.replace(name, path)  # noqa: PTH105

    def _sweep(self) -> None:
        """Remove what killed writers left; young files may belong to a living one."""
        oldest = time.time() - STALE_SECONDS
        for path in self._temporary.iterdir():
            with suppress(FileNotFoundError):  # another process sweeps too
                if path.stat().st_mtime < oldest:
                    path.unlink()
