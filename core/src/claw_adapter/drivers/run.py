"""Run a child to its end under one deadline that covers start, run and clean-up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from claw_adapter.drivers.command import Command, Completed, ExitStatus
from claw_adapter.drivers.launch import start
from claw_adapter.drivers.process import Process
from claw_adapter.drivers.waiting import shielded

__all__ = ["Watch", "run"]

Watch = Callable[[Process], Awaitable[str]]
"""Looks on while a child runs; when it returns why, the child is ended."""

DRAIN_SECONDS: Final = 1.0
"""How long after the child's end we wait for streams that something else still holds open."""
GRACE_SECONDS: Final = 0.3
"""How long a child that passed its deadline may take to end by itself."""


async def run(command: Command, deadline: float, watch: Watch | None = None) -> Completed:
    """Run a command; after `deadline` seconds it is ended, within one more second, with everything it started.

    When the child ends but something it started still holds its output open, what came so far is the answer: it is
    returned a second later and the rest is killed. Cancelling kills everything too, before it is passed on. What `watch`
    returns, if it does before the child's end, ends the child too.

    Raises:
        CommandInvalid: see `start`.
        ProgramNotFound: see `start`.
        ProgramNotStarted: see `start`.
    """
    began = time.monotonic()
    process = await start(command)
    timed_out, drained, survivors, over = False, False, 0, ""
    try:
        left = deadline - (time.monotonic() - began)
        ended, over = await _watched(process, watch, left) if watch else (await process.ended(left), "")
        timed_out = not (ended or over)
        drained = await process.drained(DRAIN_SECONDS if ended else 0)
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
        over=over,
    )


async def _watched(process: Process, watch: Watch, seconds: float) -> tuple[bool, str]:
    """Whether the child has ended in time, and why it has to be ended now."""
    watching, ending = asyncio.ensure_future(watch(process)), asyncio.ensure_future(process.ended(seconds))
    try:
        await asyncio.wait({watching, ending}, return_when=asyncio.FIRST_COMPLETED)
        over = watching.result() if watching.done() and not ending.done() else ""
        return (False, over) if over else (await ending, "")
    finally:
        watching.cancel()
        ending.cancel()
        await asyncio.gather(watching, ending, return_exceptions=True)
