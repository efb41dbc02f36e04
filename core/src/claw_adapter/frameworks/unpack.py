"""Take a program out of what its vendor hands out; nothing else of an archive is ever written."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Final

from claw_adapter.frameworks.download import copy_hashed
from claw_adapter.frameworks.errors import InstallFailed

__all__ = ["take_program"]

_GZIP: Final = b"\x1f\x8b"
_PROGRAMS: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"#!")
"""How executables begin: of Linux, of macOS (for one processor, for several), scripts."""
_OTHER: Final = "Name the vendor's .tar.gz archive for this platform, or the program itself."


def take_program(package: Path, name: str, target: Path, limit: int) -> None:
    """Write the program `name` of an archive, or the file itself if it is a program, to `target`, which must not exist.

    Of an archive the first file of that name is taken, wherever in it it lies. Other members are not even looked at, so that
    neither their paths nor their links matter.

    Raises:
        InstallFailed: neither, or a damaged archive, or no such file in it, or more than `limit` bytes to unpack.
    """
    with package.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        if start.startswith(_PROGRAMS):
            copy_hashed(file, target, limit, package.name)
            return
    if not start.startswith(_GZIP):
        raise InstallFailed("it is neither a .tar.gz archive nor a program", remedy=_OTHER)
    try:
        _from_archive(package, name, target, limit)
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InstallFailed(f"the archive is damaged: {error}", remedy="Fetch it again.") from error


def _from_archive(package: Path, name: str, target: Path, limit: int) -> None:
    with _Bounded(package, limit) as plain, tarfile.open(fileobj=plain, mode="r|") as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            if path.name != name or member.isdir():
                continue
            if path.is_absolute() or ".." in path.parts or not member.isreg():
                what = f"{member.name!r} in the archive is a link, or leads out of it"
                raise InstallFailed(what, remedy="It is not what a vendor hands out: do not use it.")
            content = archive.extractfile(member)
            assert content is not None  # of a regular file there always is one  # noqa: S101
            copy_hashed(content, target, limit, member.name)
            return
    raise InstallFailed(f"there is no {name!r} in the archive", remedy=_OTHER)


class _Bounded(gzip.GzipFile):
    """An unpacked stream that ends with an error behind `limit` bytes: a small archive can hold more than any disk."""

    def __init__(self, package: Path, limit: int) -> None:
        super().__init__(package)
        self._left, self._limit = limit, limit

    def read(self, size: int | None = -1) -> bytes:
        """At most `size` bytes, and a byte more than the limit never."""
        data = super().read(size)
        self._left -= len(data)
        if self._left < 0:
            what = f"the archive unpacks into more than {self._limit // 1_000_000} MB"
            raise InstallFailed(what, remedy="It is not what a vendor hands out: do not use it.")
        return data
