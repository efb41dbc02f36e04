"""Requirement sets: which checks each level asks for. Package data, one frozen file per set."""

from __future__ import annotations

import datetime as dt
import hashlib
import tomllib
from importlib import resources
from typing import Final

from pydantic import Field, ValidationError

from claw_adapter.certify.demand import LEVELS, Level
from claw_adapter.errors import InternalError
from claw_adapter.protocol.base import Record

__all__ = ["CURRENT", "MADE", "RequirementSet", "load"]

CURRENT: Final = "2027.03"
MADE: Final = {
    "2026.11": dt.date(2026, 11, 22), "2026.12": dt.date(2026, 11, 23), "2027.01": dt.date(2026, 11, 28),
    "2027.02": dt.date(2026, 11, 28), "2027.03": dt.date(2026, 11, 30),
}  # fmt: skip
"""The day from which on there is a set: nothing was certified by it before."""


class RequirementSet(Record):
    """A set by name; `digest` is the sha256 of its file."""

    name: str = Field(alias="set")
    spec: str
    bronze: tuple[str, ...]
    silver: tuple[str, ...]
    gold: tuple[str, ...]
    not_scored: dict[str, str] = Field(default_factory=dict)
    digest: str = ""

    def of(self, level: Level) -> tuple[str, ...]:
        """Ids that a level asks for, those of the levels below it first."""
        asked = LEVELS[: LEVELS.index(level) + 1]
        return tuple(check for one in asked for check in getattr(self, one))


def load(name: str = CURRENT) -> RequirementSet:
    """A set of this package.

    Raises:
        InternalError: there is no such set, or it is damaged.
    """
    folder = resources.files("claw_adapter.certify.requirements")
    known = sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))
    if name not in known:
        raise InternalError(f"there is no requirement set {name!r}", remedy=f"Known sets: {', '.join(known)}.")
    data = folder.joinpath(f"{name}.toml").read_bytes()
    try:
        return RequirementSet.model_validate(
            {**tomllib.loads(data.decode("utf-8")), "digest": hashlib.sha256(data).hexdigest()}
        )
    except (ValueError, ValidationError) as error:
        raise InternalError(f"requirement set {name!r} is damaged: {error}") from error
