"""Data sets: what is wrong with one and how large it is, as ``scenario/1`` or in a format that a plugin reads."""

from __future__ import annotations

from claw_adapter.datasets.checking import check_data
from claw_adapter.datasets.converting import convert_data
from claw_adapter.datasets.find import find_format
from claw_adapter.datasets.measuring import NEUTRAL, Measured, measure

__all__ = ["NEUTRAL", "Measured", "check_data", "convert_data", "find_format", "measure"]
