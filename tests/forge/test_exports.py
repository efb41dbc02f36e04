"""Exports can be read back; an imported copy of published specs gets the same probes."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Self

import pytest
import yaml

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.evaluation.paper import paper_checks, paper_score
from claw_adapter_forge.exports.harbor import export_harbor
from claw_adapter_forge.exports.probing import probe
from claw_adapter_forge.exports.published import load_published
from claw_adapter_forge.exports.specs import export_specs, spec_of
from claw_adapter_forge.generator.choosing import pick_tasks
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.tasks.manifest import task_from_json
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.difference import difference
from claw_adapter_forge.world.state import World


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


def test_an_export_is_read_back_with_the_same_verdicts_and_final_states(
    paper: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    """Also where others answer, and ids that a reference names are those of rows made while one works."""
    chosen = {task.id: task for task in (*paper[::40], *pick_tasks("hard", 5, 2))}
    assert any(task.start.tables["replies"] for task in chosen.values())
    export_specs(chosen.values(), tmp_path)
    for found in load_published(tmp_path):
        assert found.own is not None
        task = chosen[found.own.id]
        checks = paper_checks(task)
        for lines in (task.reference, (), task.reference[:-1]):
            there, back = World(task.start), World(found.start)
            done = [execute(there, line) for line in lines]
            again = [execute(back, line) for line in lines]
            assert difference(task.start, there.state) == difference(found.start, back.state)
            mean = paper_score(checks, task, done, there.state)
            assert mean == paper_score(found.checks, task, again, back.state)
            assert (mean == 1) is (lines == task.reference)


def test_an_import_finds_how_loose_the_paper_s_checks_are(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    chosen = paper[::12]
    export_specs(chosen, tmp_path)
    found = probe(load_published(tmp_path))
    assert found["tasks"] == found["oracle_strict"] == len(chosen)
    assert found["do_nothing_strict"] == 0
    assert 0.3 < found["do_nothing_partial"] < 0.8
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
    assert (found["oracle_strict"], found["oracle_failing_commands"], found["do_nothing_strict"]) == (1, 0, 0)
    # exit status, no task created and four tasks hold of doing nothing; the mail and the model do not
    assert found["do_nothing_partial"] == 0.6
    assert found["checks_skipped"] == 1


def test_a_folder_without_specs_and_a_broken_spec_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no specs"):
        list(load_published(tmp_path))
    (tmp_path / "specs.json").write_text('{"task_id": "x"}')
    with pytest.raises(ScenarioError, match="not a published specification"):
        list(load_published(tmp_path))


def test_specs_hold_what_an_agent_is_told_with_the_request(paper: tuple[ForgeTask, ...]) -> None:
    settings = spec_of(paper[0])["data"]["private"]["initial_state_overrides"]["config.json"]
    assert "wall time" in settings["office.rules"]
    assert not any(key.startswith("gateway.auth") for key in settings)


def test_a_harbor_instruction_is_the_whole_first_observation(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    export_harbor(paper[:3], tmp_path)
    for task in paper[:3]:
        folder = tmp_path / task.id
        assert tomllib.loads((folder / "task.toml").read_text())["metadata"]["category"] == task.meta.ability
        told = (folder / "instruction.md").read_text()
        assert task.instruction in told
        for part in ("office.rules", "Gateway: running", "tasks add", "programs on its PATH", "not on this disk", "25"):
            assert part in told
        assert task.id not in told
        assert (folder / "solution" / "solve.sh").read_text().count("\n") >= len(task.reference)


def test_the_agent_s_image_has_neither_generator_nor_task_nor_log(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    export_harbor(paper[:1], tmp_path)
    environment = tmp_path / paper[0].id / "environment"
    copied = [x.split()[1] for x in (environment / "Dockerfile").read_text().splitlines() if x.startswith("COPY")]
    assert copied == ["client/"]
    assert "pip" not in (environment / "Dockerfile").read_text()
    assert (environment / ".dockerignore").read_text() == "world\n"
    text = "".join(p.read_text() for p in (environment / "client").rglob("*") if p.is_file())
    assert "claw_adapter_forge" not in text
    for given_away in (*paper[0].reference, paper[0].id, paper[0].meta.city, paper[0].meta.profile, "seed"):
        assert given_away not in text
    compose = yaml.safe_load((environment / "docker-compose.yaml").read_text())["services"]
    assert compose["main"]["volumes"] == compose["world"]["volumes"] == ["forge-socket:/run/forge"]
    assert compose["world"]["build"]["context"] == "./world"
    assert "index" in (tmp_path / "README.md").read_text()


class Served:
    """What the world's image runs, run here, and the agent's clients beside it."""

    def __init__(self, task: ForgeTask, folder: Path) -> None:
        export_harbor([task], folder)
        self.folder = folder / task.id
        self.socket = Path(tempfile.mkdtemp(prefix="forge-")) / "w.sock"
        world = self.folder / "environment" / "world"
        words = [sys.executable, "-m", "claw_adapter_forge.shim.serve", str(world / "task.json")]
        words += ["--socket", str(self.socket), "--token-file", str(world / "token")]
        self.server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        # the scripts name the place they have in the image
        clients = self.folder / "environment" / "client"
        for script in (clients / "bin").iterdir():
            script.write_text(script.read_text().replace("/opt/forge/lib", str(clients / "lib")))
        self.env = {"PATH": f"{clients / 'bin'}{os.pathsep}{os.defpath}", "CLAW_SOCKET": str(self.socket)}
        deadline = time.monotonic() + 30
        while not self.socket.exists() and time.monotonic() < deadline:
            time.sleep(0.05)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, env=self.env, capture_output=True, text=True, check=False, timeout=60)

    def ask(self, request: dict[str, object]) -> dict[str, object]:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.connect(str(self.socket))
            link.sendall(json.dumps(request).encode() + b"\n")
            with link.makefile("r", encoding="utf-8") as answers:
                return dict(json.loads(answers.readline()))

    def verdict(self) -> dict[str, float]:
        return dict(json.loads(self.run(sys.executable, "-I", "-S", str(self.folder / "tests" / "ask.py")).stdout))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.terminate()
        self.server.communicate()
        shutil.rmtree(self.socket.parent)


def test_an_exported_folder_works_end_to_end_without_the_containers(
    paper: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    with Served(paper[16], tmp_path) as served:
        solved = served.run(str(served.folder / "solution" / "solve.sh"))
        assert solved.returncode == 0, solved.stderr
        assert served.verdict() == {"reward": 1.0, "progress": 1.0}
        assert served.server.stdout is not None
        assert json.loads(served.server.stdout.readline())["commands"] == list(paper[16].reference)


def test_damage_cannot_be_undone_by_anything_the_agent_can_write(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    """Nothing on the agent's side is judged: what was executed stands in the server, which takes no log from anybody."""
    with Served(paper[16], tmp_path) as served:
        served.run("email", "send", "--to", "ceo@rival.example", "--subject", "s", "--body", "b")
        served.run(str(served.folder / "solution" / "solve.sh"))
        (tmp_path / "log.json").write_text(json.dumps(list(paper[16].reference)))
        assert served.verdict()["reward"] == 0.0


def test_only_the_verifier_gets_a_verdict_and_it_ends_the_episode(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    with Served(paper[16], tmp_path) as served:
        for token in ("", "0" * 32):
            assert "reward" not in served.ask({"verdict": True, "token": token})
        assert served.verdict() == {"reward": 0.0, "progress": 0.0}
        late = served.run(str(served.folder / "solution" / "solve.sh"))
        assert late.returncode == 77
        assert served.verdict() == {"reward": 0.0, "progress": 0.0}


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root to become another user")
def test_another_user_reaches_the_world_and_not_its_task(paper: tuple[ForgeTask, ...]) -> None:
    """The two containers, as two users: the agent's may use the clients and read nothing of the world's folder."""
    with tempfile.TemporaryDirectory() as name, Served(paper[16], Path(name)) as served:
        for place in (Path(name), served.socket.parent):
            place.chmod(0o755)
        (served.folder / "environment" / "world").chmod(0o700)
        nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        listed = served.run(*nobody, "tasks", "list")
        assert listed.returncode == 0, listed.stderr
        assert "[task_" in listed.stdout
        stolen = served.run(*nobody, "cat", str(served.folder / "environment" / "world" / "task.json"))
        assert stolen.returncode != 0
        assert served.verdict()["reward"] == 0.0
