"""Which family's script a request calls for, told from its words alone."""

from __future__ import annotations

import re

from claw_adapter_forge.plugged import plugged
from claw_adapter_forge.policies.mind import Mind, Steps, Traits

__all__ = ["script"]


def script(request: str, traits: Traits | None = None) -> Steps:
    """The script for a request (the whole first observation); one that does nothing if no family asks so."""
    mind = Mind(request, traits)
    for family in plugged():
        if re.search(family.asks, mind.request):
            steps: Steps = family.expert(mind)
            return steps
    return _nothing()


def _nothing() -> Steps:
    yield from ()
