"""The type ``date``: a day of the calendar; of 03/04/2026 a locale must say which number is the month."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from .numerals import CHINESE, whole
from .text import Description, Unclear, language_of

__all__ = ["MONTHS", "WEEKDAYS", "read_date", "read_day"]

MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
WEEKDAYS: Final = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
MONTH: Final = "(?P<month>[A-Za-z]{3,9})\\.?"
DAY: Final = "(?:the )?(?P<day>[0-9]{1,2}(?:st|nd|rd|th|\\.(?= ))?|[a-z]+(?:-[a-z]+)?)"
YEAR: Final = "(?P<year>[0-9]{4}|'?[0-9]{2})"
NUMERAL: Final = "[零〇○一二三四五六七八九十]"
HAN: Final = (
    rf"(?:(?P<year>[0-9]{{4}}|[0-9]{{2}}|{NUMERAL}{{4}}) ?年 ?)?(?P<number>[0-9]{{1,2}}|{NUMERAL}{{1,2}}) ?月 ?"
    rf"(?P<day>[0-9]{{1,2}}|{NUMERAL}{{1,3}}) ?[日号號]"
)
FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?P<year>[0-9]{4})(?P<sign>[-/.])(?P<number>[0-9]{1,2})(?P=sign)(?P<day>[0-9]{1,2})",
        r"(?P<year>[0-9]{4})(?P<number>[0-9]{2})(?P<day>[0-9]{2})",
        rf"{DAY}(?: of |[ /-]?){MONTH}(?:(?:,? ?|[/-]){YEAR})?",
        rf"{MONTH}[ -]?{DAY}(?:(?:, ?| |-){YEAR})?",
        rf"{YEAR}[, -]{MONTH}[ -]{DAY}",
        HAN,
    )
)
NUMBERS: Final = re.compile(
    r"(?P<one>[0-9]{1,2})(?:/(?P<two>[0-9]{1,2})|(?P<sign>[-/.])(?P<second>[0-9]{1,2})(?P=sign)(?P<year>[0-9]{4}|[0-9]{2}))"
)
FRONT: Final = re.compile(r"(?:on )?(?:(?P<name>[A-Za-z]{3,9})\.?(?:,? |, ?)(?=[^ ]))?(?P<rest>.+)", re.IGNORECASE)
HAN_DAY: Final = re.compile(r"(?P<rest>.+?),? ?(?:\( ?)?(?:星期|周|礼拜)(?P<day>[一二三四五六日天])(?: ?\))?")
HAN_FRONT: Final = re.compile(r"(?:星期|周|礼拜)(?P<day>[一二三四五六日天]),? ?(?P<rest>.+)")
BACK: Final = re.compile(r"(.+?)(?:,? \(?|, ?\(?)([A-Za-z]{3,9})\.?\)?")
BELOW_TWENTY: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth"
)
ORDINALS: Final = {
    **{name: n + 1 for n, name in enumerate(BELOW_TWENTY.split())},
    **{f"twenty-{name}": n + 21 for n, name in enumerate(BELOW_TWENTY.split()[:9])},
    "twentieth": 20,
    "thirtieth": 30,
    "thirty-first": 31,
}
NEITHER: Final = ("en", "zh", "ja", "ko", "hu", "lt", "sv")
"""Languages that do not say by themselves whether the day or the month comes first."""


def read_date(description: Description, text: str) -> str | None:
    """``YYYY-MM-DD``."""
    found = read_day(text, description)
    return found.isoformat() if found else None


def read_day(text: str, description: Description) -> date | None:
    """A day in any notation; a weekday beside it must be that day's."""
    text, weekday = _weekday(text) if text.count("(") == text.count(")") else (text, None)
    found = _day(text, description)
    if found and weekday is not None and found.weekday() != weekday:
        raise Unclear(f"{found.isoformat()} is not that day of the week: write the date alone")
    return found


def _weekday(text: str) -> tuple[str, int | None]:
    """The text without a weekday before or behind it, and which it is."""
    if han := HAN_DAY.fullmatch(text) or HAN_FRONT.fullmatch(text):
        return han["rest"], "一二三四五六日天".index(han["day"]) - (han["day"] == "天")
    front = FRONT.fullmatch(text)
    if front and (day := _index(front["name"], WEEKDAYS)) is not None:
        return front["rest"], day
    if (back := BACK.fullmatch(text)) and (day := _index(back[2], WEEKDAYS)) is not None:
        return re.sub(r"\Aon ", "", back[1], flags=re.IGNORECASE), day
    return re.sub(r"\Aon ", "", text, flags=re.IGNORECASE), None


def _index(name: str | None, names: list[str]) -> int | None:
    """Which it is of the months or weekdays, in full or shortened as is usual."""
    name = (name or "").lower()
    fits = [at for at, full in enumerate(names) if name == full or (name == full[: len(name)] and _short(name))]
    return fits[0] if len(fits) == 1 else None


def _short(name: str) -> bool:
    return len(name) == 3 or name in ("sept", "tues", "thur", "thurs", "weds")


def _day(text: str, description: Description) -> date | None:
    for form in FORMS:
        if found := form.fullmatch(text):
            parts = found.groupdict()
            month = _index(parts["month"], MONTHS) if "month" in parts else _number(parts["number"])
            day = _number(parts["day"])
            if month is not None and day is not None:
                return _date(parts["year"], month + ("month" in parts), day, description)
    if found := NUMBERS.fullmatch(text):
        return _numbers(found, description)
    return None


def _numbers(found: re.Match[str], description: Description) -> date | None:
    """The reading that the locale allows; without one, the only reading there is."""
    one, two, year = int(found["one"]), int(found["two"] or found["second"]), found["year"]
    order = _order(description)
    short = year is not None and len(year) == 2
    if short or order is None:
        fits = {(month, day) for month, day in ((one, two), (two, one)) if month <= 12 and day <= 31}
        if short or len(fits) > 1:
            raise Unclear("which is the day, the month, the year? Write 2026-03-04 or 4 March 2026")
        month, day = fits.pop() if fits else (0, 0)
    else:
        month, day = (one, two) if order == "mdy" else (two, one)
    return _date(year, month, day, description)


def _order(description: Description) -> str | None:
    region = str(description.get("locale", "en")).replace("_", "-").partition("-")[2].upper()
    if region in ("US", "PH"):
        return "mdy"
    language = language_of(description)
    return "dmy" if language not in NEITHER or (language == "en" and region not in ("", "CA", "ZA")) else None


def _date(year: str | None, month: int, day: int, description: Description) -> date | None:
    if year is None:
        if "year" not in description:
            raise Unclear("the year is missing: write it in four digits")
        number = int(description["year"])
    elif len(year.strip("'")) < 4:
        raise Unclear("write the year in four digits")
    else:
        number = int(year) if year.isascii() else _digits(year)
    try:
        return date(number, month, day)
    except ValueError:
        return None


def _digits(year: str) -> int:
    """二〇二六"""  # noqa: D415 - an example
    places = [CHINESE.find(sign) for sign in year.replace("〇", "零").replace("○", "零")]
    return int("".join(map(str, places))) if min(places) >= 0 else 0


def _number(text: str) -> int | None:
    text = text.lower()
    if text in ORDINALS:
        return ORDINALS[text]
    found = re.fullmatch("([0-9]{1,2})(?:st|nd|rd|th|[.])?", text)
    return int(found[1]) if found else None if text.isascii() else whole(text, {})
