"""Cron expressions: checked when given, compared by when they fire.

Five fields (minute, hour, day of month, month, day of week) with ``*``, lists, ranges and steps; ``@daily`` and friends;
and intervals (``30m``, ``6h``, ``1d``). Two expressions are equal when they fire at the same minutes.
"""

from __future__ import annotations

from functools import cache

__all__ = ["firing_pattern", "is_schedule", "same_firings"]

_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_NAMES: tuple[dict[str, int], ...] = (
    {},
    {},
    {},
    {
        n: i
        for i, n in enumerate(
            ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], start=1
        )
    },
    {n: i for i, n in enumerate(["sun", "mon", "tue", "wed", "thu", "fri", "sat"])},
)
_NICK = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}
_UNITS = {"m": 1, "h": 60, "d": 1440}

Pattern = tuple[object, ...]


@cache
def firing_pattern(text: str) -> Pattern | None:
    """What the expression means, or None if it is not one.

    Two expressions fire at the same minutes exactly when their patterns are equal: the sets of minutes, hours, days,
    months and weekdays, and whether day and weekday are joined by "or" (both restricted) as in Vixie cron.
    """
    stripped = text.strip().lower()
    interval = _interval(stripped)
    if interval:
        return ("every", interval)
    parts = _NICK.get(stripped, stripped).split()
    if len(parts) != len(_RANGES):
        return None
    sets = [_field(p, *_RANGES[i], _NAMES[i]) for i, p in enumerate(parts)]
    if any(s is None for s in sets):
        return None
    weekdays = frozenset(d % 7 for d in sets[4] or ())
    all_days, all_weekdays = len(sets[2] or ()) == 31, len(weekdays) == 7
    joined = (sets[2], weekdays) if not (all_days or all_weekdays) else ()
    days = ("or", *joined) if joined else ("and", sets[2], weekdays)
    return ("cron", sets[0], sets[1], sets[3], days)


def _interval(text: str) -> int:
    if len(text) > 1 and text[:-1].isdigit() and text[-1] in _UNITS:
        return int(text[:-1]) * _UNITS[text[-1]]
    return 0


def _field(text: str, low: int, high: int, names: dict[str, int]) -> frozenset[int] | None:
    values: set[int] = set()
    for part in text.split(","):
        numbers = _part(part, low, high, names)
        if numbers is None:
            return None
        values.update(numbers)
    return frozenset(values)


def _part(part: str, low: int, high: int, names: dict[str, int]) -> range | None:
    body, slash, step_text = part.partition("/")
    if slash and not (step_text.isdigit() and int(step_text) > 0):
        return None
    step = int(step_text) if slash else 1
    if body == "*":
        return range(low, high + 1, step)
    first, dash, last = body.partition("-")
    start = _number(first, names)
    stop = _number(last, names) if dash else (high if slash else start)
    if start is None or stop is None or not low <= start <= stop <= high:
        return None
    return range(start, stop + 1, step)


def _number(text: str, names: dict[str, int]) -> int | None:
    if text.isdigit() and text.isascii():
        return int(text)
    return names.get(text)


def is_schedule(text: str) -> bool:
    """Whether `text` is a cron expression or an interval that fires."""
    return firing_pattern(text) is not None


def same_firings(left: str, right: str) -> bool:
    """Whether both are schedules and fire at the same minutes."""
    pattern = firing_pattern(left)
    return pattern is not None and pattern == firing_pattern(right)
