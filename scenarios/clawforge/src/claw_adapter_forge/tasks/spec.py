"""τ = (x, S₀, C*, E, m): what a task is made of. Everything is data, so a task can be exported, hashed and read back.

The evaluation is a *goal* (changes that must be in the difference of the final and the first state), and a *frame*
(no other change may be there, but for `allowed` ones).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from claw_adapter_forge.world.difference import Kind
from claw_adapter_forge.world.state import State

__all__ = ["STYLES", "Allowed", "Cond", "Derived", "Evidence", "ForgeTask", "Goal", "Meta", "Op", "Style", "Want"]

Op = Literal[
    "equals",
    "one_of",
    "same_day",
    "same_set",
    "empty",
    "titled",
    "line",
    "no_lines",
    "hides",
    "fires_like",
    "keeps",
]
Style = Literal["brief", "underspecified"]
STYLES: tuple[Style, ...] = get_args(Style)


@dataclass(frozen=True, slots=True)
class Cond:
    """A predicate on one field of the row after the change (`text` is the row's whole text, `row` all its fields).

    ``equals`` the value · ``one_of`` one of the values · ``same_day`` a moment of the value's day · ``same_set`` the values
    in any order · ``empty`` nothing · ``titled`` with this city and this ref, and no other of either · ``line`` exactly one
    line with the label says the value; the values are label, fact, value and, where there is one, the office's time zone ·
    ``no_lines`` no line with one of these labels · ``hides`` none of these secrets · ``fires_like`` a cron expression with
    the same firings · ``keeps`` all lines of the old text, in order.
    """

    field: str
    op: Op
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Want:
    """One required change. `key` is the row's id where it matters; `free` are fields an update may change besides."""

    name: str
    table: str
    kind: Kind
    conds: tuple[Cond, ...] = ()
    key: str = ""
    free: tuple[str, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Goal:
    """One acceptable repair: each want is met by a change of its own."""

    name: str
    wants: tuple[Want, ...]


@dataclass(frozen=True, slots=True)
class Allowed:
    """A change that is neither asked for nor wrong, such as marking a mail as read."""

    table: str
    kind: Kind
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A decisive fact: the literal text that a careful agent has seen on `surface` before it acts."""

    surface: str
    text: str


@dataclass(frozen=True, slots=True)
class Derived:
    """A computed value: commands that name `of` may use it once all `texts` have been printed."""

    of: str
    value: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Meta:
    """m: where the task comes from and what it is meant to measure. `profile` is its task set, as exports call it.

    `length` counts the reference's commands, `necessary` the fewest of an accepted solution that has seen all it uses;
    `horizon` is the task's budget of commands, and `knobs` are the settings of its difficulty, where its set has them.
    """

    family: str
    ability: str
    tags: tuple[str, ...]
    variant: str
    branch: str
    conflict: tuple[str, ...]
    style: Style
    seed: int
    profile: str
    city: str
    decoy: str
    length: int
    necessary: int
    horizon: int
    knobs: tuple[tuple[str, int], ...]
    evidence: tuple[Evidence, ...]
    preserved: tuple[tuple[str, str], ...]
    alternatives: tuple[str, ...]
    derived: tuple[Derived, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgeTask:
    """A compiled task. `reference` is C*, found by an expert that sees only text; `phrasings` say the same as `instruction`."""

    id: str
    number: int
    instruction: str
    phrasings: tuple[str, ...]
    start: State
    reference: tuple[str, ...]
    goals: tuple[Goal, ...]
    allowed: tuple[Allowed, ...]
    meta: Meta
