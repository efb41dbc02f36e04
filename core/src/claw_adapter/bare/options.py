"""The options of the bare loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from claw_adapter.options import FromOne, FromZero, Seconds

__all__ = ["BareOptions"]


@dataclass(frozen=True, slots=True)
class BareOptions:
    """What an experiment may set."""

    history: Literal["full", "summary", "auto"] = "full"
    """What each request shows: all; a summary of all but the last commands; that only from `context` on."""
    context: FromOne = 60_000
    """Characters of the conversation from which ``auto`` sums up."""
    keep: FromOne = 4
    """Commands that a summary leaves whole, with what they printed."""
    retries: FromZero = 2
    """How often a request is sent again that failed of what may pass."""
    retry_pause: Seconds = 1.0
    """Seconds before the first of these; each further pause is twice as long."""
