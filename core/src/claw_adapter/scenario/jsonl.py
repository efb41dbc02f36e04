"""Messages from JSON lines: one message per line, ids filled in by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Message
from claw_adapter.reading import parse_json, read_bytes, why
from claw_adapter.scenario.problems import Problems

__all__ = ["MAX_JSONL_BYTES", "JsonLine", "read_lines", "read_messages"]

MAX_JSONL_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A message and the line of the file it came from (1-based)."""

    number: int
    message: Message


def read_messages(path: Path, prefix: str = "m") -> tuple[Message, ...]:
    """The messages of a file; see `read_lines`."""
    return tuple(line.message for line in read_lines(path, prefix))


def read_lines(path: Path, prefix: str = "m") -> tuple[JsonLine, ...]:
    """The messages of a file with their lines; a message without an id gets `prefix` and its position (``m1``, ``m2`` …).

    Raises:
        ScenarioError: the file cannot be read, or lines of it are no messages; every such line is named.
    """
    problems = Problems()
    lines: list[JsonLine] = []
    seen: dict[str, int] = {}
    for number, raw in enumerate(_text(path).split("\n"), start=1):
        if not raw.strip():
            continue
        try:
            message = _message(raw, f"{prefix}{len(lines) + 1}", f"{path}:{number}")
        except ScenarioError as error:
            problems.absorb(error)
            continue
        if message.id in seen:
            first = seen[message.id]
            problems.add(f"id {message.id!r} is there twice, first on line {first}", where=f"{path}:{number}")
        seen.setdefault(message.id, number)
        lines.append(JsonLine(number, message))
    problems.raise_any()
    return tuple(lines)


def _text(path: Path) -> str:
    try:
        raw = read_bytes(path, MAX_JSONL_BYTES)
    except OSError as error:
        raise ScenarioError(
            f"cannot be read: {why(error)}", where=f"{path}:1", remedy="Put a file there, one message per line."
        ) from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ScenarioError("not UTF-8 text", where=f"{path}:{line}", remedy="Save the file as UTF-8.") from None


def _message(raw: str, default_id: str, where: str) -> Message:
    try:
        data = parse_json(raw, _unique)
    except ValueError as error:
        raise ScenarioError(f"not a JSON object: {error}", where=where, remedy="Write one message per line.") from None
    if not isinstance(data, dict):
        raise ScenarioError("not a JSON object", where=where, remedy="Write one message per line.")
    try:
        return Message.model_validate({"id": default_id, **data})
    except ValidationError as error:
        problems = Problems()
        for entry in error.errors(include_url=False, include_context=False, include_input=False):
            name = ".".join(str(part) for part in entry["loc"])
            text = entry["msg"].removeprefix("Value error, ")
            problems.add(f"{name}: {text}" if name else text, where=where, remedy="correct the message")
        problems.raise_any()
        raise  # not reached: a validation error has at least one entry


class _TwiceError(ValueError):
    """A JSON object has a key twice."""


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError("a key occurs twice")
    return found
