"""Overlays: something put between a harness and its endpoint, such as a skill proxy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from claw_adapter.harness import Endpoint, TrialContext

__all__ = ["Overlay"]


class Overlay(ABC):
    """Harness → overlay → endpoint. What the overlay itself asks of the model is metered apart from the harness's requests."""

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"

    @abstractmethod
    async def wrap(self, ctx: TrialContext, endpoint: Endpoint) -> Endpoint:
        """Start the overlay in front of `endpoint` and return the address that the harness is given instead."""

    @abstractmethod
    async def close(self) -> None:
        """End what `wrap` started."""
