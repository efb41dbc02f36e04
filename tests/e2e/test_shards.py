"""A plan run in shards and merged is the run that one command makes; what does not belong together is refused."""

import json
import shutil

import pytest

from claw_adapter import open_run
from claw_adapter.errors import ArgumentError, JournalError
from claw_adapter.protocol import RoundRecord
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.merging import merge
from claw_adapter.runs.plan import expand
from claw_adapter.runs.pruning import prune
from claw_adapter.runs.shards import parse_shard, shard_of
from claw_adapter.runs.status import run_status
from claw_adapter.scenario.named import find_scenarios
from support.running import IN_PROCESS, claw, experiment, outcome, run_sync
from support.scenarios import write_scenario

SEEDS = [0, 1, 2, 3, 4]
FLAGS = ("-H", "reference:mode=in-process", "--isolation", "0", "--seed", "0", "--seed", "1", "--seed", "2", "-q")


def planned(**changes):
    asked = experiment("demo", seeds=SEEDS, **changes)
    return expand(asked, find_scenarios(("demo",)))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Four rounds: twelve in the three trials of `FLAGS`."""
    return write_scenario(tmp_path_factory.mktemp("scenario") / "small", [{"id": f"r{n}"} for n in range(1, 5)])


@pytest.fixture(scope="module")
def shards(tmp_path_factory, small):
    root = tmp_path_factory.mktemp("shards")
    for number in (1, 2, 3):
        claw("run", small, *FLAGS, "--shard", f"{number}/3", "--out", root / f"s{number}")
    return [root / f"s{number}" for number in (1, 2, 3)]


@pytest.fixture(scope="module")
def alone(tmp_path_factory, small):
    """The same plan by one command."""
    out = tmp_path_factory.mktemp("alone") / "run"
    claw("run", small, *FLAGS, "--out", out)
    return out


def test_shards_are_the_plan_each_trial_once_and_balanced():
    plan = planned()
    parts = [shard_of(plan, f"{number}/3") for number in (1, 2, 3)]
    assert sorted(t.id for part in parts for t in part.trials) == sorted(t.id for t in plan.trials)
    assert sorted(len(part.trials) for part in parts) == [1, 2, 2]
    assert {part.digest for part in parts} == {plan.digest}
    assert all(part.whole.model_dump() == plan.model_dump() for part in parts)


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0", "-1/2", ""])
def test_what_is_not_a_shard_is_refused(text):
    with pytest.raises(ArgumentError, match="not a shard"):
        parse_shard(text)


def test_more_shards_than_trials_are_refused():
    with pytest.raises(ArgumentError, match="there are 5 trials"):
        shard_of(planned(), "1/6")


def test_merged_shards_are_the_run_that_one_command_makes(shards, alone, tmp_path):
    merge(shards, tmp_path / "merged")
    merged, alone = open_run(tmp_path / "merged"), open_run(alone)
    assert merged.data.plan.digest == alone.data.plan.digest
    assert merged.data.plan.shard is None
    assert [t.trial for t in merged.trials] == [t.trial for t in alone.trials]
    for one, other in zip(merged.data.trials, alone.data.trials, strict=True):
        assert [outcome(r) for r in one.rounds] == [outcome(r) for r in other.rounds]
    assert not merged.rescore().differences


def test_a_missing_shard_is_said_and_can_be_added_later(shards, tmp_path):
    out = tmp_path / "merged"
    done = claw("merge", shards[0], shards[2], "--out", out, check=False)
    assert done.returncode == 1
    assert "missing: shard 2/3" in done.stdout
    assert "1 trials have not begun anywhere" in done.stdout
    added = json.loads(claw("merge", shards[1], "--out", out, "--json").stdout)
    assert (added["trials"], added["absent"], added["missing"]) == (1, [], [])
    again = merge(shards, out)
    assert (again.trials, again.known) == (0, 3)


def test_a_merged_run_with_a_missing_shard_goes_on_by_the_same_command(shards, small, tmp_path):
    claw("merge", shards[0], "--out", tmp_path / "merged", check=False)
    claw("run", small, *FLAGS, "--out", tmp_path / "merged")
    assert all(trial.status == "finished" for trial in open_run(tmp_path / "merged").trials)


def test_a_shard_of_another_plan_is_refused_with_what_differs(shards, small, tmp_path):
    asked = experiment(small, seeds=SEEDS[:3], settings={"isolation": 0, "deadline": 77})
    with RunFolder(tmp_path / "other") as folder:
        folder.begin(shard_of(expand(asked, find_scenarios(asked.scenarios)), "2/3"))
    with pytest.raises(JournalError, match=r"deadline: 600\.0 → 77\.0"):
        merge([shards[0], tmp_path / "other"], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_shards_run_with_other_versions_are_refused(shards, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(shards[1], other)
    about = json.loads((other / "run.json").read_text())
    about["plan"]["versions"]["reference-in-process"] = {"reference": "0.0.1"}
    (other / "run.json").write_text(json.dumps(about))
    with pytest.raises(JournalError, match=r"not the same everywhere.*0\.0\.1"):
        merge([shards[0], other], tmp_path / "merged")


def test_a_trial_that_was_run_twice_is_refused(shards, alone, tmp_path):
    with pytest.raises(JournalError, match="was run twice, with different records"):
        merge([shards[0], alone], tmp_path / "merged")


def test_a_trial_that_got_further_elsewhere_goes_on_from_there(shards, tmp_path):
    short, out = tmp_path / "short", tmp_path / "merged"
    shutil.copytree(shards[0], short)
    journal = next(short.glob("trials/*/journal.jsonl"))
    whole = journal.read_bytes()
    journal.write_bytes(b"".join(whole.splitlines(keepends=True)[:4]))
    merge([short], out)
    merge([shards[0]], out)
    assert (out / journal.relative_to(short)).read_bytes() == whole
    assert merge([short], out).trials == 0


def test_damaged_content_is_refused(shards, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(shards[0], broken)
    journal = next(broken.glob("trials/*/journal.jsonl"))
    record = next(r for r in read_journal(journal) if isinstance(r, RoundRecord))
    blob = broken / "store" / record.events[:2] / record.events[2:]
    blob.chmod(0o644)
    blob.write_bytes(b"damaged")
    with pytest.raises(JournalError, match="is damaged"):
        merge([broken], tmp_path / "merged")


def test_a_folder_keeps_its_shard(shards, small):
    done = claw("run", small, *FLAGS, "--shard", "2/3", "--out", shards[0], check=False)
    assert done.returncode == 3
    assert "shard 1/3 of this run, not shard 2/3" in done.stderr


def test_status_sums_shards_up_and_says_which_are_missing(shards):
    (status,) = run_status(shards[:2])
    assert (status.trials, status.finished, status.missing) == (3, 2, ("3/3",))
    assert [part.shard for part in status.parts] == ["1/3", "2/3"]
    assert not any(part.running for part in status.parts)
    assert "no folder was named for shard 3/3" in claw("status", *shards[:2]).stdout
    assert json.loads(claw("status", *shards, "--json").stdout)[0]["missing"] == []


def test_a_trial_that_stands_in_two_folders_counts_once_in_the_status(shards, tmp_path):
    merge(shards[:2], tmp_path / "merged")
    (status,) = run_status([*shards, tmp_path / "merged", shards[0]])
    assert (status.trials, status.finished, status.recorded, status.rounds) == (3, 3, 12, 12)
    assert [part.finished for part in status.parts] == [1, 1, 1, 2, 1]


def test_status_says_that_a_run_is_under_way_and_who_is_to_blame(tmp_path):
    asked = experiment("demo", harnesses=[IN_PROCESS], settings={"isolation": 0, "deadline": 0.001, "attempts": 1})
    run_sync(tmp_path, asked)
    with RunFolder(tmp_path):
        (status,) = run_status([tmp_path])
        assert status.parts[0].running
    assert sum(status.parts[0].failures.values()) > 0


def test_prune_removes_what_no_journal_names(shards, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(shards[0], run)
    (run / "store" / "ab").mkdir(exist_ok=True)
    left = run / "store" / "ab" / ("c" * 62)
    left.write_bytes(b"left over")
    (run / "live" / "workspace").mkdir(parents=True)
    (run / "live" / "workspace" / "file").write_bytes(b"12345")
    found = prune(run, dry_run=True)
    assert (found.blobs, found.live, found.size) == (1, True, 14)
    assert left.exists()
    assert "1 pieces of content and the workspaces of a killed runner were removed" in claw("prune", run).stdout
    assert not left.exists()
    assert not (run / "live").exists()
    assert not open_run(run).rescore().differences
    assert prune(run).blobs == 0


def test_prune_leaves_a_run_alone_that_is_under_way(shards):
    with RunFolder(shards[0]), pytest.raises(JournalError, match="at work on this run"):
        prune(shards[0])
