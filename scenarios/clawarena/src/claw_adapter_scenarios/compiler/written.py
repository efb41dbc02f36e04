"""The files that somebody writes who takes facts for what they seem to be: an oracle, or a hasty reader."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from claw_adapter import values
from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.checker.objects import elsewhere
from claw_adapter_scenarios.compiler.expected import Evaluator, Expected
from claw_adapter_scenarios.compiler.typing import in_words, rounded
from claw_adapter_scenarios.language.values import Value, render_value
from claw_adapter_scenarios.language.wording import words_of
from claw_adapter_scenarios.spec.rounds import FieldRule, FileRule, RowsRule

__all__ = ["DocumentWriter"]

Spoiler = Callable[[Mapping[str, Any], Value], Value]


def _as_it_is(_description: Mapping[str, Any], value: Value) -> Value:
    return value


class DocumentWriter:
    """Writes the files of one round.

    Args:
        made: what the check expects.
        tables: globs of the documents whose labels stand in tables.
    """

    def __init__(self, made: Expected, tables: Sequence[str] = ()) -> None:
        self.made, self.tables, self.language = made, tables, made.canon.language

    def write(self, value: Evaluator, *, hasty: bool = False, spoil: Spoiler = _as_it_is) -> dict[str, str]:
        """The files that somebody writes who takes facts for what `value` says, every value spoilt by `spoil`."""
        written: dict[str, Any] = {}
        texts: dict[str, str] = {}
        for file in self.made.item.files:
            path = self.made.path(file)
            written[path], texts[path] = self._file(file, value, written, hasty=hasty, spoil=spoil)
        return texts

    def _file(
        self, file: FileRule, value: Evaluator, written: dict[str, Any], *, hasty: bool, spoil: Spoiler
    ) -> tuple[Any, str]:
        if file.script is not None:
            return None, self.made.program(file.script.hasty if hasty else file.script.oracle)
        if file.rows is not None:
            rows = self._table(file.rows, value, spoil)
            return [dict(zip(file.rows.columns, row, strict=True)) for row in rows], _csv_text(file.rows.columns, rows)
        if file.format == "json":
            data: dict[str, Any] = {}
            for name, rule in file.fields.items():
                _put(data, name, self._value(rule, value, written, hasty=hasty, spoil=spoil))
            return data, json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        return None, self._markdown(file, value, hasty=hasty, spoil=spoil)

    def _table(self, rows: RowsRule, value: Evaluator, spoil: Spoiler) -> list[list[Any]]:
        """The cells; who spoils values leaves alone what the question has named: the key, and no more than that."""
        kept = min(rows.key, len(rows.columns) - 1)
        made = []
        for kinds, row in zip(self.made.cell_types(rows), rows.rows, strict=True):
            cells = [self.made.cell(cell, value) for cell in row]
            cells[kept:] = map(spoil, kinds[kept:], cells[kept:])
            made.append([self._cell_text(kind, cell) for kind, cell in zip(kinds, cells, strict=True)])
        return made

    def _value(self, rule: FieldRule, value: Evaluator, written: dict[str, Any], *, hasty: bool, spoil: Spoiler) -> Any:
        """A field of JSON: a number, true or false where that is what was asked for, else a text."""
        if rule.same_as:
            return self._elsewhere(self.made.text(rule.same_as), written)
        if rule.cites:
            return self._cited(rule, hasty=hasty)
        right = self.made.values_of(rule, self.made.beliefs)
        description = self.made.describe(rule, right)
        found = value(rule.equals) if rule.equals is not None else [value(one) for one in rule.list]
        if isinstance(found, list):
            return [self._data(description["of"], spoil(description["of"], one)) for one in found]
        found = spoil(description, found)
        return found if isinstance(found, bool) and rule.type is None else self._data(description, found)

    def _data(self, description: Mapping[str, Any], found: Value) -> Any:
        """A number where that is what was asked for, else a text."""
        data = _as_data(rounded(description, found), self.language)
        said = self._said(description, found)
        return (
            data if values.parse(dict(description), data) == values.parse({**description, "form": ""}, said) else said
        )

    def _cell_text(self, description: Mapping[str, Any], found: Value) -> Any:
        return self._said(description, found) if isinstance(found, bool) else self._data(description, found)

    def _said(self, description: Mapping[str, Any], found: Value) -> str:
        return in_words(description, found, self.language)

    def _cited(self, rule: FieldRule, *, hasty: bool) -> list[str]:
        """The first source of each group; a hasty reader leaves the last one out, and takes another for the only one."""
        sources = self.made.setting.sources
        groups = [sources.group(self.made.text(group)) for group in rule.cites]
        names = [group[0] for group in groups]
        if not hasty:
            return names
        return names[:-1] or [name for name in sources.known if name not in groups[0]][:1]

    def _elsewhere(self, place: str, written: dict[str, Any]) -> Any:
        """The value at ``file#field`` or ``file#sum:column`` of an earlier file of the round."""
        path, _, name = place.partition("#")
        try:
            if name.startswith("sum:"):
                return _as_data(elsewhere(place, written, self.made.type_at(place)), self.language)
            found = written[path]
            for part in name.split("."):
                found = found[part]
        except (KeyError, TypeError, ValueError):
            raise ScenarioError(
                f"'same_as: {place}' names no number of an earlier file", remedy="Write path#field or path#sum:column."
            ) from None
        return found

    def _markdown(self, file: FileRule, value: Evaluator, *, hasty: bool, spoil: Spoiler) -> str:
        """Labels in bullets, or in the rows of a table."""
        words = words_of(self.language)
        tabled = any(PurePosixPath(self.made.path(file)).match(one) for one in self.tables)
        form = "| {label} | {value} |" if tabled else f"- {{label}}{words['colon']}{{value}}"
        head = [f"| {words['label']} | {words['value']} |", "|---|---|"] if tabled else []
        lines: list[str] = []
        for section in file.sections:
            said = {self.made.text(n): self._behind(one, value, hasty, spoil) for n, one in section.labels.items()}
            own = [form.format(label=label, value=text).rstrip() for label, text in said.items()]
            lines += [f"## {self.made.text(section.title)}", "", *(head if own else ()), *own, ""]
            lines += [self.made.text(section.prose).strip(), ""] if section.prose else []
        return "\n".join(lines).rstrip() + "\n"

    def _behind(self, rule: FieldRule, value: Evaluator, hasty: bool, spoil: Spoiler) -> str:
        """What stands behind a label."""
        comma = words_of(self.language)["comma"]
        if rule.cites:
            return comma.join(self._cited(rule, hasty=hasty))
        kind = self.made.describe(rule, self.made.values_of(rule, self.made.beliefs))
        if rule.equals is None:
            return comma.join(self._said(kind["of"], spoil(kind["of"], value(one))) for one in rule.list)
        return self._said(kind, spoil(kind, value(rule.equals)))


def _as_data(value: Value, language: str) -> Any:
    """A value as it stands in an artefact."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return int(value) if float(value).is_integer() else round(float(value), 6)
    return render_value(value, "iso" if isinstance(value, datetime) else "", language)


def _put(data: dict[str, Any], name: str, value: Any) -> None:
    *parents, last = name.split(".")
    for part in parents:
        data = data.setdefault(part, {})
    data[last] = value


def _csv_text(columns: tuple[str, ...], rows: list[list[Any]]) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return made.getvalue()
