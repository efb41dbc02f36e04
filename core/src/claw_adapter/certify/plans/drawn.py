"""A turn as it is drawn, before there is anything said in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from claw_adapter.certify.plans.plan import PlanChange
from claw_adapter.endpoint.models.played import ToolUse

__all__ = ["DrawnTurn"]


@dataclass(slots=True)
class DrawnTurn:
    """What updates bring before a turn, and its calls, one reply after another."""

    updates: list[PlanChange] = field(default_factory=list)
    replies: list[list[ToolUse]] = field(default_factory=list)
