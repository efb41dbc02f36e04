"""What a text says of tools, as results and descriptions do: in JSON, as signatures, as lines with names and types."""

from __future__ import annotations

import json
import re
from typing import Final

from pydantic import JsonValue

from claw_adapter.model import Tool

__all__ = ["choices", "identifiers", "objects", "signatures", "tools_in"]

DEEPEST: Final = 6
MOST_BROKEN: Final = 1_000
"""Signs that begin JSON and are none, behind which no more is looked for in a text: each costs as much as the text is long."""
_OPENING: Final = re.compile(r"\{\s*[\"}]|\[\s*[\"\[\]{tfn0-9-]")
"""What a JSON object or list can begin with."""
_SIGNATURE: Final = re.compile(r"([\w.:/-]*\w)([\"'`*]*:?\s*[({])([^(){}]*)[)}]")
"""A tool inside a tool, as descriptions name them: ``fs.read {path: string}``, ``fs.read(path)``."""
_ALONE: Final = re.compile(r"\W*\w+\W*(?::.*)?")
_GIVEN: Final = ("params", "parameters", "args", "arguments", "input", "inputs", "options", "payload", "takes", "with")
"""What stands before the parameters of what the line begins with."""
_TYPES: Final = "string|str|text|number|integer|int|boolean|bool|array|list|object"
_TYPED: Final = re.compile(rf"[\"'`]?(\w+)[\"'`]?\s*(?:\((?:{_TYPES})\b[^)]*\)|:\s*(?:{_TYPES})\b)")
_NAME: Final = re.compile(r"[\W\d]*([A-Za-z][\w.:/-]*\w)")
_HEAD: Final = re.compile(r"^[\W\d]*([A-Za-z][\w./-]*\w)[\"'`*]*(?:\s*[:—–]|\s+-)\s", re.MULTILINE)
"""A name at the beginning of a line, with what is said of it behind."""
_IDENTIFIER: Final = re.compile(r"(?<![\w./-])[a-z]\w*(?:[_.:][a-z]\w*)+(?![\w/])")


def identifiers(text: str) -> list[str]:
    """Words of two parts, as tools are called."""
    return list(dict.fromkeys(_IDENTIFIER.findall(text)))


def choices(text: str) -> list[str]:
    """What a text lists to choose from: words that begin lines, in quotes, between bars, or after ``one of`` or a colon."""
    quoted = re.findall(r"[\"'`](\w+)[\"'`]", text)
    barred = re.search(r"\b\w+(?:\s*[|/]\s*\w+)+", text)
    listed = re.search(r"(?:one of|:)\W{1,3}(\w+(?:,\s*(?:or |and )?\w+|\s+or\s+\w+)+)", text, re.IGNORECASE)
    heads = _HEAD.findall(text)
    found = (
        heads
        if len(heads) > 1
        else quoted
        if len(quoted) > 1
        else re.findall(r"\w+", barred[0] if barred else listed[1] if listed else "")
    )
    return [one for one in dict.fromkeys(found) if one not in ("or", "and")]


def signatures(text: str) -> list[Tool]:
    """Tools that a text names with their parameters: in brackets, or further on in the line with a schema or with types."""
    found = []
    for line in text.splitlines():
        name, typed = _NAME.match(line), _TYPED.findall(line)
        schemas = [value for value in objects(line) if isinstance(value, dict) and "properties" in value]
        if name and schemas:
            found.append(Tool(name[1], "", schemas[0]))
            continue
        if name and typed and name[1] not in typed and not _SIGNATURE.match(line[name.start(1) :]):
            found.append(_tool(name[1], typed))
            continue
        for called, open_, inside in _SIGNATURE.findall(line):
            parts = inside.split(",")
            keys = [key[1] for part in parts if (key := re.match(r"\W*(\w+)", part))]
            if open_.endswith("(") and any(not _ALONE.fullmatch(part) for part in parts):
                continue  # words in brackets
            own = name[1] if name and called.lower() in _GIVEN else called
            found += [_tool(own, keys)] if keys else []
    return found


def _tool(name: str, keys: list[str]) -> Tool:
    properties: dict[str, JsonValue] = {key: {"type": "string"} for key in keys}
    return Tool(name, "", {"properties": properties, "required": list(properties)})


def tools_in(text: str) -> list[Tool]:
    """Tools that a result describes: JSON objects with a name, with a schema where it is told; else names, or signatures."""
    every = objects(text)
    found = [tool for value in every for tool in _tools_of(value, 0)]
    found = found or [Tool(name, "", {}) for value in every for name in _names(value, 0)] or signatures(text)
    return found or [Tool(name, "", {}) for name in _HEAD.findall(text)]


def _tools_of(value: JsonValue, depth: int) -> list[Tool]:
    if depth > DEEPEST:
        return []
    if isinstance(value, list):
        return [tool for item in value for tool in _tools_of(item, depth + 1)]
    if not isinstance(value, dict):
        return []
    name, said = value.get("name"), value.get("description")
    if isinstance(name, str) and (isinstance(said, str) or len(value) > 1):
        schema = next(
            (v for v in value.values() if isinstance(v, dict) and isinstance(v.get("properties"), dict)), None
        )
        return [Tool(name, said if isinstance(said, str) else "", schema or {})]
    return [tool for item in value.values() for tool in _tools_of(item, depth + 1)]


def _names(value: JsonValue, depth: int) -> list[str]:
    """Texts of lists."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [one for one in inside if isinstance(one, str)] if isinstance(value, list) else []
    return own + [name for one in inside if depth < DEEPEST for name in _names(one, depth + 1)]


def objects(text: str) -> list[JsonValue]:
    """The JSON objects and lists in a text, outermost ones; nothing behind very many that only begin."""
    found: list[JsonValue] = []
    at, broken, decoder = 0, 0, json.JSONDecoder()
    while broken < MOST_BROKEN and (opening := _OPENING.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            at, broken = opening.start() + 1, broken + 1
            continue
        found.append(value)
    return found
