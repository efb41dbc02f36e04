"""Times as session files have them: ISO 8601, hand-written near misses of it, and milliseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

__all__ = ["format_time", "is_iso", "milliseconds", "parse_time"]

_LOOSE = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})[T ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6})\d*)?\s*(Z|[+-]\d{2}:?\d{2})?\Z"
)


def is_iso(value: Any) -> bool:
    """Whether a value is a time in the form ISO 8601 prescribes."""
    if not isinstance(value, str):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def parse_time(value: Any) -> datetime | None:
    """The time a value means; None when there is none.

    Accepts what `datetime.fromisoformat` does, the same with one-digit months, days and hours (``2026-03-9T8:00:00.000Z``,
    as 102 records of the published data have it), and milliseconds since 1970. A time without a zone is UTC.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        if not isinstance(value, str):
            return datetime.fromtimestamp(value / 1000, UTC)
        found = datetime.fromisoformat(value if is_iso(value) else _padded(value))
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _padded(text: str) -> str:
    match = _LOOSE.match(text.strip())
    if match is None:
        return ""
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    date = f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{minute:0>2}:{second:0>2}"
    return f"{date}.{fraction or '0':0<6}{zone or 'Z'}"


def format_time(time: datetime) -> str:
    """``2026-03-02T13:00:00.000Z``, with microseconds only where they are needed."""
    digits = "milliseconds" if time.microsecond % 1000 == 0 else "microseconds"
    return time.astimezone(UTC).isoformat(timespec=digits).replace("+00:00", "Z")


def milliseconds(time: datetime) -> int:
    """Milliseconds since 1970, as session stores keep them."""
    return round(time.timestamp() * 1000)
