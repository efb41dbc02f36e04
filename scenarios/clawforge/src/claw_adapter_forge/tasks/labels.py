"""The labels by which texts state facts, each with the type its value is read as.

What a text must tell stands in lines ``Label: value``; the types are those of `claw_adapter.values`. Everything else in a text
is free. docs/forge.md has the table for people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from claw_adapter.values import Description
from claw_adapter_forge.surfaces.oc_config import KNOWN_MODELS
from claw_adapter_forge.tasks.slots import CITIES, OWNERS, SEVERITIES

__all__ = ["FACTS", "KINDS", "LABELS", "description"]

LABELS: Final[Mapping[str, str]] = {
    "city": "City",
    "ref": "Ref",
    "owner": "Owner",
    "mode": "Mode",
    "severity": "Severity",
    "model": "Model",
    "status": "Status",
    "due": "Due",
    "sync": "Sync",
    "kind": "Kind",
    "waits": "Waits for",
}
"""Fact → the label that the office rules give it."""

FACTS: Final = tuple(LABELS)

_VERSION: Final = re.compile(r"(?<=\d)-(?=\d)")


def _said(model: str) -> list[str]:
    """How else a model is written: without its provider, its version with points for hyphens."""
    short = model.partition("/")[2]
    return [short, *dict.fromkeys(said for name in (model, short) if (said := _VERSION.sub(".", name)) != name)]


KINDS: Final[Mapping[str, Description]] = {
    "city": {"type": "choice", "of": {city: [] for city in CITIES}},
    "owner": {"type": "person", "people": list(OWNERS)},
    "mode": {"type": "choice", "of": {"live": [], "async": ["asynchronous"]}},
    "severity": {"type": "choice", "of": {s: [f"sev-{s[3:]}", f"severity {s[3:]}", s[3:]] for s in SEVERITIES}},
    "model": {"type": "choice", "of": {name: _said(name) for name in KNOWN_MODELS}},
    "status": {"type": "choice", "of": {"finished": ["complete", "completed", "done"], "unfinished": []}},
    "kind": {"type": "choice", "of": {"primary": [], "backup": []}},
    "due": {"type": "date"},
    "sync": {"type": "moment"},
    "ref": {"type": "choice"},
    "cards": {"type": "number"},
    "urgent": {"type": "number"},
    "changed": {"type": "number"},
    "first": {"type": "date"},
    "last": {"type": "date"},
    "busiest": {"type": "person", "people": list(OWNERS)},
    "item": {"type": "choice"},
    "number": {"type": "number"},
    "day": {"type": "date"},
    "code": {"type": "choice"},
    "supplier": {"type": "choice"},
    "people": {"type": "number"},
    "bookings": {"type": "number"},
    "asked": {"type": "number"},
}
"""Fact → its type; what depends on the office is added by `description`."""


def description(fact: str, value: str, zone: str = "") -> Description:
    """The type of a fact whose right value is `value`, in an office whose time zone is `zone`.

    A date without a year is of the value's year; a moment may name the office's zone, which has no other name; a ref is
    one of those there are, and only the right one is of interest.
    """
    kind = KINDS["ref" if fact == "waits" else fact]
    if kind["type"] in ("date", "moment"):
        kind = {**kind, "year": int(value[:4])}
    if kind["type"] == "moment" and zone:
        kind = {**kind, "zones": {zone: None}}
    return {**kind, "of": [value]} if "of" not in kind and kind["type"] == "choice" else kind
