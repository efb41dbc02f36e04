"""JSON files with the line of every field, so that what is wrong with them can be pointed at."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter.reading import parse_json

__all__ = ["FieldPath", "JsonSource", "decode", "positions", "read_bytes", "read_json", "record_lines"]

FieldPath = tuple[str | int, ...]
"""The way to a field: keys of objects and indices of arrays."""

_CHUNK = 1 << 17  # most files are one; plain calls, as `open` takes longer than reading a small file does
_LEXEME = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


@dataclass(frozen=True)
class JsonSource:
    """A JSON file read. Lines are looked for only when asked for, as most files have nothing wrong."""

    path: Path
    text: str
    data: Any

    @cached_property
    def lines(self) -> Mapping[FieldPath, int]:
        """The line of each value, 1-based."""
        return positions(self.text)

    def where(self, *path: str | int) -> str:
        """``file:line`` of a field, or of the nearest enclosing one that is there."""
        for length in range(len(path), -1, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return f"{self.path}:{line}"
        return f"{self.path}:1"


def read_bytes(path: Path | str) -> bytes:
    """The bytes of a file.

    Raises:
        ScenarioError: it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # a pipe or a device may never end
                raise OSError(errno.EINVAL, "it is not a file", str(path))
            parts = [os.read(descriptor, _CHUNK)]
            while len(parts[-1]) == _CHUNK:
                parts.append(os.read(descriptor, _CHUNK))
        finally:
            os.close(descriptor)
        return b"".join(parts)
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        why = error.strerror if isinstance(error, OSError) else error
        raise ScenarioError(f"cannot be read: {why}", where=f"{path}:1", remedy="Add the file.") from None


def decode(raw: bytes, path: Path) -> str:
    """The text of a file's bytes.

    Raises:
        ScenarioError: it is not UTF-8; names the line.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ScenarioError("not UTF-8 text", where=f"{path}:{line}", remedy="Save the file as UTF-8.") from None


def read_json(path: Path) -> JsonSource:
    """Read a file that holds one JSON object.

    Raises:
        ScenarioError: it cannot be read, is not JSON, or no object; with its line.
    """
    text = decode(read_bytes(path), path)
    try:
        data = parse_json(text)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise ScenarioError(f"not JSON: {error}", where=f"{path}:{line}", remedy="Correct the syntax there.") from None
    if not isinstance(data, dict):
        raise ScenarioError("the file must hold a JSON object", where=f"{path}:1")
    return JsonSource(path, text, data)


def record_lines(text: str, path: Path) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a JSON-lines text with their line numbers (1-based); empty lines are skipped.

    Raises:
        ScenarioError: a line is not JSON object.
    """
    found: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except ValueError as error:
            raise ScenarioError(f"not JSON: {error}", where=f"{path}:{number}", remedy="Correct the line.") from None
        if not isinstance(record, dict):
            raise ScenarioError("not a JSON object", where=f"{path}:{number}", remedy="Write one record per line.")
        found.append((number, record))
    return found


def positions(text: str) -> dict[FieldPath, int]:
    """The line of every value of a well-formed JSON text, by its path."""
    lines: dict[FieldPath, int] = {}
    stack: list[list[Any]] = []  # per open container: key or index, whether a key comes next
    line = last = 0
    for match in _LEXEME.finditer(text):
        mark = match[0]
        line += text.count("\n", last, match.start())
        last = match.start()
        if mark in "}]":
            stack.pop()
        elif mark == ",":
            top = stack[-1]
            if isinstance(top[0], int):
                top[0] += 1
            else:
                top[1] = True
        elif mark == ":":
            stack[-1][1] = False
        elif stack and stack[-1][1]:
            stack[-1][0] = json.loads(mark)
        else:
            lines.setdefault(tuple(level[0] for level in stack), line + 1)
            if mark in "{[":
                stack.append([0, False] if mark == "[" else ["", True])
    return lines
