"""A format of data sets other than ``scenario/1``: what a plugin implements, and the records it answers with."""

from __future__ import annotations

from claw_adapter.data_format.base import Counted, DataFormat, RoundProgress, ScoredAgain
from claw_adapter.data_format.counting import Entry, TextLedger
from claw_adapter.data_format.findings import Checked
from claw_adapter.data_format.items import BUCKETS, Bucket, Item
from claw_adapter.data_format.tables import Facts

__all__ = [
    "BUCKETS",
    "Bucket",
    "Checked",
    "Counted",
    "DataFormat",
    "Entry",
    "Facts",
    "Item",
    "RoundProgress",
    "ScoredAgain",
    "TextLedger",
]
