"""What `claw export` writes is what the format's own reader accepts, and says what the run says."""

import csv
import json
import os
import subprocess
from pathlib import Path

import atif
import pyarrow.parquet
import pytest

from claw_adapter import open_run
from claw_adapter.api.tables import types_of
from claw_adapter.errors import ArgumentError, ClawError
from claw_adapter.exports import EXPORTERS, export
from claw_adapter.exports.rows import TABLES
from support.running import claw, experiment, run_sync

ROOT = Path(__file__).parents[2]
VALIDATORS = Path(os.environ.get("CLAW_HOME") or ROOT / ".claw") / "validators/bin/python"
EVAL = """
import glob, json, sys
from pathlib import Path
from claw_adapter.exports import export
from inspect_ai.analysis import evals_df, events_df, messages_df, samples_df
from inspect_ai.log import read_eval_log
export(Path(sys.argv[1]), "eval", Path(sys.argv[2]))
log = read_eval_log(glob.glob(sys.argv[2] + "/*.eval")[0])
print(json.dumps({
    "status": log.status, "samples": len(log.samples), "mean": log.results.scores[0].metrics["mean"].value,
    "frames": [len(make(sys.argv[2], quiet=True)) for make in (evals_df, samples_df, messages_df, events_df)],
}))
"""
READERS = """
import glob, json, sys
import duckdb, pandas, polars
found = {}
for path in glob.glob(sys.argv[1] + "/*.parquet"):
    count = duckdb.sql(f"select count(*) from '{path}'").fetchall()[0][0]
    found[path] = [len(pandas.read_parquet(path)), len(polars.read_parquet(path)), count]
print(json.dumps(found))
"""
HARBOR = """
import json, sys
from pathlib import Path
from harbor.utils.trajectory_validator import TrajectoryValidator
from harbor.viewer.scanner import JobScanner
root = Path(sys.argv[1])
scanner = JobScanner(root)
(job,) = scanner.list_jobs()
config, result = scanner.get_job_config(job), scanner.get_job_result(job)
trials = {}
for name in scanner.list_trials(job):
    told, found = scanner.get_trial_config(job, name), scanner.get_trial_result(job, name)
    valid = TrajectoryValidator().validate(root / job / name / "agent/trajectory.json")
    trials[name] = [told.trial_name, found.verifier_result.rewards["reward"], found.agent_result.n_input_tokens, valid]
print(json.dumps({"job": config.job_name == job, "trials": trials, "completed": result.stats.n_completed_trials}))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("exported") / "run"
    run_sync(root, experiment("demo", seeds=[0, 1], models=["reader:hasty"]))
    return root


def exported(run, form, tmp_path):
    out = tmp_path / form
    export(run, form, out)
    return out


def elsewhere(script, *argv):
    """A script in the environment of the validators, with this package as it is here."""
    if not VALIDATORS.exists():
        pytest.skip(f"Harbor, Inspect, pandas, Polars and DuckDB are not in {VALIDATORS.parents[1]} (make validators)")
    path = f"{ROOT / 'core/src'}"
    done = subprocess.run(
        [VALIDATORS, "-c", script, *map(str, argv)],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def rows(run):
    return {table: len(list(make(open_run(run).data))) for table, (_, make) in TABLES.items()}


def test_tables_as_csv_have_every_row_and_column(run, tmp_path):
    out = exported(run, "csv", tmp_path)
    for table, (kind, _) in TABLES.items():
        with (out / f"{table}.csv").open(newline="") as file:
            head, *found = list(csv.reader(file))
        assert head == list(types_of(kind))
        assert len(found) == rows(run)[table] > 0


def test_tables_as_parquet_have_every_row_with_its_type(run, tmp_path):
    out = exported(run, "parquet", tmp_path)
    for table, count in rows(run).items():
        assert pyarrow.parquet.read_table(out / f"{table}.parquet").num_rows == count
    rounds = pyarrow.parquet.read_table(out / "rounds.parquet")
    assert rounds.column("score").to_pylist() == [row.score for row in open_run(run).rounds]
    statements = pyarrow.parquet.read_table(out / "statements.parquet").to_pylist()
    assert {(row["chosen"], row["true"], row["outcome"]) for row in statements} <= {
        (True, True, "tp"), (True, False, "fp"), (False, True, "fn"), (False, False, "tn"),
    }  # fmt: skip
    assert any(row["outcome"] == "fp" for row in statements)


def test_other_readers_find_the_same_rows_in_parquet(run, tmp_path):
    found = elsewhere(READERS, exported(run, "parquet", tmp_path))
    assert {Path(path).stem: counts for path, counts in found.items()} == {
        table: [count] * 3 for table, count in rows(run).items()
    }


def test_every_column_is_documented():
    page = (ROOT / "docs/export.md").read_text()
    for table, (kind, _) in TABLES.items():
        section = page.partition(f"### `{table}`\n")[2].partition("\n### ")[0]
        missing = [name for name in types_of(kind) if f"`{name}`" not in section]
        assert not missing, f"{table}: {missing}"


def test_trajectories_are_valid_and_whole(run, tmp_path):
    out = exported(run, "atif", tmp_path)
    for trial in open_run(run).data.trials:
        found = atif.Trajectory.model_validate_json((out / f"{trial.spec.id}.json").read_text())
        users = [step for step in found.steps if step.source == "user"]
        agents = [step for step in found.steps if step.source == "agent"]
        assert [step.message for step in users] == [record.prompt for record in trial.rounds]
        assert [step.extra["score"] for step in users] == [record.score.value for record in trial.rounds]
        assert len(agents) == sum(record.usage.metered.requests for record in trial.rounds)
        calls = sum(len(step.tool_calls or ()) for step in agents)
        assert calls == sum(record.tool_calls for record in trial.rounds) > 0
        assert sum(len(step.observation.results) for step in agents if step.observation) == calls
        assert found.final_metrics.total_prompt_tokens == sum(record.usage.metered.input for record in trial.rounds)


def test_a_job_folder_has_a_trial_with_its_trajectory_for_each_of_ours(run, tmp_path):
    (job,) = exported(run, "harbor-job", tmp_path).iterdir()
    result = json.loads((job / "result.json").read_text())
    assert result["n_total_trials"] == result["stats"]["n_completed_trials"] == 2
    for row in open_run(run).trials:
        trial = json.loads((job / row.trial / "result.json").read_text())
        assert trial["verifier_result"]["rewards"]["reward"] == row.score
        atif.Trajectory.model_validate_json((job / row.trial / "agent/trajectory.json").read_text())


def test_harbor_reads_a_job_folder_with_its_own_models(run, tmp_path):
    if VALIDATORS.exists() and subprocess.run([VALIDATORS, "-c", "import harbor"], check=False).returncode:
        pytest.skip("Harbor needs Python 3.12 or later, and the environment of the validators has an older one")
    found = elsewhere(HARBOR, exported(run, "harbor-job", tmp_path))
    data = {trial.spec.id: trial for trial in open_run(run).data.trials}
    assert (found["job"], found["completed"]) == (True, len(data))
    assert found["trials"] == {
        row.trial: [
            row.trial, pytest.approx(row.score),
            sum(record.usage.metered.input for record in data[row.trial].rounds), True,
        ]
        for row in open_run(run).trials
    }  # fmt: skip


def test_inspect_reads_its_log_and_makes_four_data_frames_of_it(run, tmp_path):
    found = elsewhere(EVAL, run, tmp_path / "eval")
    rounds = [record for trial in open_run(run).data.trials for record in trial.rounds]
    scores = [record.score.value for record in rounds]
    requests = sum(record.usage.metered.requests for record in rounds)
    messages = len(rounds) + requests + sum(record.tool_calls for record in rounds)
    assert found["mean"] == pytest.approx(sum(scores) / len(scores))
    assert (found["status"], found["samples"]) == ("success", len(rounds))
    assert found["frames"] == [1, len(rounds), messages, requests]


def test_without_inspect_it_says_what_to_install(run, tmp_path):
    with pytest.raises(ClawError, match=r"claw-adapter\[inspect\]"):
        export(run, "eval", tmp_path / "eval")


def test_places_that_are_in_use_are_refused(run, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ClawError, match="in use"):
        export(run, "csv", tmp_path)
    with pytest.raises(ClawError, match="in the run folder"):
        export(run, "csv", run / "csv")


def test_a_format_that_there_is_not_is_refused_with_those_there_are(run, tmp_path):
    with pytest.raises(ArgumentError) as error:
        export(run, "xls", tmp_path / "xls")
    assert all(name in error.value.remedy for name in EXPORTERS)


def test_the_command_writes_beside_the_run(run):
    done = claw("export", run, "--format", "csv")
    assert done.stdout == f"written: {run}-csv\n"
    assert (run.parent / f"{run.name}-csv" / "rounds.csv").exists()
