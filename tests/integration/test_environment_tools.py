"""An environment that brings an MCP server through the whole loop: a harness that starts it, and one that cannot."""

import json
import os
import sys
from pathlib import Path

import pytest
from tests.support.calendar import (
    calendar,  # noqa: F401  # a fixture
    write_plan,
)
from tests.support.running import experiment, run_experiment

from claw_adapter.runs.load import load_run
from claw_adapter.runs.store import Store
from claw_adapter.sandbox import detect

AGENT = Path(__file__).parents[1] / "faults" / "acp_agent.py"
ACP = {
    "name": "acp",
    "options": {"command": [os.path.realpath(sys.executable), "-I", str(AGENT)], "readable": [str(AGENT.parent)]},
}
pytestmark = pytest.mark.usefixtures("calendar")


async def test_an_acp_agent_is_given_the_server_and_its_calls_change_the_state(tmp_path):
    pytest.importorskip("acp", reason="the extra 'acp' is not installed")
    scenario = write_plan(
        tmp_path / "plan", 'call add {"day": "Monday", "what": "dentist"}', "call list {}", 'call remove {"number": 7}'
    )
    asked = experiment(scenario, harnesses=[ACP], settings={"isolation": int(detect().level), "deadline": 60})
    [records] = (await run_experiment(tmp_path / "run", asked)).values()
    assert [record.error for record in records] == [None] * 3
    assert [record.text for record in records] == ["entry 1 added", '{"1": "Monday: dentist"}', "there is no entry 7"]
    assert [record.score.value for record in records] == [1, 0, 0]
    states = [json.loads(Store(tmp_path / "run/store").get(r.environment.after)) for r in records]
    assert states == [[1, {"1": "Monday: dentist"}]] * 3


async def test_a_harness_that_cannot_is_refused_before_anything_is_sent(tmp_path):
    asked = experiment(
        write_plan(tmp_path / "plan", "Plan something."), models=[{"name": "m", "kind": "scripted", "script": ["x"]}]
    )
    [records] = (await run_experiment(tmp_path / "run", asked)).values()
    assert records == []
    failure = load_run(tmp_path / "run").trials[0].failure
    assert failure.owner == "adapter"
    assert "MCP servers (calendar), and harness 'reference' cannot be given any: its tools are built in" in failure.what
    assert "`acp`" in failure.remedy
    assert not list((tmp_path / "run").glob("trials/*/transcript.jsonl")), "no model was asked"
