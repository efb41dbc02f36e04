"""What `claw status` and `claw merge` say of a plan whose trials have got differently far."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from claw_adapter.cli.merge import command as merge
from claw_adapter.runs.status import run_status

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "report_runs.py")))


@pytest.fixture
def runs(tmp_path):
    """Of four trials one is finished, one has ended early, one is under way, and of one there is nothing yet."""
    trials = [make.spec("demo", "reference", seed=seed) for seed in range(4)]
    made = make.Runs(tmp_path / "run", trials, {"demo": 2})
    made.write(trials[0], [made.record(0, 1.0), made.record(1, 0.0)])
    made.write(trials[1], [made.record(0, 1.0)], end=make.CRASH)
    made.write(trials[2], [made.record(0, None, cause=make.LATE)], end=False)
    return made


def test_a_trial_without_a_round_has_not_begun(runs):
    (status,) = run_status([runs.root])
    (part,) = status.parts
    assert (part.trials, part.finished, part.failed, part.begun) == (4, 1, 1, 1)
    assert (part.rounds, part.recorded, part.scored) == (8, 4, 3)
    assert part.failures == {"endpoint": 1, "harness": 1}


def test_merging_says_by_its_exit_code_that_a_trial_is_missing_also_where_no_shard_is(runs, tmp_path):
    done = CliRunner().invoke(merge, [str(runs.root), "--out", str(tmp_path / "whole")], standalone_mode=False)
    assert "3 trials taken; 4 in the plan" in done.output
    assert "1 trials have not begun anywhere: demo--reference--reader--s3" in done.output
    assert "missing: shard" not in done.output
    assert done.return_value == 1
