"""Scenario sources: where scenarios come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from claw_adapter.protocol import Scenario

__all__ = ["Dataset", "ScenarioSource"]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named collection of scenarios, in order."""

    name: str
    scenarios: tuple[Scenario, ...]


class ScenarioSource(ABC):
    """Knows one name (`demo`, a suite) or one on-disk format."""

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"

    @abstractmethod
    def load(self, path: Path | None = None) -> Dataset:
        """Load and validate; `path` is None when the source was asked for by its name.

        Raises:
            ScenarioError: with file, line and field.
        """
