"""``claw forge``: every command, its JSON and its exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from claw_adapter_forge.cli import forge


def call(*words: str, text: str | None = None) -> Result:
    return CliRunner().invoke(forge, list(words), input=text)


def test_generate_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    few = ("generate", "--task-set", "scale", "-n", "40", "--seed", "4", "--json", "-o")
    assert [call(*few, str(path)).exit_code for path in (first, second)] == [0, 0]
    assert first.read_bytes() == second.read_bytes()


def test_generate_writes_the_paper_s_set(tmp_path: Path) -> None:
    done = call("generate", "--seed", "4", "-o", str(tmp_path / "a.jsonl"), "--json")
    assert json.loads(done.stdout)["lengths"] == {"5": 77, "6": 115, "7": 45, "8": 53, "9": 72}
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 362


def test_generate_any_number() -> None:
    data = json.loads(call("generate", "--task-set", "scale", "-n", "70", "--seed", "9", "--json").stdout)
    assert data["tasks"] == 70
    assert len(data["families"]) == 17


def test_show_keeps_the_solution_back_unless_asked() -> None:
    plain = call("show", "17")
    assert plain.exit_code == 0
    assert "Request:" in plain.stdout
    assert "Reference:" not in plain.stdout
    assert "Reference:" in call("show", "forge-017", "--solution").stdout
    public = json.loads(call("show", "17", "--json").stdout)
    assert public["id"] == "forge-017"
    assert not {"goals", "reference", "phrasings", "allowed"} & set(public)
    assert "evidence" not in public["meta"]
    assert {"goals", "reference"} <= set(json.loads(call("show", "17", "--solution", "--json").stdout))


def reference_of_17() -> list[str]:
    return list(json.loads(call("show", "17", "--solution", "--json").stdout)["reference"])


def test_play_tells_all_that_an_agent_is_told() -> None:
    told = call("play", "43", text="done\n").stdout
    for part in ("office.rules", "wall time", "Gateway: running", "tasks add --title TEXT", "25 steps"):
        assert part in told


def test_play_says_which_condition_of_a_want_fails_and_help_costs_no_step() -> None:
    lost = call("play", "43", text="help\ntasks add --title 'gate step' --due 1999-01-01\nhelp\ndone\n").stdout
    assert "missing: next step on the board\n    nearest: + tasks" in lost
    assert "    text must carry " in lost
    assert "    due must be " in lost
    assert "2 $" in lost
    assert "3 $" not in lost


def test_play_says_what_is_missing_and_passes_the_reference() -> None:
    lost = call("play", "17", text="tasks list\ndone\n")
    assert lost.exit_code == 1
    assert "missing: channel login" in lost.stdout
    reference = reference_of_17()
    assert call("play", "17", text="\n".join([*reference, "done"]) + "\n").exit_code == 0


def test_verify_writes_a_card_and_exits_0(tmp_path: Path) -> None:
    done = call("verify", "--task-set", "scale", "-n", "12", "--jobs", "1", "--card", str(tmp_path), "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert data["faults"] == []
    assert json.loads((tmp_path / "scale-seed0.json").read_text()) == data
    assert "# Validator quality" in (tmp_path / "scale-seed0.md").read_text()


def test_verify_exits_1_when_an_obligation_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claw_adapter_forge.proof.gate.BASELINES", {"reference": lambda script: script.texts})
    done = call("verify", "--task-set", "scale", "-n", "2", "--jobs", "1")
    assert done.exit_code == 1
    assert "baseline reference passes" in done.output


def test_export_and_import(tmp_path: Path) -> None:
    specs, harbor = tmp_path / "specs", tmp_path / "harbor"
    sized = ("--task-set", "scale", "-n", "5")
    assert json.loads(call("export", str(specs), *sized, "--json").stdout)["tasks"] == 5
    assert call("export", str(harbor), *sized, "--format", "harbor").exit_code == 0
    assert json.loads(call("import", str(specs), "--json").stdout)["oracle_strict"] == 5


@pytest.mark.parametrize(
    "words",
    [
        ("show", "9999"),
        ("show", "nonsense"),
        ("generate", "--task-set", "other"),
        ("generate", "--task-set", "scale", "-n", "0"),
        ("generate", "--profile", "paper362"),  # it is --task-set
        ("verify", "--jobs", "0"),
        ("import", "."),
        ("frobnicate",),
    ],
)
def test_wrong_input_is_exit_2_with_a_reason_and_no_traceback(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(*words)
    assert done.exit_code == 2
    assert "rror" in done.output
    assert "Traceback" not in done.output


def test_no_colour_in_a_pipe() -> None:
    assert "\x1b[" not in call("generate").output


def test_labels_are_shown_right(monkeypatch: pytest.MonkeyPatch) -> None:
    done = call("labels", "--task-set", "scale", "-n", "17", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["share"] >= 0.95
    monkeypatch.setattr("claw_adapter_forge.evaluation.patterns._pattern", lambda *_: "incomplete_closure")
    assert call("labels", "--task-set", "scale", "-n", "17").exit_code == 1


def test_parity_exits_1_on_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    from claw_adapter_forge.real.parity import Parity

    def pretend(mode: str, *_: object, **__: object) -> list[Parity]:
        return [Parity("a", mode, 1, ("x differs",) if mode == "hybrid" else ())]

    monkeypatch.setattr("claw_adapter_forge.real.parity.compare_modes", pretend)
    assert call("parity", "--mode", "real").exit_code == 0
    done = call("parity", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["same"] == 1
    assert "openclaw channels" in json.loads(done.stdout)["not_comparable"]


@pytest.mark.parametrize(
    "words",
    [
        ("generate", "-o", "{folder}"),
        ("export", "{file}/x", "--task-set", "scale", "-n", "1"),
        ("verify", "--task-set", "scale", "-n", "1", "--jobs", "1", "--card", "{file}"),
    ],
)
def test_a_path_that_cannot_be_used_is_exit_2_with_its_name(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    done = call(*(w.format(folder=tmp_path, file=file) for w in words))
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("Error: ") or "\nError: " in done.stderr
    assert str(tmp_path) in done.stderr


def test_what_core_does_now_is_no_command_here() -> None:
    assert set(forge.commands) == {"export", "generate", "import", "labels", "parity", "play", "show", "verify"}
