"""The registry of published numbers: one record each, with its source, the place in it, and whether it was seen there."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol.base import Record

__all__ = ["HOURS", "HourCounts", "RealismEntry", "entries", "entry"]

HOURS = 24
FILE = "data/entries.yaml"

Status = Literal["verified", "seed", "from_memory"]
Seen = Literal["primary", "secondary", "measured", "derived", "unseen"]


class HourCounts(Record):
    """Events by local hour of the day, 24 numbers each; weekend means Saturday and Sunday."""

    weekday: tuple[float, ...] = Field(min_length=HOURS, max_length=HOURS)
    weekend: tuple[float, ...] = Field(min_length=HOURS, max_length=HOURS)


class RealismEntry(Record):
    """One published quantity. Exactly one of `value`, `low` with `high`, `shares` and `hours` is set.

    Attributes:
        id: unique, dotted.
        quantity: what the number is of, in words.
        unit: of the value; shares are of 1.
        shares: category → share or count; a distribution.
        n: size of the sample behind it, where the source says so.
        test: name of the observable of a scenario that the fit report holds against it; empty where scenarios show none.
        applies: what the test is restricted to: ``curve:NAME`` or ``channel:WORD``; empty for everything.
        source: citation. `url` is the address of what was read (`how_verified` says if it was a copy), `place` where in it.
        status: ``verified`` (the number was seen), ``seed`` (seen in a paper that this project reimplements: verified as
            stated by that paper, which cites others for it), ``from_memory`` (never enters the fit report).
        seen: in the source itself, in another publication that reports it, measured by us from public records, or
            derived by the arithmetic in `how_verified` from numbers that were seen.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_.]*$")
    quantity: str = Field(min_length=8)
    value: float | None = None
    low: float | None = None
    high: float | None = None
    shares: dict[str, float] = Field(default_factory=dict)
    hours: HourCounts | None = None
    unit: str
    n: int | None = Field(default=None, gt=0)
    test: str = ""
    applies: str = ""
    source: str = Field(min_length=8)
    place: str = Field(min_length=3)
    url: str = ""
    status: Status
    seen: Seen
    how_verified: str = ""
    licence: str = Field(min_length=3)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        given = [self.value is not None, self.low is not None, bool(self.shares), self.hours is not None]
        if sum(given) != 1 or (self.low is None) != (self.high is None):
            raise ValueError("an entry has exactly one of 'value', 'low' with 'high', 'shares', 'hours'")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("'low' is above 'high'")
        if (self.status == "from_memory") != (self.seen == "unseen"):
            raise ValueError("what was not seen is 'from_memory', and only that")
        if self.status != "from_memory" and not (self.how_verified and self.url):
            raise ValueError("a verified entry says where ('url') and how it was seen")
        return self

    @property
    def verified(self) -> bool:
        """Whether the number was really seen, be it in a paper that only cites it."""
        return self.status != "from_memory"


@cache
def entries() -> tuple[RealismEntry, ...]:
    """All entries, in the order of the file.

    Raises:
        ScenarioError: the packaged file is damaged: which entry and field.
    """
    text = resources.files(__package__).joinpath(FILE).read_text("utf-8")
    found: list[RealismEntry] = []
    for number, item in enumerate(yaml.safe_load(text)):
        try:
            found.append(RealismEntry.model_validate(item))
        except ValidationError as error:
            raise ScenarioError(str(error), where=f"{FILE}, entry {number + 1}") from None
    if twice := {one.id for one in found if sum(other.id == one.id for other in found) > 1}:
        raise ScenarioError(f"id {min(twice)!r} is used twice", where=FILE)
    return tuple(found)


def entry(name: str) -> RealismEntry:
    """The entry with that id.

    Raises:
        ScenarioError: there is none.
    """
    for one in entries():
        if one.id == name:
            return one
    raise ScenarioError(f"no entry {name!r}", where=FILE, remedy="claw_adapter_scenarios.realism.entries() lists them.")
