"""Siblings of a task: metamorphic ones, whose verdict must stay, and the minimal pair, whose verdict must flip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from claw_adapter_forge.families import family
from claw_adapter_forge.generator.task_sets import Blueprint
from claw_adapter_forge.tasks.slots import CITIES, Slots
from claw_adapter_forge.tasks.spec import Style
from claw_adapter_forge.world.times import add_days, parse_date, parse_moment

__all__ = ["SAME_STATE", "metamorphic", "minimal_pair"]

SAME_STATE = frozenset({"paraphrase", "style"})
"""Siblings with the first state of the task itself: its reference can be run on them as it is."""


def _shifted(slots: Slots, days: int) -> Slots:
    changes: dict[str, Any] = {}
    for f in fields(slots):
        value = getattr(slots, f.name)
        if isinstance(value, str) and (parse_date(value) or parse_moment(value)):
            changes[f.name] = add_days(value, days)
    return replace(slots, **changes)


def _elsewhere(slots: Slots) -> Slots:
    others = [c for c in CITIES if c != slots.city and CITIES[c][0] != CITIES[slots.decoy][0]]
    city = others[slots.order % len(others)]
    return replace(slots, city=city, zone=CITIES[city][0])


def metamorphic(blueprint: Blueprint) -> Iterator[tuple[str, Blueprint]]:
    """Siblings that differ in nothing that matters."""
    slots = blueprint.slots
    style: Style = "underspecified" if slots.style == "brief" else "brief"
    changed: tuple[tuple[str, Slots], ...] = (
        ("paraphrase", replace(slots, phrase=1 - slots.phrase)),
        ("style", replace(slots, style=style)),
        ("id_order", replace(slots, order=slots.order + 1)),
        ("distractors", replace(slots, extras=slots.extras + 3)),
        ("clock_shift", _shifted(slots, 14)),
        ("city_swap", _elsewhere(slots)),
    )
    return ((name, replace(blueprint, slots=s)) for name, s in changed)


def minimal_pair(blueprint: Blueprint) -> Blueprint:
    """The sibling in which one decisive fact is the other way."""
    return replace(blueprint, slots=family(blueprint.family).flip(blueprint.slots))
