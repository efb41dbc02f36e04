"""Folders that all checks of a process read and none may write: the programs they start, and their scripts with bytecode.

A check starts an interpreter that may write nothing beside the scripts, so that it would compile all it imports, each time. At
level 2 these folders show read-only. Below it an agent's program could write to them, as to the scripts themselves: so each
is looked at before it is used, and made anew when anything about it has changed.

All of a process lie in one folder, with a file that it holds locked. The system lets go of that lock however the process ends:
the next one that needs such a folder removes those whose lock nobody holds.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import py_compile
import shutil
import sys
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Final

__all__ = ["Kept", "compile_module", "copy_tree", "kept", "with_bytecode"]

MOST: Final = 64
"""Folders that are kept for the next check."""
CACHE: Final = "__pycache__"
PREFIX: Final = "claw-kept-"
LOCK: Final = "lock"
_folders: OrderedDict[Hashable, Kept] = OrderedDict()
_bytecode: OrderedDict[bytes, bytes] = OrderedDict()
_lock = threading.Lock()


class Kept:
    """A folder that is removed when nobody holds this object any more.

    Attributes:
        path: the folder.
    """

    def __init__(self, fill: Callable[[Path], None], sources: Path | None = None) -> None:
        self._sources, self._before = sources, _seal(sources)
        self.path = Path(tempfile.mkdtemp(dir=_of_process()))
        weakref.finalize(self, _remove, self.path, os.getpid())
        fill(self.path)
        self._filled = _seal(self.path)

    @property
    def valid(self) -> bool:
        """Whether neither the folder nor what it was made from has changed since."""
        return (self._before, self._filled) == (_seal(self._sources), _seal(self.path))


def kept(key: Hashable, fill: Callable[[Path], None], sources: Path | None = None) -> Kept:
    """The folder of this key, filled once; hold what is returned for as long as the folder is read."""
    with _lock:
        found = _folders.pop(key, None)
        if found is None or not found.valid:
            found = Kept(fill, sources)
        _folders[key] = found
        while len(_folders) > MOST:
            _folders.popitem(last=False)
        return found


def with_bytecode(scripts: Path) -> Kept | None:
    """A copy of a folder of scripts with the bytecode of its packages; None where it has no package.

    What is no package is mostly started, and Python compiles a started script in any case.
    """
    if not any(scripts.glob("*/__init__.py")):
        return None

    def fill(folder: Path) -> None:
        copy_tree(scripts, folder, lambda entry: entry.name == CACHE)
        for source in sorted(folder.glob("*/**/*.py")):
            compile_module(source)

    return kept(scripts, fill, scripts)


def copy_tree(source: Path, target: Path, without: Callable[[os.DirEntry[str]], bool]) -> None:
    """Copy a folder, links as links; `target` may be there. What lies so deep that it has no path is left out.

    Raises:
        OSError: the first failure as it is, so that a full disk is known for one (shutil.copytree gathers texts).
    """
    folders, copied = [(source, target)], list[tuple[Path, Path]]()
    while folders:
        here, there = folders.pop()
        with _so_deep_left_out(), os.scandir(here) as entries:
            there.mkdir(parents=True, exist_ok=True)
            copied.append((here, there))
            for entry in sorted(entries, key=lambda one: one.name):
                with _so_deep_left_out():
                    if without(entry):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((here / entry.name, there / entry.name))
                    else:
                        shutil.copy2(entry.path, there / entry.name, follow_symlinks=False)
    for here, there in reversed(copied):
        shutil.copystat(here, there)


@contextlib.contextmanager
def _so_deep_left_out() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise


def compile_module(source: Path) -> None:
    """Put its bytecode beside a module; what is not Python says so when it is imported."""
    place = source.parent / CACHE / f"{source.stem}.{sys.implementation.cache_tag}.pyc"
    content = source.read_bytes()
    if content not in _bytecode:  # other scenarios have the same modules
        try:
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(str(source), str(place), doraise=True, invalidation_mode=mode)
        except py_compile.PyCompileError:
            return
        _bytecode[content] = place.read_bytes()
        while len(_bytecode) > MOST:
            _bytecode.popitem(last=False)
        return
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(_bytecode[content])


class _Root:
    """The folder of this process, locked; it goes when the process ends."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
        self._lock = os.open(self.path / LOCK, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        weakref.finalize(self, _remove, self.path, self.process)
        weakref.finalize(self, os.close, self._lock)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    @property
    def ours(self) -> bool:
        """Whether it is this process's, and nobody has taken it away."""
        try:
            there = os.stat(self.path / LOCK, follow_symlinks=False)  # noqa: PTH116 - what the lock is on
        except OSError:
            return False
        return self.process == os.getpid() and os.path.samestat(there, os.fstat(self._lock))


_roots: list[_Root] = []


def _of_process() -> Path:
    """The folder of this process; the first call removes those of processes that ended without doing so."""
    if not (_roots and _roots[-1].ours):
        for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            _remove_abandoned(folder)
        while not (made := _Root()).ours:  # somebody took it for abandoned before it was locked
            pass
        _roots[:] = [made]
    return _roots[-1].path


def _remove_abandoned(folder: Path) -> None:
    """Remove the folder of a process that has ended; what has no lock, or is not this user's, stays."""
    try:
        if folder.lstat().st_uid != os.geteuid() or folder.is_symlink():
            return
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        pass  # it is in use
    finally:
        os.close(lock)


def _seal(folder: Path | None) -> tuple[tuple[object, ...], ...]:
    """Which files there are, and when each was last changed in any way: that moment no program can set."""
    if folder is None:
        return ()
    found: list[tuple[object, ...]] = []
    for place, names, files in os.walk(folder):
        for name in (*names, *files):
            path = os.path.join(place, name)  # noqa: PTH118 - every check waits for this
            with contextlib.suppress(FileNotFoundError):
                state = os.lstat(path)
                found.append((path, state.st_ino, state.st_mode, state.st_size, state.st_mtime_ns, state.st_ctime_ns))
    return tuple(sorted(found, key=lambda one: str(one[0])))


def _remove(folder: Path, process: int) -> None:
    """Remove it at its end, or that of our process, which is not one that was forked from it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
