"""JSON from a program of another: read without trust, reached into by path."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import AdapterError, HarnessProtocolError
from claw_adapter.reading import parse_json, read_text, why

__all__ = ["at", "check_path", "last_line", "parsed", "put", "read_file", "refuse_links"]

SHOWN: Final = 200
_OTHER: Final = re.compile(r"\[[^]]*\]|^\$|^/|^\.|\.\.|\.$")
"""Marks of JSONPath and JSON Pointer, and a step without a name."""


def at(value: Any, path: str) -> Any:
    """What stands at a path such as ``choices.0.text`` (``-1`` is the last of a list, "" the value itself); None if nothing."""
    for step in filter(None, path.split(".")):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (LookupError, TypeError, ValueError):
            return None
    return value


def check_path(path: str, where: str) -> None:
    """Raise AdapterError for a path in another notation, at which nothing could ever stand."""
    if (step := _OTHER.search(path)) is not None:
        remedy = "Names and numbers with dots between them: messages.-1.content is the content of the last message."
        raise AdapterError(f"{path!r} is not a path: {step[0]!r}", where=where, remedy=remedy)


def put(record: dict[str, Any], path: str, value: Any) -> None:
    """Set what stands at a path of names; the objects on the way are made."""
    *way, last = path.split(".")
    for step in way:
        record = record.setdefault(step, {})
    record[last] = value


def last_line(text: str) -> str:
    """The last line with a word in it, for programs end their messages with the frames of boxes, too; "" if there is none."""
    return next((line.strip() for line in reversed(text.splitlines()) if any(map(str.isalnum, line))), "")


def parsed(text: str, where: str, *, lines: bool = False) -> Any:
    """The value of a JSON text; with `lines` a list of those of its lines.

    Raises:
        HarnessProtocolError: it is not JSON.
    """
    try:
        return [parse_json(line) for line in text.split("\n") if line.strip()] if lines else parse_json(text)
    except ValueError as error:
        raise HarnessProtocolError(f"not JSON ({error}): {text[:SHOWN]!r}", where=where) from error


def read_file(path: Path, below: Path) -> str:
    """The text of a file that the program has written, which the agent can change and we read outside its confinement.

    Raises:
        HarnessProtocolError: it is not there, not text, or there is a link on the way from `below`.
    """
    refuse_links(path, below)
    try:
        return read_text(path)
    except (OSError, ValueError) as error:
        raise HarnessProtocolError(f"not readable: {why(error)}", where=str(path)) from error


def refuse_links(path: Path, below: Path) -> None:
    """Raise HarnessProtocolError if `path`, or a folder on the way to it from `below`, is a link."""
    way = [path, *(parent for parent in path.parents if parent != below and parent.is_relative_to(below))]
    if links := [one for one in way if one.is_symlink()]:
        raise HarnessProtocolError("the folder where the harness keeps its state holds a link", where=str(links[0]))
