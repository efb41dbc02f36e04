"""How an agent calls its files: what stands before a path, which sign parts it, what a listing calls a file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from pydantic import JsonValue

from claw_adapter.toolbox.said import objects

__all__ = ["Style", "called", "fields", "leaves", "loose", "styled", "styles_in", "styles_of"]

Style = tuple[str, str]
"""What stands before a path that is relative to the workspace, and what parts its pieces."""

MOST_STYLES: Final = 4
DEEPEST: Final = 8
LONGEST: Final = 120
_TOKEN: Final = re.compile(r"[^\s\"'`,;()<>\[\]{}|*]+")
_SCHEME: Final = re.compile(r"[a-z][\w+.-]*://")
_PLAIN: Final = re.compile(r"\w[\w. -]*")
_NUMBER: Final = re.compile(r"(?<![\w.:-])[\w.:-]*\d[\w.:-]*")


def styled(style: Style, path: str, whole: str = "") -> str:
    """A path in a style; after a bare scheme comes the `whole` one."""
    before, between = style
    return before + (whole if whole and before.endswith("://") else path).replace("/", between)


def styles_in(said: str, echoed: Collection[str] = ()) -> list[Style]:
    """Styles of the paths that a text gives as examples; what is `echoed` is none.

    The beginning of a relative path is no style: it goes without saying.
    """
    found: list[Style] = []
    for token in map(_trimmed, _TOKEN.findall(said)):
        if any(token in one or one in token for one in echoed if one):
            continue
        between = "\\" if "\\" in token and "/" not in token else "/"
        scheme = _SCHEME.match(token)
        head = scheme[0] if scheme else ""
        first, *rest = token.removeprefix(head).split(between)
        if head.startswith("http") or (not head and (not rest or _PLAIN.fullmatch(first))):
            continue
        folders = rest if rest and "." not in rest[-1] else rest[:-1]
        begun = [f"{head}{between.join([first, *folders[:n]])}{between}" for n in range(len(folders) + 1)]
        begun = begun[-1:] + begun[:-1] if folders == rest else begun  # all of what names a folder comes first
        begun = [one for one in (head, *begun) if one.strip("/") or one == head != ""]
        whole = [token] if token.endswith(between) else []
        found += [(one.replace(2 * between, between) if not head else one, between) for one in (*whole, *begun) if one]
    return list(dict.fromkeys(found))[:MOST_STYLES]


def _trimmed(token: str) -> str:
    return token.rstrip(".:!?")


def styles_of(path: str, text: str) -> list[Style]:
    """Styles in which a text names a certain file."""
    found = []
    for token in {one.replace("\\\\", "\\") for one in _TOKEN.findall(text)}:
        between = "\\" if "\\" in token else "/"
        if len(token) < LONGEST and token.replace("\\", "/").endswith(path):
            style = token[: -len(path)], between
            found += [style] if style != ("", "/") and not (style[0] and _PLAIN.fullmatch(style[0][-1])) else []
    return list(dict.fromkeys(found))


def called(path: str, text: str) -> list[str]:
    """What a listing calls a file: the other values of the JSON object that names it, or words with a number in the line."""
    found = [str(value) for entry, known in _entries(path, text) for key, value in entry.items() if key not in known]
    for line in text.splitlines() if not found else ():
        if re.search(rf"(?<![\w.-]){re.escape(path)}(?![\w-])", line):
            found += [word.strip(".:-") for word in _NUMBER.findall(line.replace(path, " "))]
    return list(dict.fromkeys(found))


def fields(path: str, text: str) -> dict[str, str]:
    """Under which names a listing gives a file's ``path``, or its ``name`` and ``folder``."""
    return {key: role for _, known in _entries(path, text) for key, role in known.items()}


def _entries(path: str, text: str) -> Iterator[tuple[dict[str, JsonValue], dict[str, str]]]:
    """The objects of a text's JSON that name a file, with the keys that do."""
    folder, _, name = path.rpartition("/")
    for entry in (one for value in objects(text) for one in _within(value, 0)):
        own: dict[str, JsonValue] = {
            key: one for key, one in entry.items() if isinstance(one, str | int) and not isinstance(one, bool)
        }
        whole = {key: "path" for key, one in own.items() if str(one).removeprefix("./").endswith(path)}
        parts = {key: "name" for key, one in own.items() if one == name}
        parts |= {key: "folder" for key, one in own.items() if key not in parts and str(one).strip("./") == folder}
        if whole or len(parts) == 2:
            yield own, whole or parts


def _within(value: JsonValue, depth: int) -> Iterator[dict[str, JsonValue]]:
    if isinstance(value, dict):
        yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inside if depth < DEEPEST else ():
        yield from _within(one, depth + 1)


def loose(text: str) -> list[str]:
    """Values that a result gives, under whatever name: those of its JSON, else its words with a number."""
    found = [leaf for leaf in leaves(text) if len(leaf) < LONGEST]
    return list(dict.fromkeys(found or [word.strip(".:-") for word in _NUMBER.findall(text)]))


def leaves(text: str) -> list[str]:
    """The single values of a text's JSON."""
    return [leaf for entry in objects(text) for leaf in _leaves(entry, 0)]


def _leaves(value: JsonValue, depth: int) -> Iterator[str]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)
    for one in inside if depth < DEEPEST else ():
        yield from _leaves(one, depth + 1)
