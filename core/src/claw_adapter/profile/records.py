"""``profile/1``: the figures of one harness, each with how it was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from claw_adapter.errors import JournalError
from claw_adapter.protocol.base import Record
from claw_adapter.reading import why

__all__ = ["AT_END", "GROUPS", "PROFILE_VERSION", "Figure", "Group", "Profile", "read_profile"]

PROFILE_VERSION: Final = "profile/1"

Group = Literal["entry", "running", "cache", "reach", "histories", "faults", "body", "delivery"]
GROUPS: Final[dict[Group, str]] = {
    "entry": "Entry price",
    "running": "Running price",
    "cache": "What caching saves",
    "reach": "Reach",
    "histories": "Histories",
    "faults": "After a fault",
    "body": "Body",
    "delivery": "Delivery",
}


AT_END: Final = "at its end"
"""Ends the name of the figure that says what happens at the end of a window."""


class Figure(Record):
    """One figure of a harness."""

    group: Group
    name: str
    """What it is, the same for every harness: ``tokens sent in 31 turns``."""
    value: float | None = None
    """None where it is a text alone, or nothing was seen."""
    unit: Literal["", "tokens", "share", "requests", "seconds", "bytes", "processes", "times", "USD"] = ""
    text: str = ""
    """What was seen, where that is no number; beside a number, what belongs to it."""
    low: float | None = None
    """The least and the most that was seen, where it was seen several times."""
    high: float | None = None
    seen: int = 1
    """How often it was seen."""
    how: str
    """How it was measured."""


class Profile(Record):
    """The figures of one harness."""

    version: Literal["profile/1"] = PROFILE_VERSION
    harness: str
    """Label, as on the command line."""
    versions: dict[str, str] = Field(default_factory=dict)
    isolation: int | None = None
    turns: int
    curve: tuple[int, ...] = ()
    """Tokens sent in each turn of the talk without a window."""
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()
    """What could not be measured, and why."""

    def figure(self, name: str) -> Figure | None:
        """The figure of that name, if it was measured."""
        return next((one for one in self.figures if one.name == name), None)


def read_profile(path: Path) -> Profile:
    """A profile as `claw profile` has written it.

    Raises:
        JournalError: there is none.
    """
    try:
        return Profile.model_validate_json(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        remedy = "Name a profile.json that `claw profile` has written, or a harness."
        raise JournalError(f"not a profile: {why(error)}", where=str(path), remedy=remedy) from error
