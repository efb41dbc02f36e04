"""Promise: whatever is typed, it ends in one clear message with a way out, and nothing of anybody's is lost."""

import json
from pathlib import Path

import pytest

import claw_adapter
from claw_adapter.api.running import Prepared
from claw_adapter.errors import ScenarioError
from claw_adapter.runs.folder import RunFolder
from support.commands import FAST, call, finished_run
from support.scenarios import write_scenario


def two_rounds(folder: Path, **more) -> Path:
    return write_scenario(folder, [{"id": "r1"}, {"id": "r2"}], **more)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """What a call writes by default lies below the current folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A scenario of two rounds, and a finished run of it."""
    return finished_run(tmp_path_factory.mktemp("mistakes"))


# data


@pytest.mark.parametrize("fresh", [(), ("--fresh",)])
def test_a_folder_that_is_no_run_is_left_as_it_is(tmp_path, finished, fresh):
    theirs = {"trials/data.csv": "1", "live/notes.txt": "2", ".a.b.1": "3", "run.json": '{"speed": 3}'}
    for name, text in theirs.items():
        path = tmp_path / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for without in ((), ("run.json",)):
        for name in without:
            (tmp_path / "p" / name).unlink()
        done = call("run", finished[0], *FAST, "--out", tmp_path / "p", *fresh)
        assert done.code == 3, done.err
        left = {
            str(path.relative_to(tmp_path / "p")): path.read_text()
            for path in (tmp_path / "p").rglob("*")
            if path.is_file()
        }
        assert left == {name: text for name, text in theirs.items() if name not in without}


def test_fresh_starts_a_run_anew_with_another_configuration(tmp_path, finished):
    call("run", finished[0], *FAST, "--out", tmp_path / "run")
    other = (finished[0], *FAST, "--seed", "3", "--out", tmp_path / "run")
    assert call("run", *other).code == 3
    assert call("run", *other, "--fresh").code == 0
    assert [path.name for path in (tmp_path / "run/trials").iterdir()] == ["small--reference-in-process--reader--s3"]


def test_flags_that_say_how_to_run_reach_the_run(monkeypatch, finished):
    told = {}

    async def execute(self, *, watching, **how):
        told.update(how)

    monkeypatch.setattr(Prepared, "execute", execute)
    flags = "--jobs", "3", "--fresh", "--rewind", "--min-free", "7M"
    assert call("run", finished[0], *FAST, "--out", finished[1], *flags).code == 0
    assert told == {"jobs": 3, "fresh": True, "rewind": True, "min_free": 7_000_000}


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--seed", "0", "--seed", "0"), "they are the same"),
        (("-m", "a/b", "-m", "a-b", "--base-url", "http://127.0.0.1:9/v1"), "a/b"),
    ],
)
def test_two_trials_that_would_share_a_folder_are_refused(finished, tmp_path, flags, says):
    done = call("run", finished[0], *FAST, *flags, "--out", tmp_path / "run")
    assert done.code == 2
    assert "both called" in done.err
    assert says in done.err
    assert not (tmp_path / "run").exists()


def test_two_scenarios_with_one_id_are_refused_and_found_by_check(finished, tmp_path):
    one, other = two_rounds(tmp_path / "all/one"), write_scenario(tmp_path / "all/other", [{"id": "r1"}])
    done = call("run", one, other, *FAST, "--out", tmp_path / "run")
    assert done.code == 2
    assert str(one) in done.err
    assert str(other) in done.err
    found = json.loads(call("check", tmp_path / "all", "--json").out)
    assert found["counts"]["scenario/1"]["SCN-070"] == 1
    assert not found["can_run"]


def test_a_scenario_that_check_calls_unfit_is_run_only_unchecked(tmp_path):
    unfit = write_scenario(tmp_path / "unfit", [{"id": "r1"}], answers={"r1": {"answer": ["Z"]}})
    assert "must not be run" in call("check", unfit).out
    done = call("run", unfit, *FAST, "--out", tmp_path / "run")
    assert done.code == 2
    assert "SCN-014" in done.err
    assert "--unchecked" in done.err
    assert not (tmp_path / "run").exists()
    with pytest.raises(ScenarioError, match="SCN-014"):
        claw_adapter.run(unfit, out=tmp_path / "run")
    assert call("run", unfit, *FAST, "--unchecked", "--out", tmp_path / "run").code == 0


def test_check_says_that_an_environment_is_not_installed_or_cannot_be_made(tmp_path):
    folder = two_rounds(tmp_path / "here")
    manifest = json.loads((folder / "scenario.yaml").read_text())
    for environment, says in (({"name": "nowhere"}, "there is no plugin 'nowhere'"), ({"name": "demo"}, "not for")):
        (folder / "scenario.yaml").write_text(json.dumps({**manifest, "environment": environment}))
        done = call("check", folder)
        assert done.code == 1
        assert "SCN-071" in done.out
        assert says in done.out


def test_the_same_scenario_named_twice_is_run_once(finished, tmp_path):
    assert call("run", finished[0], finished[0], *FAST, "--out", tmp_path / "run").code == 0
    assert len(RunFolder(tmp_path / "run").plan().trials) == 1


# names


def test_the_same_command_goes_on_when_its_folder_is_called_like_the_scenario(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        done = call("run", "demo", *FAST, "--out", "demo")
        assert done.code == 0, done.err
    assert RunFolder(tmp_path / "demo").plan().sources == ("demo",)
    two_rounds(tmp_path / "clinic-fridge")
    assert call("run", "clinic-fridge", *FAST, "--out", "own").code == 0
    assert RunFolder(tmp_path / "own").plan().sources == (str(tmp_path / "clinic-fridge"),), "scenarios are in it"


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        (("run", "dmeo"), 4, "Did you mean 'demo'?"),
        (("run", "no/such"), 2, "no such file or folder"),
        (("run", "nosuch.yaml", "demo"), 2, "no such file or folder"),
        (("plugins", "nosuch"), 4, "there is no plugin 'nosuch'"),
        (("frameworks", "doctor", "nanobto"), 4, "Did you mean 'nanobot'?"),
        (("run", "demo", "-H", "reference:colour=red"), 2, "no option 'colour'"),
        (("run", "lite:speed=3"), 2, "It has: draw, heavy, only, sample, seed, seeds."),
        (("run", "lite:heavy=maybe"), 2, "heavy=no"),
    ],
)
def test_a_wrong_name_says_which_would_be_right(argv, code, says):
    done = call(*argv)
    assert done.code == code, done.err
    assert says in done.err


def test_a_command_of_ours_that_is_not_installed_says_where_it_comes_from(monkeypatch):
    import importlib.metadata

    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: ())
    done = call("forge", "list")
    assert done.code == 4
    assert "pip install claw-adapter-forge" in done.err
    assert call("forgery").code == 2


# values


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("-m", "reader:fast"), "--model 'reader:fast'"),
        (("-m", "readerx"), "'readerx'"),
        (("--deadline", "0"), "--deadline"),
        (("--deadline", "-1"), "--deadline"),
        (("--deadline", "nan"), "--deadline"),
        (("--deadline", "inf"), "--deadline"),
        (("--attempts", "0"), "--attempts"),
        (("--attempts", "-1"), "--attempts"),
        (("-H", ""), "--harness ''"),
        (("-H", "my harness"), "--harness 'my harness': it is not a valid name"),
        (("-H", "reference+"), "--harness 'reference+'"),
        (("-H", "reference:mode=/a/b"), "/a/b"),
    ],
)
def test_a_wrong_flag_is_named_with_what_was_typed(flags, says):
    done = call("run", "demo", *flags)
    assert done.code in (2, 4), done.err
    assert says in done.err
    assert "validation error" not in done.err
    assert "pydantic" not in done.err


@pytest.mark.parametrize("seconds", ["-3", "0", "nan"])
def test_a_deadline_of_a_certification_is_a_time(seconds):
    done = call("certify", "reference", "--deadline", seconds)
    assert done.code == 2
    assert "--deadline" in done.err


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ({"base_url": "http://127.0.0.1:9/v1", "key_env": "NO_SUCH_KEY"}, "NO_SUCH_KEY is not set"),
        ({"base_url": "notaurl"}, "http://"),
        ({"base_url": "http://[/v1"}, "http://"),
        (
            {"base_url": "http://127.0.0.1:9/v1", "params": {"temperature": "hot"}},
            "params.temperature: 'hot' is not a number",
        ),
    ],
)
def test_a_model_that_cannot_work_is_noticed_before_anything_is_run(finished, tmp_path, model, says):
    asked = {"scenarios": [str(finished[0])], "harnesses": ["reference"], "models": [{"name": "m", **model}]}
    (tmp_path / "e.yaml").write_text(json.dumps({**asked, "settings": {"isolation": 0}}))
    done = call("run", tmp_path / "e.yaml", "--out", tmp_path / "run")
    assert done.code == 2
    assert says in done.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seeds": []}, "seeds"),
        ({"overlays": []}, "overlays"),
        ({"settings": {"isolation": 3}}, "settings.isolation"),
        ({"scenarios": "demo"}, "scenarios: this must be a list write a list: [a, b]"),
        ([1], "claw schema experiment"),
    ],
)
def test_a_wrong_experiment_is_refused_in_words_of_yaml(tmp_path, change, says):
    whole = {"scenarios": ["demo"], "harnesses": ["reference"], "models": ["reader"]}
    (tmp_path / "e.yaml").write_text(json.dumps({**whole, **change} if isinstance(change, dict) else change))
    done = call("run", tmp_path / "e.yaml", "--out", tmp_path / "run")
    assert done.code == 2
    assert says in " ".join(done.err.split())


def test_a_recording_that_is_none_is_noticed_before_a_run_folder_is_made(finished, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/x.jsonl").write_text("{}\n")
    done = call("run", finished[0], *FAST, "--replay", tmp_path / "other", "--out", tmp_path / "run")
    assert done.code == 2, done.err
    assert not (tmp_path / "run").exists()
    assert call("run", finished[0], *FAST, "--replay", finished[1], "--out", tmp_path / "run").code == 0
