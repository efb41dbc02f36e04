"""Days and times of day in prose: every usual way of writing them is read, so that a right one is found and a wrong one too.

One table serves both directions: what `states_moment` accepts and what `days_in` and `clocks_in` hold against a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

__all__ = ["Clock", "Day", "clocks_in", "days_in", "other_days", "other_times", "states_moment"]

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_NAMES = "|".join(_MONTHS)
_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d)\b(?![:h]))?"
_DAY_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\w.])(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d|[-/]\d)",
        r"(?<![\w./])(?P<day>\d{1,2})(?P<sep>[./-])\s?(?P<month>\d{1,2})(?P=sep)\s?(?P<year>\d{4})(?!\d)",
        rf"(?<![\w.:/])(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s-]*(?:of\s+)?(?P<name>{_NAMES})\b\.?(?:-(?=\d{{4}}))?"
        + _YEAR.replace(r",?\s+", r",?\s*"),
        rf"\b(?P<name>{_NAMES})\.?\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]|\s?[ap]\.?m\b){_YEAR}",
    )
)
_HALF = r"(?:\s?(?P<half>[ap])\.?\s?m\b\.?)"
_OFFSET = r"(?P<zone>\s?(?:\+\d\d:?\d\d\b|Z\b))?"
_CLOCK_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w:.])T?(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d){_HALF}?{_OFFSET}",
        rf"(?<![\w:./-])(?P<hour>\d{{1,2}})\.(?P<minute>[0-5]\d)(?![\w]|\.\d){_HALF}?(?P<zone>)",
        r"(?<![\w:.])(?P<hour>\d{1,2})\s?h(?P<minute>[0-5]\d)?(?!\w)(?P<half>)(?P<zone>)",
        rf"(?<![\w:.])(?P<hour>\d{{1,2}})(?P<minute>){_HALF}(?P<zone>)",
        r"(?<![\w:.])(?P<hour>\d{1,2})(?P<minute>)\s?o['’]?clock\b(?P<half>)(?P<zone>)",
    )
)
_NOON = re.compile(r"\b(?:noon|midday)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|no longer|never|rather than|instead of)\s+(?:on\s+|at\s+|the\s+|before\s+)*$", re.IGNORECASE
)
_CLAUSE = re.compile(r"[;\n]|[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class Day:
    """A day that a text names. `days` are its readings: several for ``03/04/2026``; without a year, the year asked for."""

    start: int
    end: int
    days: tuple[tuple[int | None, int, int], ...]

    def may_be(self, day: date) -> bool:
        """Whether the day can be meant."""
        return any((y is None or y == day.year) and (m, d) == (day.month, day.day) for y, m, d in self.days)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day that a text names, as ``HH:MM``; with an offset of its own it is none of ours and ends in ``+``."""

    start: int
    end: int
    value: str


def _denied(text: str, start: int) -> bool:
    return _DENIED.search(text[max(0, start - 40) : start]) is not None


def _readings(match: re.Match[str]) -> tuple[tuple[int | None, int, int], ...]:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    day = int(parts["day"])
    if parts.get("name"):
        found = [(year, _MONTHS[parts["name"].lower()], day)]
    else:
        month = int(parts["month"])
        found = [(year, month, day)]
        if match.start("day") < match.start("month") and parts["sep"] == "/":
            found.append((year, day, month))
    return tuple((y, m, d) for y, m, d in found if 1 <= m <= 12 and 1 <= d <= 31)


@lru_cache(maxsize=512)
def _all_days(text: str) -> tuple[Day, ...]:
    return tuple(_find_days(text))


def _find_days(text: str) -> Iterator[Day]:
    taken: list[tuple[int, int]] = []
    for form in _DAY_FORMS:
        for match in form.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            readings = _readings(match)
            if readings:
                taken.append(match.span())
                yield Day(match.start(), match.end(), readings)


@lru_cache(maxsize=512)
def days_in(text: str) -> tuple[Day, ...]:
    """The days a text names and does not deny ("not March 13"), in order."""
    found = (d for d in _all_days(text) if not _denied(text, d.start))
    return tuple(sorted(found, key=lambda d: d.start))


def _value(match: re.Match[str]) -> str | None:
    hour, minute = int(match["hour"]), match["minute"] or "00"
    half = (match["half"] or "").lower()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 23:
        return None
    return f"{hour:02d}:{minute}" + ("+" if match["zone"] else "")


@lru_cache(maxsize=512)
def clocks_in(text: str) -> tuple[Clock, ...]:
    """The times of day a text names and does not deny, in order."""
    bare = list(text)
    for day in _all_days(text):
        # the T of 2026-03-09T10:00 begins the time
        bare[day.start : day.end] = " " * (day.end - day.start)
    blanked = "".join(bare)
    found: list[Clock] = []
    for form in _CLOCK_FORMS:
        for match in form.finditer(blanked):
            value = _value(match)
            if value and not any(match.start() < c.end and c.start < match.end() for c in found):
                found.append(Clock(match.start(), match.end(), value))
    found += [Clock(m.start(), m.end(), "12:00") for m in _NOON.finditer(blanked)]
    return tuple(sorted((c for c in found if not _denied(text, c.start)), key=lambda c: c.start))


def _clause(text: str, position: int) -> tuple[int, int]:
    ends = [m.start() for m in _CLAUSE.finditer(text)]
    start = max((e + 1 for e in ends if e < position), default=0)
    return start, min((e for e in ends if e >= position), default=len(text))


def _gap(day: Day, clock: Clock) -> int:
    return max(clock.start - day.end, day.start - clock.end, 0)


def _belongs(text: str, clock: Clock, days: tuple[Day, ...], wanted: date) -> bool:
    """Whether a time is that of the wanted day: of the days in its clause, if any, the nearest one."""
    start, end = _clause(text, clock.start)
    near = [d for d in days if start <= d.start < end]
    if not near:
        return any(d.may_be(wanted) for d in days)
    return min(near, key=lambda d: _gap(d, clock)).may_be(wanted)


def other_days(text: str, allowed: tuple[str, ...]) -> bool:
    """Whether a text names a day that is none of `allowed`; the day of one with a time must be named with that time."""
    days, clocks = days_in(text), clocks_in(text)
    wanted = [(date.fromisoformat(m[:10]), m[11:16]) for m in allowed]

    def fits(found: Day, day: date, clock: str) -> bool:
        start, end = _clause(text, found.start)
        timed = not clock or any(c.value == clock and start <= c.start < end for c in clocks)
        return timed and found.may_be(day)

    return not all(any(fits(found, day, clock) for day, clock in wanted) for found in days)


def other_times(text: str, moments: tuple[str, ...]) -> bool:
    """Whether a text names a time of day, or gives a time to a day, that is none of `moments`."""
    days = days_in(text)
    wanted = [(date.fromisoformat(m[:10]), m[11:16]) for m in moments]
    return not all(
        any(c.value == clock and _belongs(text, c, days, day) for day, clock in wanted) for c in clocks_in(text)
    )


def states_moment(text: str, moment: str) -> bool:
    """Whether a text names the day (and, if `moment` has one, the time of that day)."""
    wanted, clock = date.fromisoformat(moment[:10]), moment[11:16]
    days = days_in(text)
    if not clock:
        return any(d.may_be(wanted) for d in days)
    return any(c.value == clock and _belongs(text, c, days, wanted) for c in clocks_in(text))
