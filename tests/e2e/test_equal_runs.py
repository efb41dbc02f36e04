"""Two runs of one plan, in folders of any name, have the same journals but for times and what of the machine was used."""

import shutil

import pytest

from claw_adapter.runs.folder import RunFolder
from claw_adapter.sandbox import detect
from e2e.test_killed_harness import long_scenario
from support.equality import MEASURED, comparable, differences
from support.real import params
from support.running import experiment, run_sync


@pytest.fixture(scope="module")
def asked():
    level = int(detect().level)
    return experiment("demo", harnesses=["reference"], settings={"isolation": level, "deadline": 60})


@pytest.fixture(scope="module")
def run(tmp_path_factory, asked):
    root = tmp_path_factory.mktemp("equal") / "run"
    run_sync(root, asked)
    return root


def test_the_folder_of_a_run_leaves_no_trace_in_its_journals(run, asked, tmp_path):
    other = tmp_path / "a-longer-name" / "of another folder"
    run_sync(other, asked)
    assert differences(run, other) == []


def test_what_differs_is_said_with_trial_record_and_field(run, tmp_path):
    other = shutil.copytree(run, tmp_path / "other")
    trial = RunFolder(other).plan().trials[0].id
    journal = RunFolder(other).journal(trial)
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    (told,) = differences(run, other)
    assert told.startswith(trial)
    assert not MEASURED & set(comparable(run)[trial][1])


@pytest.mark.slow(20)
@pytest.mark.timeout(600)
@pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces here: {detect().reason}")
@pytest.mark.parametrize("harness", params("qwen-code"))
def test_the_runs_of_a_real_harness_are_equal_wherever_they_are_kept(tmp_path, harness):
    """In two rounds, each with an update; OpenCode is driven by the same adapter, and of those that are certified
    TOK-004 compares the requests."""
    scenario = long_scenario(tmp_path / "eight", (3, 6))
    asked = experiment(scenario, harnesses=[harness], settings={"isolation": int(detect().level), "deadline": 240})
    for name in ("one", "another of a longer name"):
        (records,) = run_sync(tmp_path / name, asked).values()
        assert [record.score.value for record in records] == [1, 1]
        assert all(set(record.evidence.needed) <= set(record.evidence.seen) for record in records)
    assert differences(tmp_path / "one", tmp_path / "another of a longer name") == []
