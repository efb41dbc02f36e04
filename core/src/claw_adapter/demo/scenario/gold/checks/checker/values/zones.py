"""A time zone behind (or, with a name, before) a time: an offset of minutes from UTC."""

from __future__ import annotations

import re
from typing import Final

from .text import Description, Unclear

__all__ = ["cut_zone", "offset", "zone_text"]

UTC: Final = re.compile(
    r"(.+?) ?\(?(?:(?<=[0-9])Z|(?: |(?<=[^A-Za-z])|(?<=[ap]m))(?:UTC|GMT)(?: ?([+-])([0-9]{1,2})(?::?([0-9]{2}))?)?)\)?",
    re.IGNORECASE,
)
PLUS: Final = re.compile(r"(.*[0-9]) ?([+])([0-9]{2}):?([0-9]{2})|(.*T[0-9:.]+)([+])([0-9]{2})")
MINUS: Final = re.compile(r"(.*[0-9]T[0-9:.]+)([-])([0-9]{2}):?([0-9]{2})|(.*[0-9]) ([-])([0-9]{2})([0-9]{2})")
"""Without the T of ISO 8601, 22:15-08:00 would be a span of time."""
HERE: Final = ("local time", "当地时间", "本地时间")


def cut_zone(text: str, description: Description) -> tuple[str, int | None]:
    """The text without its zone, and the zone's offset in minutes; None where no zone is named.

    Raises:
        Unclear: a zone is named, and the type has none.
    """
    rest, minutes = _named(text, description)
    if rest == text:
        rest, minutes = _numbered(text)
    if minutes is not None and "zone" not in description:
        raise Unclear("a time zone is named where none was asked for: leave it out")
    return rest, minutes


def offset(zone: str) -> int:
    """Minutes of ``+08:00``, ``-0330`` or ``Z``."""
    if zone.upper() in ("Z", "UTC"):
        return 0
    found = re.fullmatch(r"([+-])([0-9]{2}):?([0-9]{2})", zone)
    if not found:
        raise ValueError(f"{zone!r} is not an offset from UTC such as +08:00")
    return _minutes(found[1], found[2], found[3])


def zone_text(minutes: int) -> str:
    """``+08:00``"""  # noqa: D415 - an example
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _named(text: str, description: Description) -> tuple[str, int | None]:
    names = {**dict.fromkeys(HERE), **description.get("zones", {})}
    for name, zone in sorted(names.items(), key=lambda pair: -len(pair[0])):
        minutes = offset(zone) if zone else None
        escaped, letters = re.escape(name), name[:1].isascii()
        gap = r"(?: |(?<=[0-9]))" if letters else " ?"
        if behind := re.fullmatch(rf"(.+?)(?: ?\({escaped}\)|,?{gap}{escaped})", text, re.IGNORECASE):
            return behind[1].strip(), minutes
        if not letters and (before := re.fullmatch(rf"{escaped}[ ,:]?(.+)", text)):
            return before[1].strip(), minutes
    return text, None


def _numbered(text: str) -> tuple[str, int | None]:
    found = UTC.fullmatch(text)
    rest = found[1].rstrip(" (") if found else ""
    if found and rest.count("(") == rest.count(")") and text.count("(") == text.count(")"):
        return rest, _minutes(found[2] or "+", found[3] or "0", found[4] or "0")
    bare = re.sub(r"\(([+-][0-9:]{4,6})\)\Z", r"\1", text)
    found = PLUS.fullmatch(bare) or MINUS.fullmatch(bare)
    if not found:
        return text, None
    rest, sign, hours, *minutes = (part for part in found.groups() if part is not None)
    return rest.strip(), _minutes(sign, hours, minutes[0] if minutes else "0")


def _minutes(sign: str, hours: str, minutes: str) -> int:
    found = int(hours) * 60 + int(minutes)
    if found > 14 * 60 or int(minutes) > 59:
        raise Unclear("no time zone is that far from UTC")
    return -found if sign == "-" else found
