"""Token counts: cl100k of rendered text, of metered requests, and the ledger that keeps the kinds of count apart."""

from __future__ import annotations

from claw_adapter.tokens.chatml import count_messages, render
from claw_adapter.tokens.cl100k import VocabularyError, count
from claw_adapter.tokens.meter import Meter, RequestSize, canonical_json, count_request
from claw_adapter.tokens.readings import Readings, Semantics, per_turn

__all__ = [
    "Meter",
    "Readings",
    "RequestSize",
    "Semantics",
    "VocabularyError",
    "canonical_json",
    "count",
    "count_messages",
    "count_request",
    "per_turn",
    "render",
]
