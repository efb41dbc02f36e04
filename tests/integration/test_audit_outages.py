"""A provider that is away, a run that stops and is resumed: the audit finds nothing, for nothing was lost."""

import pytest

from claw_adapter.audit import audit_run
from claw_adapter.errors import RunStopped
from claw_adapter.protocol import StopRules
from claw_adapter.runs.load import load_run
from support.audited import keys
from support.provider import FakeProvider
from support.running import experiment, run_experiment
from support.scenarios import write_scenario


@pytest.fixture
async def provider():
    async with FakeProvider() as found:
        yield found


@pytest.fixture
def asked(tmp_path, provider):
    folder = write_scenario(tmp_path / "small", [{"id": f"r{n}"} for n in range(1, 5)])
    return experiment(folder, models=[provider.model])


async def test_an_outage_that_is_waited_out_is_no_finding(tmp_path, provider, asked):
    async with provider.away_after(requests=2, seconds=1.0):
        await run_experiment(tmp_path / "run", asked)
    found = audit_run(load_run(tmp_path / "run"))
    assert keys(found) == set()
    assert found.trials[0].rounds == 4


async def test_a_run_that_stopped_and_was_resumed_is_audited_as_one(tmp_path, provider, asked):
    provider.refuse = lambda number: 503 if number >= 3 else 0
    with pytest.raises(RunStopped):
        await run_experiment(tmp_path / "run", asked, rules=StopRules(patience=0.5))
    provider.refuse = lambda _number: 0
    await run_experiment(tmp_path / "run", asked)
    found = audit_run(load_run(tmp_path / "run"))
    assert keys(found) == set()
    assert found.trials[0].rounds == 4
