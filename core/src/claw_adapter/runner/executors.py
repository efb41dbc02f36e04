"""The local executor: trials as tasks of the runner's own event loop; the work itself is in the harnesses' processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from claw_adapter.executor import Executor
from claw_adapter.protocol import TrialSpec

__all__ = ["LocalExecutor"]


class LocalExecutor(Executor):
    """At most `width` trials at a time, started in order."""

    name: ClassVar[str] = "local"

    async def map(self, trials: Sequence[TrialSpec], run: Callable[[TrialSpec], Awaitable[None]], width: int) -> None:
        """Run every trial once."""
        free = asyncio.Semaphore(width)

        async def one(trial: TrialSpec) -> None:
            async with free:
                await run(trial)

        async with asyncio.TaskGroup() as group:
            for trial in trials:
                group.create_task(one(trial))
