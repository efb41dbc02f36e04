"""What a scenario family is: counts, abilities, texts, and the function that lays out its scene and goal."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Derived, Evidence, Goal, Style
from claw_adapter_forge.world.state import State

__all__ = ["ABILITIES", "HORIZON", "Draft", "Family", "Plan"]

HORIZON = 25
"""H of Algorithm 1: commands an agent may give, unless the family says otherwise."""

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
    """A scene with its goals; `words` fill the instruction's blanks besides the slots.

    `horizon` are the commands that an agent may give; with `spare` (not negative) it is so many more than the script gives.
    """

    start: State
    goals: tuple[Goal, ...]
    branch: str
    conflict: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    words: Mapping[str, str] = field(default_factory=dict)
    alternatives: tuple[str, ...] = ()
    horizon: int = HORIZON
    spare: int | None = None
    knobs: tuple[tuple[str, int], ...] = ()
    derived: tuple[Derived, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How many tasks of a variant the published suite has, the slots that make it, and its texts if it has its own."""

    variant: str
    count: int
    slots: Mapping[str, object] = field(default_factory=dict)
    texts: Mapping[Style, tuple[str, ...]] | None = None


def other_flag(slots: Slots) -> Slots:
    """The same task with `Slots.flag` the other way."""
    return replace(slots, flag=not slots.flag)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A scenario family; docs/write-a-family.md says how to write one.

    `asks` is a regular expression by which its requests are known, and no other family's; `expert` the script that solves them
    from what is printed, of a `claw_adapter_forge.policies.mind.Mind`. `extra` are variants that only the set `scale` has;
    `knobs` settings of difficulty with the least and the most, of a family that the set `hard` can have.
    Families of the published suite have a `letter` and the number of their `first` task.
    """

    slug: str
    ability: str
    tags: tuple[str, ...]
    plan: tuple[Plan, ...]
    texts: Mapping[Style, tuple[str, ...]]
    build: Callable[[Slots], Draft]
    asks: str
    expert: Callable[[Any], Generator[str, str, None]]
    flip: Callable[[Slots], Slots] = other_flag
    extra: tuple[Plan, ...] = ()
    knobs: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    letter: str = ""
    first: int = 0

    @property
    def count(self) -> int:
        """Tasks in the published suite."""
        return sum(p.count for p in self.plan)

    def texts_of(self, variant: str) -> Mapping[Style, tuple[str, ...]]:
        """The instruction texts of a variant."""
        return next((p.texts for p in (*self.plan, *self.extra) if p.texts and p.variant == variant), self.texts)
