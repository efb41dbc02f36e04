"""``claw forge import``: the same operators as for our tasks, and no traceback whatever a specification holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from claw_adapter_forge.cli import forge
from claw_adapter_forge.exports.probing import SHARED, probe, probe_ours
from claw_adapter_forge.exports.published import load_published
from claw_adapter_forge.exports.specs import export_specs, spec_of
from claw_adapter_forge.tasks.spec import ForgeTask


def test_our_export_is_killed_by_its_own_verdict_and_not_by_the_published_kind_of_checks(
    paper: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    chosen = paper[::40]
    export_specs(chosen, tmp_path)
    found = probe(load_published(tmp_path))
    assert found["mutants_survived"] / found["mutants"] > 0.7
    own = found["verdict"]
    assert own["mutants"] > 400
    assert (own["mutants_survived"], own["vandal_strict"], own["do_nothing_partial"]) == (0, 0, 0.0)
    assert own == probe_ours(chosen).to_json()


def test_the_operators_are_those_of_the_proof(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    specs = [spec_of(t) for t in paper[::40]]
    for number, spec in enumerate(specs):
        del spec["forge"]  # as a foreign one: nothing but the published fields
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "specs.json").write_text(json.dumps(spec))
    found = probe(load_published(tmp_path))
    assert found["verdict"] is None
    operators = found["operators"]
    assert set(operators) == set(SHARED)
    assert all(
        operators[name]["made"] for name in ("drop", "duplicate", "wrong_entity", "truncate", "delete_preserved")
    )
    # what leaves something out is seen by counting, what adds something is not
    assert operators["truncate"]["survived"] < operators["truncate"]["made"] / 10
    assert operators["duplicate"]["survived"] == operators["duplicate"]["made"]


def _broken(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    def broken(spec: dict[str, Any]) -> object:
        made = change(spec)
        return spec if made is None else made

    return broken


@pytest.mark.parametrize(
    "change",
    [
        lambda _spec: [1, 2],
        lambda spec: spec["ground_truth"]["evaluation_checks"][0].update(operator="resembles"),
        lambda spec: spec["ground_truth"]["evaluation_checks"][0].update(operator="regex", value="("),
        lambda spec: spec["data"]["private"].update(initial_state_overrides=[1]),
        lambda spec: spec["data"]["private"]["initial_state_overrides"].update({"tasks.json": [{"title": {"a": 1}}]}),
        lambda spec: spec["data"]["private"]["initial_state_overrides"].update({"tasks.json": ["x"]}),
        lambda spec: spec["ground_truth"]["evaluation_checks"].append(
            {"type": "effect", "effect_type": "emails_sent", "operator": "field_equals", "value": {"a": 1}}
        ),
        lambda spec: spec["ground_truth"]["evaluation_checks"].append(
            {"type": "effect", "effect_type": "tasks_created", "operator": "count_gte", "value": {"a": 1}}
        ),
        lambda spec: spec["ground_truth"].update(evaluation_checks=7),
        lambda spec: spec.update(ground_truth=None),
    ],
)
def test_a_broken_specification_is_named_without_a_traceback(
    paper: tuple[ForgeTask, ...], tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    spec = spec_of(paper[0])
    (tmp_path / "specs.json").write_text(json.dumps(_broken(change)(spec)))
    done = CliRunner().invoke(forge, ["import", str(tmp_path)])
    assert done.exit_code == 2
    assert "specs.json: not a published specification" in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_import_shows_our_numbers_beside(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    export_specs(paper[:1], tmp_path)
    data = json.loads(CliRunner().invoke(forge, ["import", str(tmp_path), "--json"]).stdout)
    assert (data["ours"]["tasks"], data["ours"]["mutants_survived"], data["ours"]["do_nothing_strict"]) == (51, 0, 0)
    shown = CliRunner().invoke(forge, ["import", str(tmp_path)]).stdout
    assert "their checks" in shown.splitlines()[0]
    assert "ours" in shown.splitlines()[0]
