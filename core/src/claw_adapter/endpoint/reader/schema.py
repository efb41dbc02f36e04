"""Parameters of a tool as plain records, whatever way their JSON Schema is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from claw_adapter.model import Tool

__all__ = ["PAGE_SIZE", "Param", "Params", "params", "words"]

PAGE_SIZE: Final = ("limit", "maxlines", "length", "endline", "end", "lines", "numlines", "count", "maxentries")
"""Keys of parameters that say how much is shown at once."""
_NEGATED: Final = re.compile(r"\b(?:not|no|never|don't|cannot|isn't|aren't|instead of|rather than)\b")


def words(name: str) -> tuple[str, ...]:
    """The words of an identifier in camel, snake or kebab case, lower-cased."""
    return tuple(re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).replace("_", " ").replace("-", " ").lower().split())


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter; `types` are JSON Schema type names, empty when the schema does not say."""

    name: str
    types: frozenset[str]
    required: bool
    enum: tuple[JsonValue, ...] = ()
    default: JsonValue = None
    minimum: float | None = None
    maximum: float | None = None
    description: str = ""

    @property
    def key(self) -> str:
        """The name without case and separators: ``filePath``, ``file_path`` and ``file-path`` are one."""
        return "".join(words(self.name))

    def accepts(self, kind: str) -> bool:
        """Whether a value of a JSON Schema type may be given."""
        return not self.types or kind in self.types or (kind == "integer" and "number" in self.types)

    @property
    def text_only(self) -> bool:
        """Whether it is a free text."""
        return self.types == {"string"} and not self.enum

    @property
    def absolute(self) -> bool:
        """Whether its description wants a path from the root on, and leaves no choice."""
        clauses = re.split(r"[.;:(),\n]+", self.description.lower())
        wanted = any("absolute" in c and not _NEGATED.search(c.partition("absolute")[0]) for c in clauses)
        allowed = any(
            "relative" in c and not _NEGATED.search(c.split("relative")[0][-25:] + c.split("relative")[1])
            for c in clauses
        )
        return (wanted or self.key.startswith("absolute") or "start with '/'" in self.description) and not allowed

    def filler(self) -> JsonValue:
        """A value that the schema allows, for a parameter that means nothing to the reader."""
        if self.default is not None:
            return self.default
        if self.enum:
            return self.enum[0]
        if self.accepts("string"):
            return "needed for the question at hand"
        if self.accepts("integer"):
            low, high = self.minimum, self.maximum
            wide = self.key in PAGE_SIZE or "timeout" in self.key
            return int(high or max(low or 0, 1000)) if wide else int(low if low is not None else 1)
        fillers: dict[str, JsonValue] = {"boolean": False, "array": [], "object": {}}
        return next((value for kind, value in fillers.items() if self.accepts(kind)), None)


@dataclass(frozen=True, slots=True)
class Params:
    """The parameters of one tool."""

    items: tuple[Param, ...]

    def one_of(self, keys: Iterable[str], kind: str) -> Param | None:
        """The first parameter with one of these keys (in the order of the keys) that accepts a type; required ones first."""
        ranked = [
            (not item.required, rank, position)
            for rank, key in enumerate(keys)
            for position, item in enumerate(self.items)
            if item.key == key and item.accepts(kind)
        ]
        return self.items[min(ranked)[2]] if ranked else None

    def described(self, pattern: re.Pattern[str]) -> Param | None:
        """The required text of which alone the description fits, where no name says what it is for."""
        fitting = [item for item in self.items if item.required and item.text_only and pattern.search(item.description)]
        return fitting[0] if len(fitting) == 1 else None

    def has(self, keys: Iterable[str]) -> bool:
        """Whether any parameter has one of these keys."""
        wanted = set(keys)
        return any(item.key in wanted for item in self.items)


def params(tool: Tool) -> Params:
    """The parameters of a tool."""
    properties = tool.schema.get("properties")
    required = tool.schema.get("required")
    needed = set(map(str, required)) if isinstance(required, list) else set()
    found = properties.items() if isinstance(properties, dict) else ()
    return Params(tuple(_param(name, _resolved(value, tool.schema), name in needed) for name, value in found))


def _resolved(schema: JsonValue, root: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """A parameter's schema, with what it refers to in the same document."""
    known = schema if isinstance(schema, dict) else {}
    place = known.get("$ref")
    if not isinstance(place, str):
        return known
    found: JsonValue = dict(root)
    for part in place.removeprefix("#/").split("/"):
        found = found.get(part) if isinstance(found, dict) else None
    return {**found, **known} if isinstance(found, dict) else known


def _param(name: str, schema: Mapping[str, JsonValue], required: bool) -> Param:
    branches = [schema, *_branches(schema)]
    enums = [value for branch in branches if isinstance(value := branch.get("enum"), list)]
    return Param(
        name=name,
        types=frozenset(kind for branch in branches for kind in _types(branch)) - {"null"},
        required=required,
        enum=tuple(value for values in enums for value in values),
        default=schema.get("default"),
        minimum=_number(branches, "minimum"),
        maximum=_number(branches, "maximum"),
        description=str(schema.get("description") or ""),
    )


def _branches(schema: Mapping[str, JsonValue]) -> list[Mapping[str, JsonValue]]:
    lists = [value for word in ("anyOf", "oneOf", "allOf") if isinstance(value := schema.get(word), list)]
    return [branch for values in lists for branch in values if isinstance(branch, dict)]


def _types(schema: Mapping[str, JsonValue]) -> list[str]:
    kind = schema.get("type")
    return [str(item) for item in kind] if isinstance(kind, list) else [str(kind)] if kind else []


def _number(branches: Iterable[Mapping[str, JsonValue]], word: str) -> float | None:
    return next((float(v) for branch in branches if isinstance(v := branch.get(word), int | float)), None)
