"""What a scenario family is: counts, abilities, texts, and the function that lays out its scene and goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Evidence, Goal, Style
from claw_adapter_forge.world.state import State

__all__ = ["ABILITIES", "Draft", "Family", "Plan"]

ABILITIES = (
    "duplicate_avoidance",
    "gap_completion",
    "information_transfer",
    "multi_source_reasoning",
    "state_repair",
    "workflow_completion",
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A scene with its goals; `words` fill the instruction's blanks besides the slots."""

    start: State
    goals: tuple[Goal, ...]
    branch: str
    conflict: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    words: Mapping[str, str] = field(default_factory=dict)
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How many tasks of a variant the published suite has, the slots that make it, and its texts if it has its own."""

    variant: str
    count: int
    slots: Mapping[str, object] = field(default_factory=dict)
    texts: Mapping[Style, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """A scenario family. `extra` are variants that only the set `scale` has."""

    letter: str
    slug: str
    ability: str
    tags: tuple[str, ...]
    first: int
    plan: tuple[Plan, ...]
    texts: Mapping[Style, tuple[str, ...]]
    build: Callable[[Slots], Draft]
    flip: Callable[[Slots], Slots]
    extra: tuple[Plan, ...] = ()

    @property
    def count(self) -> int:
        """Tasks in the published suite."""
        return sum(p.count for p in self.plan)

    def texts_of(self, variant: str) -> Mapping[Style, tuple[str, ...]]:
        """The instruction texts of a variant."""
        return next((p.texts for p in (*self.plan, *self.extra) if p.texts and p.variant == variant), self.texts)
