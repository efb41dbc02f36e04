"""The summary: every number is the one scoring gives, kinds of tokens stay apart, and absence is never zero."""

import json
import re
import runpy
from decimal import Decimal
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from claw_adapter.protocol import ATTACHED, FirstRequest, ModelSpec, ServerRecord
from claw_adapter.report import Summary, render, summarise, words
from claw_adapter.report.html import page
from claw_adapter.report.measures import measured
from claw_adapter.runs.load import load_run
from claw_adapter.scoring import RoundScore, ScoringError, aggregate, interval

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "report_runs.py")))


def one(tmp_path, records, *, model=make.READER, rounds=None, end=True, **start):
    """The summary of a run of one trial; `records` is called with the run to make them."""
    trial = make.spec("demo", "reference", model=model)
    runs = make.Runs(tmp_path / "run", [trial], {"demo": rounds or 0})
    made = records(runs)
    runs.write(trial, made, end=end, **start)
    return summarise(load_run(runs.root))


@pytest.fixture
def small(tmp_path):
    return summarise(load_run(make.small(tmp_path / "run").root))


def test_strict_counts_unscored_rounds_as_zero_and_adjusted_leaves_them_out(small):
    row = small.rows[1]
    assert (row.rounds, row.scored, row.unscored, row.pending) == (5, 2, 3, 0)
    assert row.unscored_by == {"endpoint": 1, "harness": 2}
    assert row.strict.tcr == pytest.approx(1 / 5)
    assert row.adjusted.tcr == pytest.approx(1 / 2)
    assert (row.strict.mc, row.adjusted.mc) == (0.0, None)


def test_metrics_are_those_of_scoring(small, tmp_path):
    run = load_run(tmp_path / "run")
    scores = {"demo": run.scores(run.trials[0])}
    expected = aggregate(scores, "published", "strict")
    for metric in ("tcr", "mc", "ec", "sc", "fd", "robustness", "crs", "overall"):
        assert getattr(small.rows[0].strict, metric) == getattr(expected, metric)


def test_profile_v1_needs_per_option_scores_and_then_gives_overall(tmp_path):
    def records(runs):
        detail = make.choice(0.5)
        return [runs.record(0, 0.0, kind="multi_choice", detail=detail), runs.record(1, 1.0)]

    assert one(tmp_path, records).rows[0].strict.overall is None
    run = load_run(tmp_path / "run")
    assert summarise(run, "v1").rows[0].strict.overall == pytest.approx(0.75)


def test_profile_v1_without_per_option_scores_is_refused(tmp_path):
    one(tmp_path, lambda runs: [runs.record(0, 0.0, kind="multi_choice")])
    with pytest.raises(ScoringError, match="per-option"):
        summarise(load_run(tmp_path / "run"), "v1")


def test_one_scenario_has_no_interval_and_says_so(small):
    assert small.rows[0].strict.intervals == {}
    assert small.rows[0].strict.interval_note == "1 scenario: no interval"


def sequences(*bits):
    return {
        f"s{n}": [[RoundScore(f"s{n}", str(i), "exec_check", float(b)) for i, b in enumerate(row)]]
        for n, row in enumerate(bits)
    }


def test_intervals_are_those_of_scoring():
    units = sequences([1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 1, 0])
    found = measured(units, "published", "strict")
    for metric in ("tcr", "crs"):
        expected = interval({name: trials[0] for name, trials in units.items()}, metric)
        assert (found.intervals[metric].low, found.intervals[metric].high) == (expected.low, expected.high)
        assert found.intervals[metric].scenarios == 3


def test_seeds_of_a_scenario_are_one_unit_and_do_not_narrow_the_interval():
    units = sequences([1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 1, 0])
    thrice = {name: trials * 3 for name, trials in units.items()}
    assert (
        measured(thrice, "published", "strict").intervals["tcr"]
        == measured(units, "published", "strict").intervals["tcr"]
    )


def test_a_scenario_without_any_finished_round_is_no_unit():
    units = {**sequences([1, 0]), "late": [[]]}
    assert measured(units, "published", "strict").interval_note == "1 scenario: no interval"


def test_kinds_of_tokens_are_summed_apart(small):
    tokens = small.rows[0].tokens
    assert tokens.rendered.tokens == 1000 + 1001 + 1002 + 1003 + 1004
    assert (tokens.metered.input, tokens.metered.output, tokens.metered.requests) == (15000, 200, 10)
    assert tokens.metered.upstream is None


def test_cumulative_reports_are_differenced(small):
    reported = small.rows[0].tokens.reported
    assert (reported.semantics, reported.input, reported.output, reported.turns) == ("cumulative", 15000, 200, 5)


def test_last_request_reports_are_occupancy_and_never_a_sum(small):
    reported = small.rows[1].tokens.reported
    assert (reported.semantics, reported.input, reported.output) == ("last_request", None, None)
    assert reported.occupancy_median == 1530
    assert any("occupancy" in flag for flag in reported.flags)


def test_a_cumulative_reading_that_fell_is_flagged_and_left_out(tmp_path):
    def records(runs):
        readings = [100, 250, 40, 90]
        return [
            runs.record(i, 1.0, usage=make.usage(1, 1, 1, reported=make.told("cumulative", value, 1)))
            for i, value in enumerate(readings)
        ]

    reported = one(tmp_path, records).rows[0].tokens.reported
    assert reported.input == 100 + 150 + 50
    assert reported.turns == 3
    assert any("fell from 250 to 40" in flag for flag in reported.flags)


def test_reports_of_two_kinds_are_not_added(tmp_path):
    def records(runs):
        kinds = ["per_turn", "cumulative"]
        return [
            runs.record(i, 1.0, usage=make.usage(1, 1, 1, reported=make.told(kind, 5, 5)))
            for i, kind in enumerate(kinds)
        ]

    reported = one(tmp_path, records).rows[0].tokens.reported
    assert (reported.semantics, reported.input) == ("mixed", None)


def test_a_harness_that_reports_nothing_has_no_zero(tmp_path):
    reported = one(tmp_path, lambda runs: [runs.record(0, 1.0)]).rows[0].tokens.reported
    assert (reported.semantics, reported.input, reported.output) == ("none", None, None)


def test_upstream_counts_stand_beside_ours(tmp_path):
    def records(runs):
        return [
            runs.record(0, 1.0, usage=make.usage(10, 100, 5, upstream=(120, 7))),
            runs.record(1, 1.0, usage=make.usage(10, 100, 5)),
        ]

    metered = one(tmp_path, records).rows[0].tokens.metered
    assert (metered.input, metered.upstream.input, metered.upstream.output, metered.upstream.turns) == (200, 120, 7, 1)


GPT = ModelSpec(
    name="gpt", kind="openai", model="gpt-4o", base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY", params={}
)
"""2.50 and 10.00 USD per million tokens, in and out, for years."""


def test_cost_is_priced_from_the_upstreams_own_counts(tmp_path):
    pytest.importorskip("genai_prices", reason="the extra `prices` is not installed")
    usage = make.usage(10, 100, 5, upstream=(1_000_000, 100_000))
    found = one(tmp_path, lambda runs: [runs.record(0, 1.0, usage=usage)], model=GPT)
    cost = found.rows[0].cost
    assert (cost.money.amount, cost.money.currency, cost.counted) == (Decimal("3.5"), "USD", "upstream")
    assert cost.money.day.isoformat() == found.run.created[:10]
    assert any("list price (genai-prices" in warning for warning in found.warnings)


def test_cost_is_an_estimate_where_the_upstream_did_not_count_every_turn(tmp_path):
    pytest.importorskip("genai_prices", reason="the extra `prices` is not installed")

    def records(runs):
        return [
            runs.record(0, 1.0, usage=make.usage(10, 1_000_000, 0, upstream=(9, 9))),
            runs.record(1, 1.0, usage=make.usage(10, 1_000_000, 0)),
        ]

    cost = one(tmp_path, records, model=GPT).rows[0].cost
    assert (cost.money.amount, cost.counted) == (Decimal(5), "metered")
    assert words.money(cost) == "~5.00 USD"


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:8000/v1", "https://models.example.org/v1"])
def test_what_is_not_sold_or_not_in_the_list_costs_nothing_that_is_shown(tmp_path, base_url):
    model = GPT.model_copy(update={"model": "our-own-model", "base_url": base_url})
    found = one(tmp_path, lambda runs: [runs.record(0, 1.0, usage=make.usage(10, 100, 5))], model=model)
    assert found.rows[0].cost is None


@pytest.mark.parametrize(("about", "shown"), [({"weights": "x"}, "0.00 USD"), ({ATTACHED: "http://x"}, "–")])
def test_a_model_that_the_run_served_itself_costs_nothing_and_one_that_others_serve_an_unknown_sum(
    tmp_path, about, shown
):
    model = ModelSpec(name="own", kind="llamacpp")
    moments = {"began": "2026-11-22T00:00:00Z", "ended": "2026-11-22T00:01:00Z"}
    server = ServerRecord(model="own", kind="llamacpp", about=about, **moments)

    def records(runs):
        (tmp_path / "run" / "servers.jsonl").write_text(server.model_dump_json() + "\n")
        return [runs.record(0, 1.0, usage=make.usage(10, 100, 5))]

    found = one(tmp_path, records, model=model)
    assert words.money(found.rows[0].cost) == shown
    assert any("Nobody is paid" in warning for warning in found.warnings) == (shown == "0.00 USD")


def test_without_a_price_list_a_paid_run_says_how_to_get_one(tmp_path, monkeypatch):
    for module in ("claw_adapter.runs.prices", "claw_adapter.report.summary"):
        monkeypatch.setattr(f"{module}.prices_available", lambda: False)
    records = lambda runs: [runs.record(0, 1.0, usage=make.usage(10, 100, 5))]
    assert words.NO_PRICES in one(tmp_path / "paid", records, model=GPT).warnings
    assert words.NO_PRICES not in one(tmp_path / "reader", records).warnings


def test_times_are_medians_of_answered_turns(small):
    times = small.rows[1].times
    assert (times.turn_median, times.turn_total, times.own_median) == (3.0, 6.0, 0.25)
    assert times.overhead_median == 0.002


def test_a_row_says_what_its_trials_began_with_as_it_was_measured(tmp_path):
    left, right = make.spec("demo", "reference"), make.spec("demo", "reference", seed=1)
    old = make.spec("demo", "nanobot")
    runs = make.Runs(tmp_path / "run", [left, right, old], {"demo": 2})
    late = FirstRequest(system=9_999, tools=9)
    for trial, first in ((left, FirstRequest(system=8_622, tools=20)), (right, FirstRequest(system=9_706, tools=20))):
        runs.write(trial, [runs.record(0, 1.0, first=first), runs.record(1, 1.0, first=late)])
    runs.write(old, [runs.record(0, 1.0)])
    summary = summarise(load_run(runs.root))
    assert [first.system for first in summary.rows[0].first_requests] == [8_622, 9_706]
    assert summary.rows[1].first_requests == ()
    said = "system prompt of 8,622 to 9,706 characters, 20 tools"
    assert words.first_requests(summary.rows[0].first_requests) == said
    assert words.first_requests([FirstRequest(system=5, tools=1)]) == "system prompt of 5 characters, 1 tool"
    shown = page(load_run(runs.root), summary)
    assert shown.count("<dt>First request</dt>") == 1
    assert said in shown
    console = Console(width=200, file=StringIO())
    render(summary, console, whole=True)
    assert f"- first request, measured: {said}" in console.file.getvalue()


def test_evidence_is_counted_where_a_reader_watched(small):
    assert small.rows[0].evidence.model_dump() == {"rounds": 5, "needed": 10, "seen": 9}
    assert small.rows[1].evidence is None


def test_a_fragment_that_was_seen_but_not_needed_does_not_count(tmp_path):
    summary = one(tmp_path, lambda runs: [runs.record(0, 1.0, evidence=make.seen(["a"], ["b", "c"]))])
    assert (summary.rows[0].evidence.needed, summary.rows[0].evidence.seen) == (1, 0)


def test_the_reader_on_data_without_evidence_is_called_meaningless(tmp_path):
    summary = one(tmp_path, lambda runs: [runs.record(0, 1.0, evidence=make.seen([], []))])
    assert summary.scenarios[0].evidence is False
    assert "Scenario demo has no evidence layer: scores carry no meaning." in summary.warnings


def test_a_real_model_is_not_asked_for_an_evidence_layer(tmp_path):
    model = make.ModelSpec(name="m", base_url="http://127.0.0.1:1/v1", sampling="pass")
    summary = one(tmp_path, lambda runs: [runs.record(0, 1.0)], model=model)
    assert summary.scenarios[0].evidence is None
    assert summary.models[0].measures_ability
    assert [w for w in summary.warnings if "evidence" in w] == []
    assert any("its own sampling" in w for w in summary.warnings)


def test_what_the_reader_and_a_script_mean_is_said(small, tmp_path):
    assert "not a language model" in small.models[0].meaning
    script = make.ModelSpec(name="script", kind="scripted")
    other = one(tmp_path / "other", lambda runs: [runs.record(0, 1.0)], model=script)
    assert "fixed replies" in other.models[0].meaning
    assert not other.models[0].measures_ability


def test_pending_rounds_are_in_no_metric_and_named(tmp_path):
    summary = one(tmp_path, lambda runs: [runs.record(0, 1.0)], rounds=4, end=False)
    row = summary.rows[0]
    assert (row.pending, row.unscored, row.strict.rounds, row.strict.tcr) == (3, 0, 1, 1.0)
    assert [cell.state for item in summary.rounds for cell in item.cells] == ["scored", "pending", "pending", "pending"]
    assert any("3 rounds not run yet" in warning for warning in summary.warnings)


def test_rows_are_harness_with_overlays_by_model(tmp_path):
    other = make.ModelSpec(name="reader:hasty", kind="reader", policy="hasty")
    specs = [
        make.spec("a", "reference"),
        make.spec("b", "reference"),
        make.spec("a", "reference", seed=1),
        make.spec("a", "reference", overlays=("metaclaw",)),
        make.spec("a", "reference", model=make.READER.model_copy(update={"name": other.name, "policy": "hasty"})),
    ]
    runs = make.Runs(tmp_path / "run", specs, {"a": 1, "b": 1})
    for spec in specs:
        runs.write(spec, [runs.record(0, 1.0)])
    summary = summarise(load_run(runs.root))
    assert [(row.label, row.model, row.trials, row.seeds) for row in summary.rows] == [
        ("reference", "reader", 3, (0, 1)),
        ("reference+metaclaw", "reader", 1, (0,)),
        ("reference", "reader:hasty", 1, (0,)),
    ]
    assert [len(item.cells) for item in summary.rounds] == [4, 1]
    assert summary.rows[0].strict.intervals["tcr"].scenarios == 2


def test_unequal_isolation_and_versions_are_named(tmp_path):
    specs = [make.spec("a", "left"), make.spec("a", "right"), make.spec("b", "right")]
    runs = make.Runs(tmp_path / "run", specs, {"a": 1, "b": 1})
    runs.write(specs[0], [runs.record(0, 1.0)], isolation=make.Isolation(harness=0, check=2))
    runs.write(specs[1], [runs.record(0, 1.0)])
    runs.write(specs[2], [runs.record(0, 1.0)], versions={"right": "1.2.4"})
    summary = summarise(load_run(runs.root))
    assert summary.rows[1].versions == {"right": "1.2.3 / 1.2.4"}
    assert any("isolation levels" in warning for warning in summary.warnings)
    assert any("different versions of right" in warning for warning in summary.warnings)


def test_unscored_rounds_are_listed_with_their_cause(small):
    listed = [(item.round, item.rounds, item.cause.kind) for item in small.unscored]
    assert listed == [("r2", 1, "EndpointQuotaError"), ("r4", 2, "HarnessCrash")]


def test_the_json_reads_back_and_obeys_the_published_schema(small):
    text = small.model_dump_json()
    assert json.loads(text)["version"] == "summary/1"
    assert Summary.model_validate_json(text) == small
    schema = Summary.model_json_schema(mode="serialization")
    assert problems(json.loads(text), schema, schema) == []


def test_the_schema_check_can_fail(small):
    schema = Summary.model_json_schema(mode="serialization")
    value = json.loads(small.model_dump_json())
    value["rows"][0]["strict"]["tcr"] = "much"
    value["trials"][0]["status"] = "gone"
    del value["metric_set"]
    assert len(problems(value, schema, schema)) == 3


def test_nothing_is_rounded(tmp_path):
    summary = one(tmp_path, lambda runs: [runs.record(i, float(i == 0)) for i in range(3)])
    assert json.loads(summary.model_dump_json())["rows"][0]["strict"]["tcr"] == 1 / 3


KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int}


def problems(value, schema, root, path="$"):
    """What violates the part of JSON Schema that pydantic writes; no library for it is at hand."""
    if "$ref" in schema:
        return problems(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, path)
    if "anyOf" in schema:
        return [] if any(not problems(value, s, root, path) for s in schema["anyOf"]) else [f"{path}: none fits"]
    found = []
    if "const" in schema and value != schema["const"]:
        found.append(f"{path}: not {schema['const']}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: not one of {schema['enum']}")
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        found.append(f"{path}: pattern")
    kind = schema.get("type")
    fits = isinstance(value, int | float) if kind == "number" else isinstance(value, KINDS.get(kind, object))
    if not fits or (kind in ("number", "integer") and isinstance(value, bool)):
        return [*found, f"{path}: not of type {kind}"]
    if kind == "array":
        item = schema.get("items", {})
        return found + [p for i, v in enumerate(value) for p in problems(v, item, root, f"{path}[{i}]")]
    if kind == "object":
        known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        found += [f"{path}: lacks {name}" for name in schema.get("required", ()) if name not in value]
        for name, item in value.items():
            if name in known or isinstance(more, dict):
                found += problems(item, known.get(name, more), root, f"{path}.{name}")
            elif not more:
                found.append(f"{path}: {name} unknown")
    return found
