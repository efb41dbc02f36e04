"""Predicates on rows: they compare values, never wording."""

from __future__ import annotations

import re
from collections.abc import Callable

from claw_adapter_forge.tasks.spec import Cond, Want
from claw_adapter_forge.world.cron import same_firings
from claw_adapter_forge.world.difference import Change
from claw_adapter_forge.world.records import CronJob, Event, File, Mail, Message, Record, Sent, Task
from claw_adapter_forge.world.times import mentions_date

__all__ = ["holds", "meets", "text_of"]

_TEXT_FIELDS: dict[type[Record], tuple[str, ...]] = {
    Task: ("title",),
    Event: ("title",),
    CronJob: ("name", "message"),
    Sent: ("subject", "body"),
    Mail: ("subject", "body"),
    Message: ("text",),
    File: ("content",),
}
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?")

_REF = re.compile(r"\b[A-Z]{2}-\d{4}\b")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def text_of(row: Record) -> str:
    """All the prose of a row: a title, or subject and body, or a file's content."""
    return "\n".join(str(getattr(row, name)) for name in _TEXT_FIELDS.get(type(row), ()))


def _contains(text: str, word: str) -> bool:
    return word.lower() in text.lower()


def _states(text: str, fact: str) -> bool:
    return mentions_date(text, fact) if _MOMENT.fullmatch(fact) else _contains(text, fact)


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
    "same_set": lambda value, wanted: _parts(value) == {w.lower() for w in wanted},
    "empty": lambda value, _wanted: not value,
    "names": lambda value, wanted: all(_contains(str(value), w) for w in wanted),
    "states": lambda value, wanted: all(_states(str(value), w) for w in wanted),
    "avoids": lambda value, wanted: not any(_contains(str(value), w) for w in wanted),
    "fires_like": lambda value, wanted: same_firings(str(value), wanted[0]),
    "refs_only": lambda value, wanted: set(_REF.findall(str(value))) <= set(wanted),
    "dates_only": lambda value, wanted: set(_DATE.findall(str(value))) <= {w[:10] for w in wanted},
    "unrepeated": lambda value, _wanted: _unrepeated(str(value)),
    "keeps": lambda value, wanted: _keeps(str(value), wanted[0]),
}


def holds(cond: Cond, row: Record) -> bool:
    """Whether the condition is true of the row."""
    value: object = text_of(row) if cond.field == "text" else getattr(row, cond.field)
    return _OPS[cond.op](value, cond.values)


def meets(change: Change, want: Want) -> bool:
    """Whether a change is the one that is wanted, and changes nothing else of the row."""
    if change.table != want.table or change.kind != want.kind or (want.key and change.key != want.key):
        return False
    if change.after is None:
        return True
    if change.kind == "updated" and not _only_wanted_fields(change, want):
        return False
    return all(holds(cond, change.after) for cond in want.conds)


def _only_wanted_fields(change: Change, want: Want) -> bool:
    named = {c.field for c in want.conds} | set(want.free)
    if "text" in named and change.after is not None:
        named |= set(_TEXT_FIELDS.get(type(change.after), ()))
    return set(change.fields) <= named
