"""``claw forge import``: the same operators as for our tasks, and no traceback whatever a specification holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from claw_adapter_forge.cli import forge
from claw_adapter_forge.exports import probing
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
        lambda spec: spec["ground_truth"]["evaluation_checks"][0].update(condition="resembles"),
        lambda spec: spec["ground_truth"]["evaluation_checks"][0].update(condition="regex", expected="("),
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


def test_import_shows_our_numbers_beside(
    paper: tuple[ForgeTask, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[probing.Column] = []
    monkeypatch.setattr(
        probing, "probe_ours", lambda tasks: found[0] if found else found.append(probe_ours(tasks)) or found[0]
    )
    export_specs(paper[:1], tmp_path)
    data = json.loads(CliRunner().invoke(forge, ["import", str(tmp_path), "--json"]).stdout)
    assert (data["ours"]["tasks"], data["ours"]["mutants_survived"], data["ours"]["do_nothing_strict"]) == (51, 0, 0)
    shown = CliRunner().invoke(forge, ["import", str(tmp_path)]).stdout
    assert "their checks" in shown.splitlines()[0]
    assert "ours" in shown.splitlines()[0]


def _foreign(folder: Path, number: int, commands: list[str], checks: list[dict[str, Any]]) -> None:
    spec = {
        "task_id": f"foreign_{number}",
        "instruction": "Put the model right and tell @alice.",
        "data": {"private": {"initial_state_overrides": {}}},
        "ground_truth": {"solution_commands": commands, "evaluation_checks": checks},
    }
    (folder / str(number)).mkdir(parents=True)
    (folder / str(number) / "specs.json").write_text(json.dumps(spec))


POLL = {"field": "message", "value": "10am / 2pm"}
MODEL = {"type": "config", "config_path": "agent.model", "condition": "equals", "expected": "acme/m-1", "name": "model"}


def test_published_names_of_operators_operands_and_flags_are_read_through_links(tmp_path: Path) -> None:
    commands = [
        "openclaw plugins enable slack",
        "openclaw agents add helper --model acme/m-1",
        "openclaw agents set-identity --agent helper --emoji 🤖",
        "file create --path /a/handoff.txt --content x",
        "openclaw message poll --target #general --poll-question 'When?' --poll-option 10am --poll-option 2pm",
        "openclaw message broadcast --targets @alice @bob --message 'now'",
        "openclaw message react --channel discord --target @alice --message-id 1 --emoji +1",
    ]
    made = {"type": "effect", "condition": "field_equals", "effect_type": "plugins_installed"}
    checks = [
        made | {"expected": {"field": "name", "value": "slack"}},
        {"type": "state", "field": "agents.helper.emoji", "condition": "equals", "expected": "🤖"},
        {"type": "state", "field": "gateway_status.running", "condition": "equals", "expected": True},
        made | {"effect_type": "files_created", "expected": {"field": "path", "value": "/a/handoff.txt"}},
        made | {"effect_type": "messages_sent", "condition": "field_contains", "expected": POLL},
        {"type": "effect", "effect_type": "messages_sent", "condition": "count_gte", "expected": 3},
        {
            "type": "output",
            "match_type": "regex",
            "expected": "react",
            "output_field": "last_stdout",
            "ignore_case": True,
        },
        {"type": "output", "condition": "exit_code_zero", "expected": None},
    ]
    _foreign(tmp_path / "elsewhere", 1, commands, checks)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "one").symlink_to(tmp_path / "elsewhere" / "1")
    (tmp_path / "set" / "again").symlink_to(tmp_path / "set")
    found = probe(load_published(tmp_path / "set"))
    assert (found["tasks"], found["oracle_strict"], found["oracle_failing_commands"]) == (1, 1, 0)


def test_what_the_checks_want_and_nothing_shows_is_named(tmp_path: Path) -> None:
    _foreign(
        tmp_path, 1, ["tasks list", "openclaw models set acme/m-1", "tasks add --title 'Anything at all'"], [MODEL]
    )
    _foreign(tmp_path, 2, ["openclaw models set acme/m-1", "openclaw models set acme/m-2"], [MODEL])
    found = probe(load_published(tmp_path))
    assert [one["oracle"] for one in found["each"]] == [True, False]
    assert found["each"][0]["unshown"] == [{"step": 2, "argument": "value", "value": "acme/m-1"}]
    shown = CliRunner().invoke(forge, ["import", str(tmp_path)]).stdout
    assert "1 references fail their own checks:\n  foreign_2" in shown
    assert "1 ill-posed: the checks want an argument that nothing shows:\n  foreign_1: step 2 value acme/m-1" in shown


def test_a_set_in_which_no_reference_passes_is_an_error(tmp_path: Path) -> None:
    _foreign(tmp_path, 1, ["tasks list"], [MODEL])
    done = CliRunner().invoke(forge, ["import", str(tmp_path)])
    assert done.exit_code == 2
    assert "none of the 1 references passes its own checks" in done.output


def test_a_check_without_an_operator_is_named(tmp_path: Path) -> None:
    _foreign(tmp_path, 1, ["tasks list"], [{"type": "state", "field": "tasks", "expected": 1}])
    done = CliRunner().invoke(forge, ["import", str(tmp_path)])
    assert done.exit_code == 2
    assert "a check names no operator (condition | match_type | operator | op)" in done.output
