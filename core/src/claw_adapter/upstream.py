"""Upstreams: model servers behind the endpoint, started by us or attached to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from claw_adapter.protocol import ModelSpec

__all__ = ["Upstream", "UpstreamContext"]


@dataclass(frozen=True, slots=True)
class UpstreamContext:
    """What an upstream may use during a run."""

    folder: Path
    """For whatever the server writes; removed when the run pauses or ends."""
    marker: str
    """Every child carries it (`Command.marker`), so that nothing outlives a runner that is killed."""


class Upstream(ABC):
    """A model server, one per model of a run; made with the model's options as keyword arguments.

    `start` turns the run's model into one of kind ``openai`` that the endpoint can pass requests to.
    """

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"

    @abstractmethod
    async def start(self, model: ModelSpec, ctx: UpstreamContext) -> ModelSpec:
        """Start or attach; returns the model with its `base_url` filled in once the server answers.

        Raises:
            EndpointError: it does not come up; the message says why, and what to do.
        """

    @abstractmethod
    async def health(self) -> bool:
        """Whether the server answers now."""

    def about(self) -> Mapping[str, str]:
        """What answered, for the result: versions, the digest of the weights; known once `start` has returned."""
        return {}

    async def metrics(self) -> Mapping[str, float]:
        """The server's counters as they stand; the result has how much each grew during the run."""
        return {}

    def fault(self) -> str:
        """Why the server ended by itself, with what to do; empty while it runs, or where that is not known."""
        return ""

    async def ended(self, seconds: float) -> None:
        """Wait, at most so long, for the end of a server that answers no more; at once where nobody can see it end."""
        del seconds

    @abstractmethod
    async def stop(self) -> None:
        """Stop what `start` started; a server that was only attached to is left alone. Also called where `start` failed."""
