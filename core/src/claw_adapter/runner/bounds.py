"""What a harness uses of the machine while its trial is under way: memory, processes, disk and /dev/shm, each within a limit.

A light watcher sums up, about once a second, over the processes that carry a trial's mark and everything that came of
them. A trial over a limit has all its processes ended; its turn fails with `HarnessOverLimits`. At isolation level 2
/dev/shm and /tmp are mounts of a size of their own besides, so that the watcher's pause gives nobody more of them.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from claw_adapter.drivers import reaper
from claw_adapter.drivers.waiting import to_thread
from claw_adapter.errors import HarnessOverLimits
from claw_adapter.protocol import RunSettings
from claw_adapter.protocol.journal import MachineUse
from claw_adapter.runner.headroom import most_memory
from claw_adapter.sandbox.usage import (
    PAGE,
    SHM,
    THREADS,
    SharedFiles,
    memory,
    mounts,
    over_limit,
    size,
    threads,
    unlinked,
)

__all__ = ["OVERLAYS", "Bounds", "Watched"]

OVERLAYS: Final = "overlays"
"""Below a trial's mark, the mark of what is not the harness's."""
PAUSE_SECONDS: Final = 1.0
SWEEP_SECONDS: Final = 2.0
WALK_SHARE: Final = 20
"""A folder is summed up at most one part in so many of the time."""
FAIR_DISK: Final = 1_000_000_000
"""On a disk with less than a trial's limit free, a trial is over its limits where it takes all that; but not below this."""


@dataclass(slots=True)
class Watched:
    """One trial under way; `over` is set when it has gone over a limit, and its processes are then ended."""

    trial: str
    settings: RunSettings
    folders: tuple[Path, ...]
    most_disk: float
    since: float = field(default_factory=time.time)
    over: HarnessOverLimits | None = None
    idle: bool = False
    """Whether it was ended, and what it has left is being put back: that is not held against it once more."""
    openings: list[float] = field(default_factory=list)
    """Seconds that each opening of the harness took."""
    peaks: dict[str, int] = field(default_factory=dict)
    """The most that was seen of processes and memory."""
    files: SharedFiles = field(init=False)
    devices: frozenset[int] = field(init=False)
    """Of the disks on which it may write: a file without a name on another one is in memory."""
    generation: int = 0
    """How often the harness was opened: processes that were seen before that are not the ones of today."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while it is judged, and while what it has is being ended."""
    _next_walk: float = 0.0

    def __post_init__(self) -> None:
        self.files = SharedFiles(self.since)
        places = (*self.folders, Path(tempfile.gettempdir()), Path.home())
        self.devices = frozenset(place.stat().st_dev for place in places if place.exists())

    @property
    def settled(self) -> bool:
        """Whether there is nothing to judge: it is over a limit, or what it left is being put back."""
        return self.over is not None or self.idle

    def take_over(self) -> HarnessOverLimits | None:
        """Why it was ended, once."""
        over, self.over = self.over, None
        self.idle = self.idle or over is not None
        return over

    def begins(self) -> None:
        """The harness is about to be opened (anew): waits until nothing of its trial is being ended any more."""
        with self.lock:
            self.idle = False
            self.generation += 1

    def used(self) -> MachineUse:
        """What it has used until now."""
        return MachineUse(
            openings=tuple(self.openings),
            memory=self.peaks.get("memory"),
            processes=self.peaks.get("processes"),
            disk=self.disk(now=True),
        )

    def disk(self, *, now: bool) -> int:
        """Bytes in its folders; 0 when it is too early to look again, unless it has to be `now`."""
        began = time.monotonic()
        if not now and began < self._next_walk:
            return 0
        used = sum(size(folder) for folder in self.folders)
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
        generations = [(watched, watched.generation) for watched in list(self._watched.values())]
        found = self._processes()
        for watched, generation in generations:
            with watched.lock:
                if not watched.settled and watched.generation == generation:
                    self._hold(watched, found.get(watched.trial, []))

    def _hold(self, watched: Watched, processes: list[str]) -> None:
        settings = watched.settings
        _, behind = unlinked(processes, watched.devices)
        _judge(watched, "processes", len(processes), settings.max_processes, "--max-processes")
        _judge(watched, "threads", threads(processes), THREADS * settings.max_processes, "--max-processes")
        held = memory(processes, behind, most := most_memory(settings))
        _judge(watched, "memory", held, most, "--max-memory")
        for name, seen in (("processes", len(processes)), ("memory", held)):
            if seen:
                watched.peaks[name] = max(seen, watched.peaks.get(name, 0))
        _judge(watched, "disk", watched.disk(now=False), watched.most_disk, "--max-disk")
        for name, used, most in mounts(processes):
            _judge(watched, name, used + PAGE, most, "--max-shm" if name == SHM else "")
        if settings.isolation < 2:
            _judge(watched, SHM, watched.files.look(processes), settings.max_shm, "--max-shm")
        if watched.over is not None:
            reaper.sweep(f"{self._marker}/{watched.trial}", SWEEP_SECONDS)
            watched.files.remove()

    def _processes(self) -> dict[str, list[str]]:
        """The processes of each trial's harness: those with its mark, and what came of them whatever they carry.

        One that has ended takes a place until its parent has taken that in.
        """
        table = reaper.table(ended=True)
        marks = {pid: self._trial_of(pid) for pid, process in table.items() if process.started >= self._began}
        found: dict[str, list[str]] = {}
        for pid in marks:
            at, seen = pid, set[int]()
            while at in marks and marks[at] is None and at not in seen:
                seen.add(at)
                at = table[at].ppid
            if trial := marks.get(at):
                found.setdefault(trial, []).append(f"/proc/{pid}")
        return found

    def _trial_of(self, pid: int) -> str | None:
        """The trial that a process carries the mark of; empty for another mark of ours, None for no mark at all."""
        mark = reaper.mark(pid)
        if mark is None or not mark.startswith(f"{self._marker}/"):
            return None
        trial, _, rest = mark.removeprefix(f"{self._marker}/").partition("/")
        return trial if trial in self._watched and not rest.startswith(f"{OVERLAYS}/") else ""


def _judge(watched: Watched, what: str, used: float, most: float, flag: str) -> None:
    where = " in workspace and state" if what == "disk" else ""
    if watched.settled or not (over := over_limit(what, used, most, where)):
        return
    remedy = (
        f"If it needs that much, allow more with {flag}, in a run of its own." if flag else "It has to do with less."
    )
    watched.over = HarnessOverLimits(over, where=watched.trial, remedy=remedy)
