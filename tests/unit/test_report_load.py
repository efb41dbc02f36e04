"""Loading a run folder: a trial's status is what its journal says, and no round is lost or invented."""

import runpy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.errors import JournalError
from claw_adapter.runs.load import load_run

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "report_runs.py")))


def values(run, trial):
    return [(score.round, score.score, score.cause) for score in run.scores(trial)]


def test_a_finished_trial_has_its_scores_in_order(tmp_path):
    run = load_run(make.small(tmp_path / "run").root)
    assert [trial.status for trial in run.trials] == ["finished", "failed"]
    assert [score for _, score, _ in values(run, run.trials[0])] == [1.0, 1.0, 0.0, 0.5, 1.0]


def test_rounds_missing_after_a_failure_are_unscored_with_that_failure_as_cause(tmp_path):
    run = load_run(make.small(tmp_path / "run").root)
    failed = run.trials[1]
    assert failed.failure == make.CRASH
    assert values(run, failed)[1:] == [
        ("r2", None, "endpoint"),
        ("r3", 0.0, None),
        ("r4", None, "harness"),
        ("r5", None, "harness"),
    ]
    assert failed.pending == 0


def test_types_of_missing_rounds_come_from_the_trials_that_reached_them(tmp_path):
    run = load_run(make.small(tmp_path / "run").root)
    assert [score.type for score in run.scores(run.trials[1])] == [score.type for score in run.scores(run.trials[0])]


def test_rounds_of_an_unfinished_trial_are_pending_and_not_failures(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 4})
    runs.write(trial, [runs.record(0, 1.0)], end=False)
    run = load_run(runs.root)
    assert run.trials[0].status == "unfinished"
    assert run.trials[0].pending == 3
    assert values(run, run.trials[0]) == [("r1", 1.0, None)]
    assert [(name.id, name.type) for name in run.rounds["demo"]][1:] == [
        ("#2", "unknown"),
        ("#3", "unknown"),
        ("#4", "unknown"),
    ]


def test_a_trial_that_was_never_begun_is_unfinished(tmp_path):
    trial = make.spec("demo", "reference")
    run = load_run(make.Runs(tmp_path / "run", [trial], {"demo": 3}).root)
    assert (run.trials[0].status, run.trials[0].start, run.trials[0].pending) == ("unfinished", None, 3)


def test_a_trial_taken_up_again_after_a_failure_counts_as_its_last_record_says(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 2})
    runs.write(trial, [runs.record(0, 1.0)], end=make.CRASH)
    with make.Journal(runs.folder.journal(trial.id)) as journal:
        journal.append(runs.record(1, 0.0))
    assert load_run(runs.root).trials[0].status == "unfinished"
    with make.Journal(runs.folder.journal(trial.id)) as journal:
        journal.append(make.TrialEnd())
    run = load_run(runs.root)
    assert run.trials[0].status == "finished"
    assert values(run, run.trials[0]) == [("r1", 1.0, None), ("r2", 0.0, None)]


def test_a_finished_trial_that_lacks_a_round_does_not_hide_it(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 2})
    runs.write(trial, [runs.record(0, 1.0)])
    run = load_run(runs.root)
    assert values(run, run.trials[0])[1] == ("#2", None, "internal")


def test_a_plan_that_does_not_know_the_number_of_rounds_falls_back_to_the_records(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {})
    runs.write(trial, [runs.record(0, 1.0), runs.record(1, 0.0)], end=make.CRASH)
    assert load_run(runs.root).trials[0].total == 2


def test_the_per_option_score_is_carried_over_and_zero_for_an_answer_that_could_not_be_read(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 2})
    runs.write(
        trial,
        [
            runs.record(0, 0.0, kind="multi_choice", detail=make.choice(0.75)),
            runs.record(1, 0.0, score=make.Score(value=0.0, malformed="no box")),
        ],
    )
    run = load_run(runs.root)
    assert [score.per_option for score in run.scores(run.trials[0])] == [0.75, 0.0]


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(JournalError, match="not a run folder"):
        load_run(tmp_path)


def test_loading_writes_nothing(tmp_path):
    root = make.small(tmp_path / "run").root
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    load_run(root)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


def test_records_are_frozen(tmp_path):
    run = load_run(make.small(tmp_path / "run").root)
    assert replace(run, trials=()).trials == ()
    with pytest.raises(AttributeError):
        run.trials = ()


def test_records_beyond_memory_are_read_again_and_another_journal_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("claw_adapter.runs.figures.KEPT", 0)
    root = make.small(tmp_path / "run").root
    run = load_run(root)
    journals = [root / "trials" / trial.spec.id / "journal.jsonl" for trial in run.trials]
    whole = [trial.rounds[0] for trial in run.trials]
    assert [(one.prompt, one.score, one.usage) for one in whole] == [
        (record.prompt, figure.score, figure.usage)
        for record, figure in zip(whole, (trial.figures[0] for trial in run.trials), strict=True)
    ]
    journals[0].write_bytes(b"".join(journals[0].read_bytes().splitlines(keepends=True)[:2]))
    assert run.trials[1].rounds[0] == whole[1]
    with pytest.raises(JournalError, match="not the one that was read before"):
        next(iter(run.trials[0].rounds))
    assert len(run.trials[0].figures) == 5
