"""The type ``time``: a time of day; twelve-hour notations need am, pm or a part of the day."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NamedTuple

from .numerals import whole
from .text import Description, Unclear
from .zones import cut_zone, offset, zone_text

__all__ = ["Clock", "iso_clock", "read_clock", "read_time"]


class Clock(NamedTuple):
    """Seconds since the day began (86400 for 24:00), the zone, and whether it may belong to the day before or after."""

    seconds: Fraction
    zone: int | None = None
    unclear_day: bool = False


PARTS: Final = {
    "am": ("am", "a.m.", "a.m", "a. m."), "pm": ("pm", "p.m.", "p.m", "p. m."),
    "morning": ("in the morning", "早上", "早晨", "清晨", "上午", "早"), "small": ("凌晨",), "noon": ("中午",),
    "afternoon": ("in the afternoon", "下午", "午后"), "evening": ("in the evening", "傍晚"),
    "night": ("at night", "晚上", "晚间", "夜晚", "夜里", "夜间", "半夜", "深夜", "午夜", "晚"),
}  # fmt: skip
PART_OF: Final = {name: part for part, names in PARTS.items() for name in names}
HOURS: Final[dict[str, dict[int, int]]] = {
    "am": {12: 0, **{h: h for h in range(12)}},
    "pm": {**{h: h + 12 for h in range(1, 12)}, **{h: h for h in range(12, 24)}},
    "morning": {h: h for h in range(1, 12)},
    "small": {12: 0, **{h: h for h in range(7)}},
    "noon": {1: 13, 2: 14, 11: 11, 12: 12, 13: 13, 14: 14},
    "afternoon": {**{h: h + 12 for h in range(1, 12)}, **{h: h for h in range(12, 24)}},
    "evening": {**{h: h + 12 for h in range(4, 12)}, **{h: h for h in range(16, 24)}},
    "night": {12: 0, 0: 0, **{h: h for h in range(1, 5)}, **{h: h + 12 for h in range(6, 12)}, **{h: h for h in range(18, 24)}},
}  # fmt: skip
"""The hour of 24 that an hour of a part of the day is; what is not here contradicts itself."""
BEHIND: Final = re.compile(
    r"(.+?)[ ,]*(am|pm|a\. ?m\.?|p\. ?m\.?|in the (?:morning|afternoon|evening)|at night)", re.IGNORECASE
)
DIGITS: Final = re.compile(
    r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}(?:[.,][0-9]+)?))?|([0-9]{1,2})(?:[.]| ?h ?)([0-9]{2})(?: ?min)?"
)
SOLID: Final = re.compile(r"([0-9]{2})([0-9]{2})|([0-9]{2})([0-9]{2})([0-9]{2})")
SMALL: Final = "[0-9]{1,2}|[零〇○一二三四五六七八九十两]{1,3}"
HAN: Final = re.compile(
    rf"({SMALL}) ?[时点時點](?: ?(?:(半)|([一三])刻|整|钟|(?:({SMALL}) ?(?:分|(?=\Z)))(?: ?({SMALL}) ?秒)?整?))?"
)
PAST: Final = re.compile(
    r"(half|(?:a )?quarter|[a-z]+(?:[- ][a-z]+)??|[0-9]{1,2})( minutes?)? (past|to) ([a-z]+|[0-9]{1,2})(?: o'clock)?"
)
SPOKEN: Final = re.compile(
    r"((?:twenty-)?[a-z]+|[0-9]{1,2})(?: o'clock|[ -](?P<oh>oh )?(?P<minutes>[a-z]+(?:[- ][a-z]+)?))"
)
ALONE: Final = re.compile("([a-z]+)(?P<minutes>)(?P<oh>)")
NAMED: Final = {
    "noon": 12,
    "midday": 12,
    "12 noon": 12,
    "正午": 12,
    "中午": 12,
    "midnight": 0,
    "12 midnight": 0,
    "午夜": 0,
    "子夜": 0,
    "零点": 0,
    "零时": 0,
}


def read_time(description: Description, text: str) -> str | None:
    """``HH:MM``, with seconds if there are any, and with the type's zone if it has one."""
    clock = read_clock(re.sub(r"\Aat ", "", text, flags=re.IGNORECASE), description)
    if clock is None:
        return None
    seconds = clock.seconds
    if "zone" not in description:
        return iso_clock(seconds % 86400)
    home = offset(description["zone"])
    shift = 0 if clock.zone is None else (home - clock.zone) * 60
    return iso_clock((seconds + shift) % 86400) + zone_text(home)


def iso_clock(seconds: Fraction) -> str:
    """``22:15`` or ``22:15:30``"""  # noqa: D415 - an example
    minutes, rest = divmod(seconds, 60)
    text = f"{int(minutes) // 60:02d}:{int(minutes) % 60:02d}"
    if rest:
        text += f":{int(rest):02d}" + (f"{float(rest % 1):.6f}"[1:].rstrip("0") if rest % 1 else "")
    return text


def read_clock(text: str, description: Description) -> Clock | None:
    """A time of day in any notation, with its zone; None where the whole text is none."""
    text, zone = cut_zone(text, description)
    text, part = re.sub(r"\AT(?=[0-9])|(?<=[0-9]) o'clock(?= |\Z)(?<=:.. o'clock)", "", text), None
    if front := re.fullmatch(r"(am|pm) ?([0-9].*)", text, re.IGNORECASE):
        text = f"{front[2]} {front[1]}"
    if behind := BEHIND.fullmatch(text):
        text, part = behind[1], PART_OF.get(behind[2].lower(), behind[2][0].lower() + "m")
    for name, of in PART_OF.items():
        if not name.isascii() and text.startswith(name) and len(text) > len(name):
            text, part = text[len(name) :].strip(), of if part is None else "twice"
            break
    if part == "twice":
        return None
    text = text.lower()
    if part is None and (named := re.sub(r"\Atwelve ", "", text.replace("12 o'clock ", ""))) in NAMED:
        return Clock(Fraction(NAMED[named] * 3600), zone, NAMED[named] == 0 and text[0] != "零")
    found = _hands(text, part is not None)
    if found is None:
        return None
    hour, minute, second = found
    if minute > 59 or second >= 60 or hour > 24 or (hour == 24 and (minute or second)):
        return None
    unclear = text.endswith("past midnight")
    if part:
        if hour not in HOURS[part]:
            raise Unclear(f"the hour {hour} and the part of the day contradict each other: write the hour of 24")
        unclear = part == "night" and HOURS[part][hour] < 6
        hour = HOURS[part][hour]
    return Clock(hour * 3600 + minute * 60 + second, zone, unclear)


def _hands(text: str, halved: bool) -> tuple[int, int, Fraction] | None:
    """Hour, minute and second as they are written; `halved` says that a part of the day was named."""
    if (found := DIGITS.fullmatch(re.sub(r"(?<=[0-9]) ?(?:h|hrs?|hours|uhr)\Z", "", text))) and not (
        text[-1] == "h" and "h" in text[:-1]
    ):
        second = Fraction((found[3] or "0").replace(",", "."))
        return int(found[1] or found[4]), int(found[2] or found[5]), second
    if found := SOLID.fullmatch(re.sub(r" ?(?:h|hrs?|hours)\Z", "", text)):
        return int(found[1] or found[3]), int(found[2] or found[4]), Fraction(found[5] or 0)
    if re.fullmatch("[0-9]{1,2}", text) and halved:
        return int(text), 0, Fraction()
    if found := re.fullmatch("([0-9]{1,2}) ?(?:h|uhr)", text):
        return _twelve(int(found[1]), 0, halved)
    return _words(text, halved)


def _words(text: str, halved: bool) -> tuple[int, int, Fraction] | None:
    if found := HAN.fullmatch(text):
        quarter = {"一": 15, "三": 45}.get(found[3] or "", 0)
        minute = 30 if found[2] else quarter or _small(found[4])
        digits = found[1].isascii() and found[4] is not None and found[4].isascii()
        hands = _twelve(_small(found[1]), minute, halved or digits)
        return hands and (*hands[:2], Fraction(_small(found[5])))
    if found := PAST.fullmatch(text):
        return _past(found, halved)
    found = SPOKEN.fullmatch(text) or (ALONE.fullmatch(text) if halved else None)
    if not found:
        return None
    hour, minutes = whole(found[1], {}), whole(found["minutes"], {}) if found["minutes"] else 0
    if minutes and (minutes < 10) != (found["oh"] is not None):  # ten five is no time, ten oh five is
        return None
    return _twelve(hour, minutes, halved) if hour else None


def _past(found: re.Match[str], halved: bool) -> tuple[int, int, Fraction] | None:
    words = found[1].removeprefix("a ")
    minutes = {"half": 30, "quarter": 15}.get(words) or whole(words, {})
    named, to = {"noon": 12, "midday": 12, "midnight": 24}.get(found[4]), found[3] == "to"
    hour = named or whole(found[4], {})
    if not minutes or minutes > 30 or not hour or (to and minutes == 30) or (named and halved):
        return None
    if to and minutes <= 12 and not found[2]:
        raise Unclear("that may be a span of time: write the hour and the minute in digits")
    if named:
        return (named - 1, 60 - minutes, Fraction()) if to else (named % 24, minutes, Fraction())
    return _twelve(hour, minutes, halved) if not to else _twelve((hour - 2) % 12 + 1, 60 - minutes, halved)


def _twelve(hour: int | None, minutes: int | None, clear: bool) -> tuple[int, int, Fraction] | None:
    """An hour in words or alone; up to twelve, only a part of the day says which of the two."""
    if hour is None or minutes is None:
        return None
    if not clear and 0 < hour <= 12:
        raise Unclear("before or after noon? Write am or pm, or the hour of 24")
    return hour, minutes, Fraction()


def _small(text: str | None) -> int:
    """A number below sixty in digits or numerals; 零五 is five. 99 where it is none."""
    if not text:
        return 0
    found = whole(text[1:] if len(text) > 1 and text[0] in "零〇" else text, {})
    return 99 if found is None else found
