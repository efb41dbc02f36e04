"""Whether a value is the expected one: exactly, within a tolerance, or rounded."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import Any

from .kinds import Value, parse
from .money import Money
from .text import Description, Refused

__all__ = ["as_json", "as_value", "same"]

DAY = 86400


def same(description: Description, expected: Any, value: Value | Refused) -> bool:
    """Whether `value`, which `parse` gave, is what is expected: a value, its form in JSON, or a text in any notation.

    Raises:
        ValueError: what is expected is no value of the type.
    """
    if isinstance(value, Refused):
        return False
    return bool(_compare(description, as_value(description, expected), value))


def _compare(description: Description, wanted: Any, value: Any) -> bool:
    kind = description["type"]
    if kind in ("number", "duration"):
        return _close(description, wanted, value)
    if kind == "money":
        return bool(wanted.currency == value.currency) and _close(description, wanted.amount, value.amount)
    if kind == "date":
        away = abs(date.fromisoformat(wanted) - date.fromisoformat(value)).days
        return away <= int(description.get("tolerance", 0))
    if kind in ("time", "moment"):
        first, second = (_seconds(f"2000-01-01T{one}" if kind == "time" else one) for one in (wanted, value))
        return any(_close(description, first, second + turn * DAY) for turn in ((-1, 0, 1) if kind == "time" else (0,)))
    if kind == "reference" and "#" not in wanted:
        return bool(wanted == value.partition("#")[0])
    return bool(wanted == value)


def as_json(value: Value) -> Any:
    """A value as JSON that `same` takes back: numbers as 3, "3.5" or "7/3", money as amount and code, names as a list."""
    if isinstance(value, Fraction):
        places = next((n for n in range(13) if (value * 10**n).denominator == 1), 13)
        whole, part = divmod(abs(int(value * 10**places)), 10**places)
        sign = "-" if value < 0 else ""
        return int(value) if not places else str(value) if places > 12 else f"{sign}{whole}.{part:0{places}d}"
    if isinstance(value, Money):
        return [as_json(value.amount), value.currency]
    return [as_json(one) for one in value] if isinstance(value, tuple) else value


def as_value(description: Description, expected: Any) -> Any:
    """The value itself, of a value, its form in JSON, or a text in any notation.

    Raises:
        ValueError: it is no value of the type.
    """
    kind = description["type"]
    if isinstance(expected, Fraction | Money | tuple):
        return expected
    if kind in ("number", "duration") and not isinstance(expected, bool):
        try:
            return Fraction(str(expected))
        except ValueError:
            pass  # a notation, which is read below
    if kind == "money" and isinstance(expected, list):
        return Money(Fraction(str(expected[0])), expected[1])
    if kind == "names" and isinstance(expected, list):
        return tuple(sorted(as_value(description["of"], one) for one in expected))
    found = parse({**description, "form": ""}, expected)
    if isinstance(found, Refused):
        raise ValueError(f"{expected!r} is expected, which is no {kind}: {found}")  # noqa: TRY004 - a wrong value
    return found


def _seconds(text: str) -> Fraction:
    """Seconds since the year began to be counted; of moments with a zone, in UTC."""
    whole, _, part = text.partition(".")
    digits = part[: next((at for at, sign in enumerate(part) if not sign.isdigit()), len(part))]
    moment = datetime.fromisoformat(whole + part[len(digits) :])
    since = moment - datetime.min.replace(tzinfo=moment.tzinfo)
    shift = moment.utcoffset()
    seconds = since.days * DAY + since.seconds - (shift.total_seconds() if shift else 0)
    return Fraction(int(seconds)) + (Fraction(f"0.{digits}") if digits else 0)


def _close(description: Description, wanted: Any, value: Any) -> bool:
    """Equal; or within a tolerance; or rounded to `round` or more exactly, where a tie may go either way."""
    away = abs(wanted - value)
    if away <= Fraction(str(description.get("tolerance", 0))):
        return True
    if away <= abs(wanted) * Fraction(str(description.get("relative", 0))):
        return True
    if "round" not in description:
        return False
    step = Fraction(str(description["round"]))
    clock = description["type"] in ("duration", "time", "moment")
    steps = [step, *(Fraction(other) for other in (3600, 60, 1) if clock and other < step)]
    steps += [steps[-1] / 10**power for power in range(1, 7)]
    return any((value / one).denominator == 1 and away <= one / 2 for one in steps)
