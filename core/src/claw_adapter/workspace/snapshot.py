"""Snapshots of a folder: cheap when nothing changed, exact when restored."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from claw_adapter import folders
from claw_adapter.runs.store import Store
from claw_adapter.workspace.restore import Restorer
from claw_adapter.workspace.tree import Diff, Entry, Marks, Tree, difference, excluder, read_tree, write_tree

__all__ = ["Snapshotter"]

RACY_NS: Final = 20_000_000
"""A file that changed this shortly before it was read may change again without its time stamps showing it."""
MAX_FILE: Final = 1024 * 1024 * 1024
Token = tuple[int, int, int, int, int]
Known = dict[str, tuple[Token, Entry]]


class Snapshotter:
    """Takes and restores snapshots; a snapshot is the digest of its manifest in the store.

    Contents are read once and remembered by device, inode, size and both time stamps, so an unchanged folder costs a stat
    per file. Links are recorded, never followed. Pipes, sockets, devices, files over `max_file` bytes and folders nested
    deeper than 64 are listed as skipped, what permissions forbid as unreadable; neither is an error, and neither comes
    back when the snapshot is restored.
    """

    def __init__(self, store: Store, *, max_file: int = MAX_FILE) -> None:
        self.store = store
        self._max_file = max_file
        self._known: dict[Path, Known] = {}
        self._taken: dict[Path, tuple[Tree, str]] = {}
        self._marks: dict[Path, tuple[str, Marks]] = {}
        """Those of the newest snapshot that may be gone back to, by its digest."""

    def take(self, folder: Path, exclude: Sequence[str] = (), *, passing: bool = False) -> str:
        """Keep the folder as it is now, without what matches a pattern of `exclude` (see `tree.excluder`); return the digest.

        Rights and times are kept in memory, for `restore`, but of one that is `passing`: nobody goes back to that.
        A folder that is not there, or in whose place something else stands, is an empty tree.
        """
        scan = _Scan(self.store, self._known.get(folder, {}), excluder(exclude), self._max_file)
        try:
            with folders.opened(folder.parent) as parent, folders.child(parent, folder.name, repair=True) as descriptor:
                scan.folder(descriptor, "", 0)
        except (FileNotFoundError, NotADirectoryError):
            scan.tree.clear()
        self._known[folder] = scan.known
        before = self._taken.get(folder)
        same = before is not None and before[0] == scan.tree
        digest = before[1] if before is not None and same else write_tree(self.store, scan.tree)
        self._taken[folder] = (
            scan.tree,
            digest,
        )  # the newest: entries that are the same objects are compared for nothing
        if not passing:
            self._marks[folder] = digest, scan.marks
        return digest

    def restore(self, digest: str, folder: Path, exclude: Sequence[str] = ()) -> None:
        """Make `folder` exactly the tree of the snapshot; only what matches `exclude` stays as it is.

        Rights and times are those that it had if this is the newest snapshot of the folder that was not passing; else rights
        are the ordinary ones (and executable as recorded), and the times are now. Attributes are taken away.
        What the snapshot lists as skipped or unreadable is left alone where it still stands.

        Raises:
            JournalError: the snapshot is missing or damaged.
        """
        known, marks = self._marks.get(folder, ("", {}))
        Restorer(self.store, excluder(exclude), marks if known == digest else None).restore(self.tree(digest), folder)

    def materialise(self, digest: str, folder: Path) -> None:
        """Make a throw-away copy of the snapshot in `folder`, which must be new or empty.

        The copy shares nothing with the store: whatever is done to it stays there.

        Raises:
            FileExistsError: something is in `folder` already.
            JournalError: the snapshot is missing or damaged.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if next(folder.iterdir(), None) is not None:
            raise FileExistsError(f"a copy needs an empty folder: {folder}")
        Restorer(self.store, None).restore(self.tree(digest), folder)

    def tree(self, digest: str) -> Tree:
        """The entries of a snapshot by path.

        Raises:
            JournalError: the snapshot is missing or damaged.
        """
        return read_tree(self.store, digest)

    def diff(self, before: str, after: str) -> Diff:
        """What changed from one snapshot to another."""
        return Diff() if before == after else difference(self.tree(before), self.tree(after))


@dataclass(slots=True)
class _Scan:
    """One walk over a folder."""

    store: Store
    before: Known
    excluded: Callable[[str], bool] | None
    max_file: int
    tree: Tree = field(default_factory=dict)
    known: Known = field(default_factory=dict)
    marks: Marks = field(default_factory=dict)

    def folder(self, descriptor: int, prefix: str, depth: int) -> None:
        self._mark(prefix.rstrip("/"), os.fstat(descriptor))
        with os.scandir(descriptor) as items:
            entries = list(items)
        for entry in entries:
            path = prefix + entry.name
            if self.excluded is not None and self.excluded(path):
                continue
            try:
                found = entry.stat(follow_symlinks=False)
                if not stat.S_ISDIR(found.st_mode):
                    self._mark(path, found)
                before = self.before.get(path)
                if before is not None and before[0] == _token(found):  # only files are remembered
                    self.known[path] = before
                    self.tree[path] = before[1]
                else:
                    self._entry(descriptor, entry, path, found, depth)
            except FileNotFoundError:  # gone since we listed it
                continue
            except PermissionError:
                self.tree[path] = Entry(
                    "unreadable", reason="folder" if entry.is_dir(follow_symlinks=False) else "file"
                )
            except OSError as error:
                if error.errno not in REPLACED:
                    raise
                self.tree[path] = Entry("unreadable", reason="replaced while it was being read")

    def _mark(self, path: str, found: os.stat_result) -> None:
        self.marks[path] = stat.S_IMODE(found.st_mode), found.st_mtime_ns

    def _entry(self, parent: int, entry: os.DirEntry[str], path: str, found: os.stat_result, depth: int) -> None:
        kind = stat.S_IFMT(found.st_mode)
        if kind == stat.S_IFREG:
            self._file(parent, entry.name, path, found)
        elif kind == stat.S_IFDIR:
            self._subfolder(parent, entry.name, path, depth)
        elif kind == stat.S_IFLNK:
            self.tree[path] = Entry("link", target=os.readlink(entry.name, dir_fd=parent))
        else:
            self.tree[path] = Entry("skipped", reason=SPECIAL.get(kind, "special file"))

    def _subfolder(self, parent: int, name: str, path: str, depth: int) -> None:
        if depth >= folders.MAX_DEPTH:
            self.tree[path] = Entry("skipped", reason=f"deeper than {folders.MAX_DEPTH} folders")
            return
        size = len(self.tree)
        with folders.child(parent, name) as descriptor:
            self.folder(descriptor, f"{path}/", depth + 1)
        if len(self.tree) == size:
            self.tree[path] = Entry("folder")

    def _file(self, parent: int, name: str, path: str, found: os.stat_result) -> None:
        if found.st_size > self.max_file:
            self.tree[path] = Entry("skipped", reason=f"larger than {self.max_file} bytes")
            return
        self.tree[path] = self._read(parent, name, path)

    def _read(self, parent: int, name: str, path: str) -> Entry:
        """Keep a file's content; remember it if any later change must show in the time stamps."""
        now = time.time_ns()
        with folders.open_file(parent, name) as source:
            before = os.fstat(source.fileno())
            sha = self.store.put_stream(source)
            after = os.fstat(source.fileno())
        entry = Entry("file", sha, after.st_size, bool(after.st_mode & stat.S_IXUSR))
        if _token(before) == _token(after) and max(after.st_mtime_ns, after.st_ctime_ns) < now - RACY_NS:
            self.known[path] = (_token(after), entry)
        return entry


REPLACED: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EINVAL, errno.ENXIO})
"""What opening says when something else stands there than a moment ago."""
SPECIAL: Final = {
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFBLK: "block device",
    stat.S_IFCHR: "character device",
}


def _token(found: os.stat_result) -> Token:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
