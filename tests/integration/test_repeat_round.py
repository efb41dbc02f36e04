"""Promise: one round of a run begins again where it began, in a folder of its own, and the run is only read."""

import hashlib
import json
from pathlib import Path

import pytest
from tests.support.counting import (
    counting,  # noqa: F401  # a fixture
    write_counting,
)

import claw_adapter
from claw_adapter.errors import JournalError, ScenarioError
from claw_adapter.runs.checkpoints import load_checkpoint
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.plan import Plan
from claw_adapter.runs.store import Store
from claw_adapter.runs.transcript import read_transcript
from support.commands import FAST, call
from support.running import rounds
from support.scenarios import write_scenario

UPDATES = {
    "u1": ({"actions": [{"action": "new", "workspace": "late.txt", "source": "late.txt"}]}, {"late.txt": "late\n"})
}


def content(root: Path) -> dict[str, str]:
    """Every file below a folder, by its digest."""
    return {
        str(p.relative_to(root)): hashlib.sha256(p.read_bytes()).hexdigest() for p in root.rglob("*") if p.is_file()
    }


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A scenario of three rounds, a finished run of it, and the id of its trial."""
    root = tmp_path_factory.mktemp("again")
    asked = [{"id": "r1"}, {"id": "r2", "updates": ["u1"]}, {"id": "r3"}]
    scenario = write_scenario(root / "small", asked, updates=UPDATES)
    assert call("run", scenario, *FAST, "--out", root / "run").code == 0
    return scenario, root / "run", RunFolder(root / "run").plan().trials[0].id


@pytest.mark.parametrize("round_", ["r1", "r2", "r3"])
def test_a_round_begins_where_it_began_and_the_run_is_only_read(done, tmp_path, round_):
    _, root, trial = done
    before = content(root)
    run = claw_adapter.repeat_round(root, trial, round_, into=tmp_path / "again")
    assert content(root) == before
    assert [row.round for row in run.rounds] == ["r1", "r2", "r3"][: int(round_[1])]
    old, new = (next(r for r in rounds(folder, trial) if r.round == round_) for folder in (root, run.path))
    assert (new.prompt, new.before, new.updates, new.score.value) == (old.prompt, old.before, old.updates, 1)
    first = {
        folder: next(e for e in read_transcript(RunFolder(folder).transcript(trial)) if e.round == round_)
        for folder in (root, run.path)
    }
    assert first[root].messages == first[run.path].messages
    assert {e.round for e in read_transcript(RunFolder(run.path).transcript(trial))} == {round_}
    assert run.data.plan.repeats is not None
    assert f"Round {round_} of {trial} is repeated here" in run.summary().warnings[0]
    assert not run.rescore().differences


def test_the_command_shows_the_transcript_and_both_scores(done, tmp_path):
    _, root, trial = done
    said = call("run", root, "--trial", trial, "--round", "r2", "--into", tmp_path / "again")
    assert said.code == 0, said.err
    assert "── request 1" in said.out
    assert "user: " in said.out
    assert "assistant: " in said.out
    assert "r2 was: 1, answer A" in said.out
    assert "r2 is now: 1, answer A" in said.out
    assert call("report", tmp_path / "again").code == 0
    silent = call("run", root, "--trial", trial, "--round", "r2", "--into", tmp_path / "json", "--json")
    assert json.loads(silent.out)["round"] == "r2"


@pytest.mark.parametrize(
    ("changed", "code", "says"),
    [
        ({"--trial": "none"}, 3, "there is no trial 'none'"),
        ({"--round": "r9"}, 3, "Name one of: r1, r2, r3"),
        ({"--into": None}, 2, "give all four"),
        ({"--seed": "1"}, 2, "drop --seed"),
    ],
)
def test_mistakes_say_the_way_out(done, tmp_path, changed, code, says):
    _, root, trial = done
    given = {"--trial": trial, "--round": "r2", "--into": tmp_path / "again"} | changed
    said = call("run", root, *(word for name, value in given.items() if value is not None for word in (name, value)))
    assert (said.code, says in said.err) == (code, True)
    assert not (tmp_path / "again").exists()


def test_a_folder_that_holds_something_is_refused(done, tmp_path):
    _, root, trial = done
    (tmp_path / "full").mkdir()
    (tmp_path / "full/notes").write_text("mine")
    for into, says in ((tmp_path / "full", "not empty"), (root, "not empty"), (root / "inside", "lies in the run")):
        with pytest.raises(JournalError, match=says):
            claw_adapter.repeat_round(root, trial, "r2", into=into)
    with pytest.raises(JournalError, match="not a run folder"):
        claw_adapter.repeat_round(tmp_path, trial, "r2", into=tmp_path / "again")


def test_a_checkpoint_that_is_not_kept_is_said_before_anything_is_written(done, tmp_path):
    _, root, trial = done
    copy = tmp_path / "copy"
    claw_adapter.repeat_round(root, trial, "r3", into=copy)
    checkpoint = rounds(copy, trial)[1].checkpoint
    Store(copy / "store").path(checkpoint).unlink()
    assert claw_adapter.repeat_round(copy, trial, "r2", into=tmp_path / "fine").rounds
    with pytest.raises(JournalError, match=f"no checkpoint is kept from before round 'r3'.*{checkpoint}"):
        claw_adapter.repeat_round(copy, trial, "r3", into=tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_another_version_of_the_harness_is_said_and_not_refused(done, tmp_path, monkeypatch):
    from claw_adapter.reference.adapter import ReferenceHarness

    _, root, trial = done
    probe = ReferenceHarness.probe
    newer = lambda self: probe(self).model_copy(update={"versions": {"reference": "99"}})
    monkeypatch.setattr(ReferenceHarness, "probe", newer)
    said = call("run", root, "--trial", trial, "--round", "r1", "--into", tmp_path / "again")
    assert said.code == 0
    assert "not of the version that the run had" in said.out
    assert "→ 99" in said.out


def test_a_scenario_that_has_changed_is_refused(tmp_path):
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}])
    assert call("run", scenario, *FAST, "--out", tmp_path / "run").code == 0
    trial = RunFolder(tmp_path / "run").plan().trials[0].id
    (scenario / "workspace/notes.txt").write_text("other notes\n")
    with pytest.raises(ScenarioError, match="its files have changed"):
        claw_adapter.repeat_round(tmp_path / "run", trial, "r1", into=tmp_path / "again")


@pytest.mark.usefixtures("counting")
def test_an_environment_is_in_the_state_of_before_the_round(tmp_path):
    write_counting(tmp_path / "scenario", 2, 5, 1)
    made = claw_adapter.run(tmp_path / "scenario", harnesses="adder", isolation=0, out=tmp_path / "run", unchecked=True)
    again = claw_adapter.repeat_round(made.path, made.trials[0].trial, "r2", into=tmp_path / "again")
    store, record = Store(again.path / "store"), again.rounds[-1].record
    assert [json.loads(store.get(digest)) for digest in (record.environment.before, record.environment.after)] == [2, 7]
    assert load_checkpoint(store, record.checkpoint).sessions


def test_a_repetition_is_not_taken_for_the_run_it_is_made_of(done, tmp_path):
    scenario, root, trial = done
    again = claw_adapter.repeat_round(root, trial, "r1", into=tmp_path / "again")
    ordinary = Plan.model_validate({**again.data.plan.model_dump(mode="json"), "repeats": None})
    assert ordinary.digest != again.data.plan.digest
    said = call("run", scenario, *FAST, "--out", again.path)
    assert said.code == 3
    assert "repeats" in said.err
