"""A run as a submission folder: read back as published results, with the figures that ClawArena's own formulas give."""

import json
import re
from statistics import fmean

import pytest

from claw_adapter import open_run
from claw_adapter.errors import ClawError
from claw_adapter.exports import export
from claw_adapter.scoring.streaks import Streaks
from claw_adapter_clawarena.results import read_results
from claw_adapter_clawarena.submit import of_test, over_tests
from support.running import experiment, run_sync

YAML = """\
schema: scenario/1
id: {id}
title: Lamps
clock: 2026-03-01T09:00:00+00:00
main: {{id: main}}
"""
ROUNDS = """\
rounds:
  - {id: q1, type: multi_choice, question: Which hold?, options: {A: one, B: two}}
  - {id: q2, type: exec_check, question: Write notes.md.}
  - {id: q3, type: multi_choice, question: And now?, options: {A: one, B: two}}
"""
ANSWERS = """\
rounds:
  q1: {answer: [A]}
  q2: {check: {command: test -e notes.md, timeout: 20}}
  q3: {answer: [B]}
"""


def scenario(root, name):
    place = root / name
    for folder in ("workspace", "sessions", "gold"):
        (place / folder).mkdir(parents=True)
    (place / "scenario.yaml").write_text(YAML.format(id=name))
    (place / "rounds.yaml").write_text(ROUNDS)
    (place / "gold/answers.yaml").write_text(ANSWERS)
    (place / "sessions/main.jsonl").write_text("")
    (place / "workspace/readme.txt").write_text("lamps\n")
    return place


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("submitted")
    places = [scenario(root, name) for name in ("lamp-one", "lamp-two")]
    run_sync(root / "run", experiment(*places, settings={"isolation": 0, "deadline": 60, "compat": "clawarena-1.0"}))
    return root / "run"


def test_the_folder_is_read_as_published_results_with_the_figures_of_its_report(run, tmp_path):
    export(run, "clawarena", tmp_path / "out")
    (root,) = (tmp_path / "out/submissions").iterdir()
    assert root.name == "reader_reader_reference"
    recorded, rows = read_results(root), []
    for trial in open_run(run).data.trials:
        rounds = recorded[trial.spec.scenario]
        assert [rounds[record.round].text for record in trial.rounds] == [record.text for record in trial.rounds]
        for record in trial.rounds:
            place = f"{trial.spec.scenario}/{record.round}"
            score = json.loads((root / "scoring" / place / "scoring.json").read_text())
            assert score["score"] == record.score.value
            if record.type == "exec_check":
                assert rounds[record.round].passed == (record.score.value == 1)
        rows.append(Streaks.of([record.score.value for record in trial.rounds]))
    summary = json.loads((root / "report/report.json").read_text())["summary"]
    tcr, sc, fd = (fmean(round(getattr(row, name), 4) for row in rows) for name in ("tcr", "sc", "fd"))
    assert summary["task_completion_rate"] == round(tcr, 4)
    assert summary["composite_reliability_score"] == round((round(tcr, 4) + round(sc, 4) * round(fd, 4)) / 2, 4)
    assert (summary["total_tests"], summary["total_rounds"]) == (2, 6)
    assert (
        0
        < summary["total_tokens"]
        == sum(
            message["usage"]["input"] + message["usage"]["output"]
            for path in root.glob("infer/*/*/infer_result.json")
            for message in json.loads(path.read_text())["llm_log"]["messages"]
            if message["role"] == "assistant"
        )
    )


def test_figures_are_rounded_where_its_report_rounds_them():
    """As `clawarena report` printed them for these scores."""
    sparse = [1, 1, *[0] * 17, 1, 1, *[0] * 5, 1]
    assert of_test(sparse) == {
        "task_completion_rate": 0.1852, "composite_reliability_score": 0.1015, "robustness": 0.0177, "sc": 0.0769, "fd": 0.2308,
        "streak_lengths": [2, 2, 1], "num_streaks": 3, "max_streak_length": 2,
        "failure_streak_lengths": [17, 5], "num_failure_streaks": 2, "max_failure_streak_length": 17,
    }  # fmt: skip
    failed = {"task_completion_rate": 0.0, "sc": 0.0, "fd": 0.0, "robustness": 0.0}
    assert over_tests([failed] * 11 + [failed | {"task_completion_rate": 0.0833, "fd": 0.1739}]) == {
        "task_completion_rate": 0.0069, "composite_reliability_score": 0.0034, "robustness": 0.0, "avg_sc": 0.0,
        "avg_fd": 0.0145,
    }  # fmt: skip


def test_questions_are_found_relative_to_a_clone(run, tmp_path):
    export(run, "clawarena", tmp_path / "out")
    for path in tmp_path.rglob("infer_result.json"):
        meta = json.loads(path.read_text())["meta"]
        assert re.fullmatch(r"data/clawarena/eval/lamp-(one|two)/questions\.json", meta["eval_question_path"])
        assert (meta["test_id"], meta["round_id"]) == (path.parent.parent.name, path.parent.name)


def test_rounds_that_clawarena_does_not_have_are_refused(tmp_path):
    run_sync(tmp_path / "run", experiment("demo"))
    with pytest.raises(ClawError, match="is of type 'revision', which ClawArena does not have"):
        export(tmp_path / "run", "clawarena", tmp_path / "out")
