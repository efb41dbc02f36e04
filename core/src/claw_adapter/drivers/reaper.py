"""Find and kill every process that descends from a child of ours, however it tried to leave.

Standard library only and no import from this package: the file also runs by itself (``python -I reaper.py``) as the
sidecar of `claw_adapter.drivers.lifeline`.

A process belongs to a child if it descends from it by parent id, shares its session, or carries its marker in the
environment it was started with (this finds ``setsid`` daemons whose parents are gone). On systems without /proc only
the first way is left. A daemon that forks twice, leaves the session *and* empties its environment is not found here;
a PID namespace (isolation level 2) ends that one too.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MARKER = "CLAW_TRIAL"
READY = b"ready\n"
"""What the sidecar says once no signal of a terminal ends it any more."""
SWEEP_SECONDS = 5.0
PAUSE_SECONDS = 0.01
_PROC = "/proc"
_SANDBOX = "bwrap"
_GONE = frozenset("ZX")
_CHUNK = 64 * 1024
_SHORT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""What looking fails of when we have no descriptor or memory left for it: that says nothing about a process."""


@dataclass(frozen=True)
class ProcessEntry:
    """One process; `started` is in clock ticks since boot (0 where unknown), a zombie is not living."""

    pid: int
    ppid: int
    group: int
    session: int
    started: int
    name: str
    living: bool = True

    @property
    def identity(self) -> tuple[int, int]:
        """Process id and start: a reused id is another process."""
        return self.pid, self.started


Table = dict[int, ProcessEntry]
Known = frozenset[tuple[int, int]]


def table(*, ended: bool = False) -> Table:
    """All living processes by id; with those, if asked for, that have `ended` and whose end nobody has taken in yet."""
    found = [process for process in _scan() if process is not None]
    return {process.pid: process for process in found} if ended else _living(found)


def zombies(parent: int) -> set[int]:
    """Ids of the children of a process that have ended and whose end nobody has taken in yet."""
    return {found.pid for found in _scan() if found is not None and found.ppid == parent and not found.living}


def entry(pid: int) -> ProcessEntry | None:
    """Return one living process, or None; reads /proc only."""
    found = _entry(pid)
    return found if found is not None and found.living else None


def _living(processes: Iterable[ProcessEntry | None]) -> Table:
    return {process.pid: process for process in processes if process is not None and process.living}


def _scan() -> list[ProcessEntry | None]:
    """All processes, zombies too; None for one that ended while we looked."""
    if not os.path.exists(f"{_PROC}/self/stat"):  # noqa: PTH110 - this file is on every child's way to its end
        return [*_table_of_ps().values()]
    return [_entry(int(name)) for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208


def _entry(pid: int) -> ProcessEntry | None:
    try:
        text = _read(pid, "stat").decode("utf-8", "replace")
    except OSError as error:
        if error.errno in _SHORT:
            raise
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split(None, 20)
    living = fields[0] not in _GONE
    return ProcessEntry(pid, int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]), name, living)


def _read(pid: int, name: str) -> bytes:
    """A file of a process in /proc, in a third of the time that a Path takes."""
    file = os.open(f"{_PROC}/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return b"".join(iter(lambda: os.read(file, _CHUNK), b""))
    finally:
        os.close(file)


def _table_of_ps() -> Table:
    """Without /proc: parent ids only, from ``ps``; the process group stands in for the session."""
    argv = ["ps", "-A", "-o", "pid=,ppid=,pgid=,stat=,comm="]
    found = {}
    listed = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=5).stdout
    for line in listed.splitlines():
        pid, ppid, group, state, name = line.split(None, 4)
        if state[0] != "Z":
            found[int(pid)] = ProcessEntry(int(pid), int(ppid), int(group), int(group), 0, Path(name).name)
    return found


def mark(pid: int) -> str | None:
    """The mark that a process carries, or None; also for one that has ended or is not ours."""
    name = f"{MARKER}=".encode()
    try:
        items = _read(pid, "environ").split(b"\0")
    except OSError as error:
        if error.errno in _SHORT:
            raise
        return None
    return next((item[len(name) :].decode("utf-8", "replace") for item in items if item.startswith(name)), None)


def carries(pid: int, marker: str) -> bool:
    """Tell whether a process was started with CLAW_TRIAL equal to `marker` or to something below ``marker/``."""
    return bool(_shows(pid, marker))


def _shows(pid: int, marker: str) -> bool | None:
    """Like `carries`; None for a process that has ended or is just replacing its program: it shows no environment."""
    try:
        content = _read(pid, "environ")
    except PermissionError:  # not ours
        return False
    except OSError as error:
        if error.errno in _SHORT:
            raise
        return None
    value = f"{MARKER}={marker}".encode()
    return any(item == value or item.startswith(value + b"/") for item in content.split(b"\0")) if content else None


def family(leader: int, processes: Table) -> set[ProcessEntry]:
    """Return the leader, its session and all their descendants."""
    members = {pid for pid, entry in processes.items() if leader in (pid, entry.session)}
    return {processes[pid] for pid in _with_descendants(members, processes)}


def _with_descendants(members: set[int], processes: Table) -> set[int]:
    children: dict[int, list[int]] = {}
    for entry in processes.values():
        children.setdefault(entry.ppid, []).append(entry.pid)
    pending = list(members)
    while pending:
        new = [pid for pid in children.get(pending.pop(), ()) if pid not in members]
        members.update(new)
        pending.extend(new)
    return members


def snapshot(leader: int) -> Known:
    """Return the identities of a leader's family; take it while the leader's id cannot have been reused."""
    return frozenset(entry.identity for entry in family(leader, table()))


def find(marker: str, known: Known = frozenset(), since: int = 0) -> list[int]:
    """Return the living processes that are known, carry the marker, or descend from such; never ourselves.

    `since` (clock ticks) spares reading the environment of processes older than the child.
    """
    return look(marker, known, since)[0]


def look(marker: str, known: Known = frozenset(), since: int = 0) -> tuple[list[int], bool]:
    """Return what `find` returns, and whether that must be all.

    It need not be when a process that started since showed no environment, or one ended while we looked, twice: what
    that one started last may have come after we had listed the processes.
    """
    dead: Known = frozenset()
    for _ in range(2):
        seen = _scan()
        whole = all(one is not None and (one.living or one.started < since or one.identity in dead) for one in seen)
        if whole:
            break
        dead = frozenset(one.identity for one in seen if one is not None and not one.living)
    processes = _living(seen)
    roots = set()
    for process in processes.values():
        ours: bool | None = process.identity in known
        if not ours and process.started >= since:
            ours = _shows(process.pid, marker)
            whole = whole and ours is not None
        if ours:
            roots.add(process.pid)
    return sorted(_with_descendants(roots, processes) - {os.getpid()}), whole


def send(pids: Iterable[int], number: int) -> None:
    """Signal processes; one that is gone is no error."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def ask_to_end(leader: int) -> None:
    """Send SIGTERM to the leader's process group.

    If the leader is bubblewrap, the groups of the programs inside get it instead: bubblewrap itself would die of it
    and take everything down with SIGKILL.
    """
    processes = table()
    entry = processes.get(leader)
    if entry is None:
        return
    groups = {leader}
    if entry.name == _SANDBOX:
        groups = {member.group for member in family(leader, processes) if member.name != _SANDBOX} - {leader}
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGTERM)


def sweep(marker: str, seconds: float = SWEEP_SECONDS) -> int:
    """Kill all that carry the marker, again until none is left or the time is over; return how many are left."""
    end = time.monotonic() + seconds
    while pids := find(marker):
        send(pids, signal.SIGKILL)
        if time.monotonic() > end:
            break
        time.sleep(PAUSE_SECONDS)
    return len(pids)


def main() -> int:
    """The sidecar: a marker, then paths, one JSON string a line; at the end of input sweep and remove the paths."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), READY)
    marker = json.loads(sys.stdin.readline() or '""')
    if not marker:
        return 0
    paths = [json.loads(line) for line in sys.stdin]
    left = sweep(marker)
    for path in paths:
        with contextlib.suppress(OSError):
            Path(path).unlink()
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
