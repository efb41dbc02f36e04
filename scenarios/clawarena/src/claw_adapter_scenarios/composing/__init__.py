"""Laying a new scenario out: a domain pack, with conflict patterns in it."""

from __future__ import annotations

from claw_adapter_scenarios.composing.compose import compose
from claw_adapter_scenarios.composing.data import Pack, Pattern, find_pack, find_pattern, packs, patterns

__all__ = ["Pack", "Pattern", "compose", "find_pack", "find_pattern", "packs", "patterns"]
