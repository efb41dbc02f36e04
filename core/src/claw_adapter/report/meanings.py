"""What patterns mean, as the question types say that give them; a run is shown without them where they are not installed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from claw_adapter import plugins
from claw_adapter.errors import PluginError
from claw_adapter.questions import builtin
from claw_adapter.scoring.observed import Observation

__all__ = ["meanings_of"]


def meanings_of(found: Iterable[Observation], by: Sequence[str]) -> dict[str, str]:
    """Pattern → meaning, for those that the rounds have; empty where nothing is broken down by pattern."""
    if "pattern" not in by:
        return {}
    given = [(one.type, pattern) for one in found for pattern in one.tags.get("pattern", ())]
    explained = {kind: _patterns(kind) for kind in dict.fromkeys(kind for kind, _ in given)}
    return {pattern: explained[kind][pattern] for kind, pattern in given if pattern in explained[kind]}


def _patterns(kind: str) -> dict[str, str]:
    """Those of a question type; none where it is not installed, or cannot be loaded."""
    known = builtin().get(kind)
    try:
        brought = known or plugins.provides(kind).get("question_type")
    except PluginError:
        return {}
    return {str(name): str(meaning) for name, meaning in dict(getattr(brought, "patterns", {})).items()}
