"""The type ``duration``: seconds."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from .numerals import number
from .quantities import measure, unbracketed
from .text import Description, Unclear
from .units import DIMENSIONS, unit_named

__all__ = ["read_duration"]

TIME: Final = DIMENSIONS["time"]
CLOCK: Final = re.compile(
    r"([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]+)?))?(?: ?(h|hrs?|hours?|min|mins|minutes))?"
)
ISO: Final = re.compile(r"P(?:([0-9]+)W)?(?:([0-9]+)D)?(?:T(?:([0-9.]+)H)?(?:([0-9.]+)M)?(?:([0-9.]+)S)?)?")
SHORT: Final = re.compile(r"([0-9]+) ?(?:h|hrs?|hours?|小时)[ ,]?([0-5]?[0-9])")


def read_duration(description: Description, text: str) -> Fraction | None:
    """Seconds; a number alone is in the unit `bare`, hours and minutes with a colon are as `clock` says."""
    if clock := CLOCK.fullmatch(text):
        return _colons(clock, description)
    if (iso := ISO.fullmatch(text)) and any(iso.groups()):
        return sum(
            (Fraction(n) * f for n, f in zip(iso.groups(), (604800, 86400, 3600, 60, 1), strict=True) if n), Fraction()
        )
    if short := SHORT.fullmatch(text):
        return Fraction(int(short[1]) * 3600 + int(short[2]) * 60)
    found = measure(unbracketed(text, TIME), TIME, description)
    if found is not None:
        return found
    if measure(text, DIMENSIONS["months"], description) is not None:
        raise Unclear("a month or a year has no fixed length: write weeks, days or hours")
    alone = number(text, description)
    if alone is None:
        return None
    bare = unit_named(description.get("bare", ""), TIME)
    if bare is None:
        raise Unclear(f"the unit is missing: write {text} h, {text} min or {text} s")
    return alone * bare.factor


def _colons(clock: re.Match[str], description: Description) -> Fraction:
    high, low, seconds, unit = int(clock[1]), int(clock[2]), clock[3], clock[4]
    if seconds is not None:
        return high * 3600 + low * 60 + Fraction(seconds)
    form = "h:mm" if unit and unit[0] == "h" else "m:ss" if unit else description.get("clock")
    if form is None:
        raise Unclear(f"{clock[0]} may be hours or minutes: write {high} h {low} min or {high} min {low} s")
    return Fraction(high * 3600 + low * 60 if form == "h:mm" else high * 60 + low)
