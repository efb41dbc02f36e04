"""An incident happens at its place, once, and the runner goes on from there as after any failure."""

from __future__ import annotations

import pytest

from claw_adapter.runner.incident import Incident
from support.running import experiment, run_sync
from support.scenarios import write_scenario

SCRIPT = [
    {"round": f"r{n}", "mark": f"the question {n}", "replies": [{"text": f"answer {n}", "hang": n == 2}]}
    for n in (1, 2, 3)
]
MODES = {"child": {"name": "reference"}, "in-process": {"name": "reference", "options": {"mode": "in-process"}}}


def asked(tmp_path, mode: str, *, hang: bool = True):
    rounds = [{"id": f"r{n}", "question": f"This is the question {n}."} for n in (1, 2, 3)]
    folder = write_scenario(tmp_path / "scenario", rounds)
    script = [
        {**item, "replies": [{**item["replies"][0], "hang": hang and item["replies"][0]["hang"]}]} for item in SCRIPT
    ]
    model = {"name": "some-model", "kind": "scripted", "script": script}
    return experiment(folder, models=[model], harnesses=[MODES[mode]])


@pytest.mark.parametrize(("kind", "mode"), [("kill", "child"), ("kill", "in-process"), ("cancel", "child")])
def test_what_ends_a_turn_costs_one_attempt(tmp_path, kind, mode):
    trial = "small--reference--some-model--s0"
    incidents = {trial: [Incident(kind=kind, round="r2", request=1)]}
    (rounds,) = run_sync(tmp_path / "run", asked(tmp_path, mode), incidents=incidents).values()
    assert [record.text for record in rounds] == ["answer 1", "answer 2", "answer 3"]
    assert [record.attempts for record in rounds] == [1, 2, 1]
    assert [len(record.left) for record in rounds] == [0, 1, 0], "what the attempt left was kept"


@pytest.mark.parametrize(("kind", "request_number"), [("restart", 0), ("pause", 1)])
def test_what_ends_nothing_costs_none(tmp_path, kind, request_number):
    trial = "small--reference--some-model--s0"
    incidents = {trial: [Incident(kind=kind, round="r2", request=request_number)]}
    (rounds,) = run_sync(tmp_path / "run", asked(tmp_path, "child", hang=False), incidents=incidents).values()
    assert [record.attempts for record in rounds] == [1, 1, 1]
    assert [record.text for record in rounds] == ["answer 1", "answer 2", "answer 3"]
