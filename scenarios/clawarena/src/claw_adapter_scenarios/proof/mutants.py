"""Harmful changes of an oracle's files: each must be refused by the check."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from claw_adapter_scenarios.checker.program import NUMBER

__all__ = ["mutants"]

Files = dict[str, str]


def mutants(expected: dict[str, Any], oracle: Files) -> Iterator[tuple[str, Files]]:
    """Name and files of every mutant.

    Args:
        expected: the data of the check.
        oracle: the files that pass it.
    """
    for rule, path in zip(expected["files"], oracle, strict=True):
        text = oracle[path]
        kinds = {"json": _json, "csv": _csv, "markdown": _markdown, "python": _python}
        for name, changed in (*_any(text), *kinds[rule["format"]](rule, text)):
            if changed != text:
                yield f"{path}: {name}", {**oracle, path: changed}
        yield f"{path}: not written", {other: body for other, body in oracle.items() if other != path}


def _any(text: str) -> Iterator[tuple[str, str]]:
    yield "empty", ""
    yield "cut off", text[: len(text) // 3]


def _json(rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    data = json.loads(text)
    for name, wanted in rule["fields"].items():
        *parents, last = name.split(".")
        for what, value in _values(_at(data, name), wanted):
            changed = copy.deepcopy(data)
            _holder(changed, parents)[last] = value
            yield f"{name} {what}", json.dumps(changed)
        dropped, renamed = copy.deepcopy(data), copy.deepcopy(data)
        _holder(dropped, parents).pop(last)
        holder = _holder(renamed, parents)
        holder[f"{last}_"] = holder.pop(last)
        yield f"{name} dropped", json.dumps(dropped)
        yield f"{name} renamed", json.dumps(renamed)
    yield "a list around it", json.dumps([data])
    if rule.get("strict"):
        yield "one field more", json.dumps({**data, "comment": "none"})


def _at(data: Any, name: str) -> Any:
    for part in name.split("."):
        data = data[part]
    return data


def _holder(data: dict[str, Any], parents: list[str]) -> dict[str, Any]:
    for part in parents:
        data = data[part]
    return data


def _values(value: Any, wanted: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Wrong values in place of a right one."""
    if isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, int | float):
        step = max(1.0, 3 * float(wanted.get("tolerance", 0)))
        yield "more", value + step
        yield "less", value - step
        if value:
            yield "a fifth more", value * 1.2
            yield "ten times", value * 10
            yield "negative", -value
    elif isinstance(value, list):
        for index in range(len(value)):
            yield f"without entry {index + 1}", value[:index] + value[index + 1 :]
        if "list" in wanted:
            yield "one entry more", [*value, "something else"]
        yield "as a text", "all of them"
    else:
        yield "another text", "unknown"
        if found := re.search(r"(\d{2}):(\d{2})", str(value)):
            moved = f"{(int(found[1]) + 1) % 24:02d}:{found[2]}"
            yield "an hour later", str(value).replace(found[0], moved, 1)
    yield "null", None
    yield "an object", {}


def _csv(rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    rows = list(csv.reader(io.StringIO(text)))
    tolerance = max((cell.get("tolerance", 0) for row in rule["rows"]["rows"] for cell in row), default=0)
    for number in range(1, len(rows)):
        yield f"row {number} dropped", _table(rows[:number] + rows[number + 1 :])
        yield f"row {number} twice", _table([*rows, rows[number]])
        for column in range(len(rows[0])):
            changed = copy.deepcopy(rows)
            changed[number][column] = _cell(rows[number][column], tolerance)
            yield f"row {number}, cell {column + 1}", _table(changed)
    for number in range(1, len(rows) - 1):
        if rows[number][-1] != rows[number + 1][-1]:
            changed = copy.deepcopy(rows)
            changed[number][-1], changed[number + 1][-1] = rows[number + 1][-1], rows[number][-1]
            yield f"rows {number} and {number + 1} mixed up", _table(changed)
    yield "no header", _table(rows[1:])
    yield "another header", _table([[f"{name}_" for name in rows[0]], *rows[1:]])


def _cell(text: str, tolerance: float) -> str:
    try:
        return f"{float(text) + max(1.0, 3 * tolerance):g}"
    except ValueError:
        return f"not {text}"


def _table(rows: list[list[str]]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue()


def _markdown(rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    for section in rule.get("sections", ()):
        yield f"no section {section}", re.sub(rf"(?m)^#+ .*{re.escape(section)}.*$", "", text)
        below = rf"(?m)^(#+ {re.escape(section)}[ \t]*\n)(?:(?!#).*\n?)+"
        yield f"nothing below {section}", re.sub(below, r"\1\n", text)
    for group in rule.get("mentions", ()):
        yield from _longer(group[0], text)
        changed = text
        for word in group:
            changed = changed.replace(word, "something")
        yield f"nothing of {group[0]}", changed
    for word in rule.get("lacks", ()):
        yield f"says {word}", f"{text}\nBy the way: {word}.\n"


def _longer(mention: str, text: str) -> Iterator[tuple[str, str]]:
    """The numbers of a mention as parts of other numbers."""
    for found in NUMBER.finditer(mention):
        number = found[0]
        thousands = len(number) == 3 and number.isdigit()
        yield f"{mention}: 1 before {number}", text.replace(number, f"1,{number}" if thousands else f"1{number}")
        yield f"{mention}: 5 after {number}", text.replace(number, f"{number}5" if found[2] else f"{number}.5")


def _python(rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    yield "no program", "this is no program(\n"
    yield "fails at the end", f"{text}\nraise SystemExit(3)\n"
    yield "prints nothing", "pass\n"
    yield "prints all numbers but the right one", "print('count', -1)\n"
    for wanted in rule["script"]["prints"]:
        if wanted["kind"] == "number":
            yield "prints a number near it", f"print({float(wanted['value']) + max(1.0, 3 * wanted['tolerance'])})\n"
