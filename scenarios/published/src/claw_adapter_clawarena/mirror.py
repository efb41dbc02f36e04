"""Make a folder what another one is, after anything may have been done to it."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import BinaryIO

from claw_adapter import folders

__all__ = ["mirror"]


def mirror(source: Path, target: Path) -> None:
    """Make `target`, in a folder that is there, what `source` is: its files, folders and links, with their rights and times.

    A file that has the content and the rights stays, if it has no second name and no extended attributes. That is much
    faster than to remove all and make it again: ext4 keeps back the numbers of removed files for some minutes, and looks at
    each of these for every new file. Extended attributes are not copied; pipes, sockets, devices, and folders deeper than
    `folders.MAX_DEPTH`, are left out. Whatever somebody has put into `target`, nothing outside it is changed.

    Raises:
        OSError: something in `source` cannot be read, or `target` not be written.
    """
    with folders.opened(source) as wanted, folders.opened(target.parent) as parent:
        folders.ensure_folder(parent, target.name)
        with folders.child(parent, target.name, repair=True) as found:
            _mirror(wanted, found, 0)


def _mirror(source: int, target: int, depth: int) -> None:
    with os.scandir(source) as entries:
        wanted = [entry for entry in entries if depth < folders.MAX_DEPTH or not entry.is_dir(follow_symlinks=False)]
    for name in os.listxattr(target):
        os.removexattr(target, name)
    for name in {*os.listdir(target)} - {entry.name for entry in wanted}:
        folders.remove(target, name)
    for entry in wanted:
        state = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(state.st_mode):
            folders.ensure_folder(target, entry.name)
            with folders.child(source, entry.name) as inner, folders.child(target, entry.name, repair=True) as copy:
                _mirror(inner, copy, depth + 1)
        elif stat.S_ISREG(state.st_mode):
            _file(source, target, entry.name)
        else:
            folders.remove(target, entry.name)
            if stat.S_ISLNK(state.st_mode):
                os.symlink(os.readlink(entry.name, dir_fd=source), entry.name, dir_fd=target)
                _set_times(state, entry.name, target)
    state = os.fstat(source)
    os.fchmod(target, stat.S_IMODE(state.st_mode))
    os.utime(target, ns=(state.st_atime_ns, state.st_mtime_ns))


def _file(source: int, target: int, name: str) -> None:
    with folders.open_file(source, name) as file:
        state = os.fstat(file.fileno())
        if not _same(file, state, target, name):
            file.seek(0)
            found = folders.lstat(target, name)
            if found is not None and stat.S_ISDIR(found.st_mode):
                folders.remove(target, name)
            folders.write_file(target, name, lambda new: shutil.copyfileobj(file, new), stat.S_IMODE(state.st_mode))
    _set_times(state, name, target)


def _same(file: BinaryIO, state: os.stat_result, target: int, name: str) -> bool:
    try:
        with folders.open_file(target, name) as other:
            found = os.fstat(other.fileno())
            return (
                (found.st_mode, found.st_size, found.st_nlink) == (state.st_mode, state.st_size, 1)
                and not os.listxattr(other.fileno())
                and _equal(file, other)
            )
    except OSError:
        return False


def _equal(one: BinaryIO, other: BinaryIO) -> bool:
    while block := one.read(1024 * 1024):
        if block != other.read(len(block)):
            return False
    return True


def _set_times(state: os.stat_result, name: str, folder: int) -> None:
    os.utime(name, ns=(state.st_atime_ns, state.st_mtime_ns), dir_fd=folder, follow_symlinks=False)
