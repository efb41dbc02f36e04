"""Run a child to its end under one deadline that covers start, run and clean-up."""

from __future__ import annotations

import time
from typing import Final

from claw_adapter.drivers.command import Command, Completed, ExitStatus
from claw_adapter.drivers.launch import start
from claw_adapter.drivers.waiting import shielded

__all__ = ["run"]

DRAIN_SECONDS: Final = 1.0
"""How long after the child's end we wait for streams that something else still holds open."""
GRACE_SECONDS: Final = 0.3
"""How long a child that passed its deadline may take to end by itself."""


async def run(command: Command, deadline: float) -> Completed:
    """Run a command; after `deadline` seconds it is ended, within one more second, with everything it started.

    When the child ends but something it started still holds its output open, what came so far is the answer: it is
    returned a second later and the rest is killed. Cancelling kills everything too, before it is passed on.

    Raises:
        CommandInvalid: see `start`.
        ProgramNotFound: see `start`.
        ProgramNotStarted: see `start`.
    """
    began = time.monotonic()
    process = await start(command)
    timed_out, drained, survivors = False, False, 0
    try:
        timed_out = not await process.ended(deadline - (time.monotonic() - began))
        drained = await process.drained(0 if timed_out else DRAIN_SECONDS)
    finally:
        survivors = await shielded(process.stop(GRACE_SECONDS if timed_out else 0))
    return Completed(
        exit=process.exit or ExitStatus(signal=9),
        stdout=process.stdout,
        stderr=process.stderr,
        duration=time.monotonic() - began,
        timed_out=timed_out,
        drained=drained,
        survivors=survivors,
    )
