"""An experiment unfolds into trials whose identity is what was asked."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from claw_adapter.errors import ClawError, JournalError
from claw_adapter.folders import remove_tree
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.plan import Experiment, difference, expand, told_once

SCENARIOS = {"a": SimpleNamespace(digest="1" * 64, rounds=[1, 2]), "b": SimpleNamespace(digest="2" * 64, rounds=[1])}


def plan(**changes):
    asked = {"scenarios": ["a", "b"], "harnesses": ["reference"], "models": ["reader"], **changes}
    return expand(Experiment.model_validate(asked), SCENARIOS)


def test_trials_are_the_product_in_order():
    made = plan(harnesses=["x", {"name": "y", "label": "y-2", "options": {"k": 1}}], seeds=[0, 1])
    assert len(made.trials) == 2 * 2 * 2
    assert made.trials[0].id == "a--x--reader--s0"
    assert len({trial.id for trial in made.trials}) == 8
    assert made.rounds == {"a": 2, "b": 1}


def test_repeats_are_trials_of_the_same_seed():
    made = plan(scenarios=["a"], seeds=[0, 7], repeats=2)
    names = [trial.id.rpartition("--")[2] for trial in made.trials[:4]]
    assert names == ["s0", "s0-r2", "s7", "s7-r2"]
    assert [(trial.seed, trial.repeat) for trial in made.trials[:4]] == [(0, 1), (0, 2), (7, 1), (7, 2)]


@pytest.mark.parametrize("repeats", [0, 1.5, -1])
def test_repeats_are_a_whole_number(repeats):
    with pytest.raises(ValidationError):
        plan(repeats=repeats)


def test_a_run_without_repeats_has_the_configuration_that_it_had_before_there_were_any():
    assert "repeat" not in plan().configuration["trials"][0]
    assert plan(repeats=2).configuration["trials"][1]["repeat"] == 2


def test_versions_and_places_are_not_part_of_the_configuration():
    assert plan().digest == plan().model_copy(update={"versions": {"x": {"v": "1"}}, "sources": ("p",)}).digest
    assert plan().digest != plan(settings={"deadline": 1}).digest


@pytest.mark.parametrize("asked", [{"models": ["gpt"]}, {"models": ["reader:wise"]}, {"harnesses": []}, {"colour": 1}])
def test_wrong_experiments_are_refused(asked):
    with pytest.raises(ValidationError):
        plan(**asked)


def test_a_label_used_twice_is_refused():
    with pytest.raises(ClawError, match="used twice"):
        plan(harnesses=["reference", "reference"])


def test_stacks_of_overlays_are_told_apart_by_their_labels():
    off = {"name": "skills", "label": "skills-off", "options": {"k": False}}
    made = plan(overlays=["none", "skills", [off, "other"]])
    assert [trial.id for trial in made.trials[:3]] == [
        "a--reference--reader--s0",
        "a--reference-skills--reader--s0",
        "a--reference-skills-off-other--reader--s0",
    ]
    assert made.trials[2].overlays[0].name == "skills"
    with pytest.raises(ClawError, match="overlay stack 'skills' is used twice"):
        plan(overlays=["skills", {"name": "skills", "options": {"k": False}}])
    for wrong in (["skills", "skills"], {"name": "skills", "label": "../up"}):
        with pytest.raises(ValidationError):
            plan(overlays=[wrong])


def test_a_harness_may_have_a_stack_of_its_own():
    made = plan(scenarios=["a"], harnesses=["x", "y", "y+skills", {"name": "z", "overlays": "skills"}])
    rows = [(trial.harness.label, [overlay.label for overlay in trial.overlays]) for trial in made.trials]
    assert rows[:4] == [("x", []), ("y", []), ("y", ["skills"]), ("z", ["skills"])]
    with pytest.raises(ClawError, match=r"harness label 'y\+skills' is used twice"):
        plan(harnesses=["y+skills", {"name": "y", "overlays": ["skills"]}])
    with pytest.raises(ClawError, match="harness label 'y' is used twice"):
        plan(harnesses=["y", {"name": "y", "options": {"k": 1}, "overlays": ["skills"]}])
    with pytest.raises(ClawError, match="overlay label 'skills' is used twice"):
        plan(harnesses=["x+skills", {"name": "y", "overlays": [{"name": "skills", "options": {"k": 1}}]}])


def test_difference_names_the_field():
    assert difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == ["a[1].b: 2 → 3"]


def test_a_changed_configuration_is_refused_with_the_difference(tmp_path):
    with RunFolder(tmp_path / "run") as folder:
        assert folder.begin(plan()) is False
        assert folder.begin(plan()) is True
        with pytest.raises(JournalError, match=r"deadline: 600.0 → 5.0"):
            folder.begin(plan(settings={"deadline": 5}))


def test_one_runner_at_a_time(tmp_path):
    with RunFolder(tmp_path), pytest.raises(JournalError, match="another process"), RunFolder(tmp_path):
        pass


def test_a_folder_without_permissions_is_removed(tmp_path):
    deep = tmp_path / "live" / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    (tmp_path / "live" / "link").symlink_to("/etc")
    deep.chmod(0)
    deep.parent.chmod(0)
    remove_tree(tmp_path / "live")
    assert not (tmp_path / "live").exists()
    assert Path("/etc/passwd").exists()


def test_what_differs_in_every_trial_is_told_once():
    def asked(deadline):
        return plan(seeds=[0, 1, 2], settings={"deadline": deadline}).configuration

    (told,) = told_once(difference(asked(600), asked(90))).splitlines()[1:]
    assert told == "    trials[0].settings.deadline: 600.0 → 90.0 (so in 6 places)"
    assert told_once([f"field{name}: 1 → 2" for name in "abc"], most=2).endswith("\n    and 1 more")
