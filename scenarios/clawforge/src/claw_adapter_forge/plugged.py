"""Families that other distributions bring, found by the entry point `GROUP`: each is a `Family`, in one file."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final

__all__ = ["GROUP", "plugged"]

GROUP: Final = "claw_adapter_forge.families"


@cache
def plugged() -> tuple[Any, ...]:
    """The families, by the names of their entry points."""
    return tuple(point.load() for point in sorted(entry_points(group=GROUP), key=lambda point: point.name))
