"""Parts of rounds that are right or wrong by themselves, as observations, so that they are broken down like rounds.

Sources: ClawArena v1 §2.2, v2 §3.2 and §4.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from claw_adapter.scoring.observed import Observation

__all__ = ["conclusions", "preferences", "statements"]


def conclusions(found: Iterable[Observation]) -> Iterator[Observation]:
    """Earlier conclusions that new evidence contradicts; 1 if it was revised (v1 §2.2).

    There is one when the earlier round was answered as the old evidence had it: who was right too early, or wrong in
    another way, had nothing to revise. Only revision rounds carry the comparison.
    """
    for one in found:
        if one.was_stale:
            yield replace(one, score=float(bool(one.revised)))


def preferences(found: Iterable[Observation]) -> Iterator[Observation]:
    """Preferences examined; 1 if kept. "Compliance is scored only in silent-exam rounds" (v2 §3.2, dimension P)."""
    for one in found:
        for rule in one.rules:
            tags = {**one.tags, "preference": (rule.dimension.replace("_", " "),)}
            yield replace(one, score=float(rule.passed), tags=tags)


def statements(found: Iterable[Observation]) -> Iterator[Observation]:
    """True statements of scenarios with an evidence layer; 1 if chosen. Tag `statement` is ``compound`` or ``atomic``.

    "Compound claims are omitted while primary facts are captured" (v2 §4.5): compound are statements whose shortest
    decisive evidence has two parts or more.
    """
    for one in found:
        for letter, outcome in one.outcomes.items() if one.compound is not None else ():
            if outcome in ("tp", "fn"):
                kind = "compound" if one.compound and letter in one.compound else "atomic"
                yield replace(one, score=float(outcome == "tp"), tags={**one.tags, "statement": (kind,)})
