"""A provider that is away, or refuses: the run waits, or stops, and nothing of it is charged to anybody or lost."""

import asyncio

import pytest

from claw_adapter.errors import HarnessCrash, RunStopped
from claw_adapter.harness import Failure, TurnResult
from claw_adapter.protocol import StopRules
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.runner.run import Watcher
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_all
from support.provider import FakeProvider
from support.running import experiment, run_experiment
from support.scenarios import write_scenario

COUNT = 4


@pytest.fixture
async def provider():
    async with FakeProvider() as found:
        yield found


@pytest.fixture
def asked(tmp_path, provider):
    def make(trials: int = 1, **settings):
        folder = write_scenario(tmp_path / "small", [{"id": f"r{n}"} for n in range(1, COUNT + 1)])
        settings = {"isolation": 0, "deadline": 30, **settings}
        return experiment(folder, models=[provider.model], repeats=trials, settings=settings)

    return make


def records(tmp_path) -> list:
    return [r for path in sorted((tmp_path / "run/trials").glob("*/journal.jsonl")) for r in read_all(path)]


def whole(found: dict, trials: int = 1) -> None:
    """Every round once, all scored, at the first attempt."""
    assert [[r.round for r in rounds] for rounds in found.values()] == [["r1", "r2", "r3", "r4"]] * trials
    assert {(r.score.value, r.attempts, r.error) for rounds in found.values() for r in rounds} == {(1.0, 1, None)}


async def test_errors_for_a_while_are_waited_out(tmp_path, provider, asked):
    provider.refuse = lambda number: 503 if number in (2, 3) else 0
    waits: list[str] = []
    found = await run_experiment(tmp_path / "run", asked(), watcher=Watcher(on_wait=waits.append))
    whole(found)
    assert provider.requests == COUNT + 3, "one more for the last feedback"
    held = [r.usage.metered.held for rounds in found.values() for r in rounds]
    assert held[1] > 0
    assert held[2] == 0
    assert "503" in waits[0]
    assert waits[-1] == ""


async def test_a_provider_that_is_gone_and_comes_back_costs_no_round(tmp_path, provider, asked):
    async with provider.away_after(requests=2, seconds=1.5):
        whole(await run_experiment(tmp_path / "run", asked(trials=3), jobs=3), trials=3)


class Impatient(ReferenceHarness):
    """Gives up its turn as soon as the run waits, and calls it a failure of its own, or a success; leaves something behind."""

    def __init__(self, outcome: TurnResult) -> None:
        super().__init__(mode="in-process")
        self.outcome, self.waiting, self.given_up, self.found = outcome, asyncio.Event(), 0, []

    async def open(self, ctx, checkpoint=None):
        conversation = await super().open(ctx, checkpoint)
        send = conversation.send

        async def hasty(prompt, deadline):
            self.found += ctx.workspace.glob("left.txt")
            turn, wait = asyncio.create_task(send(prompt, deadline)), asyncio.create_task(self.waiting.wait())
            await asyncio.wait({turn, wait}, return_when=asyncio.FIRST_COMPLETED)
            wait.cancel()
            if turn.done():
                return await turn
            turn.cancel()
            self.waiting.clear()
            self.given_up += 1
            (ctx.workspace / "left.txt").write_text("half done")
            return self.outcome

        conversation.send = hasty
        return conversation


@pytest.mark.parametrize(
    "outcome", [TurnResult(error=Failure.of(HarnessCrash("I am broken"))), TurnResult(text="\\bbox{B}")]
)
async def test_a_turn_that_is_given_up_in_an_outage_is_no_attempt(tmp_path, provider, asked, outcome):
    provider.refuse = lambda number: 502 if number in (2, 3) else 0
    harness = Impatient(outcome)
    watcher = Watcher(on_wait=lambda why: harness.waiting.set() if why else harness.waiting.clear())
    found = await run_experiment(tmp_path / "run", asked(attempts=1), harnesses={"reference": harness}, watcher=watcher)
    whole(found)
    assert harness.given_up
    assert not harness.found, "what the turn had left in the workspace is gone before it is sent again"


async def test_an_outage_longer_than_patience_stops_the_run_and_the_same_call_goes_on(tmp_path, provider, asked):
    provider.refuse = lambda number: 500 if number > 2 else 0
    with pytest.raises(RunStopped, match=r"no answer for 0\.5 s: the provider answered 500"):
        await run_experiment(tmp_path / "run", asked(), rules=StopRules(patience=0.5))
    kept = records(tmp_path)
    assert [r.kind for r in kept] == ["start", "round", "round"]
    provider.refuse = lambda _number: 0
    whole(await run_experiment(tmp_path / "run", asked()))
    assert records(tmp_path)[:3] == kept, "what was scored is untouched"


async def test_a_wait_longer_than_patience_stops_the_run_at_once(tmp_path, provider, asked):
    provider.refuse, provider.headers = lambda _number: 429, {"Retry-After": "3600"}
    with pytest.raises(RunStopped, match="the provider asks to wait 1 h, and the run waits 10 min"):
        await run_experiment(tmp_path / "run", asked())
    assert provider.requests == 1


async def test_a_refused_key_stops_the_run_after_one_request(tmp_path, provider, asked):
    provider.refuse = lambda _number: 401
    with pytest.raises(RunStopped, match="the provider answered 401") as stop:
        await run_experiment(tmp_path / "run", asked(trials=4), jobs=4)
    assert "a key" in stop.value.remedy
    assert provider.requests == 1
    assert {r.kind for r in records(tmp_path)} == {"start"}
    provider.refuse = lambda _number: 0
    whole(await run_experiment(tmp_path / "run", asked(trials=4), jobs=4), trials=4)


async def test_cancelling_while_waiting_leaves_a_folder_that_goes_on(tmp_path, provider, asked):
    provider.refuse = lambda number: 503 if number > 1 else 0
    waiting = asyncio.Event()
    task = asyncio.create_task(
        run_experiment(tmp_path / "run", asked(), watcher=Watcher(on_wait=lambda why: why and waiting.set()))
    )
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    provider.refuse = lambda _number: 0
    whole(await run_experiment(tmp_path / "run", asked()))
    assert not RunFolder(tmp_path / "run").live.exists()
