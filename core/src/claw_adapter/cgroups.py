"""The memory that a control group leaves to what runs here, version 1 or 2: read only, nothing is set."""

from __future__ import annotations

import contextlib
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
        for line in own.read_text("utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            top = mount / "memory" if controllers else mount
            parts = [part for part in path.split("/") if part not in ("", "..")]
            folders = (top.joinpath(*parts[:n]) for n in range(len(parts), -1, -1))
            if found := [memory for folder in folders if (memory := _memory(folder)) is not None]:
                return found
    return []


def _memory(folder: Path) -> GroupMemory | None:
    for limit_name, used_name, idle_name in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        with contextlib.suppress(OSError, ValueError):  # "max" is no number: there is no limit
            limit = int((folder / limit_name).read_text("ascii"))
            if limit >= NONE_SET:
                continue
            stat = dict(line.split() for line in (folder / "memory.stat").read_text("ascii").splitlines())
            used = int((folder / used_name).read_text("ascii")) - int(
                stat.get(idle_name, 0)
            )  # which the system takes back
            return GroupMemory(limit, max(limit - used, 0))
    return None
