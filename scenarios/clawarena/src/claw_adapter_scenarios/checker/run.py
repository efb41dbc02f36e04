"""``python check.py EXPECTED.json WORKSPACE [OUTPUTS.json [CHANGED.json]]``: exit 0, or 1 with the faults.

Each fault is a line of JSON, ``{"fault": {"file": …, "field": …, "kind": …, "why": …}}``. EXPECTED is made by the scenario
compiler from predicates over facts; OUTPUTS says what the programs printed that were run before, CHANGED
what was created or changed in the round, null where that is not known. The artefacts were written by
an agent, so nothing in them is trusted to be of any shape.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from .documents import check_markdown, has_section
from .faults import Fault, Kind, Unreadable
from .files import read_files
from .objects import check_json, has_field, read_object
from .programs import check_program
from .tables import check_csv, has_column, read_table
from .typed import Known

__all__ = ["check", "main"]


def main(arguments: Sequence[str]) -> int:
    """Check, print the faults, return the exit status."""
    expected = json.loads(Path(arguments[0]).read_text("utf-8"))
    outputs = json.loads(Path(arguments[2]).read_text("utf-8")) if len(arguments) > 2 else []
    changed = json.loads(Path(arguments[3]).read_text("utf-8")) if len(arguments) > 3 else None
    faults = check(Path(arguments[1]), expected, outputs, changed)
    for fault in faults:
        print(json.dumps({"fault": fault.as_json()}, ensure_ascii=False))  # noqa: T201 - a program of its own
    return 1 if faults else 0


def check(
    workspace: Path,
    expected: Mapping[str, Any],
    outputs: Sequence[Mapping[str, Any]] = (),
    changed: Collection[str] | None = None,
) -> list[Fault]:
    """What is wrong; empty when all artefacts are as expected.

    Args:
        workspace: where the artefacts are.
        expected: what they should be.
        outputs: of every run of a program, in the order of the files and their runs.
        changed: paths of the files that were created or changed in the round; None where that is not known.
    """
    faults: list[Fault] = []
    loaded: dict[str, Any] = {}
    left = list(outputs)
    for rule in expected["files"]:
        others = [other["path"] for other in expected["files"] if other is not rule]
        try:
            if rule["format"] == "python":
                count = len(rule["script"]["runs"])
                own, left = left[:count], left[count:]
                read_files(workspace, rule, changed, others)
                found = list(check_program(rule, own))
            else:
                found = _of_files(read_files(workspace, rule, changed, others), rule, loaded, expected.get("known", {}))
        except Unreadable as error:
            found = [("", error.kind, str(error))]
        faults += [Fault(rule["path"], *fault) for fault in found]
    return faults


Found = list[tuple[str, Kind, str]]


def _of_files(
    files: Sequence[tuple[str, str | Unreadable]], rule: Mapping[str, Any], loaded: dict[str, Any], known: Known
) -> Found:
    """What is wrong with the artefact. Where several files have something of it, each of them must be right."""
    if len(files) > 1:
        files = [(name, text) for name, text in files if CLAIMS[rule["format"]](rule, text)] or files[-1:]
    found = {name: _of_file(text, rule, loaded, known) for name, text in files}
    right, wrong = [name for name in found if not found[name]], [name for name in found if found[name]]
    if right and wrong:
        return [
            ("", "format", f"{right[0]} and {wrong[0]} both look like it, and do not say the same: leave one of them")
        ]
    return found[wrong[-1]] if wrong else []


def _of_file(text: str | Unreadable, rule: Mapping[str, Any], loaded: dict[str, Any], known: Known) -> Found:
    try:
        if isinstance(text, Unreadable):
            raise text
        if rule["format"] == "json":
            loaded[rule["path"]] = read_object(text)
            return list(check_json(rule, loaded[rule["path"]], loaded, known))
        if rule["format"] == "csv":
            loaded[rule["path"]] = read_table(rule, text)
            return list(check_csv(rule, loaded[rule["path"]]))
        return list(check_markdown(rule, text, known))
    except Unreadable as error:
        return [("", error.kind, str(error))]


CLAIMS = {"json": has_field, "csv": has_column, "markdown": has_section}
"""Whether a text has something that was asked for, so that it claims to be the artefact."""
