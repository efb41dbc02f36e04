"""What the machine did not give (space, descriptors, memory, processes), told from everything else the system refuses.

The one place of the package that knows what an error of the system means. Nothing that was at work is to blame for a
shortage: a run records nothing of the round at hand, stops, and the same command resumes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from claw_adapter.cgroups import group_memory
from claw_adapter.errors import ClawError, MachineError

__all__ = [
    "AGAIN",
    "FATAL",
    "address_space",
    "amount",
    "available_memory",
    "confinement",
    "killed_for_memory",
    "machine_error",
    "machine_said",
    "open_descriptors",
    "space",
    "system_error",
    "whole_memory",
]

AGAIN: Final = "Then run the same command again: it resumes where it stopped."
_SPACE: Final = "Free some space on that disk, or write elsewhere."
_FILES: Final = "Allow more open files (`ulimit -n 4096`), or run fewer trials at a time (-j)."
_MEMORY: Final = "Free some memory, allow more (`ulimit -v unlimited`), or run fewer trials at a time (-j)."
_PROCESSES: Final = "Allow more processes (`ulimit -u`, the container's limit), or run fewer trials at a time (-j)."
_SHORTAGES: Final = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EFBIG: "Allow larger files (`ulimit -f unlimited`), or write to another disk.",
    errno.EROFS: "Name a place that can be written.",
    errno.EMFILE: _FILES,
    errno.ENFILE: "Have the system allow more open files (sysctl fs.file-max), or run fewer trials at a time (-j).",
    errno.ENOMEM: _MEMORY,
}
_REMEDIES: Final = {
    errno.EACCES: "Change its permissions, or name another place.",
    errno.EPERM: "Change its permissions, or name another place.",
    errno.ENOENT: "Name something that is there.",
    errno.ENOTDIR: "Name a place below a folder.",
    errno.EISDIR: "Name a file.",
    errno.EEXIST: "Name another place.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}
_NO_THREAD: Final = "can't start new thread"
_SAID: Final = {
    errno.ENOMEM: re.compile(
        r"^MemoryError\b|Cannot allocate memory|failed to map segment|memory allocation of \d+ bytes failed", re.MULTILINE
    ),
    errno.EAGAIN: re.compile(_NO_THREAD),
}  # fmt: skip
FATAL: Final = {
    resource.RLIMIT_AS: ("address space", "-v"),
    resource.RLIMIT_DATA: ("data", "-d"),
    resource.RLIMIT_FSIZE: ("one file", "-f"),
    resource.RLIMIT_CPU: ("processor time", "-t"),
}
"""Limits that end a process, or have it fail in words of its own; none of them is set where nobody has set it."""
_AVAILABLE: Final = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)
_KILLS: Final = re.compile(r"^oom_kill (\d+)", re.MULTILINE)
_ERRNO: Final = re.compile(r"\[Errno (\d+)\]")


def system_error(error: OSError) -> ClawError:
    """A refusal of the system (no space, no permission) with the file it is about and the way out."""
    return _shortage(error) or ClawError(_what(error), where=_files(error), remedy=_REMEDIES.get(error.errno or 0, ""))


def machine_error(error: BaseException | None, *, starting: bool = False) -> MachineError | None:
    """What the machine did not give, where an error is that or came of it; None for everything else.

    Args:
        error: its causes are looked at too, and all members of a group.
        starting: it came of starting a process: "try again" means that there can be no more of them.
    """
    for cause in _causes(error):
        if isinstance(cause, MachineError):
            return cause
        if isinstance(cause, MemoryError):
            return MachineError(_what_is_left(errno.ENOMEM), remedy=_MEMORY)
        if isinstance(cause, RuntimeError) and _NO_THREAD in str(cause):
            return MachineError(_what_is_left(errno.EAGAIN), remedy=_PROCESSES)
        if isinstance(cause, ImportError) and (found := machine_said(str(cause))):  # a library that does not fit
            return found
        if isinstance(cause, OSError) and (found := _shortage(cause, starting=starting)):
            return found
    return None


def machine_said(text: str) -> MachineError | None:
    """What the machine did not give, as the last words of a process of ours say it; never ask this of a harness's."""
    numbers = [int(found) for found in _ERRNO.findall(text)]
    numbers += [number for number, pattern in _SAID.items() if pattern.search(text)]
    remedies = {**_SHORTAGES, errno.EAGAIN: _PROCESSES}
    return next((MachineError(_what_is_left(one), remedy=remedies[one]) for one in numbers if one in remedies), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it was raised from or in the handling of, and the members of a group."""
    pending, seen = [error], set[int]()
    while pending:
        one = pending.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            pending.extend(one.exceptions)
        pending.append(one.__cause__ or (None if one.__suppress_context__ else one.__context__))


def _shortage(error: OSError, *, starting: bool = False) -> MachineError | None:
    number = error.errno or 0
    remedy = _PROCESSES if starting and number == errno.EAGAIN else _SHORTAGES.get(number)
    if remedy is None:
        return None
    where = _files(error)
    return MachineError(_what_is_left(number) if number in _TOLD else _what(error), where=where, remedy=remedy)


def _what(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__


def _files(error: OSError) -> str:
    names = [name for name in (error.filename, error.filename2) if name is not None and not isinstance(name, int)]
    return " and ".join(os.fsdecode(name) for name in names)


_TOLD: Final = frozenset({errno.EMFILE, errno.ENOMEM, errno.EAGAIN, errno.EFBIG})


def _what_is_left(number: int) -> str:
    """The system's words for a shortage, with the limit that was reached where one is set."""
    limits = {
        errno.EMFILE: ("open files", resource.RLIMIT_NOFILE, ""),
        errno.ENOMEM: ("of address space", resource.RLIMIT_AS, "bytes"),
        errno.EAGAIN: ("processes", resource.RLIMIT_NPROC, ""),
        errno.EFBIG: ("for one file", resource.RLIMIT_FSIZE, "bytes"),
    }
    what = "No more processes can be started" if number == errno.EAGAIN else os.strerror(number)
    if number not in limits:
        return what
    name, kind, unit = limits[number]
    soft = resource.getrlimit(kind)[0]
    if soft == resource.RLIM_INFINITY:
        return what
    return f"{what}: the limit is {amount(soft) if unit else f'{soft:,}'} {name}"


def amount(size: float) -> str:
    """A number of bytes as people write it: ``600 kB``, ``1.5 GB``."""
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        del units[0]
    return f"{size:.0f} {units[0]}" if size >= 10 or units[0] == "bytes" else f"{size:.1f} {units[0]}"


def space(path: Path) -> tuple[int, int | None]:
    """Bytes that may be written to the disk of a path, and files that may be made there (None: no number is set)."""
    while not path.exists() and path != path.parent:
        path = path.parent
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None


def open_descriptors() -> int | None:
    """How many descriptors this process has open; None where the system does not say."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return len(os.listdir(folder)) - 1  # noqa: PTH208 - names alone; less the one that this takes
        except FileNotFoundError:
            continue
    return None


def available_memory() -> int | None:
    """Bytes of memory that programs can still get; None where the system does not say."""
    left = [group.left] if (group := group_memory()) is not None else []
    with contextlib.suppress(OSError):
        found = _AVAILABLE.search(Path("/proc/meminfo").read_text("ascii"))
        left += [int(found[1]) * 1024] if found else []
    return min(left, default=None)


def whole_memory() -> int:
    """Bytes of memory that programs can have here at all: the machine's, or what a control group leaves of it."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    group = group_memory()
    return machine if group is None else min(machine, group.limit)


def address_space() -> int | None:
    """Bytes of address space that a process may have; None where no limit is set."""
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def confinement() -> list[str]:
    """What a process of ours dies of by a limit that is set from outside, each with the word of the shell that sets it."""
    found = []
    for kind, (what, word) in FATAL.items():
        most = resource.getrlimit(kind)[0]
        if most != resource.RLIM_INFINITY:
            found.append(f"{f'{most} s' if kind == resource.RLIMIT_CPU else amount(most)} of {what} (`ulimit {word}`)")
    return found


def killed_for_memory() -> int | None:
    """How many processes the system has ended for want of memory since it was started; None where it does not say."""
    with contextlib.suppress(OSError):
        found = _KILLS.search(Path("/proc/vmstat").read_text("ascii"))
        return int(found[1]) if found else None
    return None
