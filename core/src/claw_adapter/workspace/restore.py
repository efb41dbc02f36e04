"""Make a folder exactly a recorded tree, touching nothing outside it."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from claw_adapter import folders
from claw_adapter.errors import JournalError
from claw_adapter.runs.store import Store, hash_of
from claw_adapter.workspace.tree import Entry, Mark, Marks, Tree

__all__ = ["Restorer"]

PLAIN: Final = 0o644
PROGRAM: Final = 0o755


class _Folder(dict[str, "Entry | _Folder"]):
    """A tree by nested names."""


class Restorer:
    """Brings folders to recorded trees; paths that `excluded` names are neither made nor removed.

    Rights and times are those of `marks`, and else ordinary ones and now.
    """

    def __init__(self, store: Store, excluded: Callable[[str], bool] | None, marks: Marks | None = None) -> None:
        self._store = store
        self._excluded = excluded
        self._marks = marks or {}

    def restore(self, tree: Tree, folder: Path) -> None:
        """Make `folder` the tree; what stands in its place and is no folder is removed."""
        wanted = _nested(tree)
        with folders.opened(folder.parent) as parent:
            folders.ensure_folder(parent, folder.name)
            with folders.child(parent, folder.name, repair=True) as descriptor:
                self._sync(descriptor, wanted, "", 0)

    def _sync(self, folder: int, wanted: _Folder, prefix: str, depth: int) -> None:
        for name in os.listdir(folder):
            if name not in wanted and not self._kept(prefix + name):
                self._clear(folder, name, prefix, depth)
        for name, node in wanted.items():
            if not self._kept(prefix + name):
                self._place(folder, name, node, prefix, depth)
        _settle(folder, *self._marks.get(prefix.rstrip("/"), (PROGRAM, None)))

    def _kept(self, path: str) -> bool:
        return self._excluded is not None and self._excluded(path)

    def _clear(self, folder: int, name: str, prefix: str, depth: int) -> None:
        """Remove what is too many; a folder stays if something excluded is in it."""
        found = folders.lstat(folder, name)
        if found is None:
            return
        if self._excluded is None or depth >= folders.MAX_DEPTH or not stat.S_ISDIR(found.st_mode):
            folders.remove(folder, name)
            return
        with folders.child(folder, name, repair=True) as descriptor:
            self._sync(descriptor, _Folder(), f"{prefix}{name}/", depth + 1)
        with suppress(OSError):  # not empty: that is the point
            os.rmdir(name, dir_fd=folder)

    def _place(self, folder: int, name: str, node: Entry | _Folder, prefix: str, depth: int) -> None:
        if isinstance(node, _Folder):
            folders.ensure_folder(folder, name)
            with folders.child(folder, name, repair=True) as descriptor:
                self._sync(descriptor, node, f"{prefix}{name}/", depth + 1)
        elif node.kind == "file":
            self._place_file(folder, name, node, self._marks.get(prefix + name))
        elif node.kind == "link":
            self._place_link(folder, name, node.target, self._marks.get(prefix + name))

    def _place_file(self, folder: int, name: str, entry: Entry, mark: Mark | None) -> None:
        mode, time = mark or (PROGRAM if entry.executable else PLAIN, None)
        if not _is_file(folder, name, entry):
            found = folders.lstat(folder, name)
            if found is not None and stat.S_ISDIR(found.st_mode):
                folders.remove(folder, name)
            folders.write_file(folder, name, lambda target: self._store.copy_into(entry.sha, target), PLAIN)
        with folders.open_file(folder, name) as placed:
            _settle(placed.fileno(), mode, time)

    def _place_link(self, folder: int, name: str, target: str, mark: Mark | None) -> None:
        found = folders.lstat(folder, name)
        there = found is not None and stat.S_ISLNK(found.st_mode) and os.readlink(name, dir_fd=folder) == target
        if not there:
            if found is not None:
                folders.remove(folder, name)
            os.symlink(target, name, dir_fd=folder)
        _, time = mark or (0, None)
        if time is not None:
            os.utime(name, ns=(time, time), dir_fd=folder, follow_symlinks=False)
        else:
            os.utime(name, dir_fd=folder, follow_symlinks=False)


def _nested(tree: Tree) -> _Folder:
    root = _Folder()
    for path, entry in tree.items():
        *parents, name = path.split("/")
        folder = root
        for part in parents:
            inner = folder.setdefault(part, _Folder())
            if not isinstance(inner, _Folder):
                raise JournalError(f"the manifest has {part!r} of {path!r} both as a folder and as something else")
            folder = inner
        folder[name] = _Folder() if entry.kind == "folder" else entry
    return root


def _is_file(folder: int, name: str, entry: Entry) -> bool:
    """Whether the file is there already, with this content and no second name (hard link) elsewhere."""
    try:
        with folders.open_file(folder, name) as source:
            found = os.fstat(source.fileno())
            return found.st_nlink == 1 and found.st_size == entry.size and hash_of(source) == entry.sha
    except OSError:
        return False


def _settle(descriptor: int, mode: int, time: int | None) -> None:
    """Give it rights and times, and no attributes: nothing else that was written there goes on but the content."""
    for name in os.listxattr(descriptor) if sys.platform == "linux" else ():
        if name.startswith(("user.", "system.posix_acl")):
            os.removexattr(descriptor, name)
    if time is None:
        os.utime(descriptor)
    else:
        os.utime(descriptor, ns=(time, time))
    os.fchmod(descriptor, mode)
