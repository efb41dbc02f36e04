"""The bare loop through the whole runner: scored, resumed, unscored where the provider is down, and without isolation."""

import asyncio

import pytest
from tests.support.counting import (
    Counter,
    counting,  # noqa: F401  # a fixture
    write_counting,
)
from tests.support.running import experiment, outcome, run_experiment

from claw_adapter.endpoint.replay import replay_model
from claw_adapter.report.summary import summarise
from claw_adapter.report.words import isolation
from claw_adapter.runs.load import load_run
from claw_adapter.sandbox import detect

pytestmark = pytest.mark.usefixtures("counting")
FAST = {"name": "bare", "options": {"retry_pause": 0}}
ADDS = [
    *({"match": rf"(^|\n){n}\n\nr", "reply": f"add {n}"} for n in (2, 5, 1)),
    {"match": r"^\[exit", "reply": "done"},
]


async def ran(tmp_path, *numbers, script=ADDS, faults=(), name="run", model=None, **settings):
    scenario = tmp_path / "scenario"
    if not scenario.exists():
        write_counting(scenario, *numbers)
    model = model or {"name": "script", "kind": "scripted", "script": script, "options": {"faults": list(faults)}}
    asked = experiment(
        scenario, harnesses=[FAST], models=[model], settings={"isolation": 0, "deadline": 20, **settings}
    )
    [records] = (await run_experiment(tmp_path / name, asked)).values()
    return records


async def test_commands_change_the_environment_and_rounds_are_one_conversation(tmp_path):
    records = await ran(tmp_path, 2, 5, isolation=int(detect().level))
    assert [(r.score.value, r.text, r.tool_calls) for r in records] == [(1, "done", 1), (1, "done", 1)]
    assert [(r.usage.metered.requests, r.usage.metered.failed) for r in records] == [(2, 0), (2, 0)]
    [row] = summarise(load_run(tmp_path / "run")).rows
    assert isolation(row.isolation).startswith("n/a/")


async def test_a_recorded_run_is_replayed(tmp_path):
    recorded = await ran(tmp_path, 2, 5, faults=[{"at": [3], "kind": "500"}])
    spec = load_run(tmp_path / "run").trials[0].spec.model
    replayed = await ran(tmp_path, name="again", model=replay_model(spec, tmp_path / "run").model_dump(mode="json"))
    assert [outcome(r) for r in replayed] == [outcome(r) for r in recorded]
    assert [r.usage.metered.requests for r in replayed] == [r.usage.metered.requests for r in recorded] == [2, 3]


async def test_a_provider_that_fails_twice_costs_nothing_but_tries(tmp_path):
    records = await ran(tmp_path, 2, 5, faults=[{"at": [1, 2], "kind": "500"}])
    assert [(r.score.value, r.attempts, r.usage.metered.failed) for r in records] == [(1, 1, 2), (1, 1, 0)]


async def test_a_provider_that_is_down_leaves_the_round_unscored(tmp_path):
    records = await ran(tmp_path, 2, 5, 1, faults=[{"at": "every 1", "round": "r2", "kind": "500"}])
    assert [r.score.value for r in records] == [1, None, 1]
    cause = records[1].score.cause
    assert (cause.owner, cause.kind, records[1].attempts) == ("endpoint", "EndpointTransientError", 2)
    assert (records[1].usage.metered.requests, records[1].usage.metered.failed) == (3, 3)


async def test_an_interrupted_trial_resumes_with_the_same_conversation(tmp_path, monkeypatch):
    execute = Counter.execute

    async def interrupted(self, line):
        if line == "add 5":
            raise asyncio.CancelledError
        return await execute(self, line)

    monkeypatch.setattr(Counter, "execute", interrupted)
    assert len(await ran(tmp_path, 2, 5, 1)) == 1
    monkeypatch.setattr(Counter, "execute", execute)
    records = await ran(tmp_path)
    assert [r.score.value for r in records] == [1, 1, 1]
    whole = await ran(tmp_path, name="whole")
    assert [r.usage.metered.input for r in records] == [r.usage.metered.input for r in whole]
