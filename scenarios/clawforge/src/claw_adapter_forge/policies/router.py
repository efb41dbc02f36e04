"""Which expert script a request calls for, told from its words alone."""

from __future__ import annotations

import re
from collections.abc import Callable

from claw_adapter_forge.plugged import plugged
from claw_adapter_forge.policies import (
    experts_choice,
    experts_completion,
    experts_gap,
    experts_repair,
    experts_round,
    experts_transfer,
)
from claw_adapter_forge.policies.mind import Mind, Steps, Traits

__all__ = ["script"]

_RULES: tuple[tuple[str, Callable[[Mind], Steps]], ...] = (
    (r"\bthread\b", experts_transfer.inbox),
    (r"\bincident\b", experts_transfer.incident),
    (r"\bdelivery\b", experts_transfer.delivery),
    (r"\brunbook\b", experts_completion.runbook),
    (r"\bdaily loop\b", experts_completion.daily),
    (r"\brelease gate\b", experts_completion.gate),
    (r"\bsite review\b", experts_completion.review),
    (r"\bsite kit\b", experts_gap.kit),
    (r"\brelease note\b", experts_gap.note),
    (r"\bjournal\b", experts_gap.resume),
    (r"\bops setup\b", experts_choice.block),
    (r"\bdecision plan\b", experts_choice.plan),
    (r"\bbranch review\b", experts_choice.branch),
    (r"\breview notes?\b", experts_choice.notes),
    (r"\brepair card\b", experts_repair.repair),
    (r"\breplacement card\b", experts_repair.replacement),
    (r"\bround\b", experts_round.tour),
    (r"\bfinished\b", experts_choice.finished),
)


def script(request: str, traits: Traits | None = None) -> Steps:
    """The script for a request (the whole first observation); one that does nothing if no rule fits."""
    mind = Mind(request, traits)
    for pattern, expert in _RULES:
        if re.search(pattern, mind.request):
            return expert(mind)
    for family in plugged():
        if family.expert and re.search(family.asks, mind.request):
            steps: Steps = family.expert(mind)
            return steps
    return _nothing()


def _nothing() -> Steps:
    yield from ()
