"""What processes use of the machine: memory, mounts of their own, files in /dev/shm, folders; and the words for too much.

A process is named by its folder, such as ``/proc/123``, or ``/proc/123/root/proc/2`` for one in the namespace of another.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from claw_adapter.machine import amount

__all__ = [
    "PAGE",
    "SHM",
    "THREADS",
    "SharedFiles",
    "links",
    "memory",
    "mounts",
    "over_limit",
    "size",
    "threads",
    "unlinked",
]

PAGE: Final = os.sysconf("SC_PAGE_SIZE")
SHM: Final = "/dev/shm"  # noqa: S108 - the machine's own, looked at and never written
LITTLE_SHARED: Final = 256_000_000
"""Only above this is it asked, which takes a while, what of shared memory is no file's."""
THREADS: Final = 32
"""A trial, or a check, may have so many for each process that it may have."""
LONG_PATH: Final = 3000
"""Characters of a path from which on a folder is opened, and what is below it called by that."""
NAME_BYTES: Final = 4096
"""Bytes that anything with a name counts with, so that their number is bounded with them."""
_PART: Final = re.compile(r"^Pss_(Anon|Shmem):\s+(\d+) kB", re.MULTILINE)
_WORDS: Final = {
    "processes": "processes at once",
    "threads": "threads at once",
    "memory": "of memory",
    "disk": "of disk",
}


def over_limit(what: str, used: float, most: float, where: str = "") -> str:
    """What is used beyond its limit and what is allowed, in words; empty where it is within.

    Args:
        what: processes, threads, memory, disk, or the path of a mount.
        used: their number, or bytes.
        most: the limit.
        where: added to what is used, such as " in the workspace".
    """
    if used <= most:
        return ""
    had, may = (f"{used:,.0f}", f"{most:,.0f}") if what in ("processes", "threads") else (amount(used), amount(most))
    return f"over its limits: {had} {_WORDS.get(what, f'in {what}')}{where}, {may} are allowed"


def memory(processes: Sequence[str], nameless: int = 0, within: float = 0) -> int:
    """Bytes of memory that the processes have: their own, and what they share by a mapping that is no file's, once.

    Args:
        processes: their folders.
        nameless: bytes in files without a name that are in memory; see `unlinked`. They may be mapped, or be the mappings.
        within: up to this the sum may be too high: what forked processes have in common counts for each. Beyond, which takes
            a while, it counts once.
    """
    own = shared = 0
    for process in processes:
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended
            _, resident, mapped, *_ = Path(f"{process}/statm").read_text("ascii").split()
            own += (int(resident) - int(mapped)) * PAGE
            shared += int(mapped) * PAGE
    if own > within or shared > LITTLE_SHARED:
        parts = list(map(_parts, processes))
        own = sum(part.get("Anon", 0) for part in parts) or own
        shared = sum(part.get("Shmem", 0) for part in parts)
    else:
        shared = 0
    return own + max(nameless, shared)


def _parts(process: str) -> dict[str, int]:
    """A process's part, in bytes, of the memory that it shares with others or has alone: ``Anon``, ``Shmem``."""
    with contextlib.suppress(OSError):
        found = _PART.findall(Path(f"{process}/smaps_rollup").read_text("ascii"))
        return {name: int(size) * 1024 for name, size in found}
    return {}


def threads(processes: Iterable[str]) -> int:
    """How many threads the processes have, in all."""
    found = 0
    for process in processes:
        with contextlib.suppress(OSError, ValueError, IndexError):
            found += int(Path(f"{process}/stat").read_bytes().rpartition(b")")[2].split()[17])
    return found


def mounts(processes: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Each /dev/shm and /tmp of the processes' own: its path inside, bytes used, and its size."""
    seen: set[int] = set()
    for process in processes:
        for name in (SHM, "/tmp"):  # noqa: S108 - the one inside
            with contextlib.suppress(OSError):  # it has ended
                inside = f"{process}/root{name}"
                device = os.stat(inside).st_dev  # noqa: PTH116 - a Path would resolve the link into the namespace
                if device in seen or device in (os.stat(name).st_dev, os.stat(f"{process}/root").st_dev):  # noqa: PTH116
                    continue
                seen.add(device)
                found = os.statvfs(inside)
                yield name, (found.f_blocks - found.f_bfree) * found.f_frsize, found.f_blocks * found.f_frsize


class SharedFiles:
    """Files of the machine's own /dev/shm that some processes have been seen to hold open or mapped, made or changed since.

    What they were never seen with may be anybody's: it is neither charged to them nor removed.
    """

    def __init__(self, since: float) -> None:
        self._since = since
        self._seen: set[Path] = set()

    def look(self, processes: Iterable[str]) -> int:
        """Bytes in all of them that are there still, with those that the processes hold now."""
        if new := dict(_new_files(self._since)):
            held = _held(processes)
            self._seen |= {path for path in new if str(path) in held}
        return sum(used for path, used in new.items() if path in self._seen)

    def remove(self) -> None:
        """Remove them; one that is gone is no error."""
        for path in self._seen:
            with contextlib.suppress(OSError):
                path.unlink()


def _new_files(since: float) -> Iterator[tuple[Path, int]]:
    """Our files there that were made or changed since, with their sizes."""
    with contextlib.suppress(OSError):
        for path in Path(SHM).iterdir():
            with contextlib.suppress(OSError):
                found = path.lstat()
                if found.st_uid == os.getuid() and found.st_ctime >= since:
                    yield path, found.st_blocks * 512


def links(process: str) -> Iterator[str]:
    """What each descriptor of a process names, none where it has ended or cannot be looked at."""
    for entry in _entries(f"{process}/fd"):
        with contextlib.suppress(OSError):  # closed since: the others are open still
            yield os.readlink(entry)  # noqa: PTH115 - it may name no path


def _entries(folder: str) -> Iterator[str]:
    """The paths in a folder of /proc, none where its process has ended or is another user's."""
    with contextlib.suppress(OSError):
        yield from [f"{folder}/{name}" for name in os.listdir(folder)]  # noqa: PTH208 - names alone


def _held(processes: Iterable[str]) -> set[str]:
    """Paths of files that the processes hold open or mapped."""
    found: set[str] = set()
    for process in processes:
        found.update(links(process))
        with contextlib.suppress(OSError):
            found |= {
                line.split(None, 5)[-1] for line in Path(f"{process}/maps").read_text("utf-8", "replace").splitlines()
            }
    return found


def unlinked(processes: Iterable[str], devices: Container[int]) -> tuple[int, int]:
    """Bytes in files without a name that a process holds open or mapped: on these devices, and elsewhere (in memory).

    In memory are memfd, and what processes share without a file. Mappings, and what threads have open for themselves, are
    looked at where the machine has much of either; the kernel shows the mappings of others to root only.
    """
    found: dict[tuple[int, int], int] = {}
    much = _shared_by_all() > LITTLE_SHARED
    for entry in (one for process in processes for folder in _tables(process, much) for one in _entries(folder)):
        with contextlib.suppress(OSError):
            file = os.stat(entry)  # noqa: PTH116 - a Path would resolve the link
            if stat.S_ISREG(file.st_mode) and not file.st_nlink:
                found[file.st_dev, file.st_ino] = file.st_blocks * 512
    here = sum(used for (device, _), used in found.items() if device in devices)
    return here, sum(found.values()) - here


def _tables(process: str, every: bool) -> Iterator[str]:
    """The folders of what a process has open; `every` one: mapped as well, and by a thread for itself."""
    yield f"{process}/fd"
    if every:
        yield f"{process}/map_files"
        yield from (f"{thread}/fd" for thread in _entries(f"{process}/task"))


def _shared_by_all() -> int:
    """Bytes of memory on this machine that is no process's own and no disk's."""
    with contextlib.suppress(OSError):
        found = re.search(rb"^Shmem:\s+(\d+) kB", Path("/proc/meminfo").read_bytes(), re.MULTILINE)
        return int(found[1]) * 1024 if found else 0
    return 0


def size(folder: Path, since: float = 0) -> int:
    """Bytes below a folder, of what was changed since; links are not followed, what cannot be read is not counted.

    A file with holes counts with its whole length, one with several names for each, and a folder, a link or an empty file
    with `NAME_BYTES` too: that is what copying and removing them takes.
    """
    total, pending = 0, list[str | int]([str(folder)])
    while pending:
        place = pending.pop()
        if isinstance(place, int):  # all below it is done
            os.close(place)
            continue
        with contextlib.suppress(OSError):
            if len(place) > LONG_PATH:  # the system takes no path that is much longer
                pending.append(descriptor := os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW))
                place = f"/proc/self/fd/{descriptor}"
            with os.scandir(place) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):
                        found = entry.stat(follow_symlinks=False)
                        if found.st_ctime >= since:
                            total += max(found.st_blocks * 512, found.st_size, NAME_BYTES)
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(entry.path)
    return total
