"""The end of a run before its end: a provider is away for too long or refuses it, or a limit is reached."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from claw_adapter.endpoint import ModelEndpoint, Standing
from claw_adapter.errors import EndpointError, RunStopped
from claw_adapter.protocol import Failure, Spent, StopRules
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.plan import Plan
from claw_adapter.runs.spending import read_spent

__all__ = ["check_stopped", "spent_before", "until_stopped", "watch"]


async def check_stopped(endpoint: ModelEndpoint) -> None:
    """After a failure: it may have come of the run's own end, and then it is nobody's.

    Raises:
        RunStopped: the endpoint says so.
    """
    try:
        standing = await endpoint.watch(-1)
    except EndpointError:  # it has died, which is another failure
        return
    if standing.stopped is not None:
        raise _stop_of(standing.stopped)


def _stop_of(why: Failure) -> RunStopped:
    return RunStopped(why.what, where=why.where, remedy=why.remedy)


async def until_stopped(work: Awaitable[None], watching: Coroutine[Any, Any, RunStopped | None]) -> None:
    """Do the work; it is given up when the watching says why the run stops.

    Raises:
        RunStopped: that is why.
    """
    working, watch = asyncio.ensure_future(work), asyncio.ensure_future(watching)
    try:
        await asyncio.wait({working, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done() and (stop := await watch) is not None:
            working.cancel()
            await asyncio.wait({working})
            raise stop
        await working
    finally:
        for task in (working, watch):
            task.cancel()
        await asyncio.gather(working, watch, return_exceptions=True)


def spent_before(folder: RunFolder, plan: Plan, rules: StopRules) -> Spent:
    """What the run has spent until now; it is only read where there is a limit to it."""
    if not rules.counts_tokens and rules.max_requests is None:
        return Spent()
    trials = [(folder.transcript(trial.id), trial.model) for trial in plan.trials]
    return read_spent(trials, priced=rules.max_cost is not None)


async def watch(endpoint: ModelEndpoint, on_wait: Callable[[str], None], fault: Callable[[], str]) -> RunStopped | None:
    """Show what the run waits for, until it stops; None where the endpoint has died, which its trials will say.

    Args:
        endpoint: the run's endpoint.
        on_wait: is told why the run waits.
        fault: why a model server of the run has ended by itself; empty while all go on.
    """
    standing = Standing()
    while standing.stopped is None:
        shown = standing.waiting
        try:
            standing = await endpoint.watch(standing.version)
        except EndpointError:
            return None
        if standing.waiting and (why := fault()):
            return RunStopped(why, remedy="The same command starts it again and goes on.")
        if standing.waiting != shown:
            on_wait(standing.waiting)
    return _stop_of(standing.stopped)
