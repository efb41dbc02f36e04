"""Money is optional, dated, never guessed; an estimate says what a run takes, and by which assumptions."""

from __future__ import annotations

import json
import sys
import types
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from claw_adapter.errors import PluginError
from claw_adapter.profile import Figure, Profile
from claw_adapter.protocol import ModelSpec
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.runs import prices
from claw_adapter.runs.estimate import Assumptions, estimate, measured, together
from claw_adapter.runs.providers import load_providers, provider_model
from claw_adapter.scenario import load_scenario
from support.scenarios import write_scenario

PUBLISHED = Path(__file__).parents[3] / "shared" / "clawarena-results" / "gpt-5.5_openclaw"
MILLION = TokenUse(1_000_000, 1_000_000)


@pytest.fixture
def listed(monkeypatch):
    """A price list of one entry, in the shape of the real package; what it was asked is kept."""
    asked: list[dict] = []

    def calc_price(usage, model, **where):
        asked.append({"model": model, **where})
        if model == "unheard-of":
            raise LookupError(model)
        total = Decimal(usage.input_tokens) * 5 / 1_000_000 + Decimal(usage.output_tokens) * 30 / 1_000_000
        named = types.SimpleNamespace(id=where.get("provider_id", "by-url")), types.SimpleNamespace(id=model)
        return types.SimpleNamespace(total_price=total, provider=named[0], model=named[1])

    package = types.ModuleType("genai_prices")
    package.calc_price, package.Usage = calc_price, types.SimpleNamespace
    package.__spec__ = types.SimpleNamespace(name="genai_prices")
    monkeypatch.setitem(sys.modules, "genai_prices", package)
    monkeypatch.setattr(prices.importlib.metadata, "version", lambda name: {"genai-prices": "9.9"}[name])
    return asked


def test_without_a_price_list_there_is_no_money_and_asking_for_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    monkeypatch.setattr(prices, "prices_available", lambda: False)
    assert prices.cost(provider_model("gpt-5.5"), MILLION) is None
    with pytest.raises(PluginError, match=r"pip install 'claw-adapter\[prices\]'"):
        prices.price_list()


def test_money_says_where_its_price_stands_and_of_which_day_it_is(listed):
    money = prices.cost(provider_model("gpt-5.5"), MILLION, date(2026, 11, 21))
    assert money is not None
    assert (money.amount, money.currency, money.prices) == (Decimal(35), "USD", "genai-prices 9.9")
    assert (money.day, money.entry) == (date(2026, 11, 21), "openai/gpt-5.5")
    assert listed[0]["genai_request_timestamp"].isoformat() == "2026-11-21T12:00:00+00:00"


@pytest.mark.parametrize(
    "model",
    [
        ModelSpec(name="reader", kind="reader"), ModelSpec(name="s", kind="scripted"), ModelSpec(name="r", kind="replay"),
        ModelSpec(name="local", base_url="http://127.0.0.1:8000/v1"), ModelSpec(name="l", base_url="http://localhost:1/v1"),
        ModelSpec(name="lan", base_url="http://10.0.0.7/v1"), provider_model("qwen3.6-27b"),
        ModelSpec(name="unheard-of", base_url="https://api.example.com/v1"),
    ],
    ids=lambda model: model.name,
)  # fmt: skip
def test_what_has_no_known_price_has_none(listed, model: ModelSpec):
    assert prices.cost(model, MILLION) is None


def test_a_model_outside_the_file_of_providers_is_found_by_its_url(listed):
    spec = ModelSpec(name="mine", model="gpt-x", base_url="https://api.openai.com/v1")
    money = prices.cost(spec, MILLION)
    assert money is not None
    assert listed[0]["provider_api_url"] == "https://api.openai.com/v1"


def test_every_paid_model_of_table_6_has_a_price_in_the_real_list():
    pytest.importorskip("genai_prices", reason="the extra 'prices' is not installed")
    for name, entry in load_providers().models.items():
        money = prices.cost(provider_model(name, base_url="https://x.example"), MILLION, date(2026, 11, 21))
        assert (money is not None) == bool(entry.price), name
        assert money is None or money.amount > 0


def small(tmp_path: Path, rounds: int):
    return load_scenario(write_scenario(tmp_path / f"s{rounds}", [{"id": f"r{n}"} for n in range(rounds)]))


def test_an_estimate_adds_up(tmp_path: Path, listed):
    known = Assumptions(calls_per_round=2, overhead=1000, growth_per_call=100, output_per_call=10, window=1250)
    made = estimate([small(tmp_path, 2)], provider_model("gpt-5.5"), assumptions=known, day=date(2026, 11, 21))
    main = 26
    assert (made.scenarios, made.trials, made.rounds, made.calls, made.output) == (1, 1, 2, 5, 50)
    firsts = [1000 + main, 1100 + main, 1200 + main, 1250, 1250]
    assert abs(made.input - sum(firsts)) < 3 * 20, "the main session is a handful of tokens"
    assert made.money is not None
    assert made.money.amount == (Decimal(made.input) * 5 + Decimal(made.output) * 30) / 1_000_000
    twice = estimate([small(tmp_path, 3), small(tmp_path, 4)], provider_model("gpt-5.5"), trials=6)
    assert (twice.scenarios, twice.rounds) == (2, 42)
    assert estimate([small(tmp_path, 5)], ModelSpec(name="reader", kind="reader")).money is None


def test_what_stands_before_the_first_prompt_is_taken_from_a_profile(tmp_path: Path):
    figures = [Figure(group="entry", name="entry price", value=4_439.0, how="seen"),
               Figure(group="running", name="requests per turn", value=3.0, how="seen")]  # fmt: skip
    path = tmp_path / "profile.json"
    path.write_text(Profile(harness="x", turns=31, figures=tuple(figures)).model_dump_json())
    known = measured(path)
    assert known == Assumptions(overhead=4_439, calls_per_round=Assumptions().calls_per_round * 1.5)
    path.write_text("[]")
    with pytest.raises(ValueError, match="not a profile"):
        measured(path)
    model = provider_model("gpt-5.5")
    parts = {"x": estimate([small(tmp_path, 2)], model, assumptions=known), "y": estimate([small(tmp_path, 3)], model)}
    both = together(parts, model)
    assert (both.calls, both.input, both.trials) == tuple(
        sum(getattr(one, name) for one in parts.values()) for name in ("calls", "input", "trials")
    )
    assert both.harnesses == parts


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published results are not here")
@pytest.mark.parametrize("name", ["hil_d3", "hil_g1"])
def test_the_defaults_give_what_a_published_run_took(tmp_path: Path, name: str):
    calls = read = written = 0
    for path in (PUBLISHED / name).glob("q*/infer_result.json"):
        messages = json.loads(path.read_text())["llm_log"]["messages"]
        for usage in (message["usage"] for message in messages if message["role"] == "assistant"):
            calls += 1
            read += usage["input"] + usage.get("cacheRead", 0) + usage.get("cacheWrite", 0)
            written += usage["output"]
    made = estimate([small(tmp_path, 30)], ModelSpec(name="reader", kind="reader"))
    for guess, found in ((made.calls, calls), (made.input, read), (made.output, written)):
        assert found * 0.85 < guess < found * 1.15, (guess, found)
