"""What runner and endpoint share: where the endpoint listens, and what it tells about one turn."""

from __future__ import annotations

from typing import Final

from claw_adapter.protocol.answer_key import Seen
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.journal import FirstRequest, Metered
from claw_adapter.protocol.turn import Event, Failure

__all__ = ["CONTROL_SOCKET", "DATA_SOCKET", "RoundMeter", "Standing"]

CONTROL_SOCKET: Final = "control.sock"
DATA_SOCKET: Final = "data.sock"
"""Names in the endpoint's folder."""


class RoundMeter(Record):
    """What reached the model in one turn, and what came of it."""

    metered: Metered = Metered()
    rendered: int | None = None
    """cl100k tokens of the last request's messages and its reply as ChatML; None when there was no request."""
    first: FirstRequest | None = None
    """What the turn began with; None when there was no request."""
    seen: Seen | None = None
    failure: Failure | None = None
    """How the last request of the turn failed: the cause of a harness error that says its model did not answer."""
    retry_in: float | None = None
    """Seconds until the provider is worth asking again, where it was away when the turn's last request was given up, or
    broke its reply off."""
    events: tuple[Event, ...] = ()
    """Tool calls and results of this turn in order; `at` is seconds since the round began."""
    outside: Metered = Metered()
    """Requests of the trial since the last round ended and before this one began."""
    overlay: Metered | None = None
    """What overlays asked for themselves since this was last said, in a round or not; None without overlays."""


class Standing(Record):
    """How a run stands at the endpoint."""

    version: int = 0
    """Grows with every change."""
    waiting: str = ""
    """Why requests are held; empty while they go on."""
    stopped: Failure | None = None
    """Why the run stops."""
