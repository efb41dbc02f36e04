"""What comes of our process: every descendant, whatever it does to get away, and every connection that our own code makes.

On Linux a process whose parents are gone becomes the child of the nearest ancestor that takes in orphans
(``PR_SET_CHILD_SUBREAPER``, prctl(2)); inside `adopting` that is us, so that a daemon that forks twice, leaves its session
and empties its environment is still ours.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import sys
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Final

from claw_adapter.drivers import reaper
from claw_adapter.sandbox.usage import links

__all__ = ["adopting", "connections", "end", "held_by_others", "left_behind", "offspring", "watched"]

SET_SUBREAPER: Final = 36
GET_SUBREAPER: Final = 37
GONE_SECONDS: Final = 2.0
"""How long what is ending may take."""
PAUSE_SECONDS: Final = 0.02
LISTENING: Final = "0A"
"""State of a socket in /proc/net/tcp."""
SENDING: Final = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})

Watcher = Callable[[str, tuple[Any, ...]], None]
_watchers: list[Watcher] = []
_hooked: list[bool] = []


@contextlib.contextmanager
def adopting() -> Iterator[None]:
    """Inside, orphans among our descendants come to us; elsewhere than on Linux nothing changes."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None
    if prctl is None:
        yield
        return
    before = ctypes.c_int()
    prctl(GET_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    prctl(SET_SUBREAPER, 1, 0, 0, 0)
    known = reaper.zombies(os.getpid())
    try:
        yield
    finally:
        prctl(SET_SUBREAPER, before.value, 0, 0, 0)
        _take_in(reaper.zombies(os.getpid()) - known)


def _take_in(pids: Collection[int]) -> None:
    """Take in the ends of orphans; who waits for a child of its own has had time to do so first."""
    if pids:
        time.sleep(PAUSE_SECONDS)
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def offspring() -> set[tuple[int, int]]:
    """The identities (see `reaper`) of our living descendants."""
    table = reaper.table()
    return {entry.identity for entry in reaper.family(os.getpid(), table) if _below(entry.pid, table)}


def _below(pid: int, table: reaper.Table) -> bool:
    """Whether a process descends from us; those that only share our session do not."""
    while pid in table and pid != os.getpid():
        pid = table[pid].ppid
        if pid == os.getpid():
            return True
    return False


def left_behind(before: Collection[tuple[int, int]]) -> list[int]:
    """Descendants that were not there before and do not end by themselves."""
    limit = time.monotonic() + GONE_SECONDS
    while (left := sorted(pid for pid, started in offspring() - set(before))) and time.monotonic() < limit:
        time.sleep(PAUSE_SECONDS)
    return left


def end(pids: Collection[int]) -> None:
    """Kill what was left behind, and take in its end if it is our own child."""
    reaper.send(pids, 9)
    limit = time.monotonic() + GONE_SECONDS
    while any(map(reaper.entry, pids)) and time.monotonic() < limit:
        time.sleep(PAUSE_SECONDS)
    _take_in(reaper.zombies(os.getpid()).intersection(pids))


def held_by_others(place: Path) -> set[Path]:
    """The entries of a folder in which processes that are neither we nor our descendants hold anything open, on Linux.

    What got away from our descendants is one of them too (see `adopting`); of processes of other users nothing can be seen.
    """
    ours = {os.getpid(), *(pid for pid, _ in offspring())}
    held = (Path(link) for pid in set(reaper.table()) - ours for link in links(f"/proc/{pid}"))
    return {place / path.relative_to(place).parts[0] for path in held if place in path.parents}


@contextlib.contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Inside, every audit event of this process is told to `watcher`."""
    if not _hooked:  # a hook can be neither removed nor given arguments
        sys.addaudithook(lambda event, arguments: [tell(event, arguments) for tell in tuple(_watchers)] and None)
        _hooked.append(True)
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


@contextlib.contextmanager
def connections(*folders: Path) -> Iterator[list[str]]:
    """Where code of this process connects or sends to inside the block, that is no process of ours listening.

    What may be reached: Unix sockets below `folders`, and ports of loopback at which a descendant of ours listens, or nobody:
    a child that was started a moment ago is asked until it does. Judged when it happens, for a listener may be gone a moment
    later. Code that goes past Python's sockets is not seen.
    """
    found: list[str] = []

    def watcher(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in SENDING or len(arguments) < 2:
            return
        stream = getattr(arguments[0], "type", None) == socket.SOCK_STREAM
        if strange := _strange(arguments[1], folders, stream=stream):
            found.append(strange)

    with watched(watcher):
        yield found


def _strange(address: object, folders: Collection[Path], *, stream: bool) -> str:
    """The address, if nothing of ours is there."""
    match address:
        case None:  # a connected socket sends
            return ""
        case str() | bytes():
            path = Path(os.path.realpath(os.fsdecode(address))) if address else Path("/")
            return "" if any(path.is_relative_to(folder) for folder in folders) else f"the Unix socket {path}"
        case (str() as host, int() as port, *_):
            known = host.startswith("127.") or host in ("localhost", "::1", "::ffff:127.0.0.1")
            return "" if known and _ours_at(port, nobody=stream) else f"{host} port {port}"
    return repr(address)


def _ours_at(port: int, *, nobody: bool) -> bool:
    """Whether a descendant of ours listens at a port of loopback, and not this process itself; or `nobody`."""
    listening = set[str]()
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in (Path("/proc/net") / name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                    listening.add(f"socket:[{fields[9]}]")
    return any(_holds(pid, listening) for pid, _ in offspring()) if listening else nobody


def _holds(pid: int, sockets: Collection[str]) -> bool:
    folder = f"/proc/{pid}/fd"
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - in an audit hook, on the way of every connection
            with contextlib.suppress(OSError):
                if os.readlink(f"{folder}/{name}") in sockets:  # noqa: PTH115
                    return True
    return False
