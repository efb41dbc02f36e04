"""The local executor: trials as tasks of the runner's own event loop; the work itself is in the harnesses' processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, TypeAlias

from claw_adapter.executor import Executor, Results, TrialJob

__all__ = ["LocalExecutor"]

Doing: TypeAlias = Callable[[TrialJob], Awaitable[None]]
"""Does one job; a failure of its trial is no error."""


class LocalExecutor(Executor):
    """At most `width` trials at a time, started in order.

    `here` brings up what the trials share (endpoint, model servers, limits), passes on what does one job, and takes it down
    when all are done.
    """

    name: ClassVar[str] = "local"

    def __init__(self, here: Callable[[Callable[[Doing], Awaitable[None]]], Awaitable[None]]) -> None:
        self._here = here

    async def run(self, jobs: Sequence[TrialJob], results: Results, width: int) -> None:
        """Have every job done; results are where they belong from the beginning."""
        del results

        async def each(do: Doing) -> None:
            free = asyncio.Semaphore(width)

            async def one(job: TrialJob) -> None:
                async with free:
                    await do(job)

            async with asyncio.TaskGroup() as group:
                for job in jobs:
                    group.create_task(one(job))

        await self._here(each)
