"""What of a harness's tools a certification has used, and so what it has not: a level says nothing of that."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from claw_adapter.model import tool_in
from claw_adapter.runs.transcript import Exchange

__all__ = ["ToolsTried"]

DEEPEST: Final = 4
"""Objects within objects that are looked into."""


@dataclass(slots=True)
class ToolsTried:
    """The tools that a harness has offered, and what of them replies of the model have called and given."""

    _offered: dict[str, set[str]] = field(default_factory=dict)
    """By tool, the names of its parameters and of their choices: ``path``, ``edits[].old``, ``mode=append``."""
    _given: dict[str, set[str]] = field(default_factory=dict)

    def take(self, exchanges: Iterable[Exchange]) -> None:
        """What these requests offer, and the replies to them call."""
        for one in exchanges:
            call: Any
            for tool in filter(None, map(tool_in, one.tools)):
                self._offered.setdefault(tool.name, set()).update(_parameters(tool.schema))
            reply: Any = one.reply or {}
            for call in reply.get("tool_calls") or ():
                given = self._given.setdefault(call["function"]["name"], set())
                given.update(_values(_read(call["function"].get("arguments") or "{}")))

    @property
    def never_called(self) -> tuple[str, ...]:
        """Tools of which nothing was tried."""
        return tuple(sorted(self._offered.keys() - self._given.keys()))

    @property
    def never_given(self) -> dict[str, tuple[str, ...]]:
        """Of tools that were called, the parameters that never had a value, and of the others the choices never made."""
        called = sorted(self._offered.keys() & self._given.keys())
        left = {tool: self._offered[tool] - self._given[tool] for tool in called}
        found = {
            tool: tuple(sorted(one for one in names if not names & {*_around(one)})) for tool, names in left.items()
        }
        return {tool: names for tool, names in found.items() if names}


def _parameters(schema: Mapping[str, Any], before: str = "", depth: int = 0) -> Iterator[str]:
    """Every parameter of a schema by its place, and each choice that it names; of a switch, that it is on."""
    properties = schema.get("properties")
    for name, told in properties.items() if isinstance(properties, dict) and depth < DEEPEST else ():
        place = f"{before}{name}"
        yield place
        forms = [one for one in _forms(told) if isinstance(one, dict)]
        for form in forms:
            choices = form.get("enum")
            if isinstance(choices, list) and len(choices) > 1:
                yield from (_choice(place, one) for one in choices)
            if form.get("type") == "boolean":
                yield _choice(place, True)
            yield from _parameters(form, f"{place}.", depth + 1)
            if isinstance(items := form.get("items"), dict):
                yield from _parameters(items, f"{place}[].", depth + 1)


def _around(name: str) -> Iterator[str]:
    """The parameter that a choice is of, and those that it lies in: where they were never given, it need not be named."""
    place, equals, _ = name.partition("=")
    if equals:
        yield place
    while "." in place:
        place = place.rpartition(".")[0].removesuffix("[]")
        yield place


def _forms(told: Any) -> list[Any]:
    """The forms that a parameter's value may have."""
    if not isinstance(told, dict):
        return []
    return [told, *(told.get("anyOf") or ()), *(told.get("oneOf") or ())]


def _values(arguments: Any, before: str = "") -> Iterator[str]:
    """The places of an argument's values, and those values that may be a choice; what is null or no text was not given."""
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        place = f"{before}{name}"
        if value is None or value == "":
            continue
        yield place
        if isinstance(value, dict):
            yield from _values(value, f"{place}.")
        elif isinstance(value, list):
            for item in value:
                yield from _values(item, f"{place}[].")
        else:
            yield _choice(place, value)


def _choice(place: str, value: Any) -> str:
    return f"{place}={value if isinstance(value, str) else json.dumps(value)}"


def _read(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return {}
