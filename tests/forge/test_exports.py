"""Exports can be read back; an imported copy of published specs gets the same probes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.exports.harbor import export_harbor, public_task
from claw_adapter_forge.exports.published import load_published, probe
from claw_adapter_forge.exports.specs import export_specs, spec_of
from claw_adapter_forge.shim.install import install_clients
from claw_adapter_forge.shim.verify import reward
from claw_adapter_forge.tasks.manifest import canonical, task_from_json, task_to_json
from claw_adapter_forge.tasks.spec import ForgeTask


def test_specs_have_the_published_fields_and_hold_our_task(paper: tuple[ForgeTask, ...]) -> None:
    spec = spec_of(paper[10])
    fields = {
        "task_id",
        "instruction",
        "instruction_variants",
        "domains",
        "initial_state",
        "data",
        "ground_truth",
        "weight",
    }
    assert fields <= set(spec)
    assert spec["data"]["public"]["hard_decision_scenario"] == paper[10].meta.family
    assert task_from_json(json.loads(json.dumps(spec["forge"]))) == paper[10]
    kinds = {c["type"] for t in paper for c in spec_of(t)["ground_truth"]["evaluation_checks"]}
    assert kinds == {"output", "effect", "state", "config"}


def test_an_import_finds_how_loose_the_paper_s_checks_are(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    chosen = paper[::12]
    export_specs(chosen, tmp_path)
    found = probe(load_published(tmp_path))
    assert found["tasks"] == found["oracle_strict"] == len(chosen)
    assert found["null_strict"] == 0
    assert 0.3 < found["null_partial"] < 0.8
    assert found["blind_strict"] == len(chosen)
    assert found["mutants_survived"] / found["mutants"] > 0.5


def test_a_published_spec_with_its_own_ids_and_shapes_is_read(tmp_path: Path) -> None:
    checks = [
        {"type": "output", "field": "last_exit_code", "operator": "exit_code_zero"},
        {
            "type": "effect",
            "effect_type": "emails_sent",
            "operator": "field_equals",
            "field": "to",
            "value": "a@example.com",
        },
        {"type": "effect", "effect_type": "tasks_created", "operator": "not_exists"},
        {"type": "config", "config_path": "agent.model", "operator": "equals", "value": "acme/m-1"},
        {"type": "llm", "criterion": "polite"},
        {"type": "state", "field": "tasks", "operator": "count_gte", "value": 4},
    ]
    spec = {
        "task_id": "hard_decision_workflow_1",
        "initial_state": "hard_wrong_model",
        "data": {
            "public": {"hard_decision_scenario": "inbox_followthrough"},
            "private": {
                "initial_state_overrides": {"tasks.json": [{"id": "t1", "title": "x", "extra": 1}], "ops/n.txt": "hi"}
            },
        },
        "ground_truth": {
            "solution_commands": [
                "email read --id email.seed.3",
                "file read --path /ops/n.txt",
                "calendar today --timezone America/Los_Angeles",
                "openclaw models set acme/m-1",
                "openclaw channels login --channel discord",
                "openclaw message send --channel discord --target #general --message 'hi'",
                "email send --to a@example.com --subject s --body b",
            ],
            "evaluation_checks": checks,
        },
    }
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "specs.json").write_text(json.dumps(spec))
    found = probe(load_published(tmp_path))
    assert (found["oracle_strict"], found["oracle_failing_commands"], found["null_strict"]) == (1, 0, 0)
    # exit status, no task created and four tasks hold of doing nothing; the mail and the model do not
    assert found["null_partial"] == 0.6
    assert found["checks_skipped"] == 1


def test_a_folder_without_specs_and_a_broken_spec_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no specs"):
        list(load_published(tmp_path))
    (tmp_path / "specs.json").write_text('{"task_id": "x"}')
    with pytest.raises(ScenarioError, match="not a published specification"):
        list(load_published(tmp_path))


def test_harbor_folders_are_complete_and_give_nothing_away(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    export_harbor(paper[:3], tmp_path)
    for task in paper[:3]:
        folder = tmp_path / task.id
        assert tomllib.loads((folder / "task.toml").read_text())["metadata"]["category"] == task.meta.ability
        assert task.instruction in (folder / "instruction.md").read_text()
        assert (folder / "solution" / "solve.sh").read_text().count("\n") >= len(task.reference)
        public = json.loads((folder / "environment" / "task.json").read_text())
        assert public["goals"] == public["reference"] == public["meta"]["evidence"] == []
        assert task_from_json(public).start == task.start
        assert "live" not in public_task(task).split('"meta"')[1].split('"start"')[0]


def test_the_harbor_verifier_rewards_the_reference_alone(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    task, log = tmp_path / "task.json", tmp_path / "log.json"
    task.write_text(canonical(task_to_json(paper[5])))
    log.write_text(json.dumps(list(paper[5].reference)))
    assert reward(task, log) == {"reward": 1.0, "progress": 1.0}
    log.write_text("[]")
    assert reward(task, log) == {"reward": 0.0, "progress": 0.0}


def test_an_exported_folder_works_end_to_end_without_the_container(
    paper: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    """What the image runs, run here: server on the public task, installed clients, the solution, the verifier."""
    task = paper[16]
    export_harbor([task], tmp_path)
    folder, log = tmp_path / task.id, tmp_path / "log.json"
    socket = Path(tempfile.mkdtemp(prefix="forge-")) / "w.sock"
    install_clients(tmp_path / "bin")
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}"
    words = [sys.executable, "-m", "claw_adapter_forge.shim.serve", str(folder / "environment" / "task.json")]
    server = subprocess.Popen([*words, "--socket", str(socket), "--log", str(log)])
    try:
        for _ in range(200):
            if socket.exists():
                break
            time.sleep(0.05)
        env = {"PATH": path, "FORGE_SOCKET": str(socket)}
        solved = subprocess.run(
            [str(folder / "solution" / "solve.sh")], env=env, capture_output=True, text=True, check=False
        )
        assert solved.returncode == 0, solved.stderr
        assert reward(folder / "tests" / "task.json", log) == {"reward": 1.0, "progress": 1.0}
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(socket.parent)
