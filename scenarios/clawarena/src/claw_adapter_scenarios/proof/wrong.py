"""Wrong values of a field, derived from its type: by kind of mistake, each as a text that somebody might write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, Final

from claw_adapter import values
from claw_adapter_scenarios.compiler.typing import expected_text

__all__ = ["Wrong", "wrong_values"]

Wrong = tuple[str, str]
"""Kind of mistake, and the text."""
UNITS: Final = ("kg", "h", "s", "%", "km", "EUR")
HEDGES: Final = {
    "en": (
        "about {x}",
        "{x}?",
        "{x} or {y}",
        "{x}-{y}",
        "probably {x}",
        "{x} or so",
        "{x} (or {y})",
        "{x}, maybe {y}",
        "{x}…",
    ),
    "zh": ("约{x}", "{x}？", "{x}或{y}", "{x}～{y}", "可能是{x}", "{x}左右", "{x}（或{y}）", "大概{x}", "{x}不到"),  # noqa: RUF001
}
DENIALS: Final = {
    "en": ("not {x}", "~~{x}~~", "{x} (wrong)", "not {x} but {y}", "anything but {x}", "{x} is false", "~~{x}~~ {y}"),
    "zh": ("不是{x}", "~~{x}~~", "{x}（不对）", "并非{x}，而是{y}", "绝非{x}", "{x}是错的", "~~{x}~~{y}"),  # noqa: RUF001
}


def wrong_values(wanted: Mapping[str, Any], known: Sequence[str], language: str) -> Iterator[Wrong]:
    """Every wrong value of a field.

    Args:
        wanted: what the check expects of it.
        known: what can be named as a source.
        language: ``en`` or ``zh``.
    """
    if "cites" in wanted:
        yield from _sources(wanted, known)
        return
    if "flag" in wanted:
        return
    right = expected_text(wanted, language)
    yield from _other_forms(dict(wanted["as"]), wanted["value"], language)
    others = [*_others(dict(wanted["as"]), wanted["value"], language)]
    yield from others
    for old in wanted.get("stale", ()):
        yield "stale", expected_text({**wanted, "value": old}, language)
    other = next((text for _, text in others), "unknown")
    for hedge in HEDGES[language]:
        yield "hedge", hedge.format(x=right, y=other)
    for denial in DENIALS[language]:
        yield "negate", denial.format(x=right, y=other)
    yield "dump", ", ".join([right, *(text for _, text in others)])
    yield "none", "unknown"
    yield "none", "TBD"


def _other_forms(description: dict[str, Any], value: Any, language: str) -> Iterator[Wrong]:
    """The right value in the notations that a demanded form leaves out."""
    if description.get("form"):
        allowed = {values.clean(text) for text in values.renderings(description, value, language).values()}
        for text in values.renderings({**description, "form": ""}, value, language).values():
            if values.clean(text) not in allowed:
                yield "form", text


def _sources(wanted: Mapping[str, Any], known: Sequence[str]) -> Iterator[Wrong]:
    right = [group[0] for group in wanted["cites"]]
    fine = {name for group in wanted["cites"] for name in group}.union(wanted["may"])
    other = [name for name in known if name not in fine]
    for at in range(len(right)):
        yield "missing", ", ".join([*right[:at], *right[at + 1 :]])
        for name in other[:3]:
            yield "option", ", ".join([*right[:at], name, *right[at + 1 :]])
    if other:
        yield "dump", ", ".join(known)
        yield "option", ", ".join([*right, other[0]])
    yield "negate", f"not {', '.join(right)}"
    yield "hedge", f"perhaps {', '.join(right)}"
    yield "hedge", " or ".join([*right, *other[:1], "something else"])


def _others(description: dict[str, Any], value: Any, language: str) -> Iterator[Wrong]:
    kind = description["type"]
    if kind in ("number", "duration", "money"):
        yield from _numbers(description, value, language)
    elif kind in ("time", "moment", "date"):
        yield from _moments(kind, str(value))
    elif kind == "names":
        members = list(value)
        for at in range(len(members)):
            yield "missing", ", ".join(map(str, [*members[:at], *members[at + 1 :]])) or "none"
        for _, text in _others(description["of"], members[0], language):
            yield "option", ", ".join([text, *map(str, members[1:])])
    else:
        options = description.get("people") or description.get("of") or description.get("known") or ()
        for option in options:
            if option != value:
                yield ("person" if kind == "person" else "option"), str(option)
        yield "none", "somebody" if kind == "person" else "something else"


def _numbers(description: dict[str, Any], value: Any, language: str) -> Iterator[Wrong]:
    kind = description["type"]
    number = Fraction(str(value[0] if kind == "money" else value))
    scale = _scale(description)
    step = max(
        scale, 3 * Fraction(str(description.get("tolerance", 0))), 2 * Fraction(str(description.get("round", 0)))
    )
    step = max(step, 3 * abs(number) * Fraction(str(description.get("relative", 0))))

    def text(changed: Fraction) -> str:
        whole = [float(changed), value[1]] if kind == "money" else float(changed)
        ways = values.renderings({**description, "tolerance": 0}, values_form(whole, kind), language)
        return next(iter(ways.values()), f"{float(changed):g}")

    yield "off by one", text(number + step)
    yield "off by one", text(number - step)
    if number:
        yield "a quarter", text(number * Fraction(5, 4))
        yield "a quarter", text(number * Fraction(3, 4))
        yield "ten times", text(number * 10 if abs(number * 9) > step else number + 10 * step)
        yield "ten times", text(number / 10 if abs(number * Fraction(9, 10)) > step else number - 10 * step)
        yield "sign", text(-number)
    digits = re.sub(r"\s*%\Z", "", expected_text({"as": description, "value": value}, language).split()[0])
    for unit in UNITS:
        found = values.parse(description, f"{digits} {unit}")
        if isinstance(found, values.Refused) or not values.same(description, value, found):
            yield "unit", f"{digits} {unit}"


def values_form(value: Any, kind: str) -> Any:
    """A number in the form in JSON that core takes: with ten decimals."""
    return [f"{value[0]:.10f}", value[1]] if kind == "money" else f"{value:.10f}"


def _scale(description: Mapping[str, Any]) -> Fraction:
    """One of what is counted: a minute of a duration."""
    if description["type"] != "duration":
        return Fraction(1)
    one = values.parse({"type": "duration"}, f"1 {description.get('bare', 'min')}")
    return one if isinstance(one, Fraction) else Fraction(60)


def _moments(kind: str, value: str) -> Iterator[Wrong]:
    at = datetime.fromisoformat(f"2000-01-02T{value[:5]}" if kind == "time" else value[:16])
    pattern = {"time": "%H:%M", "moment": "%Y-%m-%d %H:%M", "date": "%Y-%m-%d"}[kind]
    moved = {"off by one": timedelta(minutes=1), "an hour": timedelta(hours=1), "half a day": timedelta(hours=12)}
    if kind == "date":
        moved = {"off by one": timedelta(days=1), "a week": timedelta(days=7), "a year": timedelta(days=365)}
    if kind == "moment":
        moved["a day"] = timedelta(days=1)
    for name, by in moved.items():
        for changed in (at + by, at - by):
            yield name, changed.strftime(pattern)
    if kind == "moment":
        yield "half of it", f"{at:%H:%M}"
        yield "half of it", date.isoformat(at)
