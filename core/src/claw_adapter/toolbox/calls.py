"""The forms of call that a tool's JSON Schema allows, whatever way it is written.

References, choices, constants, nesting, lists of objects, objects written as JSON text and tools inside of a tool come to the
same: each value has one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, product
from typing import Final

from pydantic import JsonValue

from claw_adapter.model import Tool
from claw_adapter.toolbox.said import choices, objects, signatures
from claw_adapter.toolbox.schema import OPERATION, VERBS, Param, Params, means

__all__ = ["variants"]

Schema = Mapping[str, JsonValue]

DEEPEST: Final = 6
MOST_VARIANTS: Final = 12


def variants(tool: Tool, inside: Sequence[Tool] = ()) -> tuple[Params, ...]:
    """The forms of a tool's call; of a tool that calls others, those of the ones that are known to be inside."""
    forms = _alternatives(dict(tool.schema), tool.schema, Param("", frozenset(), required=True), 0)
    found = [Params(_with_operations(items, tool.description), tool.name, tool.description) for items in forms]
    return tuple(chain.from_iterable(_dispatched(form, inside) for form in found))


def _with_operations(items: tuple[Param, ...], said: str) -> tuple[Param, ...]:
    """The parameters; one that chooses what the tool does with the choices of the tool's description, if it has none itself."""
    if any(item.types == {"object"} for item in items):
        return items
    return tuple(
        replace(item, enum=tuple(_operations(item, said))) if item.needs_text and item.key != "command" else item
        for item in items
    )


def _dispatched(form: Params, inside: Sequence[Tool]) -> list[Params]:
    if (pair := form.dispatches) is None:
        return [form]
    name, arguments = pair
    known = [*inside, *signatures(f"{form.description}\n{name.description}\n{arguments.description}")]
    first = {tool.name: tool for tool in reversed(known) if not name.enum or tool.name in name.enum}
    found = []
    for tool in first.values():
        chosen = replace(name, enum=(tool.name,))
        others = tuple(item for item in form.items if item not in pair)
        inside_text = (None,) if arguments.accepts("string") else ()
        place = replace(arguments, name="", at=(*arguments.at, *inside_text), required=True)
        forms = _alternatives(dict(tool.schema), tool.schema, place, 1)
        found += [Params((chosen, *others, *inner), tool.name, tool.description) for inner in forms]
    return found or [form]


def _alternatives(schema: JsonValue, root: Schema, parent: Param, depth: int) -> list[tuple[Param, ...]]:
    """The sets of parameters that a schema comes to; `parent` has its name, its place, and whether it is required."""
    known = _whole(schema, root)
    branches = [_whole(branch, root) for branch in _branches(known)]
    shapes = [branch for branch in branches if _opens(branch)]
    if depth > DEEPEST:
        return [()]
    if shapes:
        own = {key: value for key, value in known.items() if key not in ("oneOf", "anyOf")}
        plain = [branch for branch in branches if branch not in shapes and _types(branch) == ["string"]]
        return [
            items
            for branch in (*plain, *shapes)
            for items in _alternatives(_joined(own, branch), root, parent, depth + 1)
        ]
    if (inner := list(_inner(known, parent))) or "properties" in known:
        parts = [_alternatives(value, root, item, depth + 1) for value, item in inner]
        return [tuple(chain.from_iterable(part)) for part in islice(product(*parts), MOST_VARIANTS)]
    if "array" in _types(known) and _opens(_whole(known.get("items"), root)):
        return _alternatives(known.get("items"), root, replace(parent, at=(*parent.at, 0)), depth + 1)
    if not parent.at:
        return [()]
    found: list[tuple[Param, ...]] = [(_param(parent, known, branches),)]
    for example in objects(str(known.get("description") or "")) if _types(known) == ["string"] else ():
        if isinstance(example, dict) and example:
            text: JsonValue = {"type": "string"}
            properties: dict[str, JsonValue] = {key: text if isinstance(v, str) else {} for key, v in example.items()}
            inside: JsonValue = {"properties": properties, "required": list(example)}
            found += _alternatives(inside, root, replace(parent, at=(*parent.at, None)), depth + 1)
            break
    return found


def _inner(known: Schema, parent: Param) -> Iterator[tuple[JsonValue, Param]]:
    """The schemas inside of one, of an object or of a list of fixed items, each with its place."""
    properties, items, needed = known.get("properties"), known.get("prefixItems"), known.get("required")
    if isinstance(properties, dict):
        for key, value in properties.items():
            required = parent.required and isinstance(needed, list) and key in needed
            yield value, Param(key, frozenset(), required, at=(*parent.at, key))
    elif isinstance(items, list):
        for number, value in enumerate(items):
            yield value, Param(str(number), frozenset(), parent.required, at=(*parent.at, number))


def _opens(schema: Schema) -> bool:
    """Whether a schema has places inside."""
    items = schema.get("items")
    return "properties" in schema or (isinstance(items, dict) and ("properties" in items or "$ref" in items))


def _whole(schema: JsonValue, root: Schema) -> Schema:
    """A schema with what it refers to in the same document, and with the parts that all hold."""
    known = schema if isinstance(schema, dict) else {}
    for _ in range(DEEPEST):
        place = known.get("$ref")
        if not isinstance(place, str):
            break
        found: JsonValue = dict(root)
        for key in place.removeprefix("#").strip("/").split("/") if place != "#" else ():
            found = found.get(key) if isinstance(found, dict) else None
        rest = {key: value for key, value in known.items() if key != "$ref"}
        known = {**found, **rest} if isinstance(found, dict) else rest
    whole: Schema = {key: value for key, value in known.items() if key != "allOf"}
    parts = known.get("allOf")
    for part in parts if isinstance(parts, list) else ():
        whole = _joined(whole, _whole(part, root))
    return whole


def _joined(one: Schema, other: Schema) -> dict[str, JsonValue]:
    """Two schemas that both hold."""
    joined = {**one, **other}
    for key in ("properties", "required"):
        a, b = one.get(key), other.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            joined[key] = {**a, **b}
        elif isinstance(a, list) and isinstance(b, list):
            joined[key] = [*a, *b]
    return joined


def _param(parent: Param, schema: Schema, branches: Sequence[Schema]) -> Param:
    every = [schema, *branches]
    enums = [value for branch in every if isinstance(value := branch.get("enum"), list)]
    constants = [[branch["const"]] for branch in every if "const" in branch]
    types = {kind for branch in every for kind in _types(branch)}
    items = next((value for branch in every if isinstance(value := branch.get("items"), dict)), {})
    return replace(
        parent,
        types=frozenset(types) - {"null"},
        enum=tuple(value for values in (*enums, *constants) for value in values if value is not None)
        or tuple(_operations(parent, str(schema.get("description") or ""))),
        default=schema.get("default"),
        minimum=_number(every, "minimum"),
        maximum=_number(every, "maximum"),
        description=str(schema.get("description") or ""),
        nullable="null" in types,
        example=next(
            (value[0] for branch in every if isinstance(value := branch.get("examples"), list) and value), None
        ),
        longest=int(_number(every, "maxLength") or 0),
        mapped=_types(_object(schema.get("additionalProperties"))) == ["string"],
        encoded=any(branch.get("contentEncoding") == "base64" for branch in every),
        texts=_types(items) == ["string"] or ("array" in types and not _types(items)),
    )


def _operations(item: Param, said: str) -> list[str]:
    """What of the choices in a description is known, for a parameter that may choose what a tool does."""
    may = item.key in OPERATION and (item.key != "command" or "one of" in said.lower())
    found = choices(said) if may else []
    return [one for one in found if any(means(one, verb) for verb in VERBS)]


def _branches(schema: Schema) -> list[JsonValue]:
    lists = [value for word in ("anyOf", "oneOf") if isinstance(value := schema.get(word), list)]
    return [branch for values in lists for branch in values if isinstance(branch, dict)]


def _object(value: JsonValue) -> Schema:
    return value if isinstance(value, dict) else {}


def _types(schema: Schema) -> list[str]:
    kind = schema.get("type")
    return [str(item) for item in kind] if isinstance(kind, list) else [str(kind)] if kind else []


def _number(branches: Iterable[Schema], word: str) -> float | None:
    return next((float(v) for branch in branches if isinstance(v := branch.get(word), int | float)), None)
