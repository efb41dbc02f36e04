"""Seeing what an adapter does beside what it says: files, processes, and what happens inside our own process."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from claw_adapter.certify.offspring import held_by_others, offspring, watched
from claw_adapter.drivers import reaper

__all__ = ["LivingProcess", "files_below", "logged", "processes", "side_effects", "stray_children", "traces_outside"]

_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING: Final = frozenset({
    "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.copyfile",
    "shutil.move", "shutil.rmtree", "socket.connect", "socket.bind", "tempfile.mkdtemp", "tempfile.mkstemp",
})  # fmt: skip
MOST_BYTES: Final = 65536
MOST_ENTRIES: Final = 2000
OWN: Final = frozenset({"run.json", "journal.jsonl", "report.json", "scenario.yaml"})
"""Of these a folder has one that claw itself has written, perhaps for another certification of the same drawn session."""
SHARED: Final = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - to look into, not to use


@dataclass(frozen=True, slots=True)
class LivingProcess:
    """A living process as evidence."""

    pid: int
    command: str


def processes(marker: str) -> list[LivingProcess]:
    """The living processes that carry a marker, or descend from one that does."""
    return [LivingProcess(pid, command_of(pid)) for pid in reaper.find(marker)]


def command_of(pid: int) -> str:
    """The command line of a process; empty when it is gone."""
    try:
        return (
            (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        )
    except OSError:
        return ""


def stray_children(marker: str, before: Iterable[int] = ()) -> list[LivingProcess]:
    """Our descendants that do not carry the marker of this certification and were not there before."""
    ours = {pid for pid, _ in offspring()}
    marked = set(reaper.find(marker)) | {pid for pid in ours if reaper.carries(pid, f"lifeline-{marker}")}
    return [LivingProcess(pid, command_of(pid)) for pid in sorted(ours - marked - set(before))]


@contextlib.contextmanager
def logged() -> Iterator[list[str]]:
    """Everything that we and adapters log meanwhile, also what is too fine to be shown otherwise."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("claw_adapter")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def files_below(folder: Path) -> dict[str, int]:
    """Relative path → size in bytes of everything below a folder that is no folder; links are not followed."""
    found: dict[str, int] = {}
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        for name in (*names, *links):
            path = Path(parent) / name
            with contextlib.suppress(OSError):
                found[path.relative_to(folder).as_posix()] = path.lstat().st_size
    return found


def traces_outside(marks: Iterable[str], since: float, ours: Iterable[Path] = (), least: int = 1) -> list[Path]:
    """New entries of the places where programs like to leave things that name `least` of `marks`, or hold little else.

    Others may be anyone's. Looked into are the folders for temporary files, the home directory and the working directory, and
    folders within; `since` is seconds since the epoch.
    Entries that are, or hold, a folder of `ours` are left out, and so are those that some other process holds: that of
    another certification at the same time, for instance, which may be of the same drawn session.
    """
    known = {folder for path in ours for folder in (path.absolute(), *path.absolute().parents)}
    wanted = [mark.encode() for mark in marks]
    places = sorted(
        {Path(tempfile.gettempdir()), *map(Path, SHARED), Path.home(), Path.cwd()}
    )  # what is inside comes later
    found = {
        path: place
        for place in places
        for path in _recent(place, since)
        if path not in known and _names(path, wanted, least)
    }
    held = {path for place in {*found.values()} for path in held_by_others(place)}
    return sorted(path for path in found if held.isdisjoint((path, *path.parents)) and os.path.lexists(path))


def _recent(place: Path, since: float, depth: int = 1) -> Iterator[Path]:
    """What is new in a folder, and in older folders within."""
    try:
        entries = list(islice(os.scandir(place), MOST_ENTRIES))
    except OSError:
        return
    for entry in entries if OWN.isdisjoint(one.name for one in entries) else ():
        with contextlib.suppress(OSError):
            if entry.stat(follow_symlinks=False).st_mtime >= since:
                yield Path(entry.path)
            elif depth and entry.is_dir(follow_symlinks=False):
                yield from _recent(Path(entry.path), since, depth - 1)


def _names(path: Path, wanted: Iterable[bytes], least: int, depth: int = 2) -> bool:
    name = os.fsencode(path.name)
    if any(mark in name for mark in wanted):
        return True
    try:
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            return False
        if path.is_dir():
            inside = list(path.iterdir())[:200] if depth > 0 else []
            foreign = OWN.isdisjoint(child.name for child in inside)
            return foreign and any(_names(child, wanted, least, depth - 1) for child in inside)
        with path.open("rb") as file:
            head = file.read(MOST_BYTES)
    except OSError:
        return False
    there = [len(mark) for mark in wanted if mark in head]
    return len(there) >= least or 2 * sum(there) > len(head)


@contextlib.contextmanager
def side_effects() -> Iterator[list[str]]:
    """What this thread changes inside the block: files written, folders made, connections; known at its end.

    Byte code caches do not count, and neither does a temporary folder that is gone again, with all that was in it.
    """
    effects: list[str] = []
    seen: list[tuple[str, str]] = []
    thread = threading.get_ident()

    def watcher(event: str, arguments: tuple[Any, ...]) -> None:
        if threading.get_ident() == thread:
            seen.extend(_effects(event, arguments))

    try:
        with watched(watcher):
            yield effects
    finally:
        made = [path for what, path in seen if what.startswith("tempfile.mkdtemp ")]
        gone = [Path(path) for path in made if not os.path.lexists(path)]
        effects += [what for what, path in seen if not any(Path(path).is_relative_to(folder) for folder in gone)]


def _effects(event: str, arguments: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
    """What was done, and to which path."""
    if event == "open":
        path, mode, flags = arguments
        writing = any(letter in mode for letter in "wax+") if isinstance(mode, str) else bool((flags or 0) & _WRITING)
        if writing and isinstance(path, str | bytes) and not _harmless(os.fsdecode(path)):
            yield f"writes {os.fsdecode(path)}", os.fsdecode(path)
    elif event in _CHANGING and not any(_harmless(str(item)) for item in arguments[:2]):
        yield f"{event} {', '.join(map(str, arguments[:2]))}", _changed(event, arguments)


def _changed(event: str, arguments: tuple[Any, ...]) -> str:
    """The path of an event; what removes a tree names what is in it below an open folder."""
    path, folder = arguments[0], arguments[-1]
    if event in ("os.remove", "os.rmdir") and isinstance(folder, int) and folder >= 0:
        return str(Path(f"/proc/self/fd/{folder}").readlink() / os.fsdecode(path))
    return os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""


def _harmless(path: str) -> bool:
    return "__pycache__" in path or path.startswith(("/dev/", "/proc/self/"))
