"""The world: typed tables, a frozen clock, counter ids, an append-only log; effects are the difference of two states."""

from __future__ import annotations

from claw_adapter_forge.world.difference import Change, apply_changes, difference
from claw_adapter_forge.world.records import Record
from claw_adapter_forge.world.state import State, World

__all__ = ["Change", "Record", "State", "World", "apply_changes", "difference"]
