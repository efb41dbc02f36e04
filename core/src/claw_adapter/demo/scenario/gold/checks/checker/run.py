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

from .documents import check_markdown
from .faults import Fault, Faults, Unreadable
from .files import read_file
from .objects import check_json, read_object
from .programs import check_program
from .tables import check_csv, read_table
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
        try:
            if rule["format"] == "python":
                count = len(rule["script"]["runs"])
                own, left = left[:count], left[count:]
                read_file(workspace, rule, changed)
                found = check_program(rule, own)
            else:
                found = _check_file(workspace, rule, loaded, expected.get("known", {}), changed)
            faults += [Fault(rule["path"], *fault) for fault in found]
        except Unreadable as error:
            faults.append(Fault(rule["path"], "", error.kind, str(error)))
    return faults


def _check_file(
    workspace: Path, rule: Mapping[str, Any], loaded: dict[str, Any], known: Known, changed: Collection[str] | None
) -> Faults:
    _, text = read_file(workspace, rule, changed)
    if rule["format"] == "json":
        loaded[rule["path"]] = read_object(text)
        yield from check_json(rule, loaded[rule["path"]], loaded, known)
    elif rule["format"] == "csv":
        loaded[rule["path"]] = read_table(rule, text)
        yield from check_csv(rule, loaded[rule["path"]])
    else:
        yield from check_markdown(rule, text, known)
