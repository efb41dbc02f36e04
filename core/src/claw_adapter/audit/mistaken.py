"""Readings of what is not there that are answered with something else."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

from claw_adapter.audit.results import lines_in, lines_of_text, whole_in

__all__ = ["mistaken"]

KEYS: Final = ("path", "file", "name", "uri", "target")
"""Words in the names of arguments that say what is to be read."""
ENOUGH: Final = 40
"""Characters of a file by which it is known in a result."""
GLOB: Final = frozenset("*?[{")


def mistaken(arguments: Mapping[str, object], flat: str, *worlds: Mapping[str, str]) -> tuple[str, str] | None:
    """The path that was asked for and the file that a result is instead; None if it is none, or may well be that one.

    A path may be written from another folder on, so that of two paths one may end with the other; a folder, or a pattern, may
    stand for many files.
    """
    named = [
        value for key, value in arguments.items() if isinstance(value, str) and any(k in key.lower() for k in KEYS)
    ]
    if len(named) != 1 or not named[0].strip() or GLOB & set(named[0]):
        return None
    asked = _plain(named[0])
    for files in worlds:
        paths = list(map(_plain, files))
        if any(f"/{path}/".startswith(f"/{asked}/") or _same(asked, path) for path in paths):
            return None
        for path, text in files.items():
            known = sum(map(len, lines_of_text(text)))
            if known >= ENOUGH and lines_in(text, flat) and whole_in(text, flat):
                return named[0], path
    return None


def _plain(path: str) -> str:
    path = unicodedata.normalize("NFC", path.replace("\\", "/")).removeprefix("file://").removeprefix("@")
    return path.removeprefix("~").removeprefix("./").strip("/")


def _same(one: str, other: str) -> bool:
    return f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")
