"""An executor gets jobs that travel as JSON, and brings back what other processes did of them: a run like any other."""

import asyncio
import fcntl
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import claw_adapter
from claw_adapter.api.running import make_executor
from claw_adapter.api.work import Worked, check_job, raise_again, work
from claw_adapter.errors import ClawError, HarnessNotFound, JournalError, RunStopped, ScenarioError
from claw_adapter.executor import Executor, TrialJob
from claw_adapter.folders import opened
from claw_adapter.protocol import Failure, StopRules
from claw_adapter.runner.results import RunResults, Watcher
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_all
from support.running import experiment, outcome, run_experiment, run_sync

WORKER = """
import pickle, sys
from claw_adapter.api.running import make_executor
from claw_adapter.api.work import work
from claw_adapter.executor import TrialJob
job, scenario, begun = pickle.load(sys.stdin.buffer)
pickle.dump(work(TrialJob.model_validate_json(job), scenario, begun), sys.stdout.buffer)
"""


class Elsewhere(Executor):
    """One process per job, which shares nothing with this one: the job goes there as JSON."""

    name = "elsewhere"

    def __init__(self, cwd: Path) -> None:
        self.cwd = cwd
        self.jobs: list[TrialJob] = []

    async def run(self, jobs, results, width):
        free = asyncio.Semaphore(width)

        async def one(job):
            async with free:
                self.jobs.append(job)
                results.started(job)
                sent = pickle.dumps((job.model_dump_json(), results.pack_scenario(job), results.pack_trial(job)))
                worked = pickle.loads(await asyncio.to_thread(self._do, sent))
                results.take(job, worked.packed)
                if worked.stopped:
                    raise_again(worked.stopped)

        await asyncio.gather(*(one(job) for job in jobs))

    def _do(self, sent: bytes) -> bytes:
        done = subprocess.run(
            [sys.executable, "-c", WORKER], input=sent, capture_output=True, check=False, cwd=self.cwd
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


def job_of(root: Path, **changes) -> TrialJob:
    run = claw_adapter.open_run(root)
    folder = RunFolder(root)
    return (
        RunResults(folder, run.data.plan, {}, Watcher())
        .job(run.data.plan.trials[0], StopRules())
        .model_copy(update=changes)
    )


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    root = tmp_path_factory.mktemp("local")
    run_sync(root, experiment("demo"))
    return root


def test_what_is_done_elsewhere_is_the_run_that_is_done_here(local, tmp_path):
    asked = experiment("demo", seeds=[0, 1])
    seen = []
    watcher = Watcher(on_round=lambda trial, record, total: seen.append((trial.seed, record.index, total)))
    executor = Elsewhere(tmp_path)
    found = run_sync(tmp_path / "run", asked, executor=executor, watcher=watcher)
    here = claw_adapter.open_run(local).data.trials[0]
    for records in found.values():
        assert [outcome(record) for record in records] == [outcome(record) for record in here.rounds]
    assert sorted(seen) == [(seed, index, 11) for seed in (0, 1) for index in range(11)]
    assert not claw_adapter.open_run(tmp_path / "run").rescore().differences
    assert not (tmp_path / "run" / "live").exists()


def test_what_is_finished_is_no_job_again(tmp_path):
    run_sync(tmp_path / "run", experiment("demo"))
    executor = Elsewhere(tmp_path)
    run_sync(tmp_path / "run", experiment("demo"), executor=executor)
    assert executor.jobs == []


def test_a_trial_that_was_begun_here_goes_on_there(local, tmp_path):
    run = tmp_path / "run"

    async def begin():
        at_three = asyncio.Event()

        def watch(_trial, record, _total):
            if record.index == 2:
                at_three.set()

        task = asyncio.create_task(run_experiment(run, experiment("demo"), watcher=Watcher(on_round=watch)))
        await at_three.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(begin())
    journal = next(run.glob("trials/*/journal.jsonl"))
    before = journal.read_bytes()
    rounds = len(read_all(journal)) - 1
    assert 3 <= rounds < 11
    run_sync(run, experiment("demo"), executor=Elsewhere(tmp_path))
    assert journal.read_bytes().startswith(before)
    assert len(claw_adapter.open_run(run).data.trials[0].rounds) == 11


def test_a_job_holds_no_key_and_nothing_of_the_runner(local):
    job = job_of(local)
    assert TrialJob.model_validate_json(job.model_dump_json()) == pickle.loads(pickle.dumps(job)) == job


def test_another_version_of_a_harness_is_refused_before_anything_is_spent(local):
    with pytest.raises(HarnessNotFound, match="not the one with which the run was started"):
        check_job(job_of(local, versions={"reference": "0.0.0"}))


def test_another_scenario_is_refused(local):
    with pytest.raises(ScenarioError, match="is not the one with which"):
        check_job(job_of(local, scenario="0" * 64))


def test_results_of_another_trial_are_refused(local, tmp_path):
    job = job_of(local)
    packed = RunResults(RunFolder(local), claw_adapter.open_run(local).data.plan, {}, Watcher()).pack_trial(job)
    other = job.model_copy(update={"trial": job.trial.model_copy(update={"id": "other"})})
    with RunFolder(tmp_path / "run") as folder:
        results = RunResults(folder, claw_adapter.open_run(local).data.plan, {}, Watcher())
        with pytest.raises(JournalError, match="or of another scenario"):
            results.take(job.model_copy(update={"scenario": "0" * 64}), packed)
        with pytest.raises(JournalError, match="no results of trial 'other'"):
            results.take(other, packed)


def test_a_folder_that_stays_is_gone_on_with(local, tmp_path):
    job = job_of(local)
    first = work(job, folder=tmp_path / "shared")
    again = work(job, folder=tmp_path / "shared")
    assert isinstance(first, Worked)
    assert first.stopped is again.stopped is None
    assert len(claw_adapter.open_run(tmp_path / "shared").data.trials[0].rounds) == 11


def test_why_a_run_stopped_elsewhere_is_why_it_stops_here():
    with pytest.raises(RunStopped, match="away"):
        raise_again(Failure.of(RunStopped("the provider is away", remedy="Wait.")))


def test_an_executor_that_there_is_not_is_refused():
    with pytest.raises(ClawError, match="no plugin"):
        make_executor("no-such-executor")
    with pytest.raises(ClawError, match="options are written"):
        make_executor("local:x")


def test_what_killed_workers_left_is_removed_by_the_next_and_what_is_in_use_is_not(local, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, used, new = (tmp_path / f"claw-job-{name}" for name in ("left", "used", "new"))
    for folder in (left, used, new):
        (folder / "run").mkdir(parents=True)
    for folder in (left, used):
        os.utime(folder, (0, 0))
    with opened(used) as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        with pytest.raises(ScenarioError):
            check_job(job_of(local, scenario="0" * 64))
    assert sorted(path.name for path in tmp_path.glob("claw-job-*")) == ["claw-job-new", "claw-job-used"]
