"""Token counts: cl100k of rendered text, of metered requests, and the ledger that keeps the kinds of count apart."""

from __future__ import annotations

from claw_adapter.tokens.chatml import count_messages, render
from claw_adapter.tokens.cl100k import VocabularyError, count
from claw_adapter.tokens.ledger import Amount, Kind, Ledger, Readings, Semantics, Totals, TurnUsage, per_turn
from claw_adapter.tokens.meter import Meter, Metered, canonical_json, count_request

__all__ = [
    "Amount",
    "Kind",
    "Ledger",
    "Meter",
    "Metered",
    "Readings",
    "Semantics",
    "Totals",
    "TurnUsage",
    "VocabularyError",
    "canonical_json",
    "count",
    "count_messages",
    "count_request",
    "per_turn",
    "render",
]
