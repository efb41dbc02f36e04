"""The files of a scenario: what may be among them, and the digest over them."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from claw_adapter.errors import ScenarioError
from claw_adapter.scenario.problems import Problems

__all__ = ["check_tree", "digest", "regular_files", "twins"]

_CACHE = "__pycache__"
"""Left behind when a check is run; no part of the scenario."""


def _entries(root: Path, *, left_out: str = _CACHE) -> Iterator[Path]:
    """What is below `root` except folders, in a fixed order, links not followed, folders named `left_out` not entered."""
    for folder, folders, files in os.walk(root, followlinks=False):
        here = Path(folder)
        yield from (here / name for name in sorted(files))
        yield from (here / name for name in sorted(folders) if (here / name).is_symlink())
        folders[:] = sorted(name for name in folders if name != left_out)


def check_tree(root: Path) -> None:
    """Refuse what must not be in a scenario's folder.

    Raises:
        ScenarioError: names that are not UTF-8, anything but files, folders and links (a FIFO would block a reader), links that
            leave the workspace or are absolute, and any link outside the workspace.
    """
    problems = Problems()
    for path in _entries(root, left_out=""):
        _check_entry(root, path, problems)
    problems.raise_any()


def _check_entry(root: Path, path: Path, problems: Problems) -> None:
    shown = os.fsencode(path).decode("utf-8", "backslashreplace")
    if shown != str(path):
        problems.add("the name is not UTF-8", where=shown, remedy="rename it")
        return
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        if why := _bad_link(root / "workspace", path):
            problems.add(why, where=shown, remedy="replace the link by a file")
    elif not stat.S_ISREG(mode):
        problems.add("neither a file, a folder nor a link", where=shown, remedy="remove it")


def _bad_link(workspace: Path, link: Path) -> str:
    if not link.is_relative_to(workspace):
        return "a link outside the workspace"
    target = str(link.readlink())
    if target.startswith("/"):
        return "an absolute link"
    lexical = os.path.normpath(link.parent / target)
    try:
        link.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "a link that leads in a circle"
    resolved = link.resolve()
    inside = Path(lexical).is_relative_to(workspace) and resolved.is_relative_to(workspace.resolve())
    return "" if inside else "a link that leaves the workspace"


def regular_files(root: Path) -> dict[str, Path]:
    """The regular files below `root` by relative path with forward slashes, in sorted order."""
    found = {path.relative_to(root).as_posix(): path for path in _entries(root) if not path.is_symlink()}
    return dict(sorted(found.items()))


def digest(root: Path) -> str:
    """sha256 over the sorted relative paths, and the content (of a link: the target) of each, as a hex string.

    Each entry adds its path, a NUL, and the sha256 of its content; ``__pycache__`` folders are left out.
    """
    total = hashlib.sha256()
    for path in sorted(_entries(root), key=lambda p: p.relative_to(root).as_posix()):
        total.update(path.relative_to(root).as_posix().encode("utf-8") + b"\0")
        if path.is_symlink():
            total.update(hashlib.sha256(b"link:" + os.fsencode(path.readlink())).digest())
            continue
        try:
            with path.open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise ScenarioError(
                f"cannot be read: {error.strerror}", where=str(path), remedy="Check its permissions."
            ) from None
    return total.hexdigest()


def twins(paths: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of paths that a file system without case, or with another normal form, takes for the same."""
    groups: dict[str, set[str]] = {}
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):  # folders can be twins as well
            prefix = "/".join(parts[:depth])
            groups.setdefault(unicodedata.normalize("NFC", prefix).casefold(), set()).add(prefix)
    return [tuple(sorted(group)) for group in groups.values() if len(group) > 1]
