"""Whether a line ``Label: value`` of a text states a fact."""

from __future__ import annotations

from functools import lru_cache

from claw_adapter_forge.tasks.labels import description
from claw_adapter_forge.world import lines

__all__ = ["states", "why_not"]


def why_not(text: str, label: str, fact: str, value: str, zone: str = "") -> str:
    """Why a text does not state the fact in exactly one line of that label; empty if it does."""
    return lines.why_not(text, label, description(fact, value, zone), value)


@lru_cache(maxsize=8192)
def states(text: str, values: tuple[str, ...]) -> bool:
    """Whether a text states a fact; `values` are its label, the fact, the right value and the office's time zone."""
    return not why_not(text, *values)
