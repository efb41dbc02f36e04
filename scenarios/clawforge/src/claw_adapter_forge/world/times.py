"""Dates, moments and time zones without asking the host: the zones' offsets are a table of our own (March 2026)."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

__all__ = ["ZONES", "add_days", "local_now", "parse_date", "parse_moment"]

_BY_OFFSET = {
    0: "UTC Europe/Lisbon Europe/Dublin Europe/London Atlantic/Reykjavik Africa/Accra",
    60: "Europe/Oslo Europe/Madrid Europe/Warsaw Europe/Berlin Europe/Paris Europe/Amsterdam Europe/Brussels "
    "Europe/Zurich Europe/Vienna Europe/Rome Europe/Stockholm Europe/Copenhagen Europe/Prague Africa/Lagos",
    120: "Europe/Athens Europe/Helsinki Europe/Bucharest Africa/Cairo Africa/Johannesburg",
    180: "Africa/Nairobi Europe/Istanbul Europe/Moscow",
    240: "Asia/Dubai",
    330: "Asia/Kolkata",
    420: "Asia/Bangkok Asia/Jakarta",
    480: "Asia/Singapore Asia/Shanghai Asia/Hong_Kong Australia/Perth",
    540: "Asia/Tokyo Asia/Seoul",
    660: "Australia/Sydney Australia/Melbourne",
    780: "Pacific/Auckland",
    -180: "America/Sao_Paulo America/Buenos_Aires",
    -300: "America/Toronto America/New_York America/Bogota",
    -360: "America/Chicago America/Mexico_City",
    -420: "America/Denver America/Phoenix",
    -480: "America/Los_Angeles America/Vancouver",
}

ZONES = {name: offset for offset, names in _BY_OFFSET.items() for name in names.split()}
"""Minutes east of UTC."""

_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::\d{2})?")


def parse_date(text: str) -> str | None:
    """``YYYY-MM-DD`` if `text` is a day of the calendar, else None."""
    if len(text) != len("2026-03-01") or text[4] != "-" or text[7] != "-":
        return None
    try:
        return date(int(text[:4]), int(text[5:7]), int(text[8:])).isoformat()
    except ValueError:
        return None


def parse_moment(text: str) -> str | None:
    """``YYYY-MM-DDTHH:MM`` if `text` is a moment of wall time (a blank for the T and seconds are accepted), else None.

    One with a time zone (``Z``, ``+01:00``) is none: what is left off would change its meaning.
    """
    match = _MOMENT.fullmatch(text)
    if match is None or parse_date(match[1]) is None or int(match[2]) > 23 or int(match[3]) > 59:
        return None
    return f"{match[1]}T{match[2]}:{match[3]}"


def add_days(text: str, days: int) -> str:
    """A date or moment moved by whole days."""
    moved = date.fromisoformat(text[:10]) + timedelta(days=days)
    return moved.isoformat() + text[10:]


def local_now(now: str, zone: str) -> str:
    """The wall time ``YYYY-MM-DDTHH:MM:SS`` in `zone` when it is `now` in UTC."""
    moment = datetime.fromisoformat(now) + timedelta(minutes=ZONES[zone])
    return moment.isoformat(timespec="seconds")
