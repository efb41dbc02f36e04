"""Limits of rate, in one run and in several that share a budget: who waits is charged with nothing, and nothing is lost."""

import asyncio
import contextlib
import re
import signal
import subprocess
import sys

import pytest
from aiohttp import web

from claw_adapter.api.experiment import make_experiment
from claw_adapter.api.running import prepare
from claw_adapter.endpoint import budget, rates
from claw_adapter.errors import ArgumentError, RunStopped
from claw_adapter.protocol import StopRules
from claw_adapter.protocol.stopping import RateLimits, SpendingLimits
from support.provider import FakeProvider
from support.running import claw, experiment, run_experiment
from support.scenarios import write_scenario

NAMES = ["r1", "r2"]


@pytest.fixture
async def provider():
    async with FakeProvider() as found:
        yield found


@pytest.fixture
def run(tmp_path, provider):
    folder = write_scenario(tmp_path / "small", [{"id": name} for name in NAMES])

    async def once(out: str = "run", trials: int = 1, **rules):
        asked = experiment(folder, models=[provider.model], repeats=trials)
        return await run_experiment(tmp_path / out, asked, jobs=3, rules=StopRules(**rules))

    return once


@contextlib.asynccontextmanager
async def shared(rate: dict, spending: dict | None = None, key: str = ""):
    """A budget on loopback; yields its URL and itself."""
    made = budget.Budget(RateLimits(**rate), SpendingLimits(**(spending or {})), key)
    runner = web.AppRunner(made.app(), shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", made
    finally:
        await runner.cleanup()


def right(found) -> bool:
    return all(
        [(r.round, r.score.value, r.attempts) for r in rounds] == [(n, 1, 1) for n in NAMES]
        for rounds in found.values()
    )


async def test_requests_of_one_run_go_out_one_at_a_time(provider, run):
    at_a_time = provider.watch_concurrent()
    assert right(await run(trials=3, concurrent=1))
    assert at_a_time() == 1
    found = await run("other", trials=3)
    assert right(found)
    assert at_a_time() > 1, "without the limit"


async def test_runs_that_share_a_budget_keep_to_it_together(tmp_path, provider):
    folder = write_scenario(tmp_path / "small", [{"id": name} for name in NAMES])
    asked = experiment(folder, models=[provider.model], repeats=2)
    (tmp_path / "asked.yaml").write_text(asked.model_dump_json(exclude_defaults=True))
    at_a_time = provider.watch_concurrent()
    async with shared({"concurrent": 1}) as (url, made):

        def once(out: str) -> int:
            where = ["--out", tmp_path / out, "-j", "2", "--budget", url, "-q"]
            return claw("run", tmp_path / "asked.yaml", *where, check=False).returncode

        both = await asyncio.gather(asyncio.to_thread(once, "one"), asyncio.to_thread(once, "two"))
        assert made.spent.requests == provider.requests
        assert made.spent.tokens == 100 * provider.requests, "as the provider counts"
    assert both == [0, 0]
    assert at_a_time() == 1


async def test_what_all_runs_may_spend_stops_them_and_nobody_is_charged(provider, run):
    async with shared({}, {"max_requests": 3}) as (url, _):
        assert right(await run(budget=url)) or provider.requests == 3
        with pytest.raises(RunStopped, match="would pass --max-requests 3; spent so far: 3 requests"):
            await run("other", budget=url)
    assert provider.requests == 3
    async with shared({"concurrent": 4}) as (url, _):
        assert right(await run(budget=url))
        assert right(await run("other", budget=url))


async def test_a_budget_that_is_gone_pauses_the_run_then_stops_it(provider, run):
    async with shared({"concurrent": 1}) as (url, _):
        pass
    with pytest.raises(RunStopped, match="no answer for 1 s: no answer of the budget"):
        await run(budget=url, patience=1)
    assert provider.requests == 0
    assert right(await run())


async def test_a_minute_that_is_full_is_waited_for_and_no_time_of_the_harness(provider, run, monkeypatch):
    monkeypatch.setattr(rates, "MINUTE", 1.5)
    async with shared({"requests_per_minute": 2}) as (url, _):
        found = await run(budget=url)
    assert right(found)
    (rounds,) = found.values()
    held = [r.usage.metered.held for r in rounds]
    assert sum(held) > 0
    assert all(r.timing.total < 1.5 + h for r, h in zip(rounds, held, strict=True))


async def test_a_budget_wants_its_key(provider, run, monkeypatch):
    async with shared({"concurrent": 1}, key="only-for-us-0123456789") as (url, made):
        with pytest.raises(RunStopped, match="401"):
            await run(budget=url, patience=1)
        assert made.spent.requests == provider.requests == 0
        monkeypatch.setenv(rates.BUDGET_KEY, "only-for-us-0123456789")
        assert right(await run(budget=url))


async def test_who_dies_while_it_waits_or_sends_leaves_the_line_free():
    import aiohttp

    asked = rates.LeaseRequest(provider="p", tokens=5).model_dump_json()
    async with shared({"concurrent": 1}) as (url, made), aiohttp.ClientSession() as client:
        first = await client.ws_connect(f"{url}/lease")
        await first.send_str(asked)
        await first.receive_str()
        waiting = await client.ws_connect(f"{url}/lease")
        await waiting.send_str(asked)
        await waiting.close()
        await first.close()
        third = rates.SharedRates(url)
        async with asyncio.timeout(30), third.lease(rates.LeaseRequest(provider="p", tokens=1)) as lease:
            lease.used = rates.LeaseUse(tokens=2)
        await third.close()
    assert (made.spent.requests, made.spent.tokens) == (2, 5 + 2), (
        "who waited has spent nothing; who said nothing, what it asked for"
    )


def test_the_command_says_where_it_is_and_what_was_spent():
    started = subprocess.Popen(
        [sys.executable, "-m", "claw_adapter", "budget", "--concurrent", "2"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+\n", started.stdout.readline())
        started.send_signal(signal.SIGINT)
        said, _ = started.communicate(timeout=60)
    finally:
        started.kill()
        started.stdout.close()
    assert said == "spent: 0 requests, 0 tokens, 0.0000 USD\n"
    assert started.returncode == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "a budget needs a limit"),
        (["--concurrent", "0"], "--concurrent: Input should be greater than 0"),
        (["--concurrent", "1", "--listen", "0.0.0.0:0"], "set CLAW_BUDGET_KEY"),
        (["--concurrent", "1", "--listen", "8700"], "write HOST:PORT"),
    ],
)
def test_a_wrong_budget_is_refused(options, said, monkeypatch):
    monkeypatch.delenv(rates.BUDGET_KEY, raising=False)
    done = subprocess.run(
        [sys.executable, "-m", "claw_adapter", "budget", *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert said in done.stderr


def test_workers_elsewhere_need_a_budget_for_limits(monkeypatch):
    monkeypatch.setattr("claw_adapter.api.running.make_executor", lambda _text: object())
    with pytest.raises(ArgumentError, match="would hold for each trial by itself") as refused:
        prepare(make_experiment("demo", {}), rules=StopRules(max_requests=5), executor="any")
    assert "claw budget" in refused.value.remedy
