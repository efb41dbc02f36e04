"""Data sets: what is wrong with one and how large it is, as ``scenario/1`` or in a format that a plugin reads."""

from __future__ import annotations

from claw_adapter.datasets.base import Counted, DataFormat, RoundProgress, ScoredAgain
from claw_adapter.datasets.checking import check_data
from claw_adapter.datasets.counting import Entry, TextLedger
from claw_adapter.datasets.find import convert_data, find_format
from claw_adapter.datasets.findings import Checked
from claw_adapter.datasets.items import BUCKETS, Bucket, Item
from claw_adapter.datasets.measuring import NEUTRAL, Measured, measure
from claw_adapter.datasets.tables import Facts

__all__ = [
    "BUCKETS",
    "NEUTRAL",
    "Bucket",
    "Checked",
    "Counted",
    "DataFormat",
    "Entry",
    "Facts",
    "Item",
    "Measured",
    "RoundProgress",
    "ScoredAgain",
    "TextLedger",
    "check_data",
    "convert_data",
    "find_format",
    "measure",
]
