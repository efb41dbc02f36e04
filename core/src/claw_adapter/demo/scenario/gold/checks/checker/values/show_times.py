"""Dates, times of day and moments in many notations."""

from __future__ import annotations

from datetime import date

from .dates import MONTHS, WEEKDAYS
from .numerals import CHINESE, chinese_words, english_words
from .text import Description

__all__ = ["dates", "moments", "times"]


def dates(_description: Description, value: str, language: str) -> dict[str, str]:
    """A day with its year."""
    day = date.fromisoformat(value)
    y, m, d = day.year, day.month, day.day
    numbers = {
        "iso": value,
        "slashes": f"{y}/{m}/{d}",
        "dots": f"{y}.{m:02d}.{d:02d}",
        "solid": f"{y}{m:02d}{d:02d}",
        "slashes, two digits": f"{y}/{m:02d}/{d:02d}",
        "short": f"{y}-{m}-{d}",
    }
    if language == "zh":
        year = "".join(CHINESE[int(digit)] for digit in str(y)).replace("零", "〇")
        weekday = "一二三四五六日"[day.weekday()]
        return {
            "年月日": f"{y}年{m}月{d}日",
            "号": f"{y}年{m}月{d}号",
            "two digits": f"{y}年{m:02d}月{d:02d}日",
            "blanks": f"{y} 年 {m} 月 {d} 日",
            "numerals": f"{year}年{chinese_words(m)}月{chinese_words(d)}日",
            "星期": f"{y}年{m}月{d}日（星期{weekday}）",
            "周": f"{y}年{m}月{d}日 周{weekday}",
            **numbers,
        }
    month, weekday = MONTHS[m - 1].title(), WEEKDAYS[day.weekday()].title()
    nth = f"{d}{'th' if 10 < d < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(d % 10, 'th')}"
    return {
        "day first": f"{d} {month} {y}",
        "month first": f"{month} {d}, {y}",
        "nth": f"{month} {nth}, {y}",
        "of": f"{nth} of {month} {y}",
        "the": f"the {nth} of {month}, {y}",
        "abbreviated": f"{d} {month[:3]} {y}",
        "stop": f"{month[:3]}. {d}, {y}",
        "hyphens": f"{d:02d}-{month[:3]}-{y}",
        "weekday": f"{weekday}, {d} {month} {y}",
        "short weekday": f"{weekday[:3]} {d} {month[:3]} {y}",
        "weekday, month first": f"{weekday}, {month} {nth}, {y}",
        "on": f"on {d} {month} {y}",
        **numbers,
    }


def _split(value: str) -> tuple[str, int, int, str, str]:
    """``22:15:30+08:00`` as clock, hour, minute, seconds with their colon, zone."""
    clock, zone = value, ""
    for sign in "+-":
        if sign in value:
            clock, _, rest = value.partition(sign)
            zone = sign + rest
    hour, minute, *second = clock.split(":")
    return clock, int(hour), int(minute), f":{second[0]}" if second else "", zone


def times(_description: Description, value: str, language: str) -> dict[str, str]:
    """A time of day, of 24 hours and of twelve."""
    clock, hour, minute, second, zone = _split(value)
    found = {"24 h": clock}
    if hour < 10:
        found["one digit"] = clock[1:]
    twelve, half = (hour - 1) % 12 + 1, "am" if hour < 12 else "pm"
    if language == "zh":
        found |= _han(hour, minute, second)
    else:
        found |= {
            half: f"{twelve}:{minute:02d}{second} {half}",
            half.upper(): f"{twelve}:{minute:02d}{second} {half.upper()}",
            "tight": f"{twelve}:{minute:02d}{second}{half}",
            "stops": f"{twelve}:{minute:02d}{second} {half[0]}.m.",
            "at": f"at {clock}",
            "seconds": f"{hour:02d}:{minute:02d}{second or ':00'}",
        }
    if not second:
        found |= {
            "point": f"{hour:02d}.{minute:02d}",
            "h": f"{hour}h{minute:02d}",
            "hrs": f"{hour:02d}{minute:02d} hrs",
            "solid": f"{hour:02d}{minute:02d}",
        }
        if language == "en":
            found |= _english(twelve, minute, half)
    zones = (f" UTC{zone}", f" (UTC{zone})") if zone else ("",)
    return {
        f"{name}{', in brackets' if ' (' in tail else ''}": text + tail
        for tail in zones
        for name, text in found.items()
    }


def _english(twelve: int, minute: int, half: str) -> dict[str, str]:
    found = {"point, am or pm": f"{twelve}.{minute:02d} {half}"}
    if minute >= 10:
        found["words"] = f"{english_words(twelve)} {english_words(minute)} {half}"
    if minute == 0:
        found |= {"hour": f"{twelve} {half}", "hour, tight": f"{twelve}{half}"}
    if minute in (15, 30):
        found["past"] = f"{'half' if minute == 30 else 'quarter'} past {english_words(twelve)} {half}"
    return found


def _han(hour: int, minute: int, second: str) -> dict[str, str]:
    part = "凌晨" if hour < 6 else "上午" if hour < 12 else "中午" if hour == 12 else "下午" if hour < 18 else "晚上"
    twelve = hour if hour <= 12 else hour - 12
    tail = f"{minute:02d}分" + (f"{second[1:]}秒" if second else "")
    found = {
        "时分": f"{hour}时{tail}",
        "点分": f"{hour}点{tail}",
        "part": f"{part}{twelve}点{tail}",
        "part, colon": f"{part}{twelve}:{minute:02d}{second}",
        "blanks": f"{hour} 时 {minute:02d} 分" + (f" {second[1:]} 秒" if second else ""),
    }
    if "." in second:
        return {name: found[name] for name in ("part, colon",)}
    if not second:
        small = chinese_words(minute) if minute > 9 else f"零{chinese_words(minute)}"
        found["numerals"] = f"{chinese_words(hour)}点{small}分" if minute else f"{chinese_words(hour)}点整"
        found["part, numerals"] = part + chinese_words(twelve) + found["numerals"].removeprefix(chinese_words(hour))
        found["no 分"] = f"{hour}点{minute:02d}"
    if minute == 30 and not second:
        found["半"] = f"{part}{twelve}点半"
    return found


def moments(description: Description, value: str, language: str) -> dict[str, str]:
    """Date and time in either order."""
    day, clock = value.split("T")
    days, hours = dates(description, day, language), times(description, clock, language)
    plain, offset = next(iter(hours.values())), _split(clock)[4]
    found = {"iso": value, "blank": f"{day} {plain}"}
    if not offset or "zone" in description:
        found["own zone"] = f"{day} {_split(clock)[0]}"
    for name in ("slashes", "dots"):
        found[name] = f"{days[name]} {plain}"
    if language == "zh":
        for name in ("年月日", "numerals", "星期", "号"):
            found |= {
                f"{name}, {form}": f"{days[name]}{hours[form]}"
                for form in ("时分", "点分", "part", "numerals")
                if form in hours
            }
        found["年月日, 24 h"] = f"{days['年月日']} {plain}"
    else:
        half = next(form for form in ("am", "pm") if form in hours)
        for name in ("day first", "month first", "nth", "weekday", "abbreviated", "hyphens"):
            found |= {
                name: f"{days[name]} {plain}",
                f"{name}, at": f"{days[name]} at {hours[half]}",
                f"{name}, comma": f"{days[name]}, {plain}",
                f"{name}, behind": f"{hours[half]} on {days[name]}",
            }
    return found
