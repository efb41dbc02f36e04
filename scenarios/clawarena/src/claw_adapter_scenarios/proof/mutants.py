"""Wrong files, made of an oracle's by the rule of its check: each must be refused."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from claw_adapter import values
from claw_adapter_scenarios.proof.layout import Line, line_of, lines_of, together
from claw_adapter_scenarios.proof.wrong import wrong_values

__all__ = ["Mutant", "mutants"]

Files = dict[str, str]
Mutant = tuple[str, str, Files]
"""Kind of mistake, what exactly, the files."""
Change = tuple[str, str, str]


def mutants(expected: Mapping[str, Any], oracle: Files, language: str, world: str) -> Iterator[Mutant]:
    """Every mutant.

    Args:
        expected: the data of the check.
        oracle: the files that pass it.
        language: ``en`` or ``zh``.
        world: the text of all files of the workspace, for who copies it all.
    """
    known = list(expected.get("known", ()))
    kinds = {"json": _json, "csv": _csv, "markdown": _markdown, "python": _python}
    for rule, path in zip(expected["files"], oracle, strict=True):
        text = oracle[path]
        for kind, name, changed in (*_any(text, world), *kinds[rule["format"]](rule, text, known, language)):
            if changed != text:
                yield kind, f"{path}: {name}", {**oracle, path: changed}
        yield "missing", f"{path}: not written", {other: body for other, body in oracle.items() if other != path}


def _any(text: str, world: str) -> Iterator[Change]:
    yield "damage", "empty", ""
    yield "damage", "cut off", text[: len(text) // 3]
    yield "dump", "the whole workspace", world


def _markdown(rule: dict[str, Any], text: str, known: Sequence[str], language: str) -> Iterator[Change]:
    lines = lines_of(rule, text)
    wanted = {(one["title"], name): field for one in rule["sections"] for name, field in one["labels"].items()}
    for (title, label), field in wanted.items():
        mine = [line for line in lines if (line.section, line.label) == (title, label)]
        for kind, value in wrong_values(field, known, language):
            yield kind, f"{label}: {value}", together(lines, lambda line: _with(line, mine, value))  # noqa: B023
            doubled = f"{text.rstrip()}\n\n## {title}\n\n{line_of(label, value)}\n"
            yield "duplicate", f"{label}: also {value}, in a second section", doubled
            both = together(lines, lambda line: _also(line, mine, value))  # noqa: B023
            yield "duplicate", f"{label}: also {value}", both
            if "as" in field and not isinstance(values.parse(field["as"], value), values.Refused):
                beside = together(lines, lambda line: _beside(line, mine, value))  # noqa: B023
                yield "duplicate", f"{label}: {value} beside it", beside
        yield from _without(lines, mine)
    yield from _moved(lines, wanted)
    for section in rule["sections"]:
        gone = together(lines, lambda line: None if line.title == section["title"] else line)  # noqa: B023
        yield "missing", f"no heading {section['title']}", gone
        if not section["labels"]:
            bare = together(lines, lambda line: line if line.title or line.section != section["title"] else None)  # noqa: B023
            yield "missing", f"nothing below {section['title']}", bare
    for word in rule.get("lacks", ()):
        yield "forbidden", f"says {word}", f"{text}\nBy the way: {word}.\n"


def _with(line: Line, mine: list[Line], value: str) -> Line:
    return replace(line, value=value) if line in mine else line


def _also(line: Line, mine: list[Line], value: str) -> Line:
    return (
        replace(line, text=f"{line.text}\n{line_of(line.label, value, line.colon, row=line.row)}")
        if line in mine
        else line
    )


def _beside(line: Line, mine: list[Line], value: str) -> Line:
    return (
        replace(line, text=f"\n| | | |\n|---|---|---|\n| {line.label} | {line.value} | {value} |\n")
        if line in mine
        else line
    )


def _without(lines: list[Line], mine: list[Line]) -> Iterator[Change]:
    """A label that says nothing: left out, denied as a whole, or where it does not count."""
    for line in mine:
        for kind, name, text in (
            ("negate", "denied before it", f"It is NOT true, and nobody should write, that {line.bare}"),
            ("negate", "struck out", f"~~{line.bare}~~"),
            ("negate", "a label that denies it", f"Not {line.bare}"),
            ("negate", "a remark behind the label", f"{line.label} (wrong){line.colon}{line.value}"),
            ("missing", "in a comment", f"<!-- {line.bare} -->"),
            ("missing", "in a code block", f"```\n{line.bare}\n```"),
            ("missing", "in a quotation", f"> {line.bare}"),
            ("missing", "without a value", f"{line.label}{line.colon}".rstrip()),
            ("missing", "another label", f"Other {line.bare}"),
        ):
            yield kind, f"{line.label} {name}", _instead(lines, line, replace(line, text=text))
        yield "missing", f"no {line.label}", _instead(lines, line, None)


def _instead(lines: list[Line], old: Line, new: Line | None) -> str:
    return together(lines, lambda line: new if line == old else line)


def _moved(lines: list[Line], wanted: Mapping[tuple[str, str], Any]) -> Iterator[Change]:
    """Values under other labels, lines in other sections."""
    labelled = [line for line in lines if line.label]
    for a, b in combinations(labelled, 2):
        if wanted[a.section, a.label].get("value") != wanted[b.section, b.label].get("value"):
            values = {a: b.value, b: a.value}
            swapped = together(lines, lambda line: replace(line, value=values[line]) if line in values else line)  # noqa: B023
            yield "swap", f"{a.label} and {b.label}", swapped
    titles = list(dict.fromkeys(line.section for line in lines if line.title))
    if len(titles) > 1 and labelled:
        bodies = {title: [line.text for line in lines if line.section == title and not line.title] for title in titles}
        head = [line.text for line in lines if not line.section]
        turned = [*titles[1:], titles[0]]
        parts = [text for title, other in zip(titles, turned, strict=True) for text in (f"## {title}", *bodies[other])]
        yield "rotate", "sections", "\n".join([*head, *parts])
        under_one = [text for title in titles for text in bodies[title]]
        bare = [f"## {title}\n\n-" for title in titles[1:]]
        yield "rotate", "all under the first", "\n".join([*head, f"## {titles[0]}", *under_one, *bare])


def _json(rule: dict[str, Any], text: str, known: Sequence[str], language: str) -> Iterator[Change]:
    data = json.loads(text)
    for name, wanted in rule["fields"].items():
        for kind, value in _json_values(_at(data, name), wanted, known, language):
            changed = copy.deepcopy(data)
            *parents, last = name.split(".")
            _at(changed, parents)[last] = value
            yield kind, f"{name}: {value!r}", json.dumps(changed, ensure_ascii=False)
        yield from _json_keys(data, name, text)
    for a, b in combinations(rule["fields"], 2):
        if _at(data, a) != _at(data, b):
            changed = copy.deepcopy(data)
            _put(changed, a, _at(data, b))
            _put(changed, b, _at(data, a))
            yield "swap", f"{a} and {b}", json.dumps(changed, ensure_ascii=False)
    yield "damage", "a list around it", json.dumps([data])
    if rule.get("strict"):
        yield "extra", "one field more", json.dumps({**data, "comment": "none"})


def _json_keys(data: Any, name: str, text: str) -> Iterator[Change]:
    *parents, last = name.split(".")
    dropped, renamed = copy.deepcopy(data), copy.deepcopy(data)
    _at(dropped, parents).pop(last)
    holder = _at(renamed, parents)
    holder[f"{last}_"] = holder.pop(last)
    yield "missing", f"{name} dropped", json.dumps(dropped)
    yield "missing", f"{name} renamed", json.dumps(renamed)
    if not parents:
        yield "duplicate", f"{name} twice", text.replace("{", f'{{ "{last}": null,', 1)


def _json_values(value: Any, wanted: dict[str, Any], known: Sequence[str], language: str) -> Iterator[tuple[str, Any]]:
    """Wrong values in place of a right one, of the type that JSON has for them."""
    yield "damage", None
    yield "damage", {}
    yield "damage", [value] if not isinstance(value, list) else "all of them"
    if isinstance(value, bool):
        yield "option", not value
        yield "damage", str(value).lower()
    elif "same_as" in wanted:
        yield "off by one", value + 1
        yield "sign", -value - 1
    elif isinstance(value, list):
        for kind, text in wrong_values(wanted, known, language):
            yield kind, text.split(", ")
    else:
        for kind, text in wrong_values(wanted, known, language):
            yield kind, _number(text) if isinstance(value, int | float) and kind != "form" else text
        if isinstance(value, str) and (digits := re.sub(r"\D", "", value)):
            yield "damage", int(digits)
        if isinstance(value, int | float):
            yield "damage", float("nan")
            yield "damage", value > 0


def _number(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _at(data: Any, name: str | list[str]) -> Any:
    for part in name.split(".") if isinstance(name, str) else name:
        data = data[part]
    return data


def _put(data: Any, name: str, value: Any) -> None:
    *parents, last = name.split(".")
    _at(data, parents)[last] = value


def _csv(rule: dict[str, Any], text: str, known: Sequence[str], language: str) -> Iterator[Change]:
    rows = list(csv.reader(io.StringIO(text)))
    for number, expected in enumerate(rule["rows"]["rows"], 1):
        yield "missing", f"row {number} dropped", _table(rows[:number] + rows[number + 1 :])
        yield "duplicate", f"row {number} twice", _table([*rows, rows[number]])
        for column, wanted in enumerate(expected):
            for kind, value in wrong_values(wanted, known, language):
                yield kind, f"row {number}: {value}", _table(_changed(rows, {(number, column): value}))
    key, width = rule["rows"]["key"], len(rows[0])
    for (a, first), (b, second) in combinations(enumerate(rows[1:], 1), 2):
        for column in range(min(key, width - 1), width):
            if first[column] != second[column]:
                swapped = _changed(rows, {(a, column): second[column], (b, column): first[column]})
                yield "swap", f"rows {a} and {b}", _table(swapped)
    yield "extra", "a column more", _table([[*row, "1"] for row in rows])
    yield "duplicate", "a column twice", _table([[*row, row[-1]] for row in rows])
    yield "missing", "no header", _table(rows[1:])
    yield "missing", "another header", _table([[f"{name}_" for name in rows[0]], *rows[1:]])
    if width > 1 and rows[1][0] != rows[1][1]:
        yield "swap", "the names of two columns", _table([[rows[0][1], rows[0][0], *rows[0][2:]], *rows[1:]])


def _changed(rows: list[list[str]], cells: Mapping[tuple[int, int], str]) -> list[list[str]]:
    return [[cells.get((r, c), cell) for c, cell in enumerate(row)] for r, row in enumerate(rows)]


def _table(rows: list[list[str]]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue()


def _python(rule: dict[str, Any], text: str, _known: Sequence[str], _language: str) -> Iterator[Change]:
    runs = [{name: wanted["value"] for name, wanted in run["prints"].items()} for run in rule["script"]["runs"]]
    yield "damage", "no program", "this is no program(\n"
    yield "damage", "fails at the end", f"{text}\nraise SystemExit(3)\n"
    yield "missing", "prints nothing", "pass\n"
    yield "hard-coded", "what is right on the inputs that are there", _printing(runs[0])
    yield "hard-coded", "what is right on an unseen input", _printing(runs[1])
    yield "dump", "what is right anywhere", "".join(_printing(run) for run in runs)
    yield "dump", "its own text and result, both named twice", f"{text}{_printing(runs[0])}"
    for name in runs[0]:
        yield "missing", f"{name} under another name", text.replace(f"{name}=", f"{name}_x=")
    for a, b in combinations(runs[0], 2):
        turned = text.replace(f"{a}=", "\0").replace(f"{b}=", f"{a}=").replace("\0", f"{b}=")
        yield "swap", f"{a} and {b}", turned


def _printing(values: Mapping[str, Any]) -> str:
    return "".join(f"print({f'{name}={value}'!r})\n" for name, value in values.items())
