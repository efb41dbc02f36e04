"""Every scheduled fault × the reference harness: classified, retried within bounds, never scored as a wrong answer."""

import pytest

from claw_adapter.endpoint.faults import USUAL_FAULTS
from claw_adapter.errors import Owner
from claw_adapter.runs.transcript import read_transcript
from support.faults import CLASSES
from support.running import experiment, run_sync
from support.scenarios import write_scenario

RIGHT = "\\bbox{A}"
REQUESTS_PER_ATTEMPT = 3  # of the reference harness, which tries what may pass three times


def run_with(tmp_path, rule: dict, deadline: float = 30) -> tuple[list, list]:
    scenario = write_scenario(tmp_path / "small", [{"id": f"r{n}"} for n in (1, 2, 3)])
    model = {"name": "script", "kind": "scripted", "script": [RIGHT], "options": {"faults": [rule]}, "timeout": 0.2}
    asked = experiment(scenario, models=[model], settings={"isolation": 0, "deadline": deadline})
    ((trial, records),) = run_sync(tmp_path / "run", asked).items()
    return records, list(read_transcript(tmp_path / f"run/trials/{trial}/transcript.jsonl"))


@pytest.mark.parametrize("kind", USUAL_FAULTS)
def test_a_fault_that_stays_leaves_its_round_unscored_and_the_later_rounds_go_on(tmp_path, kind):
    records, exchanges = run_with(tmp_path, {"at": "every 1", "round": "r2", "kind": kind})
    assert [r.score.value for r in records] == [1, None, 1]
    cause = records[1].score.cause
    assert (cause.owner, cause.kind) == (Owner.ENDPOINT, CLASSES[kind])
    assert records[1].attempts == (2 if cause.passing else 1)
    tried = sum(exchange.round == "r2" for exchange in exchanges)
    most = 40 if kind == "truncated_arguments" else REQUESTS_PER_ATTEMPT  # each broken call is a step of the tool loop
    assert 1 <= tried <= most * records[1].attempts
    assert {exchange.fault for exchange in exchanges if exchange.round == "r2"} == {kind}


@pytest.mark.parametrize("kind", USUAL_FAULTS)
def test_a_fault_that_passes_costs_nothing_but_tries(tmp_path, kind):
    records, _ = run_with(tmp_path, {"at": [2], "kind": kind, "retry_after": 0})
    survives = kind not in ("400", "context", "401", "filter")
    assert [r.score.value for r in records] == [1, 1 if survives else None, 1]
    assert records[1].score.cause is None or records[1].score.cause.kind == CLASSES[kind]
