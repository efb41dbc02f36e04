"""``NAME:key=value,key=value``: how a plugin and its options are written, on a command line and in an experiment file.

A value that begins with ``[``, ``{`` or ``"`` is JSON, and commas inside belong to it: ``acp:command=["my-agent","--acp"]``.
Of the others, what can be read as JSON is (``true``, ``3``, ``0.5``, ``null``), and the rest is text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

__all__ = ["Named", "parse_named", "render_named", "stacked", "value"]

FORM: Final = """options are written NAME:key=value,key=value, and lists as JSON: NAME:key=["a","b"]"""
BEGINS_JSON: Final = ("[", "{", '"')
_DECODER: Final = json.JSONDecoder(parse_constant=str)


class Named(NamedTuple):
    """A name and its options; `words` tell one setting from another in a label."""

    name: str
    options: dict[str, JsonValue]
    words: tuple[str, ...]


def parse_named(text: str) -> Named:
    """Read ``NAME`` or ``NAME:key=value,…``.

    Raises:
        ValueError: something after the colon is not ``key=value``, or a value is not the JSON that it begins as.
    """
    name, colon, rest = text.partition(":")
    pairs = list(_pairs(rest)) if colon else []
    words = tuple(found if isinstance(found, str) else f"{key}-{typed}" for key, typed, found in pairs)
    return Named(name, {key: found for key, _, found in pairs}, words)


def stacked(name: str) -> tuple[str, tuple[str, ...]]:
    """The harness and the overlays that ``NAME+OVERLAY+…`` names."""
    harness, *overlays = name.split("+")
    return harness, tuple(overlays)


def render_named(name: str, options: Mapping[str, JsonValue], overlays: Sequence[str] = ()) -> str:
    """The text that `parse_named` reads as these, and `stacked` its name."""
    name = "+".join((name, *overlays))
    said = ",".join(f"{key}={_rendered(found)}" for key, found in options.items())
    return f"{name}:{said}" if said else name


def value(text: str) -> JsonValue:
    """A value that stands alone.

    Raises:
        ValueError: it begins as JSON and is not.
    """
    if text.startswith(BEGINS_JSON):
        found, rest = _json(text)
        if rest:
            raise ValueError(f"{rest!r} follows the JSON value in {text!r}")
        return found
    return _plain(text)


def _pairs(rest: str) -> Iterator[tuple[str, str, JsonValue]]:
    """Each option: its key, the value as it was typed, and the value."""
    more = ","
    while more:
        key, equals, rest = rest.partition("=")
        if not key or not equals or "," in key:
            raise ValueError(f"{key.partition(',')[0]!r} is not key=value; {FORM}")
        if rest.startswith(BEGINS_JSON):
            found, left = _json(rest)
            typed = rest[: len(rest) - len(left)]
            if left and not left.startswith(","):
                raise ValueError(f"{key}: a comma is missing between {typed} and {left!r}; {FORM}")
            more, rest = left[:1], left[1:]
        else:
            typed, more, rest = rest.partition(",")
            found = _plain(typed)
        yield key, typed, found


def _rendered(found: JsonValue) -> str:
    plain = isinstance(found, str) and "," not in found and not found.startswith(BEGINS_JSON) and _plain(found) == found
    return str(found) if plain else json.dumps(found, ensure_ascii=False)


def _json(text: str) -> tuple[JsonValue, str]:
    """The JSON value that `text` begins with, and what follows it."""
    try:
        found, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{text!r} is not JSON: {error.msg} at character {error.pos + 1}; {FORM}") from None
    return found, text[end:]


def _plain(text: str) -> JsonValue:
    try:
        found: JsonValue = _DECODER.decode(text)
    except ValueError:
        return text
    return found
