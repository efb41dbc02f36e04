"""YAML as scenario files use it: plain data, and for every field the line it stands on.

The data types are those of the YAML 1.2 core schema (null, true/false, numbers; everything else is text, dates included), so
that ``no`` and ``12:30`` stay what the author typed until a record says what they mean. What can surprise or harm is refused:
duplicate keys, anchors and aliases (they multiply), tags, tabs in the indentation, several documents, deep nesting, huge files.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from claw_adapter.errors import ScenarioError
from claw_adapter.reading import read_bytes, why
from claw_adapter.scenario.problems import Problems

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

__all__ = [
    "MAX_DEPTH",
    "MAX_YAML_BYTES",
    "FieldPath",
    "YamlSource",
    "check_record",
    "field_name",
    "plain_value",
    "read_yaml",
]

MAX_YAML_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 32

FieldPath = tuple[str | int, ...]
"""The way to a field: keys of mappings and indices of lists."""

R = TypeVar("R", bound="BaseModel")

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_TAB = re.compile(r"^[ ]*\t", re.MULTILINE)
_WORDS: Mapping[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_SYNTAX = "Correct the syntax there; a text with ': ', ' #' or, within {…} or […], a comma or a bracket needs quotes."
_REMEDIES = {
    "missing": "add the field",
    "extra_forbidden": "remove it, or check its spelling",
    "comma": "a comma within {…} ends a value: quote the text",
    "brace": "a text that begins with { needs quotes",
    "string_type": "put the value in quotes",
    "tuple_type": "write a list: [a, b]",
    "list_type": "write a list: [a, b]",
    "too_short": "add an item",
    "value_error": "",
}
_MESSAGES = {
    "tuple_type": "this must be a list",
    "list_type": "this must be a list",
    "string_type": "this must be a text",
    "extra_forbidden": "there is no such field here",
}
"""Kind of a mistake → what is said in place of pydantic's words, which are those of Python."""


@dataclass(frozen=True, slots=True)
class YamlSource:
    """A YAML file read: `data` is made of dict, list, str, int, float, bool and None; `lines` are 1-based."""

    path: Path
    data: object
    lines: Mapping[FieldPath, int]

    def line(self, *path: str | int) -> int:
        """The line of a field, or of the nearest enclosing field that the file has."""
        for length in range(len(path), -1, -1):
            if (known := self.lines.get(path[:length])) is not None:
                return known
        return 1

    def where(self, *path: str | int) -> str:
        """``file:line`` of a field."""
        return f"{self.path}:{self.line(*path)}"


def read_yaml(path: Path) -> YamlSource:
    """Read a file.

    Raises:
        ScenarioError: the file is missing, too large, not UTF-8, not YAML, or uses what is refused here; with its line.
    """
    import yaml

    text = _read_text(path)
    if tab := _TAB.search(text):
        line = text.count("\n", 0, tab.end()) + 1
        raise ScenarioError("a tab in the indentation", where=f"{path}:{line}", remedy="Indent with spaces.")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder(path)
    try:
        data = builder.document(yaml.parse(text, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = mark.line + 1 if mark else _position_line(text, error)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        raise ScenarioError(f"not YAML: {what}", where=f"{path}:{line}", remedy=_SYNTAX) from None
    return YamlSource(path, data, builder.lines)


def _read_text(path: Path) -> str:
    try:
        raw = read_bytes(path, MAX_YAML_BYTES)
    except OSError as error:
        remedy = "Move bulk data into files." if error.errno == errno.EOVERFLOW else f"Put the file {path.name} there."
        raise ScenarioError(f"cannot be read: {why(error)}", where=f"{path}:1", remedy=remedy) from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ScenarioError("not UTF-8 text", where=f"{path}:{line}", remedy="Save the file as UTF-8.") from None


def _position_line(text: str, error: Exception) -> int:
    position = getattr(error, "position", 0)
    return text.count("\n", 0, position if isinstance(position, int) else 0) + 1


class _Builder:
    """Turns YAML events into plain data and remembers lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[FieldPath, int] = {}

    def document(self, events: Iterator[object]) -> object:
        from yaml import events as ev

        data: object = None
        documents = 0
        for event in events:
            if isinstance(event, ev.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._refuse(event, "a second document", "Keep one document per file.")
            elif not isinstance(event, (ev.StreamStartEvent, ev.StreamEndEvent, ev.DocumentEndEvent)):
                data = self._node(event, events, ())
        return data

    def _node(self, event: object, events: Iterator[object], path: FieldPath) -> object:
        from yaml import events as ev

        self.lines.setdefault(path, _line(event))
        if isinstance(event, ev.AliasEvent) or getattr(event, "anchor", None):
            raise self._refuse(event, "anchors and aliases are not allowed", "Write the value out.", path)
        if getattr(event, "tag", None):
            raise self._refuse(event, f"the tag {getattr(event, 'tag', '')!r} is not allowed", "Remove it.", path)
        if len(path) > MAX_DEPTH:
            raise self._refuse(event, f"nested deeper than {MAX_DEPTH} levels", "Flatten it.", path[:3])
        if isinstance(event, ev.ScalarEvent):
            return plain_value(event.value) if event.implicit[0] else str(event.value)
        if isinstance(event, ev.SequenceStartEvent):
            return self._sequence(events, path)
        return self._mapping(events, path)

    def _sequence(self, events: Iterator[object], path: FieldPath) -> list[object]:
        from yaml import events as ev

        items: list[object] = []
        for event in events:
            if isinstance(event, ev.SequenceEndEvent):
                break
            items.append(self._node(event, events, (*path, len(items))))
        return items

    def _mapping(self, events: Iterator[object], path: FieldPath) -> dict[str, object]:
        from yaml import events as ev

        items: dict[str, object] = {}
        for event in events:
            if isinstance(event, ev.MappingEndEvent):
                break
            if not isinstance(event, ev.ScalarEvent) or event.anchor or event.tag:
                raise self._refuse(event, "a key that is not plain text", "Use a word as the key.", path)
            key = str(event.value)
            here = (*path, key)
            if key in items:
                first = self.lines[here]
                raise self._refuse(event, f"the key is there twice, first on line {first}", "Remove one of them.", here)
            self.lines[here] = _line(event)
            items[key] = self._node(next(events), events, here)
        return items

    def _refuse(self, event: object, what: str, remedy: str, path: FieldPath = ()) -> ScenarioError:
        what = f"{field_name(path)}: {what}" if path else what
        return ScenarioError(what, where=f"{self.path}:{_line(event)}", remedy=remedy)


def _line(event: object) -> int:
    mark = getattr(event, "start_mark", None)
    return int(mark.line) + 1 if mark is not None else 1


def plain_value(text: str) -> object:
    """What a text without quotes means: null, a truth value, a number, or itself."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        # Python refuses to convert very long digit strings; they are no sensible number in a scenario either
        return int(text) if len(text) < 100 else text
    return float(text) if _FLOAT.match(text) else text


def field_name(path: FieldPath) -> str:
    """A field path as people write it: ``rounds[3].options.B``."""
    name = ""
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def check_record(source: YamlSource, model: type[R], *, fields: str = "scenario/1") -> R:
    """The record that a file holds.

    Args:
        source: the file.
        model: the record's type.
        fields: where its fields are described.

    Raises:
        ScenarioError: it does not hold one; every problem is named with its line and field.
    """
    from pydantic import ValidationError

    if not isinstance(source.data, dict):
        raise ScenarioError(
            "the file must hold a mapping of fields", where=source.where(), remedy=f"See {fields} for its fields."
        )
    try:
        return model.model_validate(source.data)
    except ValidationError as error:
        problems = Problems()
        _collect(source, model, error, problems)
        problems.raise_any()
        raise  # not reached: a validation error has at least one entry


def _collect(source: YamlSource, model: type[BaseModel], error: ValidationError, problems: Problems) -> None:
    entries = error.errors(include_url=False, include_context=False, include_input=False)
    for entry in entries:
        loc = entry["loc"]
        if entry["type"] == "too_short" and any(e["loc"][: len(loc)] == loc != e["loc"] for e in entries):
            continue  # a list counts as short because its items are wrong, and those are reported
        path = _known(source, loc)
        name = field_name(loc if entry["type"] == "missing" else path)
        message = _MESSAGES.get(entry["type"]) or entry["msg"].removeprefix("Value error, ")
        remedy = _remedy(entry["type"], source, path, model)
        problems.add(f"{name}: {message}" if name else message, where=source.where(*path), remedy=remedy)


def _remedy(kind: str, source: YamlSource, path: FieldPath, model: type[BaseModel]) -> str:
    """The way out; of an unknown field the nearest name of a field that its mapping does not have yet."""
    beside, value = None, source.data
    for part in path:
        beside, value = value, value[part]  # type: ignore[index]  # the path is one of this file
    if kind == "string_type" and isinstance(value, dict) and [*value.values()] == [None]:
        return _REMEDIES["brace"]
    if kind == "extra_forbidden" and isinstance(beside, dict):
        if value is None and " " in str(path[-1]):
            return _REMEDIES["comma"]
        names = _fields_at(path[:-1], model.model_json_schema()) - beside.keys()
        if near := get_close_matches(str(path[-1]), sorted(names), 1):
            return f"did you mean {near[0]!r}?"
    return _REMEDIES.get(kind, "correct the value")


def _fields_at(path: FieldPath, schema: dict[str, Any]) -> set[str]:
    """The names of the fields that a mapping at a place of a file may have, whichever form of it was meant."""
    here = list(_forms(schema, schema))
    for part in path:
        inner = [form.get("items") if isinstance(part, int) else _below(form, part) for form in here]
        here = [form for one in inner if isinstance(one, dict) for form in _forms(one, schema)]
    return {name for form in here for name in form.get("properties", ())}


def _below(form: dict[str, Any], name: str) -> object:
    return form.get("properties", {}).get(name) or form.get("additionalProperties")


def _forms(part: dict[str, Any], schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A part of a schema, each of its alternatives, references followed."""
    if "$ref" in part:
        yield from _forms(schema["$defs"][part["$ref"].rpartition("/")[2]], schema)
        return
    yield part
    for one in (*part.get("anyOf", ()), *part.get("oneOf", ()), *part.get("allOf", ())):
        yield from _forms(one, schema)


def _known(source: YamlSource, loc: FieldPath) -> FieldPath:
    """The longest part of a pydantic location that is a field of the file (pydantic adds names of union members)."""
    path: FieldPath = ()
    for part in loc:
        if (*path, part) not in source.lines:
            break
        path = (*path, part)
    return path
