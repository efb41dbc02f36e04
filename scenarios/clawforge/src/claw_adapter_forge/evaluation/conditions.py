"""Predicates on rows: they compare values, never wording."""

from __future__ import annotations

import re
from collections.abc import Callable

from claw_adapter.values import fold
from claw_adapter_forge.evaluation.lines import states
from claw_adapter_forge.tasks.slots import CITIES
from claw_adapter_forge.tasks.spec import Cond, Want
from claw_adapter_forge.world.cron import same_firings
from claw_adapter_forge.world.difference import Change
from claw_adapter_forge.world.lines import labelled
from claw_adapter_forge.world.records import CronJob, Event, File, Mail, Message, Record, Sent, Task

__all__ = ["failing", "holds", "meets", "same_place", "surplus_fields", "text_of"]

_TEXT_FIELDS: dict[type[Record], tuple[str, ...]] = {
    Task: ("title",),
    Event: ("title",),
    CronJob: ("name", "message"),
    Sent: ("subject", "body"),
    Mail: ("subject", "body"),
    Message: ("text",),
    File: ("content",),
}
_REF = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}-\d{4,}")
_CITY = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(CITIES)})(?![A-Za-z])", re.IGNORECASE)


def text_of(row: Record) -> str:
    """All the prose of a row: a title, or subject and body, or a file's content."""
    return "\n".join(str(getattr(row, name)) for name in _TEXT_FIELDS.get(type(row), ()))


def _keeps(text: str, old: str) -> bool:
    lines = iter(text.splitlines())
    return all(any(line.strip() == wanted.strip() for line in lines) for wanted in old.splitlines())


def _titled(text: str, city: str, ref: str) -> bool:
    """Whether a title carries this city and this ref, and no other of either; the rest of it is free."""
    refs, cities = {r.upper() for r in _REF.findall(text)}, {c.casefold() for c in _CITY.findall(text)}
    return refs == {ref} and cities == {city.casefold()}


def _parts(value: object) -> set[str]:
    return {str(v).lower() for v in value} if isinstance(value, tuple) else {str(value).lower()}


_OPS: dict[str, Callable[[object, tuple[str, ...]], bool]] = {
    "equals": lambda value, wanted: str(value) == wanted[0],
    "one_of": lambda value, wanted: str(value) in wanted,
    "same_day": lambda value, wanted: str(value)[:10] == wanted[0][:10],
    "same_set": lambda value, wanted: _parts(value) == {w.lower() for w in wanted},
    "empty": lambda value, _wanted: not value,
    "titled": lambda value, wanted: _titled(str(value), *wanted),
    "line": lambda value, wanted: states(str(value), wanted),
    "no_lines": lambda value, wanted: not {fold(w) for w in wanted} & {name for name, _ in labelled(str(value))},
    "hides": lambda value, wanted: not any(w in str(value) for w in wanted),
    "fires_like": lambda value, wanted: same_firings(str(value), wanted[0]),
    "keeps": lambda value, wanted: _keeps(str(value), wanted[0]),
}


def holds(cond: Cond, row: Record) -> bool:
    """Whether the condition is true of the row."""
    whole = {"text": text_of, "row": repr}.get(cond.field)
    value: object = whole(row) if whole else getattr(row, cond.field)
    return _OPS[cond.op](value, cond.values)


def same_place(change: Change, want: Want) -> bool:
    """Whether a change is of the table, kind and row that is wanted, whatever it says."""
    return change.table == want.table and change.kind == want.kind and (not want.key or change.key == want.key)


def failing(change: Change, want: Want) -> tuple[Cond, ...]:
    """The conditions of `want` that the row after the change does not meet."""
    return () if change.after is None else tuple(c for c in want.conds if not holds(c, change.after))


def surplus_fields(change: Change, want: Want) -> tuple[str, ...]:
    """Fields that an update changed and that `want` says nothing of."""
    if change.kind != "updated":
        return ()
    named = {c.field for c in want.conds} | set(want.free)
    if "text" in named and change.after is not None:
        named |= set(_TEXT_FIELDS.get(type(change.after), ()))
    return tuple(f for f in change.fields if f not in named)


def meets(change: Change, want: Want) -> bool:
    """Whether a change is the one that is wanted, and changes nothing else of the row."""
    if not same_place(change, want):
        return False
    if change.after is None:
        return True
    return not surplus_fields(change, want) and all(holds(cond, change.after) for cond in want.conds)
