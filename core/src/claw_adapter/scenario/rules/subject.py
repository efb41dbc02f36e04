"""What every rule looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from claw_adapter.finding import Finding
from claw_adapter.protocol import Evidence, Gold, Scenario
from claw_adapter.protocol.gold import RoundEvidence
from claw_adapter.scenario.places import Places
from claw_adapter.scenario.world import World

__all__ = ["WITH_ARTEFACTS", "WITH_OPTIONS", "Rules", "Subject"]

WITH_OPTIONS = frozenset({"multi_choice", "revision"})
"""Question types whose answer is a set of options."""
WITH_ARTEFACTS = frozenset({"exec_check", "preference"})
"""Question types that look at what was written."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A scenario under validation, with what several rules need."""

    scenario: Scenario
    gold: Gold
    places: Places
    worlds: tuple[World, ...] | None
    """The world at each round; None while the updates cannot be applied."""

    @property
    def order(self) -> Mapping[str, int]:
        """Position of each round by id."""
        return {item.id: index for index, item in enumerate(self.scenario.rounds)}

    @property
    def evidence(self) -> Evidence:
        """The evidence layer, empty when there is none."""
        return self.gold.evidence or Evidence(fragments={}, rounds={})

    def evidence_of(self, round_id: str) -> RoundEvidence:
        """A round's evidence, empty when there is none."""
        return self.evidence.rounds.get(round_id, RoundEvidence())


Rules: TypeAlias = Callable[[Subject], Iterator[Finding]]
