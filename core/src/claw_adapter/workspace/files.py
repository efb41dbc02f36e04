"""Changes of single files inside a workspace that an agent has had its hands on."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from claw_adapter import folders

__all__ = ["NOTHING_THERE", "FileChange", "current", "real_path", "write_change"]

MAX_LINKS: Final = 40
MAX_BYTES: Final = 256 * 1024 * 1024
NOTHING_THERE: Final = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EINVAL, errno.EACCES, errno.ENXIO}
)
"""What opening a file says when there is no readable regular file."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happens to one file: its content before and after, None for no file.

    Attributes:
        path: relative to the workspace, without links (see `real_path`).
        before: content that must be there for the change to apply. Whatever is no readable regular file (a folder, a pipe,
            a link that leads out, more than 256 MiB) counts as None and is moved aside to ``NAME.displaced``, not destroyed.
        after: content afterwards.
        executable: whether a file that was not there before gets the right to be executed; others keep theirs.
    """

    path: str
    before: bytes | None
    after: bytes | None
    executable: bool = False


def real_path(root: int, path: str) -> str:
    """The path below the folder `root` that `path` leads to when links inside the workspace are followed.

    If a link on the way leads out of the workspace (an absolute one always does), or in circles, none is followed: the
    path comes back as it is, and what is written there takes the link's place.
    """
    done: list[str] = []
    pending = path.split("/")[::-1]
    links = 0
    while pending:
        part = pending.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not done:
                return path
            done.pop()
            continue
        target = _link(root, done, part)
        if target is None:
            done.append(part)
            continue
        links += 1
        if links > MAX_LINKS or target.startswith("/"):
            return path
        pending.extend(target.split("/")[::-1])
    return "/".join(done) or path


def current(root: int, path: str) -> bytes | None:
    """The content of a file without following any link; None if there is no readable regular file of at most 256 MiB."""
    *parents, name = path.split("/")
    try:
        with _below(root, parents) as folder, folders.open_file(folder, name) as source:
            return source.read() if os.fstat(source.fileno()).st_size <= MAX_BYTES else None
    except OSError as error:
        if error.errno in NOTHING_THERE:
            return None
        raise


def write_change(root: int, change: FileChange) -> None:
    """Bring one file to its new content, by rename; makes folders on the way and moves aside what is in the way."""
    *parents, name = change.path.split("/")
    if change.after is None:
        if change.before is not None:
            with _below(root, parents) as folder:
                os.unlink(name, dir_fd=folder)
        return
    after = change.after
    with _below(root, parents, make=True) as folder:
        found = folders.lstat(folder, name)
        mode = 0o755 if change.executable else 0o644
        if found is not None and change.before is None:
            _displace(folder, name)
        elif found is not None:
            mode = stat.S_IMODE(found.st_mode) & 0o777 | 0o600
        folders.write_file(folder, name, lambda target: target.write(after), mode)


@contextmanager
def _below(root: int, parts: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """The folder at `parts` below `root`; with `make`, what is missing is made and what is no folder moved aside."""
    with ExitStack() as stack:
        folder = root
        for part in parts:
            if make:
                _make_way(folder, part)
            folder = stack.enter_context(folders.child(folder, part, repair=make))
        yield folder


def _make_way(folder: int, name: str) -> None:
    found = folders.lstat(folder, name)
    if found is not None and not stat.S_ISDIR(found.st_mode):
        _displace(folder, name)
        found = None
    if found is None:
        os.mkdir(name, 0o755, dir_fd=folder)


def _displace(folder: int, name: str) -> None:
    """Move what is in the way aside, under a name that says so; nothing an agent made is destroyed by an update."""
    aside, number = f"{name}.displaced", 1
    while folders.lstat(folder, aside) is not None:
        number += 1
        aside = f"{name}.displaced-{number}"
    os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)


def _link(root: int, parents: Sequence[str], name: str) -> str | None:
    """Where the link at this place leads; None if no link is there."""
    try:
        with _below(root, parents) as folder:
            return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno in NOTHING_THERE:
            return None
        raise
