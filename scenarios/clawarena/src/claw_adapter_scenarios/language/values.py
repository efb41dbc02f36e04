"""Values of facts, how YAML scalars become them, and how they are written into texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, TypeAlias

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.language.wording import dated, joined, words_of

__all__ = ["FORMATS", "Reading", "SeriesValue", "Value", "parse_moment", "render_value", "to_value"]

Value: TypeAlias = Any
"""A number, text, flag, date, time, datetime, timedelta, `SeriesValue`, or a list or mapping of these."""

_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2})?\Z")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d\Z")


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a series."""

    at: datetime
    value: float


@dataclass(frozen=True, slots=True)
class SeriesValue:
    """A generated series; `step` in minutes."""

    readings: tuple[Reading, ...]
    step: int


def parse_moment(text: str) -> datetime | None:
    """A literal moment, or None when the text is something else."""
    return datetime.fromisoformat(text) if _MOMENT.match(text) else None


def to_value(raw: Value) -> Value:
    """A YAML value; texts that are moments, dates or times become these."""
    if isinstance(raw, list | tuple):
        return [to_value(item) for item in raw]
    if isinstance(raw, dict):
        return {key: to_value(item) for key, item in raw.items()}
    if not isinstance(raw, str):
        return raw
    if (moment := parse_moment(raw)) is not None:
        return moment
    if _DATE.match(raw):
        return date.fromisoformat(raw)
    return time.fromisoformat(raw) if _TIME.match(raw) else raw


def _number(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".") if value != int(value) else str(int(value))
    return str(value)


def render_value(value: Value, form: str = "", language: str = "en") -> str:  # noqa: PLR0911 - one case per kind of value
    """A value in a text: moments as ``2026-03-10 21:55``, numbers without needless zeros, lists as ``a, b and c``.

    Yes and no, lists, and the formats ``dm``, ``long`` and ``wd`` are written in the language; all others are the same in each.

    Raises:
        ScenarioError: there is no such format, or it does not fit the value.
    """
    if form:
        if form not in FORMATS:
            raise ScenarioError(f"there is no format {form!r}", remedy=f"Known: {', '.join(FORMATS)}.")
        try:
            return dated(value, form, language) if form in _DATED else FORMATS[form](value)
        except (TypeError, ValueError, AttributeError):
            raise ScenarioError(f"format {form!r} does not fit {value!r}") from None
    if isinstance(value, bool):
        return words_of(language)["yes" if value else "no"]
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.strftime("%H:%M")
    if isinstance(value, timedelta):
        return _number(value.total_seconds() / 60)
    if isinstance(value, list | tuple):
        return joined([render_value(item, "", language) for item in value], language)
    return _number(value)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


FORMATS: Mapping[str, Callable[[Value], str]] = MappingProxyType({
    "hm": lambda v: v.strftime("%H:%M"),
    "hms": lambda v: v.strftime("%H:%M:%S"),
    "date": lambda v: v.strftime("%Y-%m-%d"),
    "compact": lambda v: v.strftime("%Y%m%d"),
    "dm": lambda v: dated(v, "dm", "en"),
    "long": lambda v: dated(v, "long", "en"),
    "wd": lambda v: dated(v, "wd", "en"),
    "iso": lambda v: v.strftime("%Y-%m-%dT%H:%M:%S"),
    "n0": lambda v: f"{float(v):.0f}",
    "n1": lambda v: f"{float(v):.1f}",
    "n2": lambda v: f"{float(v):.2f}",
    "n3": lambda v: f"{float(v):.3f}",
    "th": lambda v: f"{v:,}",
    "pct": lambda v: f"{100 * float(v):.0f} %",
    "upper": lambda v: str(v).upper(),
    "lower": lambda v: str(v).lower(),
    "title": lambda v: str(v)[:1].upper() + str(v)[1:],
    "slug": lambda v: _slug(render_value(v)),
    "json": lambda v: json.dumps(v, ensure_ascii=False),
})  # fmt: skip
"""Formats by name, as in ``{off_at|hm}``; in English."""

_DATED = frozenset({"dm", "long", "wd"})
"""Formats with words in them."""
