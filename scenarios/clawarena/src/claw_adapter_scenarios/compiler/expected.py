"""What a check expects of a round's files, on what is believed at the round."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import PurePosixPath
from typing import Any, Final

from claw_adapter import values
from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Program
from claw_adapter_scenarios.checker.programs import printed
from claw_adapter_scenarios.compiler.beliefs import Beliefs
from claw_adapter_scenarios.compiler.sources import Sources
from claw_adapter_scenarios.compiler.typing import Types
from claw_adapter_scenarios.compiler.unseen import trials_of
from claw_adapter_scenarios.language.values import Value, render_value
from claw_adapter_scenarios.spec.rounds import FieldRule, FileRule, PreferenceSpec, RoundSpec, RowsRule, ScriptRule

__all__ = ["Evaluator", "Expected", "Setting", "rests_on"]

Evaluator = Callable[[str], Value]
_PROGRAM_FIELD: Final = re.compile(r"<<([^<>\n]+)>>")


def rests_on(item: RoundSpec, beliefs: Beliefs) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the facts that a round's predicates and `needs` use, and of the claims that the predicates compare."""
    facts, claims = _rests(_expressions(item), beliefs)
    return tuple(dict.fromkeys((*item.needs, *facts))), claims


def _rests(expressions: Sequence[str], beliefs: Beliefs) -> tuple[tuple[str, ...], tuple[str, ...]]:
    facts: dict[str, None] = {}
    claims: dict[str, None] = {}
    for expression in expressions:
        named, compared = beliefs.rests_on(expression)
        facts.update(dict.fromkeys(named))
        claims.update(dict.fromkeys(compared))
    return tuple(facts), tuple(claims)


def _expressions(item: RoundSpec) -> list[str]:
    found: list[str] = []
    for file in item.files:
        for rule in _rules(file):
            found += [rule.equals] if rule.equals is not None else []
            found += rule.list
        if file.rows is not None:
            found += [
                cell[1:] for row in file.rows.rows for cell in row if isinstance(cell, str) and cell.startswith("=")
            ]
        if file.script is not None:
            found += [rule.equals for rule in file.script.prints.values() if rule.equals is not None]
    return found


def _rules(file: FileRule) -> list[FieldRule]:
    return [*file.fields.values(), *(rule for section in file.sections for rule in section.labels.values())]


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known where a round's work is compiled."""

    beliefs: Beliefs
    """What is visible at the round."""
    earlier: tuple[Beliefs, ...]
    """What was visible before each update that has come."""
    sources: Sources
    followed: Mapping[str, PreferenceSpec]
    """Preferences that the oracle has been taught and that this round examines."""
    taken: frozenset[str]
    """Workspace files that are there already."""
    world: Mapping[str, str]
    """Workspace files of the scenario at the round."""


class Expected:
    """Builds the data of one round's check."""

    def __init__(self, item: RoundSpec, setting: Setting) -> None:
        self.item, self.setting = item, setting
        self.beliefs, self.canon = setting.beliefs, setting.beliefs.canon
        self.types = Types(self.canon)
        self.programs: list[Program] = []
        self.unseen: dict[str, str] = {}

    def program(self, text: str) -> str:
        """A program with its ``<<fields>>`` filled in; braces belong to the program."""
        return _PROGRAM_FIELD.sub(lambda found: self.text(f"{{{found[1]}}}"), text)

    def path(self, file: FileRule) -> str:
        """The path at which a file was asked for."""
        return self.canon.render(file.path).text

    def text(self, template: str) -> str:
        """A template with the true values."""
        return self.canon.render(template).text

    def expected(self) -> dict[str, Any]:
        """The data of the check."""
        made: dict[str, Any] = {"round": self.item.id, "files": [self._expected(file) for file in self.item.files]}
        if any(rule.cites for file in self.item.files for rule in _rules(file)):
            made["known"] = self.setting.sources.known
        return made

    def _expected(self, file: FileRule) -> dict[str, Any]:
        rule: dict[str, Any] = {"path": self.path(file), "format": file.format}
        if file.find:
            rule["find"] = self.text(file.find)
            rule["old"] = sorted(path for path in self.setting.taken if PurePosixPath(path).match(rule["find"]))
        if file.fields:
            rule["fields"] = {name: self._field(one, json=True) for name, one in file.fields.items()}
            rule["strict"] = file.strict
        if file.rows is not None:
            rule["rows"] = self._rows(file.rows)
        if file.format == "markdown":
            rule["sections"] = [
                {
                    "title": self.text(one.title),
                    "labels": {self.text(n): self._field(r, beside=one.labels) for n, r in one.labels.items()},
                }
                for one in file.sections
            ]
        if file.lacks:
            rule["lacks"] = [self.text(word) for word in file.lacks]
        if file.script is not None:
            rule["script"] = self._script(rule["path"], file.script)
        return rule

    def _script(self, path: str, script: ScriptRule) -> dict[str, Any]:
        """What a program prints on the inputs that are there and on those that it has not seen."""
        made = trials_of(self.item.id, script, self.setting.world, self.canon, self.program(script.oracle))
        wanted = {name: self._field(rule) for name, rule in script.prints.items()}
        runs = []
        for number, (changed, said) in enumerate(made):
            prints = {
                name: self._printed(tuple(wanted), name, one, said, visible=not number) for name, one in wanted.items()
            }
            runs.append({"visible": not number, "prints": prints})
            folder = f"unseen/{self.item.id}/{number}" if number else ""
            self.unseen |= {f"{folder}/{file}": text for file, text in changed.items()}
            words = [path, *(self.text(argument) for argument in script.arguments)]
            command = f"python {shlex.join(words)}"
            self.programs.append(Program(command=command, inputs=folder, timeout=min(10.0, self.item.timeout)))
        self._differ(path, runs)
        return {"runs": runs}

    def _printed(
        self, names: Sequence[str], name: str, wanted: dict[str, Any], said: str, *, visible: bool
    ) -> dict[str, Any]:
        """What is right for a run: what the oracle printed, which on the inputs that are there is what the facts say."""
        texts = printed(said, names)[name]
        found = values.parse(wanted["as"], texts[0]) if texts else values.Refused(f"it prints no {name}=…")
        if isinstance(found, values.Refused):
            raise ScenarioError(f"the oracle program prints {said!r}: {name}: {found}")
        if visible and not values.same(wanted["as"], wanted["value"], found):
            raise ScenarioError(
                f"the oracle program prints {name}={texts[0]}, but {wanted['value']!r} follows from the facts"
            )
        return wanted if visible else {"as": wanted["as"], "value": values.as_json(found)}

    def _differ(self, path: str, runs: Sequence[Mapping[str, Any]]) -> None:
        first, *others = (run["prints"] for run in runs)
        for name, wanted in first.items():
            if all(wanted["value"] == other[name]["value"] for other in others):
                raise ScenarioError(
                    f"{path}: no unseen input changes {name!r}", remedy="Let 'unseen' change what it depends on."
                )

    def _field(
        self, rule: FieldRule, *, json: bool = False, beside: Mapping[str, FieldRule] | None = None
    ) -> dict[str, Any]:
        """What is expected of a field, which stands beside others in its section.

        One of JSON without a stated type is true or false where the value is.
        """
        if rule.cites:
            groups = [self.setting.sources.group(self.text(group)) for group in rule.cites]
            return {"cites": groups, "may": self._allowed(rule, groups, beside or {})}
        if rule.same_as:
            place, stated = self.text(rule.same_as), rule.type or {"type": "number"}
            description = self.types.stated(stated, rule.tolerance or 0.011)
            return {"same_as": place, "as": description, "there": self.type_at(place)}
        found = self.values_of(rule, self.beliefs)
        if isinstance(found, bool) and json and rule.type is None:
            stale = [True for old in self.setting.earlier if self.values_of(rule, old) is (not found)]
            return {"flag": found, **({"stale": True} if stale else {})}
        description = self.describe(rule, found)
        return {
            "as": description,
            "value": self.types.expect(description, found),
            **self._stale(rule, description, found),
        }

    def type_at(self, place: str) -> dict[str, Any]:
        """The type of what stands at ``file#field`` or in the column of ``file#sum:column``."""
        path, _, name = place.partition("#")
        file = next((one for one in self.item.files if self.path(one) == path), None)
        column = name.removeprefix("sum:")
        if file is not None and file.rows is not None and column in file.rows.columns:
            return self.cell_types(file.rows)[0][file.rows.columns.index(column)]
        if file is not None and name in file.fields and (rule := file.fields[name]).equals is not None:
            return self.describe(rule, self.values_of(rule, self.beliefs))
        raise ScenarioError(
            f"'same_as: {place}' names no number of a file of the round", remedy="Write path#field or path#sum:column."
        )

    def describe(self, rule: FieldRule, found: Value) -> dict[str, Any]:
        """The type of a field, whose right value is `found`."""
        if not rule.list:
            return self._one_type(rule, found)
        given = self._one_type(rule, found[0])
        if rule.type is None and given["type"] == "choice":
            given = {"type": "choice", "of": {render_value(one, "", self.canon.language): [] for one in found}}
        return {"type": "names", "of": given}

    def _one_type(self, rule: FieldRule, found: Value) -> dict[str, Any]:
        if rule.type is not None:
            return self.types.stated(rule.type, rule.tolerance, rule.form)
        accept = [self.text(one) for one in rule.accept]
        return self.types.natural(found, form=rule.form, accept=accept, tolerance=rule.tolerance)

    def values_of(self, rule: FieldRule, beliefs: Beliefs) -> Value:
        """What a field is by its expressions; a list for a set."""
        if rule.equals is not None:
            return beliefs.evaluated(rule.equals)
        return [beliefs.evaluated(one) for one in rule.list]

    def _allowed(self, rule: FieldRule, groups: Sequence[Sequence[str]], beside: Mapping[str, FieldRule]) -> list[str]:
        """What may be named beside the groups: what the author says, or else what is evidence of the same facts.

        Those are the facts of the section, or of the whole round where nothing else stands in the section.
        """
        named = {name for group in groups for name in group}
        if rule.may is not None:
            may = {name for one in rule.may for name in self.setting.sources.group(self.text(one))}
            return sorted(may - named)
        near = [one for other in beside.values() for one in (other.equals, *other.list) if one is not None]
        facts, claims = _rests(near, self.beliefs) if near else rests_on(self.item, self.beliefs)
        return sorted(self.setting.sources.evidence(facts, claims) - named)

    def _stale(self, rule: FieldRule, description: Mapping[str, Any], found: Value) -> dict[str, Any]:
        """The values that were right before an update."""
        right, old = self.types.expect(description, found), []
        for before in self.setting.earlier:
            try:
                value = self.types.expect(description, self.values_of(rule, before))
            except ScenarioError:
                continue  # nothing could be said of it then
            if value != right and value not in old:
                old.append(value)
        return {"stale": old} if old else {}

    def _rows(self, rows: RowsRule) -> dict[str, Any]:
        kinds = self.cell_types(rows)
        cells = [
            [
                {"as": kind, "value": self.types.expect(kind, self.cell(cell, self.beliefs.evaluated))}
                for kind, cell in zip(of_row, row, strict=True)
            ]
            for of_row, row in zip(kinds, rows.rows, strict=True)
        ]
        return {"columns": list(rows.columns), "key": rows.key, "rows": cells}

    def cell_types(self, rows: RowsRule) -> list[list[dict[str, Any]]]:
        """The type of each cell, row by row; a text is one of those that stand in its column."""
        right = [[self.cell(cell, self.beliefs.evaluated) for cell in row] for row in rows.rows]
        people = set(self.canon.people.values())
        texts = [[cell for cell in column if isinstance(cell, str)] for column in zip(*right, strict=True)]

        def kind(number: int, found: Value) -> dict[str, Any]:
            name = rows.columns[number]
            if name in rows.types:
                return self.types.stated(rows.types[name], rows.tolerance)
            if isinstance(found, str) and not people.issuperset(texts[number]):
                return {"type": "choice", "of": {text: [] for text in texts[number]}}
            form = rows.form if isinstance(found, date | time) else ""
            return self.types.natural(found, form=form, tolerance=rows.tolerance)

        return [[kind(number, found) for number, found in enumerate(row)] for row in right]

    def cell(self, cell: Any, value: Evaluator) -> Value:
        """A cell of a table: a template, or what `value` says of an ``=expression``."""
        if isinstance(cell, str):
            return value(cell[1:]) if cell.startswith("=") else self.text(cell)
        return cell
