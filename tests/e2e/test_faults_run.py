"""Every scheduled fault in one run of a real harness: its class, its bound, and right answers after each of them."""

from __future__ import annotations

import pytest

from claw_adapter.endpoint.faults import FAULT_KINDS
from claw_adapter.endpoint.transcript import read_transcript
from claw_adapter.errors import Owner
from claw_adapter.plugins import create
from support.faults import CLASSES
from support.running import experiment, run_sync
from support.scenarios import write_scenario

RIGHT = "\\bbox{A}"
MOST = {"nanobot": {"truncated_arguments": 210}, "picoclaw": {"truncated_arguments": 50}}
"""Requests per attempt where a harness goes on longer than 12: these take each broken call for a step of their tool loop."""

OPTIONS = {"nanobot": {"retry_pause": 0.05}}


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(900)  # thirteen recoveries, with the harness's own waits between its tries
@pytest.mark.parametrize("harness", ["nanobot", "picoclaw"])
def test_every_fault_has_its_class_and_the_rounds_after_it_are_answered(tmp_path, harness):
    probe = create("harness", harness).probe()
    if not probe.ready:
        pytest.skip(f"{probe.reason}: {probe.remedy}")
    names = [name for kind in FAULT_KINDS for name in (f"before-{kind}", f"during-{kind}")]
    scenario = write_scenario(tmp_path / "small", [{"id": name} for name in (*names, "last")])
    rules = [{"at": "every 1", "round": f"during-{kind}", "kind": kind, "retry_after": 0} for kind in FAULT_KINDS]
    model = {"name": "script", "kind": "scripted", "script": [RIGHT], "options": {"faults": rules}, "timeout": 0.5}
    options = {"name": harness, "options": OPTIONS.get(harness, {})}
    asked = experiment(
        scenario, harnesses=[options], models=[model], settings={"isolation": 1, "deadline": 120, "attempts": 1}
    )
    ((trial, records),) = run_sync(tmp_path / "run", asked).items()
    by_round = {record.round: record for record in records}
    exchanges = list(read_transcript(tmp_path / f"run/trials/{trial}/transcript.jsonl"))
    for kind in FAULT_KINDS:
        record = by_round[f"during-{kind}"]
        assert by_round[f"before-{kind}"].score.value == 1, f"the round before {kind}"
        assert record.score.value is None, f"{kind} was scored"
        assert (record.score.cause.owner, record.score.cause.kind) == (Owner.ENDPOINT, CLASSES[kind]), kind
        tried = [exchange.fault for exchange in exchanges if exchange.round == record.round]
        assert set(tried) == {kind}
        assert len(tried) <= MOST.get(harness, {}).get(kind, 12), kind
    assert by_round["last"].score.value == 1
