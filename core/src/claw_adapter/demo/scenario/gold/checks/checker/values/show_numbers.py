"""Numbers, durations and money in many notations."""

from __future__ import annotations

from fractions import Fraction

from .money import CURRENCIES, Money
from .numerals import CHINESE, COMMA, ONES, chinese_words, english_words
from .quantities import own_units
from .text import Description, language_of
from .units import DIMENSIONS, unit_named

__all__ = ["amounts", "decimal", "durations", "quantities"]

FORMAL = str.maketrans("一二三四五六七八九十百千", "壹贰叁肆伍陆柒捌玖拾佰仟")


def decimal(value: Fraction, description: Description, group: str = "") -> str:
    """Digits with the locale's decimal mark, to twelve decimals, in groups of three."""
    comma = language_of(description) in COMMA and not str(description.get("locale", "")).endswith("CH")
    scaled = round(abs(value) * 10**12)
    whole, part = f"{scaled // 10**12:,}", f"{scaled % 10**12:012d}".rstrip("0")
    whole = whole.replace(",", ("." if comma else ",") if group == "mark" else group)
    return ("-" if value < 0 else "") + whole + (("," if comma else ".") + part if part else "")


def _written(value: Fraction, description: Description, language: str) -> dict[str, str]:
    """A number alone; the plain one first."""
    mark = "," if language_of(description) in COMMA else "."
    digits = decimal(value, description)
    found = {
        "digits": digits,
        "grouped": decimal(value, description, "mark"),
        "spaced": decimal(value, description, "\u202f"),
        "minus": digits.replace("-", "−"),
        "zeros": digits + ("0" if mark in digits else f"{mark}0"),
        "fraction": f"{'-' if value < 0 else ''}{abs(value) // 1 or ''} {abs(value) % 1}".replace("- ", "-").strip(),
    }
    whole, part = divmod(abs(value), 1)
    if whole >= 10**12:
        return found
    places = "" if not part else decimal(part, {}).partition(".")[2]
    if language == "zh":
        tail = "点" + "".join(CHINESE[int(place)] for place in places) if places else ""
        numeral = ("负" if value < 0 else "") + chinese_words(int(whole)) + tail
        found["numerals"] = numeral
        found["formal"] = numeral.translate(FORMAL)
        found["nought"] = numeral.replace("零", "〇")
        if whole >= 10**4 and not part and whole % 100 == 0:
            found["myriads"] = f"{decimal(value / 10**4, description)}万"
    else:
        tail = " point " + " ".join(ONES[int(place)] for place in places) if places else ""
        found["words"] = ("minus " if value < 0 else "") + english_words(int(whole)) + tail
        found["capital"] = found["words"].capitalize()
        if whole >= 10**6 and whole % 1000 == 0 and not part:
            found["millions"] = f"{decimal(value / 10**6, description)} million"
    return found


def quantities(description: Description, value: Fraction, language: str) -> dict[str, str]:
    """A number in its unit and in every other unit in which it has few decimals."""
    if "unit" not in description:
        return _written(value, description, language)
    units = own_units(description)
    unit = unit_named(description["unit"], units)
    if unit is None:
        raise ValueError(f"{description['unit']!r} is not one of the units {', '.join(units)}")
    found: dict[str, str] = {}
    for name, digits in _written(value, description, language).items():
        blank = "" if name in ("numerals", "formal", "nought", "myriads") else " "
        found[name] = f"{digits}{blank}{_fitting(unit.names, language)}"
    found["tight"] = f"{decimal(value, description)}{unit.names[0]}"
    for name in unit.names:
        if (name > "\u2e7f") == (language == "zh") or name == unit.names[0]:
            found[f"in {name}"] = f"{decimal(value, description)} {name}"
    for sign, other in units.items():
        if not other.offset and not unit.offset and other != unit and "quarter" not in sign:
            there = value * unit.factor / other.factor
            if (there * 10**4).denominator == 1 and there:
                found[f"converted to {sign}"] = f"{decimal(there, description)} {sign}"
    return found


def _fitting(names: tuple[str, ...], language: str) -> str:
    """The unit's name in the language; its sign where it has none."""
    return next((name for name in names if language == "zh" and name > "\u2e7f"), names[0])


def durations(description: Description, value: Fraction, language: str) -> dict[str, str]:
    """Hours, minutes and seconds; one unit alone; ISO 8601; words."""
    hours, rest = divmod(value, 3600)
    minutes, seconds = divmod(rest, 60)
    parts = [(Fraction(n), sign) for n, sign in ((hours, "h"), (minutes, "min"), (seconds, "s")) if n] or [(value, "s")]
    time = DIMENSIONS["time"]
    name = {"h": "小时", "min": "分钟", "s": "秒"} if language == "zh" else {"h": "h", "min": "min", "s": "s"}
    digits = [(decimal(n, description), sign) for n, sign in parts]
    blank = "" if language == "zh" else " "
    found = {
        "terms": blank.join(f"{n}{blank}{name[sign]}" for n, sign in digits),
        "signs": " ".join(f"{n} {sign}" for n, sign in digits),
        "tight": "".join(f"{n}{sign}" for n, sign in digits),
        "iso": "PT" + "".join(f"{n}{sign[0].upper()}" for n, sign in digits).replace(",", "."),
    }
    if (seconds * 10**3).denominator == 1 and seconds.denominator == 1 and hours < 1000:
        found["colons"] = f"{int(hours)}:{int(minutes):02d}:{int(seconds):02d}"
    for sign in ("h", "min", "s", "d"):
        there = value / time[sign].factor
        if (there * 100).denominator == 1:
            found[f"in {sign}"] = f"{decimal(there, description)} {sign}"
            found[f"in {time[sign].names[-1]}"] = (
                f"{decimal(there, description)}{blank}{time[sign].names[-1] if blank == '' else _long(sign)}"
            )
    if all(n.denominator == 1 for n, _ in parts):
        if language == "zh":
            found["numerals"] = "".join(f"{chinese_words(int(n))}{name[sign]}" for n, sign in parts)
            if hours and hours < 10**4 and rest == 1800:
                found["half"] = f"{chinese_words(int(hours))}个半小时"
        else:
            found["words"] = (
                " and ".join(f"{english_words(int(n))} {_long(sign)}" for n, sign in parts[-2:])
                if len(parts) < 3
                else (", ".join(f"{english_words(int(n))} {_long(sign)}" for n, sign in parts))
            )
            if hours and rest == 1800:
                found["half"] = f"{english_words(int(hours))} and a half hours"
    return found


def _long(sign: str) -> str:
    return {"h": "hours", "min": "minutes", "s": "seconds", "d": "days"}[sign]


def amounts(description: Description, value: Money, language: str) -> dict[str, str]:
    """Code or name, before or behind; with a symbol where only this currency has it."""
    digits = _written(value.amount, description, language)
    plain, code = digits["digits"], value.currency
    found = {
        "code behind": f"{plain} {code}",
        "code before": f"{code} {plain}",
        "tight": f"{code}{plain}",
        "small code": f"{plain} {code.lower()}",
        "grouped": f"{digits['grouped']} {code}",
        "spaced": f"{digits['spaced']} {code}",
        "zeros": f"{digits['zeros']} {code}",
        "before, grouped": f"{code} {digits['grouped']}",
    }
    for name in CURRENCIES[code].replace("_", "\u00a0").split(" "):
        han, letters = name > "\u2e7f", (name.isascii() and name.isalpha()) or "\u00a0" in name
        if han and language == "zh":
            found[f"{name} behind"] = f"{plain}{name}"
            found.update(
                {
                    f"{name} {form}": f"{digits[form]}{name}"
                    for form in ("numerals", "formal", "myriads")
                    if form in digits
                }
            )
        elif not han and not letters:
            found[f"{name} before"] = f"{name}{plain}" if value.amount >= 0 else f"-{name}{plain[1:]}"
            found[f"{name} behind"] = f"{plain} {name}"
        elif letters and language == "en":
            found[f"{name} behind"] = f"{plain} {name}"
            found[f"{name} in words"] = f"{digits.get('words', plain)} {name}"
    if "currency" in description and description["currency"] == code:
        found["alone"] = plain
    return found
