"""Numbers with units: one term (3.5 h) or several that go down (3 h 30 min), in the units that a type allows."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from .money import NAMES, PER
from .numerals import PARTS, number
from .text import Description, Unclear
from .units import Unit, names_of, unit_named, units_of

__all__ = ["convert", "measure", "own_units", "read_number", "unbracketed"]

PART_OF: Final = re.compile(rf"(one quarter|{'|'.join(PARTS)}|half|quarter)(?: of)? an?")
AND_PART: Final = re.compile(r"(.+?) and (a half|a quarter|three quarters)")
CLASSIFIERS: Final = "个次条项件份人名位起例台张只支家艘箱封间座辆行"
"""Chinese puts one after a number of things; it says nothing about how many."""

OFTEN: Final = {"once": Fraction(1), "twice": Fraction(2), "thrice": Fraction(3)}
TIMES: Final = frozenset({"time", "times", "次"})


def read_number(description: Description, text: str) -> Fraction | None:
    """The type ``number``, in its unit; without a unit, or in the unit `bare` that was given from outside."""
    if text.lower() in OFTEN and TIMES.intersection((description.get("unit"), *description.get("names", ()))):
        return OFTEN[text.lower()]
    if "unit" not in description:
        return _counted(text, description)
    units = own_units(description)
    text = unbracketed(text, units)
    found = measure(text, units, description)
    if found is None and (said := _as_quotient(text, units)):
        found = measure(said, units, description)
    if found is not None:
        return convert(found, unit_named(description["unit"], units), description)
    alone = number(_without_degree(text) if "bare" in description else text, description)
    if alone is None:
        return None
    if "bare" not in description:
        raise Unclear(f"the unit is missing: write it behind the number, as in {text} {description['unit']}")
    bare = _unit(description["bare"], units)
    return convert(_base(alone, bare, description), unit_named(description["unit"], units), description)


def own_units(description: Description) -> dict[str, Unit]:
    """The units that a line may use: those of the dimension, or those of them that the description lists."""
    unit = description["unit"]
    units = units_of(unit)
    if len(units) == 1 and unit in units:
        names = (unit, *description.get("names", ()))
        plural = tuple(f"{name}s" for name in names if name.isascii() and name.isalpha() and not name.endswith("s"))
        return {unit: Unit(Fraction(1), (*names, *plural))}
    listed = description.get("units")
    return units if listed is None else {name: _unit(name, units) for name in (unit, *listed)}


def measure(text: str, units: dict[str, Unit], description: Description) -> Fraction | None:
    """What is measured, in the dimension's base unit; None where the whole text is no number with a unit."""
    if below := re.match("零下(?=.)", text):
        found = measure("-" + text[below.end() :], units, description)
        return found if found is not None else measure("负" + text[below.end() :], units, description)
    if ratio := re.match("([负-]?)([百千])分之(.+)", text):
        unit = unit_named("%" if ratio[2] == "百" else "‰", units)
        value = number(ratio[3], description)
        sign = -1 if ratio[1] else 1
        return None if unit is None or value is None or value < 0 else sign * value * unit.factor
    if hourly := re.fullmatch("(?:每小时|时速) ?(.+(?:公里|千米))", text):
        text = f"{hourly[1]}/小时"
    terms = _terms(text, units, description)
    return None if terms is None else sum(terms, Fraction(0))


def _as_quotient(text: str, units: dict[str, Unit]) -> str | None:
    """``40 元每小时``, ``每小时 40 元``, ``10 μg per litre`` with the unit as one of its names has it: 40 CNY/h, 10 μg/L."""
    for unit in units.values():
        for name in unit.names:
            over, slash, under = name.partition("/")
            if not slash or not over or not under:
                continue
            tops, lows = (f"(?:{'|'.join(map(re.escape, _names(part)))})" for part in (over, under))
            for form in (rf"(?P<n>.*[^\s]) ?{tops}{PER}{lows}", rf"每{lows} ?(?P<n>.*[^\s]) ?{tops}"):
                if (found := re.fullmatch(form, text)) and not re.search("[A-Za-z]\\Z", found["n"]):
                    return f"{found['n']} {name}"
    return None


def _names(part: str) -> list[str]:
    """All names of one half of a unit, which may be a currency."""
    code = NAMES.get(part.casefold())
    names = [name for name, other in NAMES.items() if other == code] if code else [*names_of(part)]
    return [part, *names, *([code] if code else [])]


def convert(base: Fraction, unit: Unit | None, description: Description) -> Fraction:
    """From the dimension's base unit to another; of a difference the scales' zeros do not matter."""
    if unit is None:
        return base
    return (base - (0 if description.get("difference") else unit.offset)) / unit.factor


def _base(value: Fraction, unit: Unit, description: Description) -> Fraction:
    return value * unit.factor + (0 if description.get("difference") else unit.offset)


def _unit(name: str, units: dict[str, Unit]) -> Unit:
    unit = unit_named(name, units)
    if unit is None:
        raise ValueError(f"{name!r} is not one of the units {', '.join(units)}")
    return unit


def _counted(text: str, description: Description) -> Fraction | None:
    for name in sorted(description.get("names", ()), key=len, reverse=True):
        head = text[: len(text) - len(name)]
        if text.casefold().endswith(name.casefold()) and not (head[-1:].isalpha() and name[0].isascii()):
            found = _counted(head.strip(), {**description, "names": ()})
            if found is not None:
                return found
    found = number(text, description)
    if found is None and text[-1:] and text[-1] in CLASSIFIERS:
        found = number(text[:-1], description)
    return found


def _terms(text: str, units: dict[str, Unit], description: Description) -> list[Fraction] | None:
    """Each number with its unit, from the largest unit down; only the first may have a sign, only the last decimals."""
    for head, unit, half in _ends(text, units):
        value = _times(head, description)
        if value is not None:
            return [_base(value + half, unit, description)]
        if not half and not unit.offset and (several := _before(head, unit, units, description)):
            return several
    return None


def _before(head: str, unit: Unit, units: dict[str, Unit], description: Description) -> list[Fraction] | None:
    """The terms of ``3 h 30`` for the unit minute: those before the last number, and that."""
    for at in range(len(head) - 1, 0, -1):
        value = number(last, description) if (last := _joined(head[at:])) else None
        if value is None or value < 0 or last[0] in "+-" or not _ends(head[:at].rstrip(" ,"), units):
            continue
        larger = {sign: other for sign, other in units.items() if other.factor > unit.factor}
        terms = _terms(head[:at].rstrip(" ,"), larger, description)
        if terms and terms[-1].denominator == 1 and all(_fits(value * unit.factor, larger, term) for term in terms):
            low = value * unit.factor
            return [*terms, -low if terms[0] < 0 else low]
    return None


def _fits(low: Fraction, larger: dict[str, Unit], term: Fraction) -> bool:
    """Whether a lower term is less than one of the larger units that its neighbour can be counted in."""
    return any(low < unit.factor and (term / unit.factor).denominator == 1 for unit in larger.values())


def _joined(text: str) -> str:
    """A later term without what joins it to the earlier one."""
    return re.sub(r"\A(?:, ?and |, | and |and | ?& ?| |零|又)", "", text).strip()


def _ends(text: str, units: dict[str, Unit]) -> list[tuple[str, Unit, Fraction]]:
    """Each unit with which the text can end: what stands before it, the unit, and a half that was said behind it."""
    half = Fraction(0)
    if text.endswith(("半", "分半钟")):
        text, half = text.removesuffix("钟")[:-1], Fraction(1, 2)
    elif added := AND_PART.fullmatch(text):
        text, half = added[1], Fraction(*PARTS[added[2]])
    found = []
    folded = text.casefold()
    close = [(name, unit) for unit in units.values() for name in unit.names if folded.endswith(name.casefold())]
    for name, unit in sorted(close, key=lambda pair: (not text.endswith(pair[0]), -len(pair[0]))):
        head = text[: len(text) - len(name)]
        if unit_named(text[len(head) :], units) != unit or (
            head[-1:].isalpha() and head[-1].isascii() and name[0].isascii()
        ):
            continue
        found.append((head.rstrip(), unit, half))
    return found


def _times(head: str, description: Description) -> Fraction | None:
    """How often the unit: a number, "a", "half an", 三个半."""
    if head.lower() in ("a", "an"):
        return Fraction(1)
    if part := PART_OF.fullmatch(head.lower().replace("-", " ")):
        return Fraction(*PARTS.get(part[1], PARTS.get(f"a {part[1].removeprefix('one ')}", (1, 2))))
    if half := re.fullmatch("(.+)个半", head):
        value = number(half[1], description)
        return None if value is None or value.denominator != 1 else value + Fraction(1, 2)
    if head.endswith("半") and head not in ("半", "一半"):
        return None
    head = head.removesuffix("个") or head
    return number(head, description)


def unbracketed(text: str, units: dict[str, Unit]) -> str:
    """``3.5 (kg)`` without the brackets; any other text as it is."""
    found = re.fullmatch(r"(.+?) ?\(([^()]+)\)", text)
    return f"{found[1]} {found[2]}" if found and unit_named(found[2], units) else text


def _without_degree(text: str) -> str:
    return re.sub(r" ?(?:°|degrees?)\Z", "", text)
