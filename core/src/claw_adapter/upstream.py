"""Upstreams: model servers behind the endpoint, started by us or attached to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from claw_adapter.protocol import ModelSpec

__all__ = ["Upstream"]


class Upstream(ABC):
    """A model server. `start` turns the run's model into one of kind ``openai`` that the endpoint can pass requests to."""

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"

    @abstractmethod
    async def start(self, model: ModelSpec) -> ModelSpec:
        """Start or attach; returns the model with its `base_url` filled in once the server answers."""

    @abstractmethod
    async def health(self) -> bool:
        """Whether the server answers now."""

    async def metrics(self) -> Mapping[str, float]:
        """Figures of the server that belong into the result; none by default."""
        return {}

    @abstractmethod
    async def stop(self) -> None:
        """Stop what `start` started; a server that was only attached to is left alone."""
