"""A form that the question asked for, such as HH:MM or the full name: a value in another notation is then none."""

from __future__ import annotations

import re
from typing import Any, Final

from .text import Description, Unclear, clean, fold

__all__ = ["NEEDS", "NUMBER", "formed", "refuse_other_form", "validate_form"]

FULL: Final = "full"
"""Of a person: every part of the name, in any order."""
NUMBER: Final = "number"
"""Of a number: one of JSON, not a text."""
DIGITS: Final = {"YYYY": 4, "MM": 2, "DD": 2, "HH": 2, "SS": 2}
PARTS: Final = re.compile(f"({'|'.join(DIGITS)})")
ISO: Final = "ISO 8601"
"""Of a moment, to the minute or the second, with a zone or without."""
ISO_FORM: Final = (
    r"[0-9]{4}(-?)[0-9]{2}\1[0-9]{2}[T ][0-9]{2}:?[0-9]{2}(?::?[0-9]{2})?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
NEEDS: Final = {"date": (True, False), "time": (False, True), "moment": (True, True)}
"""Whether a day and whether a clock is in a form of the type."""


def validate_form(description: Description) -> None:
    """Check the form of a description.

    Raises:
        ValueError: it is none of the type.
    """
    kind, form = description["type"], description.get("form", "")
    named = {"person": FULL, "number": NUMBER}.get(kind)
    if named and form != named:
        raise ValueError(f"the form of a {kind} is {named}")
    if kind in NEEDS and not (kind == "moment" and form == ISO):
        parts = PARTS.findall(form)
        fits = (parts[:3] == ["YYYY", "MM", "DD"], parts[-3:] == ["HH", "MM", "SS"] or parts[-2:] == ["HH", "MM"])
        if fits != NEEDS[kind] or re.search("[A-SU-Za-z0-9]", PARTS.sub("", form)):
            raise ValueError(f"{form!r} is no form of a {kind}: it is written in YYYY, MM, DD, HH, MM, SS")


def refuse_other_form(description: Description, text: str, found: Any) -> None:
    """Raise if a value, which `text` says, is not written in the form that was asked for.

    Raises:
        Unclear: with the form.
    """
    form = description.get("form")
    if not form or found is None or form == NUMBER:
        return
    if form == FULL:
        name, words = fold(found), re.split("[ ,]+", fold(clean(text)))
        if not (set(name.split()) <= set(words) or (not name.isascii() and name in fold(text))):
            raise Unclear("the full name was asked for")
    elif not _pattern(form).fullmatch(text):
        raise Unclear(f"the form {form} was asked for")


def formed(form: str, value: str) -> str:
    """A date, time or moment (ISO 8601) in a form of YYYY, MM, DD, HH, MM and SS.

    Seconds that the form has no place for are cut off.
    """
    day, _, clock = value.rpartition("T") if "T" in value else (value, "", "") if value[4:5] == "-" else ("", "", value)
    digits = dict(zip(("YYYY", "month", "DD"), day.split("-"), strict=False))
    digits |= zip(("HH", "minute", "SS"), (*re.split("[+Z-]", clock)[0].split(":"), "00"), strict=False)
    form = "YYYY-MM-DDTHH:MM" if form == ISO else form
    at_clock = False

    def part(found: re.Match[str]) -> str:
        nonlocal at_clock
        at_clock = at_clock or found[0] == "HH"
        name = {"MM": "minute" if at_clock else "month"}.get(found[0], found[0])
        return digits[name][: DIGITS[found[0]]]

    return PARTS.sub(part, form)


def _pattern(form: str) -> re.Pattern[str]:
    if form == ISO:
        return re.compile(ISO_FORM)
    return re.compile(
        "".join(f"[0-9]{{{DIGITS[part]}}}" if part in DIGITS else re.escape(part) for part in PARTS.split(form))
    )
