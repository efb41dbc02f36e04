"""File operations below an open folder that no link, however planted, can lead out of it.

An agent may have put anything into its workspace, and some process of it may still be running. So nothing here is reached by
a path of several parts: every folder is opened by one name below its parent's descriptor, without following a link.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from claw_adapter.errors import JournalError

__all__ = [
    "MAX_DEPTH",
    "child",
    "ensure_folder",
    "lstat",
    "open_file",
    "opened",
    "remove",
    "remove_tree",
    "scratch",
    "write_file",
]

MAX_DEPTH: Final = 64
"""Folders within folders that we look into; every level holds a file descriptor open."""

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Not blocking: opening a pipe must not wait for a writer."""
OWNER: Final = stat.S_IRWXU


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A descriptor of a folder that is not a link itself; its parents are trusted."""
    descriptor = os.open(path, FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def child(parent: int, name: str, *, repair: bool = False) -> Iterator[int]:
    """A descriptor of the folder `name` below `parent`; with `repair`, its owner is first given all rights to it.

    Raises:
        OSError: no such folder; a link or a file stands there (ENOTDIR or ELOOP); no permission.
    """
    if repair:
        _give_access(parent, name)
    descriptor = os.open(name, FOLDER, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def lstat(parent: int, name: str) -> os.stat_result | None:
    """What stands at `name`, a link not followed; None for nothing."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def open_file(parent: int, name: str) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        OSError: it is something else, or cannot be read.
    """
    try:
        descriptor = os.open(name, FILE, dir_fd=parent)
    except BlockingIOError as error:  # a process has a lease on it, and the system would have us wait for that
        raise PermissionError(errno.EACCES, "a process holds it", name) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", name)
    return os.fdopen(descriptor, "rb")


def write_file(parent: int, name: str, fill: Callable[[BinaryIO], object], mode: int) -> None:
    """Put a new file in the place of whatever file or link stands at `name`: written beside it, then renamed.

    A file with several names (hard links) is never written through. On any failure `name` is as it was.
    """
    beside = f".claw-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(beside, flags, 0o600, dir_fd=parent)
    try:
        with os.fdopen(descriptor, "wb") as target:
            fill(target)
            os.fchmod(target.fileno(), mode)
        os.replace(beside, name, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=parent)
        raise


def ensure_folder(parent: int, name: str) -> None:
    """Make the folder `name` unless it is there; what stands in its place is removed."""
    found = lstat(parent, name)
    if found is not None and not stat.S_ISDIR(found.st_mode):
        remove(parent, name)
        found = None
    if found is None:
        os.mkdir(name, 0o755, dir_fd=parent)


def remove(parent: int, name: str) -> None:
    """Remove whatever stands at `name`, with everything in it if it is a folder: of any depth, with any rights.

    Nothing standing there is no error.
    """
    pending = [name]
    while pending:
        _remove(parent, pending.pop(), parent, pending, 0)


@contextmanager
def scratch(prefix: str = "tmp", beside: Path | None = None) -> Iterator[Path]:
    """A new folder among the system's temporary files, or in `beside`, that goes at the end, whatever has been left in it.

    We hold it open until then, by which others see whose it is (`claw_adapter.certify.offspring.held_by_others`).
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=beside)).resolve()
    with opened(folder):
        try:
            yield folder
        finally:
            with suppress(JournalError):  # something that is being killed may still write there
                remove_tree(folder)


def remove_tree(path: Path) -> None:
    """Remove a folder that an agent may have filled: of any depth, with whatever permissions; links are not followed.

    Raises:
        JournalError: it cannot be removed, not even after two seconds.
    """
    refused: OSError | None = None
    for _ in range(20):  # something that is just being killed may still write here
        try:
            _clear(path)
        except OSError as error:
            refused = error
        if not os.path.lexists(path):
            return
        time.sleep(0.1)
    raise JournalError("this folder cannot be removed", where=str(path), remedy="Look what still uses it.") from refused


def _clear(path: Path) -> None:
    """What is too deep is moved up on the way, but never out of `path`: a runner may be killed in the middle of this."""
    with opened(path.parent.resolve()) as parent:
        if path.is_dir() and not path.is_symlink():
            with child(parent, path.name, repair=True) as inside:
                for name in os.listdir(inside):  # noqa: PTH208 - a descriptor, which Path has no word for
                    remove(inside, name)
        remove(parent, path.name)


def _remove(parent: int, name: str, top: int, pending: list[str], depth: int) -> None:
    found = lstat(parent, name)
    if found is None:
        return
    if not stat.S_ISDIR(found.st_mode):
        os.unlink(name, dir_fd=parent)
        return
    if depth >= MAX_DEPTH:  # too many descriptors: it becomes a job of its own
        moved = f".claw-{secrets.token_hex(8)}"
        _give_access(parent, name)
        os.rename(name, moved, src_dir_fd=parent, dst_dir_fd=top)
        pending.append(moved)
        return
    with child(parent, name, repair=True) as folder:
        for item in os.listdir(folder):  # noqa: PTH208 - a descriptor, which Path has no word for
            _remove(folder, item, top, pending, depth + 1)
    os.rmdir(name, dir_fd=parent)


def _give_access(parent: int, name: str) -> None:
    """Give the owner all rights to a folder, which needs no right to it; by descriptor, so that no link is followed."""
    flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, dir_fd=parent)
    try:
        mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
        if mode & OWNER != OWNER:
            Path(f"/proc/self/fd/{descriptor}").chmod(mode | OWNER)
    finally:
        os.close(descriptor)
