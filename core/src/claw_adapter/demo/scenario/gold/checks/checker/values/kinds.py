"""The types: which keys each has, and how a line is read as one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from .clock import read_time
from .dates import read_date
from .durations import TIME, read_duration
from .forms import NUMBER, refuse_other_form, validate_form
from .moments import read_moment
from .money import CURRENCIES, Money, read_money
from .names import read_choice, read_names, read_person
from .quantities import own_units, read_number
from .references import read_reference
from .remarks import refuse_values, runs
from .text import Description, Refused, Unclear, clean, split_remark
from .units import unit_named
from .zones import offset

__all__ = ["KEYS", "Value", "parse", "says_another", "validate"]

Value = Fraction | Money | str | tuple[Any, ...]
"""Numbers and durations (seconds) are fractions; dates, times and moments ISO 8601; names as their description has them."""
MOST: Final = 300
MOST_OF_A_LIST: Final = 4000
MOST_BELOW: Final = 1000
"""Signs of a text below a value that are searched for another one: a second or two at worst."""
OF_NUMBERS: Final = frozenset({"number", "duration", "money"})
NUMERIC: Final = frozenset({"locale", "tolerance", "round"})
KEYS: Final[dict[str, frozenset[str]]] = {
    "number": NUMERIC | {"unit", "units", "bare", "names", "difference", "relative", "form"},
    "duration": NUMERIC | {"bare", "clock", "relative"},
    "money": NUMERIC | {"currency", "per", "relative"},
    "date": frozenset({"locale", "year", "tolerance", "form"}),
    "time": NUMERIC | {"zone", "zones", "form"},
    "moment": NUMERIC | {"zone", "zones", "year", "date", "form"},
    "person": frozenset({"people", "form"}),
    "choice": frozenset({"of"}),
    "names": frozenset({"of"}),
    "reference": frozenset({"known", "roots"}),
}
"""The keys that a description may have besides ``type`` and ``remark``."""


def _number(description: Description, text: str) -> Fraction | None:
    """A number in a unit of time may be written in any notation of a duration, too."""
    found = read_number(description, text)
    unit = TIME.get(description.get("unit", ""))
    if found is not None or unit is None or "units" in description:
        return found
    seconds = read_duration(description, text)
    return None if seconds is None else seconds / unit.factor


READERS: Final[dict[str, Callable[[Description, str], Value | None]]] = {
    "number": _number,
    "duration": read_duration,
    "money": read_money,
    "date": read_date,
    "time": read_time,
    "moment": read_moment,
    "person": read_person,
    "choice": read_choice,
    "reference": read_reference,
    "names": lambda description, text: read_names(description, text, _member),
}
EXAMPLES: Final = {
    "number": "1234.5", "duration": "3 h 30 min", "money": "1234.50 EUR", "date": "2026-03-04 or 4 March 2026",
    "time": "22:15", "moment": "2026-03-04 22:15", "person": "the full name", "choice": "one of the options",
    "names": "names with commas between them", "reference": "the path, or path#line",
}  # fmt: skip


def parse(description: Description, text: Any) -> Value | Refused:
    """The value that a line says, or why it says none.

    A number of JSON is a number: it says how many, how long or how much, or is an option that is a whole number; never a time
    or a day.

    Raises:
        ValueError: the description is not one (see `validate`).
    """
    if (reason := _of_another_kind(description, text)) is not None:
        return Refused(reason)
    line = text if isinstance(text, str) else repr(text)
    if line is not text and "locale" in description:
        description = {**description, "locale": "en"}
    if len(line) > (MOST_OF_A_LIST if description["type"] == "names" else MOST):
        return Refused("too long to be a value")
    line = clean(line)
    if not line:
        return Refused("nothing is written")
    if "\n" in line and description["type"] != "names":
        return Refused("more than one line: write the value in one")
    try:
        found = _whole(description, line)
    except Unclear as unclear:
        return Refused(str(unclear))
    return (
        Refused(f"not in a notation of this type: write {EXAMPLES[description['type']]}, alone")
        if found is None
        else found
    )


def _of_another_kind(description: Description, data: Any) -> str | None:
    """Why a scalar of JSON is none of the type, whatever it says."""
    kind = description["type"]
    example = EXAMPLES[kind]
    if isinstance(data, str):
        return "a text: write the number itself" if description.get("form") == NUMBER else None
    if isinstance(data, bool) or not isinstance(data, int | float):
        return f"no text: write {example}"
    fits = kind in OF_NUMBERS or (kind == "choice" and isinstance(data, int))
    return None if fits else f"a number: write {example}, as a text"


def _whole(description: Description, line: str) -> Value | None:
    """The whole line as a value, or a value with the same value in brackets behind it, or (if wished) with a remark."""
    read = READERS[description["type"]]
    found = read(description, line)
    refuse_other_form(description, line, found)
    if found is not None or (cut := split_remark(line)) is None:
        return found
    body, remark = clean(cut[0]), clean(cut[1])
    found = read(description, body)
    refuse_other_form(description, body, found)
    if found is None or _again(description, remark) == found:
        return found
    if not description.get("remark", False):
        raise Unclear("a remark in brackets is not read: leave it out")
    refuse_values(description, found, remark, read)
    return found


def _again(description: Description, remark: str) -> Value | None:
    """The value that the remark itself is: 180 minutes (3 h)."""
    try:
        return READERS[description["type"]](description, remark) if remark else None
    except Unclear:
        return None


def says_another(description: Description, value: str, text: str) -> bool:
    """Whether a run of words of `text` is read as another value than `value`; of options, only all between two stops.

    A word such as "no" is an option and much else besides.
    """
    found = parse(description, value)
    own: tuple[Any, ...] = found if isinstance(found, tuple) and description["type"] == "names" else (found,)
    description = description["of"] if description["type"] == "names" else description
    description = {**description, "form": ""}
    text = clean(text[:MOST_BELOW])
    parts = re.split("[,.:;!?，。：；！？、]", text) if description["type"] == "choice" else runs(text)
    read = (parse(description, part) for part in parts)
    return any(not isinstance(one, Refused) and one not in own for one in read)


def _member(description: Description, line: str) -> Value | None:
    return _whole(description, line) if 0 < len(line) <= MOST else None


def validate(description: Description) -> None:
    """Check a description once, where it is made.

    Raises:
        ValueError: with what is wrong and what is possible.
    """
    kind = description.get("type")
    if kind not in KEYS:
        raise ValueError(f"there is no type {kind!r}: it is one of {', '.join(KEYS)}")
    if unknown := set(description) - KEYS[kind] - {"type", "remark"}:
        raise ValueError(f"{kind} has no key {', '.join(sorted(unknown))}: it has {', '.join(sorted(KEYS[kind]))}")
    for name in ("tolerance", "relative", "round"):
        if Fraction(str(description.get(name, 1))) < 0 or (
            name == "round" and not Fraction(str(description.get(name, 1)))
        ):
            raise ValueError(f"{name} is to be above nought")
    for name in (description.get("zone", "Z"), *description.get("zones", {}).values()):
        offset(name)
    if "form" in description:
        validate_form(description)
    _validate_units(description)
    _validate_names(description)


def _validate_names(description: Description) -> None:
    kind = description["type"]
    key = {"person": "people", "choice": "of", "names": "of"}.get(kind)
    if key and not description.get(key):
        raise ValueError(f"{kind} needs {key}")
    if kind == "names":
        validate(description["of"])
    elif key:
        names = description[key]
        for form in (form for name in names for form in (name, *(names[name] if isinstance(names, Mapping) else ()))):
            if isinstance(found := parse({**description, "form": ""}, form), Refused):
                raise ValueError(f"{form!r} cannot be one of the names: {found}")  # noqa: TRY004 - a wrong name


def _validate_units(description: Description) -> None:
    if description["type"] == "number" and "unit" in description:
        units = own_units(description)
        if "bare" in description and unit_named(description["bare"], units) is None:
            raise ValueError(f"bare {description['bare']!r} is not one of the units {', '.join(units)}")
    elif description["type"] == "duration" and "bare" in description and unit_named(description["bare"], TIME) is None:
        raise ValueError(f"bare {description['bare']!r} is not a unit of time")
    if description.get("clock", "h:mm") not in ("h:mm", "m:ss"):
        raise ValueError("clock is h:mm or m:ss")
    if description.get("currency", "EUR") not in CURRENCIES:
        raise ValueError(f"currency is one of {', '.join(CURRENCIES)}")
