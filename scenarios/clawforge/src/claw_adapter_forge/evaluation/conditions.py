"""Predicates on rows: they compare values, never wording."""

from __future__ import annotations

import re
from collections.abc import Callable

from claw_adapter_forge.evaluation.notations import other_days, other_times, states_moment
from claw_adapter_forge.evaluation.spellings import chooses, names
from claw_adapter_forge.tasks.spec import Cond, Want
from claw_adapter_forge.world.cron import same_firings
from claw_adapter_forge.world.difference import Change
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


def text_of(row: Record) -> str:
    """All the prose of a row: a title, or subject and body, or a file's content."""
    return "\n".join(str(getattr(row, name)) for name in _TEXT_FIELDS.get(type(row), ()))


def _keeps(text: str, old: str) -> bool:
    lines = iter(text.splitlines())
    return all(any(line.strip() == wanted.strip() for line in lines) for wanted in old.splitlines())


def _unrepeated(text: str) -> bool:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return len(lines) == len(set(lines))


def _parts(value: object) -> set[str]:
    return {str(v).lower() for v in value} if isinstance(value, tuple) else {str(value).lower()}


_OPS: dict[str, Callable[[object, tuple[str, ...]], bool]] = {
    "equals": lambda value, wanted: str(value) == wanted[0],
    "one_of": lambda value, wanted: str(value) in wanted,
    "same_day": lambda value, wanted: str(value)[:10] == wanted[0][:10],
    "same_set": lambda value, wanted: _parts(value) == {w.lower() for w in wanted},
    "empty": lambda value, _wanted: not value,
    "names": lambda value, wanted: all(names(str(value), w) for w in wanted),
    "states": lambda value, wanted: all(states_moment(str(value), w) for w in wanted),
    "chooses": lambda value, wanted: chooses(str(value), wanted[0], wanted[1:]),
    "avoids": lambda value, wanted: not any(names(str(value), w) for w in wanted),
    "fires_like": lambda value, wanted: same_firings(str(value), wanted[0]),
    "refs_only": lambda value, wanted: {r.upper() for r in _REF.findall(str(value))} <= set(wanted),
    "days_only": lambda value, wanted: not other_days(str(value), wanted),
    "times_only": lambda value, wanted: not other_times(str(value), wanted),
    "unrepeated": lambda value, _wanted: _unrepeated(str(value)),
    "keeps": lambda value, wanted: _keeps(str(value), wanted[0]),
}


def holds(cond: Cond, row: Record) -> bool:
    """Whether the condition is true of the row."""
    value: object = text_of(row) if cond.field == "text" else getattr(row, cond.field)
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
