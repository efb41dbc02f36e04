"""A digest of content: the same files under the same names have the same one, wherever they lie."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

__all__ = ["compiler_digest", "files_digest", "folder_digest"]

PARTS = ("compiler", "language", "spec", "checker", "realism")
"""The packages that decide what a spec compiles to."""


def files_digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over names and contents, in order of the names, as 64 hexadecimal digits."""
    total = sha256()
    for path in sorted(files):
        total.update(f"{path}\0{sha256(files[path]).hexdigest()}\n".encode())
    return total.hexdigest()


def folder_digest(root: Path) -> str:
    """`files_digest` of everything below a folder."""
    return files_digest({p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()})


@cache
def compiler_digest() -> str:
    """Of the compiler's own sources and data, so that another version of it makes another cache entry."""
    package = Path(__file__).parent.parent
    found = (path for part in PARTS for path in (package / part).rglob("*") if path.suffix in (".py", ".yaml"))
    return files_digest({path.relative_to(package).as_posix(): path.read_bytes() for path in found})
