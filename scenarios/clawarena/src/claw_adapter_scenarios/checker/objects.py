"""An artefact of JSON: the fields of an object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from .faults import Faults, Unreadable
from .typed import Known, judge, read
from .values import Money, Refused, same

__all__ = ["check_json", "elsewhere", "has_field", "read_object"]

ABSENT = object()


def read_object(text: str) -> dict[str, Any]:
    """The object, in which no key stands twice and every number is one.

    Raises:
        Unreadable: it is none.
    """
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except ValueError as error:
        raise Unreadable("format", f"no JSON: {error}") from None
    except RecursionError:
        raise Unreadable("format", "nested too deeply") from None
    if not isinstance(data, dict):
        raise Unreadable("format", "no JSON object")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError("a key stands twice")
    return data


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def check_json(rule: Mapping[str, Any], data: dict[str, Any], loaded: Mapping[str, Any], known: Known) -> Faults:
    """Every field as expected; no other ones where the rule is strict."""
    for name, wanted in rule["fields"].items():
        value = _at(data, name)
        if value is ABSENT:
            yield name, "missing", "there is no such field"
        elif "same_as" in wanted:
            yield from _agrees(name, wanted, value, loaded)
        elif isinstance(value, list) != _is_set(wanted):
            yield name, "schema", "is no list" if _is_set(wanted) else "is a list"
        elif (fault := judge(wanted, value, known)) is not None:
            yield name, *fault
    if rule.get("strict"):
        for name in sorted(set(_paths(data)) - set(rule["fields"])):
            yield name, "schema", "was not asked for"


def has_field(rule: Mapping[str, Any], text: object) -> bool:
    """Whether a text is an object with one of the fields that were asked for."""
    try:
        data = read_object(text) if isinstance(text, str) else {}
    except Unreadable:
        return False
    return any(_at(data, name) is not ABSENT for name in rule["fields"])


def _is_set(wanted: Mapping[str, Any]) -> bool:
    return "cites" in wanted or wanted.get("as", {}).get("type") == "names"


def _paths(data: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Dotted names of the leaves."""
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value:
            yield from _paths(value, f"{name}.")
        else:
            yield name


def _at(data: Any, name: str) -> Any:
    for part in name.split("."):
        if not isinstance(data, dict) or part not in data:
            return ABSENT
        data = data[part]
    return data


def _agrees(name: str, wanted: Mapping[str, Any], value: Any, loaded: Mapping[str, Any]) -> Faults:
    """Another artefact says the same."""
    description = wanted["as"]
    try:
        other = elsewhere(wanted["same_as"], loaded, wanted["there"])
    except (KeyError, TypeError, ValueError):
        yield name, "fact", f"there is no number in {wanted['same_as']} to agree with"
        return
    found = read(description, value)
    if isinstance(found, Refused):
        yield name, "format", found.reason
    elif not same(description, str(other), found):
        yield name, "fact", f"does not agree with {wanted['same_as']}"


def elsewhere(place: str, loaded: Mapping[str, Any], description: dict[str, Any]) -> float:
    """``file#field`` of another artefact, or ``file#sum:column`` of a table; `description` says how each value is read there.

    Raises:
        KeyError, TypeError, ValueError: there is no number.
    """
    path, _, name = place.partition("#")
    found = [row[name[4:]] for row in loaded[path]] if name.startswith("sum:") else [_at(loaded[path], name)]
    return round(float(sum(_amount(read(description, one)) for one in found)), 9)


def _amount(value: Any) -> Fraction:
    return value.amount if isinstance(value, Money) else Fraction(value)
