"""Families of tasks, ours and those of other distributions, found by the entry point `GROUP`: one, or several in a tuple."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final

__all__ = ["GROUP", "plugged"]

GROUP: Final = "claw_adapter_forge.families"


@cache
def plugged() -> tuple[Any, ...]:
    """The families, by the names of their entry points."""
    return tuple(_loaded())


def _loaded() -> Iterator[Any]:
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        found = point.load()
        yield from found if isinstance(found, tuple) else (found,)
