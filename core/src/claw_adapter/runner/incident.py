"""What a plan has happen to a harness at a given place of a trial; `claw_adapter.runner.happening` makes it happen."""

from __future__ import annotations

from typing import Final, Literal

from claw_adapter.protocol.base import Record

__all__ = ["Incident", "IncidentKind"]

IncidentKind = Literal["restart", "kill", "cancel", "pause"]
"""``restart``: closed and opened again from the checkpoint, before a prompt; ``kill``: kill −9 of every process of the trial;
``cancel``: of the turn; ``pause``: its processes stand still for `seconds`, as on a machine that does."""
PAUSE_SECONDS: Final = 0.4


class Incident(Record):
    """One incident.

    Its place is the first attempt at a round, and there a request: 0 is before the prompt is sent, n when the n-th request
    has come to the endpoint, where a scripted model may hold it. What follows is the runner's ordinary way.
    """

    kind: IncidentKind
    round: str
    request: int = 0
    seconds: float = PAUSE_SECONDS
