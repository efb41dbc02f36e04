"""Exporters: a run in the form of another tool. A plugin brings one by the hook `claw_exporter`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

__all__ = ["Exporter"]


class Exporter(ABC):
    """Writes runs in one form, which is called `name`."""

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"

    @abstractmethod
    def write(self, run: Path, out: Path) -> tuple[str, ...]:
        """Write the run in the folder `run`, which is only read, into `out`, a folder that is there and empty.

        Returns:
            What the form has no place for, or what was left out; a sentence each.

        Raises:
            ClawError: the run cannot be told in this form, or something that is needed is not installed.
        """
