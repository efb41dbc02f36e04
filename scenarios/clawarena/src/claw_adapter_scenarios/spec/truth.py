"""Layer 0: what really happened. Never shown to the agent; everything else is rendered from it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, StringConstraints, model_validator

from claw_adapter.protocol.base import Record
from claw_adapter.protocol.scenario import Identifier
from claw_adapter_scenarios.spec.common import Expression, Moment, Name, Text

__all__ = [
    "Actor",
    "Bias",
    "Contradiction",
    "Event",
    "Fact",
    "Phrase",
    "Series",
    "Source",
    "Switch",
    "Trap",
    "Truth",
    "Vary",
]

ContradictionId = Annotated[str, StringConstraints(pattern=r"^C[1-4][a-z]?$")]


class Actor(Record):
    """A person of the story. ``{ana}`` is the full name; ``.first .last .role .mail .handle`` are attributes."""

    name: Annotated[str, StringConstraints(pattern=r"^\S+ \S")] = Field(
        description="First and last name; other seeds draw another one."
    )
    gender: Literal["f", "m", "n"] = Field(
        "n", description="Which pool other seeds draw from, so that pronouns stay right."
    )
    role: Text
    tier: Annotated[int, Field(ge=1, le=4)] = Field(2, description="Dunbar layer: 1 daily contact, 4 hardly any.")
    position: Text = Field("", description="Objective position, for the narrative bible.")
    public: Text = Field("", description="What they say in public.")
    private: Text = Field("", description="What they say in private.")
    gap: Text = Field("", description="Why the two differ.")


class Vary(Record):
    """How other seeds than 0 draw a fact. Exactly one of the fields `range`, `shift`, `choices`."""

    range: tuple[float, float] | None = Field(None, description="Lowest and highest number.")
    shift: tuple[int, int] | None = Field(None, description="Minutes by which a moment is moved.")
    choices: tuple[JsonValue, ...] = Field((), description="Values of which one is drawn.")
    step: float = Field(1, gt=0, description="Grid of `range`, and of `shift` in minutes.")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum((self.range is not None, self.shift is not None, bool(self.choices))) != 1:
            raise ValueError("exactly one of 'range', 'shift', 'choices'")
        if any(pair is not None and pair[0] > pair[1] for pair in (self.range, self.shift)):
            raise ValueError("the lower end comes first")
        return self


class Bump(Record):
    """A stretch in which a series leaves its base: it rises linearly to `peak` until `top`, and falls back until `until`."""

    start: Moment = Field(alias="from")
    top: Moment
    until: Moment
    peak: Expression | float


class Series(Record):
    """A generated time series: readings at a fixed step."""

    start: Moment
    step: Annotated[int, Field(ge=1)] = Field(5, description="Minutes between readings.")
    count: Annotated[int, Field(ge=2, le=200_000)]
    base: float
    noise: Annotated[float, Field(ge=0)] = 0.0
    digits: Annotated[int, Field(ge=0, le=4)] = 1
    bumps: tuple[Bump, ...] = ()


class Fact(Record):
    """One fact: a `value`, an `expr` that a reader can work out from other facts, or a `series`."""

    value: JsonValue = Field(
        None, description="Fixed, or '=expression': made from other facts, but not to be inferred from them."
    )
    expr: Expression | None = Field(None, description="What a reader who knows the facts in it can work out.")
    series: Series | None = None
    what: Text = Field("", description="In words, for the documents of the spec.")
    unit: str = ""
    given: bool = Field(
        False, description="Common knowledge: needs no evidence (a threshold that the question states)."
    )
    vary: Vary | None = None
    known_by: dict[Name, Moment] = Field(default_factory=dict, description="Who knew it, from when on.")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum((self.value is not None, self.expr is not None, self.series is not None)) != 1:
            raise ValueError("a fact has exactly one of 'value', 'expr', 'series'")
        if self.vary is not None and self.value is None:
            raise ValueError("'vary' goes with 'value'")
        return self


class Source(Record):
    """A kind of source, and how far it can be relied on: the higher `rank` wins where visible claims disagree."""

    rank: Annotated[int, Field(ge=0, le=9)]
    about: Text = ""
    establishes: Text = Field(description="What it is allowed to establish.")
    leaves_open: Text = Field(description="What it should not fully settle.")


class Event(Record):
    """A row of the objective timeline."""

    id: Identifier
    at: Moment
    event: Text
    truth: Text = Field(description="What actually happened.")
    known_to: tuple[Name, ...] = ()
    facts: tuple[Name, ...] = Field((), description="The facts that this event establishes.")
    hidden: Text = Field("", description="What remains hidden early.")


class Contradiction(Record):
    """Two claims about one fact. C1 factual, C2 authority, C3 the one agreement, C4 time or process (the id begins so)."""

    about: Text
    fact: Name
    a: str = Field(description="Id of a claim: a mark [[#id fact: …]].")
    b: str = Field(description="Id of the other claim.")
    truth: Text
    reversed_by: Identifier | None = Field(None, description="The update that settles it, if one has to.")


class Bias(Record):
    """A wrong conclusion of the agent's own past: stands verbatim in an assistant reply, where ``{B1}`` is written."""

    phrase: Annotated[str, StringConstraints(min_length=12)]
    session: Identifier
    why: Text = Field(description="Why it was reasonable at that point.")
    reversed_by: Identifier


class Phrase(Record):
    """An anchoring or authority phrase in somebody's message, inserted where ``{A1}`` is written."""

    kind: Literal["anchoring", "authority"]
    phrase: Annotated[str, StringConstraints(min_length=12)]
    session: Identifier
    why: Text = ""


class Trap(Record):
    """What shallow agents miss."""

    contradictions: tuple[ContradictionId, ...] = ()
    biases: tuple[Name, ...] = ()
    rounds: tuple[Identifier, ...] = Field(min_length=1)
    missed: Text


class Switch(Record):
    """What a seed turns over: which of its sides holds, independently of other switches."""

    what: Text = Field(description="In words, for the documents of the spec.")
    sides: tuple[Name, ...] = Field(min_length=2, description="The first is that of seed 0.")


class Truth(Record):
    """``0-truth.yaml``."""

    version: Literal["spec/1"] = Field(alias="spec")
    edition: Literal[1, 2] = Field(1, description="2: held to the rules of the second edition, other seeds among them.")
    switches: dict[Name, Switch] = Field(default_factory=dict, description="What other seeds turn over.")
    id: Identifier
    title: Text
    domain: str
    language: str = "en"
    clock: Moment = Field(description="When the main session begins.")
    offset: Annotated[str, StringConstraints(pattern=r"^[+-]\d{2}:\d{2}$")] = Field("+00:00", description="Time zone.")
    summary: Text
    protagonist: Name
    goals: tuple[Text, ...] = Field(min_length=1, description="Core evaluation goals.")
    actors: dict[Name, Actor]
    facts: dict[Name, Fact]
    require: tuple[Expression, ...] = Field((), description="What every seed's draw must fulfil.")
    sources: dict[Name, Source]
    timeline: tuple[Event, ...] = Field(min_length=1)
    contradictions: dict[ContradictionId, Contradiction]
    biases: dict[Name, Bias] = Field(default_factory=dict)
    phrases: dict[Name, Phrase] = Field(default_factory=dict)
    traps: dict[Identifier, Trap] = Field(default_factory=dict)
    constraints: tuple[Text, ...] = Field((), description="Writer constraints beyond the four general ones.")

    @property
    def sides(self) -> dict[str, tuple[str, ...]]:
        """The sides of each switch."""
        return {name: switch.sides for name, switch in self.switches.items()}
