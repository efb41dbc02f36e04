"""``NAME:key=value,key=value``: how a plugin and its options are written on a command line, everywhere in the same way."""

from __future__ import annotations

import json
from typing import NamedTuple

from pydantic import JsonValue

__all__ = ["Named", "named", "value"]


class Named(NamedTuple):
    """A name and its options; `words` tell one setting from another in a label."""

    name: str
    options: dict[str, JsonValue]
    words: tuple[str, ...]


def named(text: str) -> Named:
    """Read ``NAME`` or ``NAME:key=value,…``.

    Raises:
        ValueError: something after the colon is not ``key=value``.
    """
    name, colon, rest = text.partition(":")
    pairs = [pair.partition("=") for pair in rest.split(",")] if colon else []
    if any(not key or not equals for key, equals, _ in pairs):
        raise ValueError(f"{text!r}: options are written NAME:key=value,key=value")
    options = {key: value(said) for key, _, said in pairs}
    words = tuple(said if isinstance(options[key], str) else f"{key}-{said}" for key, _, said in pairs)
    return Named(name, options, words)


def value(text: str) -> JsonValue:
    """What is JSON is read as that (``true``, ``3``, ``0.5``, ``["a", "b"]``), anything else is text."""
    try:
        found: JsonValue = json.loads(text, parse_constant=str)
    except ValueError:
        return text
    return found
