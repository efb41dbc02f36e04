"""What the Ray plugin does without a cluster: its tasks are functions of plain data, and mistakes are told, not raised."""

import pickle
import socket

import pytest

import claw_adapter
from claw_adapter.api.running import make_executor
from claw_adapter.errors import ArgumentError, ClawError
from claw_adapter.protocol import StopRules
from claw_adapter.runner.results import RunResults, Watcher
from claw_adapter.runs.folder import RunFolder
from claw_adapter.scenario.named import find_scenarios
from claw_adapter_ray.executor import RayExecutor
from claw_adapter_ray.tasks import check, do
from support.running import experiment, run_sync


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    root = tmp_path_factory.mktemp("ray") / "run"
    run_sync(root, experiment("demo"))
    return root


@pytest.fixture
def job(local):
    plan = claw_adapter.open_run(local).data.plan
    results = RunResults(RunFolder(local), plan, find_scenarios(("demo",)), Watcher())
    made = results.job(plan.trials[0], StopRules())
    return made, results.pack_scenario(made)


def test_a_node_that_can_do_the_jobs_misses_nothing(job):
    made, scenario = job
    assert check([made.model_dump_json()], [scenario]) == ()


def test_a_node_with_another_version_or_without_the_harness_says_so(job):
    made, scenario = job
    other = made.model_copy(update={"versions": {"reference": "0.0.0"}})
    harness = made.trial.harness.model_copy(update={"name": "no-such-harness"})
    absent = made.model_copy(update={"trial": made.trial.model_copy(update={"harness": harness})})
    said = check([other.model_dump_json(), absent.model_dump_json()], [scenario, scenario])
    assert "not the one with which the run was started" in said[0]
    assert "no-such-harness" in said[1]


def test_a_job_is_done_from_what_was_sent_and_its_results_travel(job, tmp_path):
    made, scenario = job
    worked = pickle.loads(pickle.dumps(do(made.model_dump_json(), scenario, None, str(tmp_path))))
    assert worked.stopped is None
    assert worked.packed
    assert len(claw_adapter.open_run(tmp_path / made.plan / made.trial.id).data.trials[0].rounds) == 11


def test_what_keeps_a_job_from_being_done_is_told(job):
    made, scenario = job
    worked = do(made.model_copy(update={"scenario": "0" * 64}).model_dump_json(), scenario, None, "")
    assert (worked.packed, worked.stopped.kind) == (None, "ScenarioError")


def test_options_are_checked_before_anything_is_begun():
    assert isinstance(make_executor("ray:address=127.0.0.1:1,retries=0"), RayExecutor)
    with pytest.raises(ArgumentError, match="cpus more than 0"):
        RayExecutor(cpus=0)
    with pytest.raises(ClawError, match="no option"):
        make_executor("ray:nodes=3")


def test_an_address_where_nothing_listens_is_told_before_ray_tries_it():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        executor = RayExecutor(address=f"127.0.0.1:{bound.getsockname()[1]}")
        with pytest.raises(ClawError, match="no cluster of Ray is reached"), executor._cluster(None):
            pass
