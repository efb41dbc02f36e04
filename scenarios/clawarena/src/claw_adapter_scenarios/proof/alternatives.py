"""Other ways to write what an oracle writes: each must be accepted."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from claw_adapter import values
from claw_adapter_scenarios.proof.layout import Line, lines_of, together

__all__ = ["alternatives"]

Files = dict[str, str]
Change = tuple[str, str]


def alternatives(expected: Mapping[str, Any], oracle: Files, language: str) -> Iterator[tuple[str, Files]]:
    """Name and files of every alternative."""
    kinds = {"json": _json, "csv": _csv, "markdown": _markdown, "python": _python}
    for rule, path in zip(expected["files"], oracle, strict=True):
        text = oracle[path]
        for name, changed in kinds[rule["format"]](rule, text, language):
            if changed != text:
                yield f"{path}: {name}", {**oracle, path: changed}
        if rule["format"] != "python":
            yield f"{path}: with a byte order mark", {**oracle, path: f"\ufeff{text}"}
            yield f"{path}: lines end as on Windows", {**oracle, path: text.replace("\n", "\r\n")}


def _notations(wanted: Mapping[str, Any], language: str) -> Iterator[Change]:
    if "as" in wanted and "value" in wanted:
        yield from values.renderings(dict(wanted["as"]), wanted["value"], language).items()


def _json(rule: dict[str, Any], text: str, language: str) -> Iterator[Change]:
    data = json.loads(text)
    yield "in one line", json.dumps(data)
    yield "keys in another order", json.dumps(dict(reversed(data.items())), indent=4)
    yield "numbers with decimals", json.dumps(_leaves(data, lambda v: float(v) if type(v) is int else v))
    if not any(wanted.get("as", {}).get("form") == "number" for wanted in rule["fields"].values()):
        yield "numbers as texts", json.dumps(_leaves(data, lambda v: str(v) if type(v) in (int, float) else v))
    yield "lists in another order", json.dumps({k: v[::-1] if isinstance(v, list) else v for k, v in data.items()})
    if not rule.get("strict"):
        yield "a field more", json.dumps({**data, "note": "see the log"})
    for name, wanted in rule["fields"].items():
        for notation, value in _notations(wanted, language):
            *parents, last = name.split(".")
            changed = json.loads(text)
            holder = changed
            for part in parents:
                holder = holder[part]
            if not isinstance(holder[last], list):
                holder[last] = value
                yield f"{name} {notation}: {value}", json.dumps(changed, ensure_ascii=False)


def _leaves(data: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(data, dict):
        return {key: _leaves(value, change) for key, value in data.items()}
    return [_leaves(value, change) for value in data] if isinstance(data, list) else change(data)


def _csv(rule: dict[str, Any], text: str, language: str) -> Iterator[Change]:
    rows = list(csv.reader(io.StringIO(text)))

    def table(changed: list[list[str]], **form: Any) -> str:
        made = io.StringIO()
        csv.writer(made, lineterminator="\n", **form).writerows(changed)
        return made.getvalue()

    yield "all cells quoted", table(rows, quoting=csv.QUOTE_ALL)
    yield "with semicolons", table(rows, delimiter=";")
    yield "rows in another order", table([rows[0], *rows[:0:-1]])
    yield "columns in another order", table([row[::-1] for row in rows])
    yield "blanks after commas", text.replace(",", ", ") if '"' not in text else text
    yield "blank lines at the end", f"{text}\n\n"
    yield "no line break at the end", text.rstrip("\n")
    for number, expected in enumerate(rule["rows"]["rows"], 1):
        for column, wanted in enumerate(expected):
            for notation, value in _notations(wanted, language):
                changed = [list(row) for row in rows]
                changed[number][column] = value
                yield f"row {number} {notation}: {value}", table(changed)


def _markdown(rule: dict[str, Any], text: str, language: str) -> Iterator[Change]:
    lines = lines_of(rule, text)
    for section in rule["sections"]:
        for label, wanted in section["labels"].items():
            for notation, value in _notations(wanted, language):
                changed = together(lines, lambda line: _with(line, section["title"], label, value))  # noqa: B023
                yield f"{label} {notation}: {value}", changed
    for name, heading in HEADINGS.items():
        yield name, together(lines, lambda line: replace(line, text=heading(line.title)) if line.title else line)  # noqa: B023
    for name, form in LABELS.items():
        yield name, together(lines, lambda line: replace(line, text=form(line)) if line.label else line)  # noqa: B023
    yield "labels in another order", _reordered(lines)
    yield "tables", _tables(lines)
    yield "tables that lie", _lying(lines)
    yield "a sentence more", f"{text}\nThat is all for today, with kind regards: the desk.\n"
    for name, around in AROUND.items():
        yield name, together(lines, lambda line: replace(line, text=around(line)) if line.label else line)  # noqa: B023
    yield "one more section", f"{text.rstrip()}\n\n## Annex\n\nNothing.\n"
    titled = re.sub(r"(?m)^(?=## )", "# About this\n\n", text, count=1)
    yield "with a title", titled


def _with(line: Line, title: str, label: str, value: str) -> Line:
    return replace(line, value=value) if (line.section, line.label) == (title, label) else line


HEADINGS: dict[str, Callable[[str], str]] = {
    "deeper headings": lambda title: f"### {title}",
    "higher headings": lambda title: f"# {title}",
    "closed headings": lambda title: f"## {title} ##",
    "bold headings": lambda title: f"## **{title}**",
    "headings in capitals": lambda title: f"## {title.upper()}",
    "underlined headings": lambda title: f"\n{title}\n{'-' * 12}",
    "doubly underlined headings": lambda title: f"\n{title}\n{'=' * 12}",
    "numbered headings": lambda title: f"## 1. {title}",
    "headings with a colon": lambda title: f"## {title}:",
    "subheadings": lambda title: f"## {title}\n\n### In short",
}
LABELS: dict[str, Callable[[Line], str]] = {
    "plain lines": lambda line: line.bare,
    "starred bullets": lambda line: f"* {line.bare}",
    "numbered lines": lambda line: f"1. {line.bare}",
    "bold labels": lambda line: f"**{line.label}**{line.colon}{line.value}",
    "bold labels with the colon": lambda line: f"- **{line.label}:** {line.value}",
    "bold lines": lambda line: f"**{line.label}: {line.value}**",
    "italic labels": lambda line: f"*{line.label}*: {line.value}",
    "labels as code": lambda line: f"`{line.label}`: {line.value}",
    "full-width colons": lambda line: f"{line.label}：{line.value}",  # noqa: RUF001
    "narrow colons": lambda line: f"{line.label}:{line.value}",
    "blanks before the colon": lambda line: f"{line.label} : {line.value}  ",
    "labels in capitals": lambda line: f"{line.label.upper()}: {line.value}",
    "ticked": lambda line: f"- [x] {line.bare}",
    "indented bullets": lambda line: f"  - {line.bare}",
    "value below": lambda line: f"{line.label}:\n{line.value}\n",
    "said twice": lambda line: f"{line.bare}\n\n| {line.label} | {line.value} |\n",
    "bold labels in tables": lambda line: f"\n| | |\n|---|---|\n| **{line.label}** | {line.value} |\n",
    "tables with remarks": lambda line: f"\n| | | |\n|---|---|---|\n| {line.label} | {line.value} | see the log |\n",
}
AROUND: dict[str, Callable[[Line], str]] = {
    "prose right below": lambda line: f"{line.bare}\nThank you all for reading.\n",
    "prose between": lambda line: f"So it is on file.\n\n{line.text}\n",
    "a comment": lambda line: f"<!-- {line.label}: 1 -->\n{line.text}",
    "a quotation of something else": lambda line: f"{line.text}\n\n> {line.label}: 17\n",
    "a code block before it": lambda line: f"```\n{line.label}: 17\n```\n{line.text}",
}


def _reordered(lines: list[Line]) -> str:
    """The labels of each section the other way round."""
    turned = {
        section: iter([line for line in lines if line.section == section and line.label][::-1])
        for section in {line.section for line in lines}
    }
    return together(lines, lambda line: replace(next(turned[line.section])) if line.label else line)


def _tables(lines: list[Line]) -> str:
    """The labels of each section as the rows of a table."""
    made: list[str] = []
    for before, line in zip([Line(""), *lines], lines, strict=False):
        if line.label and not before.label:
            made += ["", "| Item | Value |", "|---|---|"]
        if before.label and not line.label:
            made.append("")
        made.append(f"| {line.label} | {line.value} |" if line.label else line.text)
    return "\n".join(made)


def _lying(lines: list[Line]) -> str:
    """The labels of each section as the head of a table with one row."""
    made: list[str] = []
    for before, line in zip([Line(""), *lines], lines, strict=False):
        if not line.label:
            made += [] if line.text.startswith("|") else [line.text]
        elif not before.label:
            own = [one for one in lines if one.section == line.section and one.label]
            rows = ([one.label for one in own], ["---"] * len(own), [one.value for one in own])
            made += ["", *(f"| {' | '.join(row)} |" for row in rows), ""]
    return "\n".join(made)


def _python(_rule: dict[str, Any], text: str, _language: str) -> Iterator[Change]:
    yield "with a comment", f"# counts\n{text}"
    yield "with a greeting", f"print('Here is the result:')\n{text}"
