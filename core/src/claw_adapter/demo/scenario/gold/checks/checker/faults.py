"""What is wrong with an artefact: file, field, kind, and a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

__all__ = ["Fault", "Faults", "Kind", "Unreadable"]

Kind = Literal["missing", "format", "schema", "naming", "stale", "fact"]
"""Not there; not to be read as what was asked for; other fields or columns; another name; once right; another value."""


class Fault(NamedTuple):
    """One thing that is wrong; `field` is empty where the file as a whole is meant."""

    file: str
    field: str
    kind: Kind
    why: str

    def as_json(self) -> dict[str, str]:
        """The form in which a check prints it."""
        return {"file": self.file, "field": self.field, "kind": self.kind, "why": self.why}


Faults = Iterator[tuple[str, Kind, str]]
"""Field, kind and sentence of what is wrong in one file."""


class Unreadable(Exception):
    """A file of which nothing more can be said."""

    def __init__(self, kind: Kind, why: str) -> None:
        super().__init__(why)
        self.kind: Kind = kind
