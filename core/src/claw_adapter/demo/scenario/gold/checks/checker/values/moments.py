"""The type ``moment``: a date and a time in either order, with the zone of the type or one that is named."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Final

from .clock import Clock, iso_clock, read_clock
from .dates import read_day
from .text import Description, Unclear
from .zones import cut_zone, offset, zone_text

__all__ = ["read_moment"]

JOINT: Final = re.compile(
    r",? at |,? on |, ?|(?<=[0-9])T(?=[0-9])| of | - | |(?<=[日号號\)])的?"
    r"|(?<=[一二三四五六日天])(?=[0-9早上中下晚凌傍夜深半午清零〇十])"
)
HOUR: Final = re.compile("([0-9]{1,2}) ?[时点]整?")
"""Behind a date, an hour in digits is of the clock of 24."""
SOLID: Final = re.compile(r"([0-9]{8})T?([0-9]{4}(?:[0-9]{2})?)")


def read_moment(description: Description, text: str) -> str | None:
    """``YYYY-MM-DDTHH:MM``, in the type's zone if it has one, and with its offset then."""
    text, zone = cut_zone(text, description)
    pair = _pair(text, description)
    if pair is None:
        return None
    day, clock = pair
    if clock.unclear_day:
        raise Unclear("the night before or the night after? Write the date with the hour of 24")
    zone = clock.zone if zone is None else zone
    moment = datetime.combine(day, datetime.min.time()) + timedelta(microseconds=int(clock.seconds * 10**6))
    home = description.get("zone")
    if home is not None and zone is not None:
        moment += timedelta(minutes=offset(home) - zone)
    seconds = clock.seconds % 60
    moment = moment.replace(second=0, microsecond=0)
    text = f"{moment.date().isoformat()}T{iso_clock(moment.hour * 3600 + moment.minute * 60 + seconds)}"
    return text if home is None else text + zone_text(offset(home))


def _pair(text: str, description: Description) -> tuple[date, Clock] | None:
    if solid := SOLID.fullmatch(text):
        text = f"{solid[1]} {solid[2]}"
    if bracket := re.fullmatch(r"([^()]+?) ?\(([^()]+)\)", text):
        found = _both(bracket[1], bracket[2], description) or _both(bracket[2], bracket[1], description)
        if found:
            return found
    problem: Unclear | None = None
    for joint in JOINT.finditer(text):
        left, right = text[: joint.start()].rstrip(" ,"), text[joint.end() :].lstrip()
        for day_text, clock_text in ((left, right), (right, left)):
            try:
                found = _both(day_text, clock_text, description)
            except Unclear as unclear:
                problem = unclear
                continue
            if found:
                return found
    if problem and not _whole_day(text, description):
        raise problem
    return _one(text, description)


def _both(day_text: str, clock_text: str, description: Description) -> tuple[date, Clock] | None:
    if not day_text or not clock_text:
        return None
    if re.fullmatch("[0-9]{4}", clock_text):  # behind a day without its year this would be the year
        description = {name: part for name, part in description.items() if name != "year"}
    if re.search("[日号0-9]\\Z", day_text) and (hour := HOUR.fullmatch(clock_text)):
        clock_text = f"{hour[1]}:00"
    clock = read_clock(re.sub(r"\Aat ", "", clock_text, flags=re.IGNORECASE), description)
    day = read_day(day_text, description) if clock else None
    return (day, clock) if day and clock else None


def _one(text: str, description: Description) -> tuple[date, Clock] | None:
    """A time alone, where the day was given from outside."""
    clock = read_clock(re.sub(r"\Aat ", "", text, flags=re.IGNORECASE), description)
    if clock is not None:
        if "date" not in description:
            raise Unclear("the date is missing: write date and time")
        return date.fromisoformat(description["date"]), clock
    if _whole_day(text, description):
        raise Unclear("the time is missing: write date and time")
    return None


def _whole_day(text: str, description: Description) -> bool:
    try:
        return read_day(text, description) is not None
    except Unclear:
        return False
