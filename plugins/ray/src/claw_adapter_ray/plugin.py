"""The entry point ``ray``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.hooks import hookimpl

if TYPE_CHECKING:
    from claw_adapter.executor import Executor

__all__ = ["claw_executor"]


@hookimpl
def claw_executor() -> type[Executor]:
    """Trials as tasks of Ray."""
    from claw_adapter_ray.executor import RayExecutor

    return RayExecutor
