"""Checks and artefacts from the same predicates: what the check expects, what an oracle writes, what a hasty reader writes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import PurePosixPath
from typing import Any, Final

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.compiler.beliefs import Beliefs
from claw_adapter_scenarios.language.values import Value, render_value
from claw_adapter_scenarios.language.wording import words_of
from claw_adapter_scenarios.spec.rounds import FieldRule, FileRule, Follow, PreferenceSpec, RoundSpec, RowsRule

__all__ = ["Work", "compile_work", "rests_on"]

Evaluator = Callable[[str], Value]
Spoiler = Callable[[Value], Value]
_PROGRAM_FIELD: Final = re.compile(r"<<([^<>\n]+)>>")


@dataclass(frozen=True, slots=True)
class Work:
    """One round's work: the expectations of the check, and the files that two readers write."""

    expected: dict[str, Any]
    oracle: dict[str, str]
    hasty: dict[str, str]


def rests_on(item: RoundSpec, beliefs: Beliefs) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the facts that a round's predicates and `needs` use, and of the claims that the predicates compare."""
    facts: dict[str, None] = dict.fromkeys(item.needs)
    claims: dict[str, None] = {}
    for expression in _expressions(item):
        named, compared = beliefs.rests_on(expression)
        facts.update(dict.fromkeys(named))
        claims.update(dict.fromkeys(compared))
    return tuple(facts), tuple(claims)


def _expressions(item: RoundSpec) -> list[str]:
    found: list[str] = []
    for file in item.files:
        for rule in file.fields.values():
            found += [rule.equals] if rule.equals is not None else []
            found += rule.list
        if file.rows is not None:
            found += [
                cell[1:] for row in file.rows.rows for cell in row if isinstance(cell, str) and cell.startswith("=")
            ]
        if file.script is not None:
            found += file.script.prints
    return found


def compile_work(item: RoundSpec, beliefs: Beliefs, followed: dict[str, PreferenceSpec], taken: frozenset[str]) -> Work:
    """What a round's files must be, on what is believed at the round.

    Args:
        item: the round.
        beliefs: what is visible at the round.
        followed: preferences that the oracle has been taught and that this round examines.
        taken: workspace files that are there already.

    Raises:
        ScenarioError: a predicate cannot be evaluated.
    """
    builder = _Builder(item, beliefs, taken)
    oracle = builder.write(beliefs.evaluated)
    hasty = builder.write(lambda expression: beliefs.evaluated(expression, naive=True), hasty=True)
    plain = dict(oracle)
    for preference in followed.values():
        oracle = _follow(preference, oracle, builder)
    if hasty == oracle or (hasty == plain and not followed):
        hasty = builder.write(
            beliefs.evaluated, hasty=True, spoil=lambda value: _perturbed(value, beliefs.canon.language)
        )
    return Work(builder.expected(), oracle, hasty)


def _as_it_is(value: Value) -> Value:
    return value


class _Builder:
    """Builds the files of one round."""

    def __init__(self, item: RoundSpec, beliefs: Beliefs, taken: frozenset[str]) -> None:
        self.item, self.beliefs, self.canon, self.taken = item, beliefs, beliefs.canon, taken

    def path(self, file: FileRule) -> str:
        return self.canon.render(file.path).text

    def text(self, template: str) -> str:
        return self.canon.render(template).text

    def expected(self) -> dict[str, Any]:
        """The data of the check."""
        return {"round": self.item.id, "files": [self._expected(file) for file in self.item.files]}

    def _expected(self, file: FileRule) -> dict[str, Any]:
        rule: dict[str, Any] = {"path": self.path(file), "format": file.format}
        if file.find:
            rule["find"] = self.text(file.find)
            rule["old"] = sorted(path for path in self.taken if PurePosixPath(path).match(rule["find"]))
        if file.fields:
            rule["fields"] = {name: self._field(one) for name, one in file.fields.items()}
            rule["strict"] = file.strict
        if file.rows is not None:
            rule["rows"] = self._rows(file.rows)
        if file.sections:
            rule["sections"] = [self.text(section) for section in file.sections]
        if file.mentions:
            rule["mentions"] = [self.text(mention).split("|") for mention in file.mentions]
        if file.lacks:
            rule["lacks"] = [self.text(word) for word in file.lacks]
        if file.script is not None:
            rule["script"] = {
                "arguments": [self.text(argument) for argument in file.script.arguments],
                "prints": [self._check_of(self.beliefs.evaluated(e), FieldRule(equals=e)) for e in file.script.prints],
                "timeout": max(5, int(self.item.timeout) - 5),
            }
        return rule

    def _field(self, rule: FieldRule) -> dict[str, Any]:
        if rule.equals is not None:
            return self._check_of(self.beliefs.evaluated(rule.equals), rule)
        if rule.list:
            return {"list": [self._check_of(self.beliefs.evaluated(one), rule) for one in rule.list]}
        if rule.cites:
            return {"cites": [self.text(group).split("|") for group in rule.cites]}
        return {"same_as": self.text(rule.same_as), "tolerance": rule.tolerance or 0.011}

    def _check_of(self, value: Value, rule: FieldRule) -> dict[str, Any]:
        if isinstance(value, bool):
            return {"kind": "flag", "value": value}
        if isinstance(value, int | float):
            return {"kind": "number", "value": round(value, 9), "tolerance": rule.tolerance}
        if isinstance(value, datetime | date | time):
            return {"kind": "moment", "value": _moment(value).isoformat(), "form": rule.form or _form(value)}
        return {
            "kind": "text",
            "value": render_value(value, "", self.canon.language),
            "accept": [self.text(text) for text in rule.accept],
        }

    def _rows(self, rows: RowsRule) -> dict[str, Any]:
        rule = FieldRule(equals="0", tolerance=rows.tolerance)
        cells = [[self._check_of(self._cell(cell, self.beliefs.evaluated), rule) for cell in row] for row in rows.rows]
        return {"columns": list(rows.columns), "key": rows.key, "rows": cells}

    def _cell(self, cell: Any, value: Evaluator) -> Value:
        if isinstance(cell, str):
            return value(cell[1:]) if cell.startswith("=") else self.text(cell)
        return cell

    def write(self, value: Evaluator, *, hasty: bool = False, spoil: Spoiler = _as_it_is) -> dict[str, str]:
        """The files that somebody writes who takes facts for what `value` says, every value spoilt by `spoil`."""
        written: dict[str, Any] = {}
        texts: dict[str, str] = {}
        for file in self.item.files:
            path = self.path(file)
            written[path], texts[path] = self._file(file, value, written, hasty=hasty, spoil=spoil)
        return texts

    def _file(
        self, file: FileRule, value: Evaluator, written: dict[str, Any], *, hasty: bool, spoil: Spoiler
    ) -> tuple[Any, str]:
        if file.script is not None:
            return None, self._program(file.script.hasty if hasty else file.script.oracle)
        if file.rows is not None:
            rows = [self._row(row, file.rows.key, value, spoil) for row in file.rows.rows]
            return [dict(zip(file.rows.columns, row, strict=True)) for row in rows], _csv_text(file.rows.columns, rows)
        if file.format == "json":
            data: dict[str, Any] = {}
            for name, rule in file.fields.items():
                _put(data, name, self._value(rule, lambda e: spoil(value(e)), written, hasty=hasty))
            return data, json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        return None, self._markdown(file, hasty=hasty)

    def _row(self, row: Sequence[Any], key: int, value: Evaluator, spoil: Spoiler) -> list[Any]:
        """The cells of a row; who spoils values leaves alone what the question has named: the key, and no more than that."""
        kept = min(key, len(row) - 1)
        cells = [self._cell(cell, value) for cell in row]
        return [_written(cell, self.canon.language) for cell in (*cells[:kept], *map(spoil, cells[kept:]))]

    def _program(self, text: str) -> str:
        """A program with its ``<<fields>>`` filled in; braces belong to the program."""
        return _PROGRAM_FIELD.sub(lambda found: self.text(f"{{{found[1]}}}"), text)

    def _value(self, rule: FieldRule, value: Evaluator, written: dict[str, Any], *, hasty: bool) -> Any:
        if rule.equals is not None:
            return _written(value(rule.equals), self.canon.language, rule.form)
        if rule.list:
            return [_written(value(one), self.canon.language, rule.form) for one in rule.list]
        if rule.cites:
            names = [self.text(group).split("|")[0] for group in rule.cites]
            return names[:-1] if hasty else names
        return self._elsewhere(self.text(rule.same_as), written)

    def _elsewhere(self, place: str, written: dict[str, Any]) -> Any:
        """The value at ``file#field`` or ``file#sum:column`` of an earlier file of the round."""
        path, _, name = place.partition("#")
        try:
            if name.startswith("sum:"):
                return _written(sum(float(row[name[4:]]) for row in written[path]), self.canon.language)
            found = written[path]
            for part in name.split("."):
                found = found[part]
        except (KeyError, TypeError, ValueError):
            raise ScenarioError(
                f"'same_as: {place}' names no number of an earlier file", remedy="Write path#field or path#sum:column."
            ) from None
        return found

    def _markdown(self, file: FileRule, *, hasty: bool) -> str:
        mentions = [self.text(mention).split("|")[0] for mention in file.mentions]
        mentions = [] if hasty else mentions
        nothing = f"- {words_of(self.canon.language)['nothing further']}"
        lines: list[str] = []
        for number, section in enumerate(file.sections):
            lines += [f"## {self.text(section)}", "", *(f"- {m}" for m in mentions[number :: len(file.sections)])]
            lines += [nothing, ""]
        if not file.sections:
            lines += [f"- {mention}" for mention in mentions] or [nothing]
        return "\n".join(lines).rstrip() + "\n"


def _follow(preference: PreferenceSpec, files: dict[str, str], builder: _Builder) -> dict[str, str]:
    """The files as somebody writes them who keeps to a preference."""
    how: Follow = preference.follow
    done: dict[str, str] = {}
    for path, text in files.items():
        place = PurePosixPath(path)
        if not preference.files or not place.match(preference.files):
            done[path] = text
            continue
        extra: dict[str, Value] = {"stem": place.stem, "suffix": place.suffix}
        name = builder.canon.render(how.rename, extra).text if how.rename else place.name
        before, after = builder.canon.render(how.prepend).text, builder.canon.render(how.append).text
        done[(place.parent / name).as_posix()] = f"{before}{text}{after}"
    return done


def _form(value: Value) -> str:
    return (
        "date"
        if isinstance(value, date) and not isinstance(value, datetime)
        else "hm"
        if isinstance(value, time)
        else ""
    )


def _moment(value: Value) -> datetime:
    if isinstance(value, datetime):
        return value
    return datetime.combine(value, time()) if isinstance(value, date) else datetime.combine(date(2000, 1, 1), value)


def _written(value: Value, language: str, form: str = "") -> Any:
    """A value as it stands in an artefact."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return int(value) if float(value).is_integer() else round(float(value), 6)
    if isinstance(value, datetime | time) and form:
        return render_value(value, form)
    return render_value(value, "iso" if isinstance(value, datetime) else "", language)


def _perturbed(value: Value, language: str) -> Value:
    """A value that is wrong: for readers who never looked, where nothing misleading is on record."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return round(value * 1.5 + 1, 2)
    if isinstance(value, datetime):
        return value.replace(hour=(value.hour + 5) % 24)
    return words_of(language)["unchecked"].format(value=render_value(value, "", language))


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
