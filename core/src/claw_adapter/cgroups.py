"""The memory that a control group leaves to what runs here, version 1 or 2: read only, nothing is set."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["GroupMemory", "group_memory"]

MOUNT: Final = Path("/sys/fs/cgroup")
OWN: Final = Path("/proc/self/cgroup")
NONE_SET: Final = 1 << 60
"""Version 1 writes a limit that is not set as a number about so large."""


@dataclass(frozen=True, slots=True)
class GroupMemory:
    """Bytes: `limit` of the narrowest group, and what is `left` in the fullest one."""

    limit: int
    left: int


def group_memory(mount: Path = MOUNT, own: Path = OWN) -> GroupMemory | None:
    """What this process's group, and those that it is in, leave of memory; None where none of them has a limit."""
    found = _limits(mount, own)
    if not found:
        return None
    return GroupMemory(min(one.limit for one in found), min(one.left for one in found))


def _limits(mount: Path, own: Path) -> list[GroupMemory]:
    """What this process's groups set, innermost first; inside a container the mount's root may be the own group."""
    with contextlib.suppress(OSError):
        for line in _read(str(own)).splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            top = f"{mount}/memory" if controllers else str(mount)
            parts = [part for part in path.split("/") if part not in ("", "..")]
            folders = ("/".join((top, *parts[:n])) for n in range(len(parts), -1, -1))
            if found := [memory for folder in folders if (memory := _memory(folder)) is not None]:
                return found
    return []


def _memory(folder: str) -> GroupMemory | None:
    for limit_name, used_name, idle_name in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        with contextlib.suppress(OSError, ValueError):  # "max" is no number: there is no limit
            limit = int(_read(f"{folder}/{limit_name}"))
            if limit >= NONE_SET:
                continue
            stat = dict(line.split() for line in _read(f"{folder}/memory.stat").splitlines())
            idle = int(stat.get(idle_name, 0))  # which the system takes back
            return GroupMemory(limit, max(limit - (int(_read(f"{folder}/{used_name}")) - idle), 0))
    return None


def _read(path: str) -> str:
    """A small file of the system's: looked at so often that one read at once is worth having."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 1 << 16).decode("utf-8", "replace")
    finally:
        os.close(descriptor)
