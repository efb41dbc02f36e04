"""Parameters of a tool as plain records, whatever way their JSON Schema is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from claw_adapter.model import Tool

__all__ = ["Param", "Params", "params", "words"]


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
    return Params(
        tuple(_param(name, value if isinstance(value, dict) else {}, name in needed) for name, value in found)
    )


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
