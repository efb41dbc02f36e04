"""What a run may spend: counted before each request, over the whole run, and nobody is charged with the end of it."""

import re
from decimal import Decimal

import pytest

from claw_adapter.api.experiment import make_experiment, make_rules
from claw_adapter.errors import ArgumentError, RunStopped
from claw_adapter.protocol import StopRules
from claw_adapter.runs.journal import read_all
from support.provider import FakeProvider
from support.running import claw, experiment, run_experiment
from support.scenarios import write_scenario

NAMES = ["r1", "r2", "r3", "r4"]


@pytest.fixture
async def provider():
    async with FakeProvider() as found:
        yield found


@pytest.fixture
def run(tmp_path, provider):
    folder = write_scenario(tmp_path / "small", [{"id": name} for name in NAMES])

    async def once(trials: int = 1, **rules):
        asked = experiment(folder, models=[{**provider.model, "name": "gpt-5.5"}], repeats=trials)
        return await run_experiment(tmp_path / "run", asked, jobs=3, rules=StopRules(**rules))

    return once


def kept(tmp_path) -> list:
    return [r for path in (tmp_path / "run/trials").glob("*/journal.jsonl") for r in read_all(path)]


async def test_requests_are_counted_over_the_whole_run(tmp_path, provider, run):
    with pytest.raises(RunStopped, match="would pass --max-requests 3; spent so far: 3 requests") as stop:
        await run(max_requests=3)
    assert "higher limit" in stop.value.remedy
    assert provider.requests == 3
    assert [r.kind for r in kept(tmp_path)] == ["start", "round", "round", "round"]
    with pytest.raises(RunStopped, match="spent so far: 3 requests"):
        await run(max_requests=3)
    assert provider.requests == 3
    found = await run(max_requests=5)
    assert [(r.round, r.score.value, r.attempts) for rounds in found.values() for r in rounds] == [
        (name, 1, 1) for name in NAMES
    ]
    assert provider.requests == 5, "with the last feedback"


async def test_trials_at_the_same_time_do_not_pass_a_limit_together(tmp_path, provider, run):
    with pytest.raises(RunStopped):
        await run(trials=3, max_requests=7)
    assert provider.requests <= 7
    assert all(r.kind == "start" or r.score.value == 1 for r in kept(tmp_path))


@pytest.mark.parametrize(("limit", "most"), [("max_tokens", 700), ("max_cost", "0.004")])
async def test_tokens_and_money_stop_before_the_limit(provider, run, limit, most):
    most = Decimal(most)
    with pytest.raises(RunStopped, match="would pass") as stop:
        await run(**{limit: most})
    said = re.search(r"spent so far: (\d+) requests, ([\d,]+) tokens(?:, ([\d.]+) USD)?", stop.value.what)
    assert int(said[1]) == provider.requests > 0
    assert said[2].replace(",", "") == str(100 * provider.requests), "as the provider counts"
    assert Decimal(said[3] or said[2].replace(",", "")) < most
    found = await run(**{limit: 1000 * most})
    assert [(r.round, r.score.value) for rounds in found.values() for r in rounds] == [(name, 1) for name in NAMES]


def test_the_command_line_says_what_was_spent_and_exits_with_5(tmp_path):
    arguments = ["run", "demo", "-H", "reference:mode=in-process", "--isolation", "0", "--out", tmp_path / "run", "-q"]
    done = claw(*arguments, "--max-requests", "2", check=False)
    assert done.returncode == 5
    assert "the next request would pass --max-requests 2; spent so far: 2 requests" in done.stderr
    assert "Traceback" not in done.stderr
    assert claw(*arguments, "--max-requests", "5000", check=False).returncode in (0, 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"patience": "soon"}, "patience: 'soon' is not a time"),
        ({"max_cost": "much"}, "max_cost: Input should be a valid decimal"),
        ({"max_tokens": 0}, "max_tokens: Input should be greater than 0"),
        ({"max_requests": -1}, "max_requests: Input should be greater than 0"),
    ],
)
def test_a_limit_that_is_none_is_refused(given, said):
    with pytest.raises(ArgumentError, match=said):
        make_rules(make_experiment("demo", {}), given)


def test_a_model_without_a_price_cannot_be_bounded_by_money():
    nameless = make_experiment("demo", {"model": "nobody-knows-this", "base_url": "https://models.example.com/v1"})
    with pytest.raises(ArgumentError, match="the price of model 'nobody-knows-this' is not known") as error:
        make_rules(nameless, {"max_cost": 5})
    assert "max_tokens" in error.value.remedy
    assert make_rules(make_experiment("demo", {}), {"max_cost": 5}).max_cost == 5, "the reader costs nothing"


def test_rules_stand_in_an_experiment_and_are_no_part_of_its_identity(tmp_path):
    file = tmp_path / "experiment.yaml"
    file.write_text(
        "scenarios: [demo]\nharnesses: [reference]\nmodels: [reader]\nstop: {patience: 30m, max_requests: 9}\n"
    )
    rules = make_rules(make_experiment(file, {}), {"max_requests": 20})
    assert (rules.patience, rules.max_requests) == (1800, 20)
