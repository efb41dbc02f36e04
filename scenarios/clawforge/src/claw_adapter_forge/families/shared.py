"""What several families share: minimal pairs that flip one fact, and the evidence of today's weather."""

from __future__ import annotations

from dataclasses import replace

from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Evidence

__all__ = ["other_slot", "other_weather", "today"]


def other_slot(slots: Slots) -> Slots:
    """The same task with another moment for its meeting."""
    return replace(slots, slot=slots.alt_slot, alt_slot=slots.slot)


def other_weather(slots: Slots) -> Slots:
    """The same task on a day that is dry instead of wet, or the other way round."""
    return replace(slots, wet=not slots.wet)


def today(slots: Slots) -> Evidence:
    """What the forecast must show."""
    return Evidence("weather", f"{slots.now[:10]}: {'rainy' if slots.wet else ''}")
