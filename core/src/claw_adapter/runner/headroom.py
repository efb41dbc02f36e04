"""How much of the machine is left, looked at before a run needs it and when something failed: so a run stops in time."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from claw_adapter.errors import HarnessCrash, HarnessStartError, MachineError, Owner
from claw_adapter.machine import (
    AGAIN,
    FATAL,
    address_space,
    amount,
    available_memory,
    confinement,
    killed_for_memory,
    machine_error,
    open_descriptors,
    space,
    whole_memory,
)
from claw_adapter.protocol import Failure, RunSettings

__all__ = ["MIN_FREE", "Headroom", "most_memory", "raise_descriptors", "raise_memory", "refuse_shortage", "stopped"]

MIN_FREE: Final = 100_000_000
"""Bytes that a run leaves free on its disk, unless it is told otherwise."""
MIN_FILES: Final = 1000
"""Files that it leaves to be made there."""
MIN_MEMORY: Final = 100_000_000
LOOK_SECONDS: Final = 0.05
"""For so long enough that was found is taken for granted; want is never."""
FAIR_MEMORY: Final = 0.75
"""The part of the memory there is that one trial may have whatever its limit."""
_DEATHS: Final = (HarnessCrash.__name__, HarnessStartError.__name__)
LITTLE: Final = 1_000_000
BASE_DESCRIPTORS: Final = 32
TRIAL_DESCRIPTORS: Final = 10
"""Most of what was measured: 26 with one trial at a time, 124 with sixteen."""
MOST_DESCRIPTORS: Final = 65_536
"""Programs that go through all possible descriptors when they start take long where there are a thousand million."""


@dataclass(frozen=True, slots=True)
class Headroom:
    """What is left for a run in `folder`; with `min_free` 0 only what fails says that something is missing."""

    folder: Path
    min_free: int = MIN_FREE
    _kills: int | None = field(init=False, default_factory=killed_for_memory)
    _enough: list[float] = field(init=False, default_factory=lambda: [float("-inf")])
    """When there was last enough of everything."""

    def shortage(self) -> MachineError | None:
        """What there is too little of now, or None."""
        return self._space() or self._descriptors() or self._memory()

    def require(self) -> None:
        """Look before something begins, unless there was enough `LOOK_SECONDS` ago: rounds of real harnesses take longer.

        Raises:
            MachineError: too little is left of something.
        """
        if time.monotonic() < self._enough[0] + LOOK_SECONDS:
            return
        if (found := self.shortage()) is not None:
            raise found
        self._enough[0] = time.monotonic()

    def blamed(self, failure: Failure) -> Failure:
        """The failure, or the machine's where it is short of something now: what was at work says that in words of its own."""
        if failure.owner is Owner.MACHINE:
            return failure
        found = self.shortage()
        if found is None and failure.owner in (Owner.HARNESS, Owner.OVERLAY):
            found = self._ended() or (_confined() if failure.kind in _DEATHS else None)
        return failure if found is None else Failure.of(found)

    def _ended(self) -> MachineError | None:
        """Whether the system has ended processes for want of memory since the run began: this may have been one of them."""
        if self._kills is None or killed_for_memory() == self._kills:
            return None
        what = "the system has ended processes because there was no memory left"
        return MachineError(what, remedy="End other programs, or run fewer trials at a time (-j).")

    def _space(self) -> MachineError | None:
        try:
            free, files = space(self.folder)
        except OSError as error:
            return machine_error(error)
        where, remedy = str(self.folder), "Free some space on that disk, or choose a lower --min-free."
        if free < self.min_free:
            what = f"{amount(free)} are left on the disk, and a run leaves {amount(self.min_free)} free"
            return MachineError(what, where=where, remedy=remedy)
        if self.min_free and files is not None and files < MIN_FILES:
            what = f"{files} more files can be made on the disk, and a run leaves room for {MIN_FILES:,}"
            return MachineError(what, where=where, remedy=remedy)
        return None

    def _descriptors(self) -> MachineError | None:
        try:
            used = open_descriptors()
        except OSError as error:
            return machine_error(error)
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if used is None or most == resource.RLIM_INFINITY or used + TRIAL_DESCRIPTORS / 2 < most:
            return None
        return MachineError(
            f"{used} of {most} possible files are open",
            remedy="Allow more open files (`ulimit -n 4096`), or run fewer trials at a time (-j).",
        )

    def _memory(self) -> MachineError | None:
        left = available_memory()
        if not self.min_free or left is None or left >= MIN_MEMORY:
            return None
        what = f"{amount(left)} of memory are left on this machine, and a run leaves {amount(MIN_MEMORY)}"
        return MachineError(what, remedy="End other programs, or run fewer trials at a time (-j).")


def _confined() -> MachineError | None:
    """A limit that came from outside: what dies below it may have died of it, whatever its last words are."""
    if not (limits := confinement()):
        return None
    what = f"a process of a harness has ended while no process may have more than {', '.join(limits)}"
    return MachineError(
        what,
        remedy="Programs reserve more than they use: take such limits away (`ulimit -v unlimited`); "
        "what a trial may use up is a setting of the run.",
    )


def most_memory(settings: RunSettings) -> float:
    """Bytes of memory that one trial may have."""
    return min(settings.max_memory, FAIR_MEMORY * whole_memory())


def raise_memory(settings: Iterable[RunSettings]) -> None:
    """Raise limits that end processes as far as this one may, and see that trials could have what memory they are allowed.

    Raises:
        MachineError: the limit would end what they may have: whose fault that is could not be told.
    """
    for kind in FATAL:
        soft, hard = resource.getrlimit(kind)
        if soft != hard:
            resource.setrlimit(kind, (hard, hard))
    most, needed = address_space(), max(map(most_memory, settings), default=0)
    if most is None or most >= needed:
        return
    raise MachineError(
        f"a process may have {amount(most)} of address space, and a trial may have {amount(needed)} of memory",
        remedy=f"Allow more (`ulimit -v unlimited`). Or have trials take less, in a run of its own: "
        f"--max-memory {most // 1_000_000}M.",
    )


def refuse_shortage(failure: Failure | None) -> None:
    """What the machine is to blame for is recorded of nobody.

    Raises:
        MachineError: it is to blame for this failure.
    """
    if failure is not None and failure.owner is Owner.MACHINE:
        raise MachineError(failure.what, where=failure.where, remedy=failure.remedy)


def raise_descriptors(jobs: int) -> None:
    """Raise this process's limit of open files as far as it may, and see that it is enough for so many trials at a time.

    Raises:
        MachineError: it is not.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    needed = BASE_DESCRIPTORS + TRIAL_DESCRIPTORS * jobs
    if soft != resource.RLIM_INFINITY and soft < needed:
        fit = max((soft - BASE_DESCRIPTORS) // TRIAL_DESCRIPTORS, 0)
        fewer = f", or run {fit} at a time (-j {fit})" if fit else ""
        raise MachineError(
            f"{soft} files may be open, and {jobs} trials at a time need about {needed}",
            remedy=f"Allow more (`ulimit -n {max(needed, 1024)}`){fewer}.",
        )


def stopped(short: MachineError, folder: Path, done: int, total: int) -> MachineError:
    """The error a run ends with: what is missing, how much is needed as far as the rounds so far tell, and the way out."""
    what = short.what
    with contextlib.suppress(OSError):
        free, needed = space(folder)[0], _needed(folder, done, total)
        if free < max(needed, LITTLE):
            more = f", and the rounds that are left need about {amount(needed)}" if needed else ""
            what = f"{what} (now that it has stopped {amount(free)} are free{more})"
    kept = f"{done} of {total} rounds are recorded, and nothing of those that were under way."
    return MachineError(what, where=short.where or str(folder), remedy=f"{short.remedy} {AGAIN}\n  {kept}".strip())


def _needed(folder: Path, done: int, total: int) -> float:
    """Bytes that the rounds that are left will take, going by what those recorded have taken; 0 if nothing tells."""
    if not done:
        return 0
    files = (Path(base, name) for base, _, names in os.walk(folder) for name in names)
    return sum(path.lstat().st_blocks * 512 for path in files) / done * (total - done)
