"""Executors: where trials run. The unit is one trial; trials are independent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from claw_adapter.protocol import TrialSpec

__all__ = ["Executor"]


class Executor(ABC):
    """Runs trials, `width` at a time."""

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"

    @abstractmethod
    async def map(self, trials: Sequence[TrialSpec], run: Callable[[TrialSpec], Awaitable[None]], width: int) -> None:
        """Run every trial once. `run` never raises for a trial's own failure, so one trial cannot stop the others."""
