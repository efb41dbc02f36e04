"""The baseline: failures that an author knows of, each with a reason and an end. It cannot rot: what is stale fails.

``claw-baseline.toml``::

    [[expected]]
    check = "SEED-008"
    reason = "the store cannot delete messages yet"
    issue = "https://example.org/issues/12"    # optional
    until = 2026-12-31
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol.base import Record
from claw_adapter.reading import parse_toml, read_text, why

__all__ = ["Baseline", "KnownFailure", "load_baseline"]


class KnownFailure(Record):
    """One known failure, excused until the end of the day `until`."""

    check: Annotated[str, Field(pattern=r"^[A-Z]+-\d{3}$")]
    reason: Annotated[str, Field(min_length=3)]
    until: dt.date
    issue: str = ""


class Baseline(Record):
    """All of them."""

    expected: tuple[KnownFailure, ...] = ()

    @model_validator(mode="after")
    def _once(self) -> Baseline:
        names = [entry.check for entry in self.expected]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"{min(twice)} is there twice")
        return self

    def excuses(self, check: str, today: dt.date) -> KnownFailure | None:
        """The entry that excuses a failure of this check today."""
        return next((e for e in self.expected if e.check == check and today <= e.until), None)

    def problems(self, outcomes: Mapping[str, str], known: Collection[str], today: dt.date) -> list[str]:
        """What is wrong with the baseline itself, given how the checks came out that were run (`expected` counts as failed)."""
        found = []
        for entry in self.expected:
            if today > entry.until:
                found.append(
                    f"baseline: the entry for {entry.check} expired on {entry.until}: mend it or argue for a new date"
                )
            elif entry.check not in known:
                found.append(f"baseline: there is no check {entry.check}: remove the entry")
            elif entry.check in outcomes and outcomes[entry.check] not in ("expected", "failed", "kit"):
                found.append(
                    f"baseline: {entry.check} does not fail any more ({outcomes[entry.check]}): remove the entry"
                )
        return found


def load_baseline(path: Path) -> Baseline:
    """Read a baseline file.

    Raises:
        ScenarioError: it cannot be read, or an entry lacks its reason or its end.
    """
    try:
        return Baseline.model_validate(parse_toml(read_text(path)))
    except (OSError, ValueError) as error:
        remedy = "Each entry is [[expected]] with check, reason and until, e.g. until = 2026-12-31."
        raise ScenarioError(f"the baseline is wrong: {why(error)}", where=str(path), remedy=remedy) from error
