"""Digests by which a certificate is bound to code, evidence and itself."""

from __future__ import annotations

import errno
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from claw_adapter import plugins

__all__ = [
    "code_digest",
    "code_times",
    "dependency_digests",
    "file_digest",
    "folder_digest",
    "json_digest",
    "plugin_digests",
    "program_digests",
    "undigested",
]


def file_digest(path: Path) -> str:
    """sha256 of a file, of which little is held at a time.

    Raises:
        OSError: it cannot be read, or is no regular file: reading a pipe or a device may never end.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a file", str(path))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_digest(folder: Path) -> str:
    """sha256 over the names and contents of all files below a folder, but for what Python compiled there."""
    return json_digest({name: file_digest(path) for name, path in _files(folder).items()})


def _files(folder: Path) -> dict[str, Path]:
    """All files below a folder by their names, but for what Python compiled there."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts
    }  # fmt: skip


def undigested(folder: Path, *, empty: bool = True) -> list[str]:
    """What lies below a folder and its digest does not tell: links, pipes, what Python compiled, names that are no UTF-8.

    And empty folders, if `empty`.
    """
    found = []
    for parent, folders, names in os.walk(folder):
        here = Path(parent)
        found += [name for name in (here / one for one in (*folders, *names)) if not _plain(name)]
        found += [here] if empty and here != folder and not (folders or names) else []
    said = (path.relative_to(folder).as_posix() for path in found)
    return sorted(name.encode("utf-8", "backslashreplace").decode() for name in said)


def _plain(path: Path) -> bool:
    mode = path.lstat().st_mode
    return path.name != "__pycache__" and _utf8(path.name) and (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _utf8(name: str) -> bool:
    """Whether a name can be said: others stand in no digest."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def code_digest(module: str) -> str:
    """Digest of the top-level package that a module belongs to, or of its one file; empty if it came from no file."""
    place = _code(module)
    return "" if place is None else file_digest(place) if place.is_file() else folder_digest(place)


def code_times(module: str) -> dict[str, tuple[int, int]]:
    """Name → what writing changes (inode, time of change in ns) of each file of what `code_digest` is of."""
    place = _code(module)
    found = {} if place is None else {place.name: place} if place.is_file() else _files(place)
    stats = {name: path.stat() for name, path in found.items()}
    return {name: (one.st_ino, one.st_mtime_ns) for name, one in stats.items()}


def _code(module: str) -> Path | None:
    root = sys.modules.get(module.partition(".")[0])
    spec = importlib.util.find_spec(module.partition(".")[0]) if root is None else root.__spec__
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    file = spec.origin if spec is not None else getattr(root, "__file__", None)
    return Path(file) if file and Path(file).is_file() else None


def dependency_digests(distribution: str) -> dict[str, str]:
    """Digest of the code of each distribution that this one requires and that is here, by what would be imported."""
    try:
        required = importlib.metadata.requires(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    names = {
        re.split(r"[^A-Za-z0-9._-]", line)[0].lower().replace("_", "-") for line in required if "extra ==" not in line
    }
    found: dict[str, list[str]] = {}
    for module, owners in importlib.metadata.packages_distributions().items():
        for owner in owners:
            if (name := owner.lower().replace("_", "-")) in names:
                found.setdefault(name, []).append(code_digest(module))
    return {name: json_digest(sorted(digests)) for name, digests in sorted(found.items())}


def plugin_digests(harness: str, overlays: Sequence[str] = ()) -> dict[str, str]:
    """Digest of the code of each distribution that the one of a harness requires, and of those of overlays with theirs."""
    found = dict[str, str]()
    for name in (harness, *overlays):
        for point in plugins.entry_points(name)[:1]:
            found |= dependency_digests(point.distribution) if point.distribution else {}
            if name in overlays:
                found[point.distribution or name] = code_digest(point.target.partition(":")[0])
    return found


def program_digests(commands: Iterable[Sequence[str]], own: Path) -> dict[str, str]:
    """sha256 of each file that a command line names, but for what lies below `own`: the program, and the script it runs."""
    paths = {
        Path(word).resolve() for argv in commands for word in argv if Path(word).is_absolute() and Path(word).is_file()
    }
    named = sorted(path for path in paths if not path.is_relative_to(own))
    return {str(path.name): file_digest(path) for path in named}


def json_digest(value: Any) -> str:
    """sha256 of a JSON value in its canonical spelling."""
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    ).hexdigest()
