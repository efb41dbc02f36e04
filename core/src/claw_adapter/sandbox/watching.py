"""A check as a whole within bounds: what everything that it starts uses of memory, processes, disk and /dev/shm, together.

Limits that the system sets hold for each process; sums are watched here, a few times a second. At level 2 /dev/shm and
/tmp are mounts of a size of their own besides.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from claw_adapter.drivers import Process, reaper
from claw_adapter.drivers.waiting import readable, to_thread
from claw_adapter.machine import whole_memory
from claw_adapter.sandbox.levels import IsolationLevel
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

__all__ = ["CheckLimits", "CheckWatch", "SandboxStatus"]

PAUSE_SECONDS: Final = {True: 0.1, False: 0.4}
"""Between two looks: into a namespace, and among all processes of the machine, which takes longer."""
WALK_SHARE: Final = 20
"""Folders are summed up at most one part in so many of the time."""


LEAST: Final = 10
"""Descriptors below this are a shell's, which has names for them."""


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """What a check and all that it starts may use at the same time; bytes, and a number of processes."""

    memory: int = 2_000_000_000
    processes: int = 200
    disk: int = 500_000_000
    shm: int = 64 * 1024 * 1024


class SandboxStatus:
    """What bubblewrap says of a sandbox, on a descriptor that nothing inside can write to. A context manager."""

    def __init__(self) -> None:
        self._read, write = os.pipe()
        self.write = fcntl.fcntl(write, fcntl.F_DUPFD_CLOEXEC, LEAST)
        os.close(write)
        os.set_blocking(self._read, False)
        self._said = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._read)
        os.close(self.write)

    async def first(self) -> int:
        """Wait for the id of the first process inside."""
        while (found := self._find("child-pid")) is None:
            await readable(self._read)
        return found

    @property
    def ended(self) -> bool:
        """Whether the command was started inside, and came to its end."""
        return self._find("exit-code") is not None

    def _find(self, name: str) -> int | None:
        with contextlib.suppress(BlockingIOError):
            self._said += os.read(self._read, 4096)
        found = re.search(rf'"{name}":\s*(\d+)'.encode(), self._said)
        return int(found[1]) if found else None


@dataclass
class CheckWatch:
    """Watches one check: called with its process, and once more, by `look_back`, when it has ended."""

    level: IsolationLevel
    folders: tuple[Path, ...]
    limits: CheckLimits
    status: SandboxStatus | None = None
    _since: float = field(default_factory=time.time)
    _first: int = 0
    _marker: str = ""
    _started: int = 0
    _next_walk: float = 0.0
    _over: str = ""
    _spills: bool = False
    """Whether it is over the limit of the machine's own /dev/shm."""

    def __post_init__(self) -> None:
        self._devices = {folder.stat().st_dev for folder in self.folders}
        self._files = SharedFiles(self._since)

    async def __call__(self, process: Process) -> str:
        """Look again and again; returns what it is over its limits of as soon as it is."""
        if self.status is not None:
            self._first = await self.status.first()
            process.contain(self._first)
        own = reaper.entry(process.pid)
        self._marker, self._started = process.marker, own.started if own else 0
        while not self._over:
            await asyncio.sleep(PAUSE_SECONDS[bool(self._first)])
            self._over = await to_thread(self._look)
        return self._over

    def look_back(self) -> str:
        """What it was over its limits of, or is with what it has left behind."""
        self._next_walk = 0.0
        left = self._judge([])
        return self._over or left

    def _look(self) -> str:
        if self._first:
            return self._judge(_inside(self._first))
        return self._judge([f"/proc/{pid}" for pid in reaper.find(self._marker, since=self._started)])

    def _judge(self, processes: list[str]) -> str:
        limits, (on_disk, elsewhere) = self.limits, unlinked(processes, self._devices)
        over = (
            over_limit("processes", len(processes), limits.processes)
            or over_limit("threads", threads(processes), THREADS * limits.processes)
            or over_limit("memory", memory(processes, elsewhere, _most_memory(limits)), _most_memory(limits))
            or over_limit("disk", on_disk + self._written(), limits.disk)
        )
        for name, used, most in mounts(processes):
            over = over or over_limit(name, used + PAGE, most)
        return over or self._shared(processes)

    def _written(self) -> int:
        """Bytes in what was changed since; 0 where it is too early to look again."""
        began = time.monotonic()
        if began < self._next_walk:
            return 0
        written = sum(size(folder, self._since) for folder in self.folders)
        now = time.monotonic()
        self._next_walk = now + WALK_SHARE * (now - began)
        return written

    def _shared(self, processes: list[str]) -> str:
        """What of the machine's own /dev/shm it takes; that is removed where it is over the limit."""
        if self.level >= IsolationLevel.NAMESPACE:
            return ""
        over = over_limit(SHM, self._files.look(processes), self.limits.shm)
        self._spills = self._spills or bool(over)
        if self._spills:
            self._files.remove()
        return over


def _most_memory(limits: CheckLimits) -> float:
    return min(limits.memory, 0.75 * whole_memory())


def _inside(first: int) -> list[str]:
    """The processes of a namespace, as its own /proc has them; while that is being made, the first alone."""
    inside = f"/proc/{first}/root/proc"
    with contextlib.suppress(OSError):
        if os.stat(inside).st_dev != os.stat("/proc").st_dev:  # noqa: PTH116 - a Path would resolve the link
            return [f"{inside}/{name}" for name in os.listdir(inside) if name.isdigit()]  # noqa: PTH208 - names alone
    return [f"/proc/{first}"]
