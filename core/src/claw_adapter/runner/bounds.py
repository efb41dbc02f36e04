"""What a harness uses of the machine while its trial is under way: memory, processes, disk and /dev/shm, each within a limit.

A light watcher sums up, about once a second, over the processes that carry a trial's mark and everything that came of
them. A trial over a limit has all its processes ended; its turn fails with `HarnessOverLimits`. At isolation level 2
/dev/shm and /tmp are mounts of a size of their own besides, so that the watcher's pause gives nobody more of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from claw_adapter.drivers import reaper
from claw_adapter.drivers.waiting import to_thread
from claw_adapter.errors import HarnessOverLimits
from claw_adapter.machine import amount
from claw_adapter.protocol import RunSettings

__all__ = ["OVERLAYS", "Bounds", "Watched"]

OVERLAYS: Final = "overlays"
"""Below a trial's mark, the mark of what is not the harness's."""
PAUSE_SECONDS: Final = 1.0
SWEEP_SECONDS: Final = 2.0
WALK_SHARE: Final = 20
"""A folder is summed up at most one part in so many of the time."""
SHM: Final = "/dev/shm"  # noqa: S108 - the machine's own, looked at and never written
FAIR_MEMORY: Final = 0.75
"""The part of the machine's memory that one trial may have whatever its limit."""
FAIR_DISK: Final = 1_000_000_000
"""On a disk with less than a trial's limit free, a trial is over its limits where it takes all that; but not below this."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Watched:
    """One trial under way; `over` is set when it has gone over a limit, and its processes are then ended."""

    trial: str
    settings: RunSettings
    folders: tuple[Path, ...]
    most_disk: float
    since: float = field(default_factory=time.time)
    over: HarnessOverLimits | None = None
    _next_walk: float = 0.0

    def take_over(self) -> HarnessOverLimits | None:
        """Why it was ended, once."""
        over, self.over = self.over, None
        return over

    def disk(self, *, now: bool) -> int:
        """Bytes in its folders; 0 when it is too early to look again, unless it has to be `now`."""
        began = time.monotonic()
        if not now and began < self._next_walk:
            return 0
        used = sum(_size(folder) for folder in self.folders)
        self._next_walk = time.monotonic() + WALK_SHARE * (time.monotonic() - began)
        return used


class Bounds:
    """Watches the trials of a run; `marker` is the beginning of their marks."""

    def __init__(self, marker: str, disk_free: int) -> None:
        self._marker = marker
        self._disk_free = disk_free
        self._watched: dict[str, Watched] = {}
        own = reaper.entry(os.getpid())
        self._began = own.started if own else 0

    def add(self, trial: str, settings: RunSettings, folders: tuple[Path, ...]) -> Watched:
        """Watch a trial until it is removed."""
        most = min(settings.max_disk, max(self._disk_free, FAIR_DISK))
        self._watched[trial] = Watched(trial, settings, folders, most)
        return self._watched[trial]

    def remove(self, trial: str) -> None:
        """Watch it no more; one that is not watched is no error."""
        self._watched.pop(trial, None)

    async def watch(self) -> None:
        """Look again and again, until this is cancelled."""
        while True:
            await asyncio.sleep(PAUSE_SECONDS)
            if self._watched:
                await to_thread(self._look)

    async def look(self, watched: Watched) -> HarnessOverLimits | None:
        """Look at what is left of a trial now that something failed in it."""
        if watched.over is None:
            used = await to_thread(watched.disk, now=True)
            _judge(watched, "disk", used, watched.most_disk, "--max-disk")
        return watched.take_over()

    def _look(self) -> None:
        processes = self._processes()
        for watched in list(self._watched.values()):
            if watched.over is not None:
                continue
            pids, settings = processes.get(watched.trial, []), watched.settings
            _judge(watched, "processes", len(pids), settings.max_processes, "--max-processes")
            _judge(watched, "memory", _memory(pids), _most_memory(settings), "--max-memory")
            _judge(watched, "disk", watched.disk(now=False), watched.most_disk, "--max-disk")
            for name, used, most in _mounts(pids):
                _judge(watched, name, used + _PAGE, most, "--max-shm" if name == SHM else "")
            shared = list(self._shared(watched, pids))
            _judge(watched, SHM, sum(size for _, size in shared), settings.max_shm, "--max-shm")
            if watched.over is not None:
                reaper.sweep(f"{self._marker}/{watched.trial}", SWEEP_SECONDS)
                for path, _ in shared:
                    with contextlib.suppress(OSError):
                        path.unlink(missing_ok=True)

    def _processes(self) -> dict[str, list[int]]:
        """The harness processes of each trial: those with its mark, and what came of them whatever they carry."""
        table = reaper.table()
        marks = {pid: self._trial_of(pid) for pid, process in table.items() if process.started >= self._began}
        found: dict[str, list[int]] = {}
        for pid in marks:
            at, seen = pid, set[int]()
            while at in marks and marks[at] is None and at not in seen:
                seen.add(at)
                at = table[at].ppid
            if trial := marks.get(at):
                found.setdefault(trial, []).append(pid)
        return found

    def _trial_of(self, pid: int) -> str | None:
        """The trial that a process carries the mark of; empty for another mark of ours, None for no mark at all."""
        mark = reaper.mark(pid)
        if mark is None or not mark.startswith(f"{self._marker}/"):
            return None
        trial, _, rest = mark.removeprefix(f"{self._marker}/").partition("/")
        return trial if trial in self._watched and not rest.startswith(f"{OVERLAYS}/") else ""

    def _shared(self, watched: Watched, pids: list[int]) -> Iterator[tuple[Path, int]]:
        """New files of ours in the machine's /dev/shm that the trial must have made, with their sizes.

        Of several trials, one that holds a file open or mapped has made it; what nobody holds counts for one that is alone.
        """
        if watched.settings.isolation >= 2 or not (new := dict(_new_files(watched.since))):
            return
        alone = len(self._watched) == 1
        held = set[str]() if alone else _held(pids)
        yield from ((path, size) for path, size in new.items() if alone or str(path) in held)


def _judge(watched: Watched, what: str, used: float, most: float, flag: str) -> None:
    if used <= most or watched.over is not None:
        return
    words = {"processes": "processes at once", "memory": "of memory", "disk": "of disk in workspace and state"}
    of = words.get(what, f"in {what}")
    had, may = (f"{used:,.0f}", f"{most:,.0f}") if what == "processes" else (amount(used), amount(most))
    remedy = (
        f"If it needs that much, allow more with {flag}, in a run of its own." if flag else "It has to do with less."
    )
    watched.over = HarnessOverLimits(
        f"over its limits: {had} {of}, {may} are allowed", where=watched.trial, remedy=remedy
    )


def _most_memory(settings: RunSettings) -> float:
    return min(settings.max_memory, FAIR_MEMORY * os.sysconf("SC_PHYS_PAGES") * _PAGE)


def _memory(pids: Iterable[int]) -> int:
    """Bytes that the processes have for themselves; what they share with files or each other by a mapping is left out."""
    pages = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended
            _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text("ascii").split()
            pages += int(resident) - int(shared)
    return pages * _PAGE


def _mounts(pids: Iterable[int]) -> Iterator[tuple[str, int, int]]:
    """Each /dev/shm and /tmp of the processes' own: its path inside, bytes used, and its size."""
    seen: set[int] = set()
    for pid in pids:
        for name in (SHM, "/tmp"):  # noqa: S108 - the one inside
            with contextlib.suppress(OSError):  # it has ended
                inside = f"/proc/{pid}/root{name}"
                device = os.stat(inside).st_dev  # noqa: PTH116 - a Path would resolve the link into the namespace
                if device in seen or device in (os.stat(name).st_dev, os.stat(f"/proc/{pid}/root").st_dev):  # noqa: PTH116
                    continue
                seen.add(device)
                found = os.statvfs(inside)
                yield name, (found.f_blocks - found.f_bfree) * found.f_frsize, found.f_blocks * found.f_frsize


def _new_files(since: float) -> Iterator[tuple[Path, int]]:
    with contextlib.suppress(OSError):
        for path in Path(SHM).iterdir():
            with contextlib.suppress(OSError):
                found = path.lstat()
                if found.st_uid == os.getuid() and found.st_ctime >= since:
                    yield path, found.st_blocks * 512


def _held(pids: Iterable[int]) -> set[str]:
    """Files of /dev/shm that the processes hold open or mapped."""
    held: set[str] = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            held |= {os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}  # noqa: PTH115, PTH208
            held |= {
                line.split(None, 5)[-1] for line in Path(f"/proc/{pid}/maps").read_text("utf-8", "replace").splitlines()
            }
    return held


def _size(folder: Path) -> int:
    """Bytes on disk below a folder; links are not followed, and what cannot be read is not counted."""
    total, pending = 0, [str(folder)]
    while pending:
        with contextlib.suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
    return total
