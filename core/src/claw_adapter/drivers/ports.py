"""Ports of this machine: one that is free, and whether it is our child that listens on one."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

__all__ = ["free_port", "listens"]

_TABLES: Final = ("/proc/net/tcp", "/proc/net/tcp6")
_LISTENING: Final = "0A"


def free_port() -> int:
    """A TCP port on 127.0.0.1 that nobody listens on now; somebody may before it is used, see `listens`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(pids: Iterable[int], port: int) -> bool | None:
    """Whether one of these processes listens on the port; None where the system does not say."""
    inodes = _listeners(port)
    if not inodes:
        return None
    theirs = [_sockets(pid) for pid in pids]
    if not theirs or None in theirs:
        return None
    return any(inodes & found for found in theirs if found is not None)


def _listeners(port: int) -> set[str]:
    """Inodes of the sockets that listen on a port, on any address."""
    found = set()
    for table in _TABLES:
        for fields in _rows(Path(table)):
            if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(fields[9])
    return found


def _rows(table: Path) -> Iterator[list[str]]:
    try:
        lines = table.read_text("ascii", "replace").splitlines()[1:]
    except OSError:  # no such system, or no such protocol
        return
    yield from (fields for fields in map(str.split, lines) if len(fields) > 9)


def _sockets(pid: int) -> set[str] | None:
    """Inodes of the sockets a process has open; None where we may not look."""
    found = set()
    try:
        with os.scandir(f"/proc/{pid}/fd") as folder:
            for item in folder:
                found.add(_target(Path(item.path)).removeprefix("socket:[").removesuffix("]"))
    except FileNotFoundError:  # it has just ended
        return set()
    except OSError:
        return None
    return found


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""
