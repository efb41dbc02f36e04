"""Promise: rows are compared on the rounds both have, under the same conditions, or the difference is shown instead."""

import random
import runpy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.cli.common import REFUSED, exit_code_of
from claw_adapter.protocol import RunSettings
from claw_adapter.report.compare import NotComparable, compare
from claw_adapter.report.compare_records import Comparison
from claw_adapter.runs.load import load_run
from claw_adapter.scoring import ScoringError

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "compare_runs.py")))
READER = make.make.READER
GOOD, BAD = [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0]


def two(tmp_path, **other):
    """Two runs of one harness; `other` is what is different about the second."""
    first = make.run_of(tmp_path / "one", {"reference": make.flat(GOOD, scenarios=2)})
    second = make.run_of(tmp_path / "two", {"reference": make.flat(GOOD, scenarios=2)}, **other)
    return [load_run(first), load_run(second)]


REFUSED_CASES = {
    "model": ({"model": READER.model_copy(update={"budget": 3})}, "model.budget: 24 → 3"),
    "model name": ({"model": READER.model_copy(update={"name": "other"})}, 'model.name: "reader" → "other"'),
    "harness isolation": ({"isolation": (1, 2)}, 'isolation.harness: "2" → "1"'),
    "check isolation": ({"isolation": (2, 0)}, 'isolation.check: "2" → "0"'),
    "deadline": ({"settings": RunSettings(deadline=30)}, "settings.deadline: 600.0 → 30.0"),
    "attempts": ({"settings": RunSettings(attempts=5)}, "settings.attempts: 2 → 5"),
    "compat": ({"settings": RunSettings(compat="clawarena-1.0")}, 'settings.compat: null → "clawarena-1.0"'),
    "scenario": ({"digests": {"s01": "e"}}, f'scenario.s01: "{"d" * 16}" → "{"e" * 16}"'),
}


@pytest.mark.parametrize(("other", "line"), REFUSED_CASES.values(), ids=REFUSED_CASES)
def test_other_conditions_are_refused_with_the_difference(tmp_path, other, line):
    runs = two(tmp_path, **other)
    with pytest.raises(NotComparable) as caught:
        compare(runs, resamples=100)
    text = str(caught.value)
    assert line in text
    assert "A and B" in text
    assert "A (one: reference" in text
    assert "--allow-mixed" in text
    assert exit_code_of(caught.value) == REFUSED == 3


@pytest.mark.parametrize(("other", "line"), REFUSED_CASES.values(), ids=REFUSED_CASES)
def test_allowed_mixing_puts_the_difference_first(tmp_path, other, line):
    found = compare(two(tmp_path, **other), resamples=100, allow_mixed=True)
    assert found.warnings[0].startswith("Mixed conditions (A and B): ")
    assert any(line in warning for warning in found.warnings)
    assert line in found.pairs[0].mixed
    assert found.pairs[0].differences[0].difference == 0


def test_scenarios_that_only_one_side_has_are_a_difference(tmp_path):
    first = make.run_of(tmp_path / "one", {"reference": make.flat(GOOD, scenarios=2)})
    second = make.run_of(tmp_path / "two", {"reference": make.flat(GOOD, scenarios=3)})
    runs = [load_run(first), load_run(second)]
    with pytest.raises(NotComparable, match=r"scenario\.s02: null → "):
        compare(runs, resamples=100)
    pair = compare(runs, resamples=100, allow_mixed=True).pairs[0]
    assert pair.scenarios == ("s00", "s01")
    assert "left out, no round on both sides: s02" in pair.notes


def test_a_row_whose_trials_had_several_levels_is_refused(tmp_path):
    sides = {"a": make.flat(GOOD, scenarios=2), "b": make.flat(GOOD, scenarios=2)}
    run = load_run(make.run_of(tmp_path / "one", sides))
    start = run.trials[0].start.model_copy(update={"isolation": make.make.Isolation(harness=1, check=1)})
    odd = replace(run, trials=(replace(run.trials[0], start=start), *run.trials[1:]))
    with pytest.raises(NotComparable, match="trials of A ran at several levels: 1/1, 2/2"):
        compare([odd], resamples=100)


def test_checks_whose_things_were_open_are_another_isolation(tmp_path):
    run, other = (load_run(make.run_of(tmp_path / name, {name: make.flat(GOOD)})) for name in ("one", "two"))
    start = other.trials[0].start
    level = start.isolation.model_copy(update={"check_open": True})
    start = start.model_copy(update={"isolation": level})
    other = replace(other, trials=(replace(other.trials[0], start=start), *other.trials[1:]))
    with pytest.raises(NotComparable, match=r"isolation\.check: .*2.* → .*2 \(open\)"):
        compare([run, other], resamples=100)


def test_the_same_conditions_are_compared_though_the_harness_version_differs(tmp_path):
    found = compare(two(tmp_path, version="2.0"), resamples=100)
    assert [row.versions for row in found.rows] == [{"reference": "1.2.3"}, {"reference": "2.0"}]
    assert found.pairs[0].mixed == ()


def test_a_run_of_two_models_compares_within_each_and_says_so(tmp_path):
    other = READER.model_copy(update={"name": "second"})
    specs = [make.make.spec("demo", label, model=model) for label in ("a", "b") for model in (READER, other)]
    runs = make.make.Runs(tmp_path / "run", specs, {"demo": 1})
    for spec in specs:
        runs.write(spec, [runs.record(0, 1.0)])
    found = compare([load_run(runs.root)], resamples=100)
    assert [(pair.a, pair.b) for pair in found.pairs] == [("A", "C"), ("B", "D")]
    assert len(found.not_compared) == 4
    assert len(compare([load_run(runs.root)], resamples=100, allow_mixed=True).pairs) == 6


def test_one_harness_under_two_models_of_one_run_is_refused_with_the_difference(tmp_path):
    specs = [make.make.spec("demo", "a", model=READER.model_copy(update={"name": name})) for name in ("x", "y")]
    runs = make.make.Runs(tmp_path / "run", specs, {"demo": 1})
    for spec in specs:
        runs.write(spec, [runs.record(0, 1.0)])
    with pytest.raises(NotComparable, match=r'model\.name: "x" → "y"'):
        compare([load_run(runs.root)], resamples=100)


def test_one_row_or_one_run_twice_is_wrong_usage(tmp_path):
    run = load_run(make.run_of(tmp_path / "one", {"a": make.flat(GOOD, scenarios=1)}))
    with pytest.raises(ScoringError, match="nothing to compare"):
        compare([run])
    with pytest.raises(ScoringError, match="given twice"):
        compare([run, run])
    with pytest.raises(ScoringError, match="unknown metric"):
        compare([run], "published", ["overall"])


def test_runs_of_the_same_name_are_told_apart(tmp_path):
    first = make.run_of(tmp_path / "x" / "run", {"a": make.flat(GOOD, scenarios=1)})
    second = make.run_of(tmp_path / "y" / "run", {"a": make.flat(GOOD, scenarios=1)})
    found = compare([load_run(first), load_run(second)], resamples=100)
    assert [row.run for row in found.rows] == ["x/run", "y/run"]


def test_only_rounds_that_both_sides_have_count(tmp_path):
    first = make.run_of(tmp_path / "one", {"a": {"demo": {0: [1.0, 1.0, 0.0, 0.0]}}})
    second = make.run_of(tmp_path / "two", {"a": {"demo": {0: [1.0, 0.0, 1.0, 1.0]}}})
    one, two_ = load_run(first), load_run(second)
    half = replace(two_.trials[0], rounds=two_.trials[0].rounds[:2], end=None)
    found = compare([one, replace(two_, trials=(half,))], metrics=["tcr"], resamples=100)
    (item,) = found.pairs[0].differences
    assert (item.a, item.b, found.pairs[0].rounds) == (1.0, 0.5, 2)
    assert "left out: 2 rounds that only one side has" in found.pairs[0].notes
    assert "1 scenario: no interval" in item.notes[0]
    assert item.low is None
    assert item.high is None


def test_seeds_are_matched_and_the_others_are_left_out(tmp_path):
    sides = {"a": {"demo": {0: [1.0, 1.0], 1: [0.0, 0.0]}}, "b": {"demo": {1: [1.0, 0.0], 2: [0.0, 0.0]}}}
    (pair,) = compare([load_run(make.run_of(tmp_path / "run", sides))], metrics=["tcr"], resamples=100).pairs
    assert pair.seeds == (1,)
    assert (pair.differences[0].a, pair.differences[0].b) == (0.0, 0.5)
    assert "left out: seeds that only one side has (0, 2)" in pair.notes


def test_without_a_common_seed_all_are_averaged(tmp_path):
    sides = {"a": {"demo": {0: [1.0, 1.0], 1: [0.0, 0.0]}}, "b": {"demo": {2: [1.0, 0.0]}}}
    (pair,) = compare([load_run(make.run_of(tmp_path / "run", sides))], metrics=["tcr"], resamples=100).pairs
    assert pair.seeds is None
    assert (pair.differences[0].a, pair.differences[0].b) == (0.5, 0.5)
    assert "no seed in common: all seeds of each side are averaged, not matched" in pair.notes


def test_streaks_do_not_run_from_one_seed_into_the_next(tmp_path):
    sides = {label: {"demo": {0: [0.0, 1.0], 1: [1.0, 0.0]}} for label in ("a", "b")}
    found = compare([load_run(make.run_of(tmp_path / "run", sides))], metrics=["sc"], resamples=100)
    assert found.pairs[0].differences[0].a == 0  # one sequence 0 1 1 0 would have a cohesion of 1/3


def test_a_round_lost_to_the_endpoint_is_left_out_on_both_sides_when_adjusted(tmp_path):
    sides = {"a": {"demo": {0: [1.0, 1.0, 0.0]}}, "b": {"demo": {0: [1.0, None, 1.0]}}}
    (pair,) = compare([load_run(make.run_of(tmp_path / "run", sides))], metrics=["tcr"], resamples=100).pairs
    strict, adjusted = pair.differences
    assert (strict.a, strict.b) == (2 / 3, 2 / 3)
    assert (adjusted.a, adjusted.b) == (0.5, 1.0)


def test_too_few_scenarios_to_show_anything_is_said_with_the_number_it_takes(tmp_path):
    sides = {"a": make.flat(GOOD, scenarios=5), "b": make.flat(BAD, scenarios=5)}
    item = compare([load_run(make.run_of(tmp_path / "run", sides))], resamples=100).pairs[0].differences[0]
    assert item.verdict == "not shown"
    assert item.smallest_detectable is None
    assert item.notes == ("5 scenarios: too few to show any difference, it takes 6",)


def test_the_smallest_detectable_difference_grows_with_the_number_of_comparisons(tmp_path):
    mixed = {f"s{n:02}": {0: [1.0, float(n % 2), 1.0, float(n % 3 > 0)]} for n in range(10)}
    good = make.flat(GOOD, scenarios=10)
    alone = make.run_of(tmp_path / "two", {"a": good, "b": mixed})
    among = make.run_of(tmp_path / "three", {"a": good, "b": mixed, "c": good})
    one, three = (compare([load_run(run)], metrics=["tcr"], resamples=100).pairs[0] for run in (alone, among))
    assert one.differences[0].difference == three.differences[0].difference
    assert one.differences[0].smallest_detectable < three.differences[0].smallest_detectable


def test_holm_is_over_all_pairs_and_metrics(tmp_path):
    sides = {"a": make.flat(GOOD, scenarios=8), "b": make.flat(GOOD, scenarios=8), "c": make.flat(BAD, scenarios=8)}
    found = compare([load_run(make.run_of(tmp_path / "run", sides))], metrics=["tcr", "crs"], resamples=100)
    assert found.comparisons == 6
    shown = {(p.a, p.b, d.metric): (d.p, d.p_holm, d.verdict) for p in found.pairs for d in p.differences}
    assert shown["A", "B", "tcr"] == (1.0, 1.0, "not shown")
    assert shown["A", "C", "tcr"] == (2 / 256, 6 * 2 / 256, "lower")
    assert shown["B", "C", "crs"] == (2 / 256, 6 * 2 / 256, "lower")


def test_adjusted_p_values_are_corrected_for_the_pairs_that_lost_no_round_too(tmp_path):
    lost = [None, 1.0, 0.0, 0.0]
    sides = {"a": make.flat(GOOD, scenarios=8), "b": make.flat(GOOD, scenarios=8), "c": make.flat(lost, scenarios=8)}
    found = compare([load_run(make.run_of(tmp_path / "run", sides))], metrics=["tcr"], resamples=100)
    assert [len(pair.differences) for pair in found.pairs] == [2, 2, 2]
    assert [pair.differences[1].p_holm for pair in found.pairs] == [1.0, 3 * 2 / 256, 3 * 2 / 256]


def test_a_trial_that_never_began_leaves_nothing_to_compare(tmp_path):
    specs = [make.make.spec("demo", label) for label in ("a", "b")]
    runs = make.make.Runs(tmp_path / "run", specs, {"demo": 2})
    runs.write(specs[0], [runs.record(0, 1.0), runs.record(1, 1.0)])
    (pair,) = compare([load_run(runs.root)], resamples=100).pairs
    assert (pair.rounds, pair.scenarios, pair.differences[0].difference) == (0, (), None)
    assert pair.differences[0].notes == ("no round that counts on both sides",)
    assert pair.differences[0].verdict == "not shown"


def test_it_says_what_the_reader_means_and_survives_json(tmp_path):
    found = compare(two(tmp_path), resamples=100)
    assert "not a language model" in found.models[0].meaning
    assert Comparison.model_validate_json(found.model_dump_json()) == found


def test_a_script_says_that_it_shows_no_ability(tmp_path):
    model = make.make.ModelSpec(name="fixed", kind="scripted")
    sides = {"a": make.flat(GOOD, scenarios=1), "b": make.flat(BAD, scenarios=1)}
    found = compare([load_run(make.run_of(tmp_path / "run", sides, model=model))], resamples=100)
    assert "say nothing about the ability of a model" in found.models[0].meaning


HEADLINES = [
    ("published", 2, "crs"),
    ("macro", 2, "crs"),
    ("v1", 2, "overall"),
    ("published", 1, "tcr"),
    ("v1", 1, "overall"),
]


@pytest.mark.parametrize(("metric_set", "rounds", "metric"), HEADLINES)
def test_each_profile_compares_its_headline_and_single_rounds_have_no_streaks(tmp_path, metric_set, rounds, metric):
    trial = [make.make.spec("demo", label) for label in ("a", "b")]
    runs = make.make.Runs(tmp_path / "run", trial, {"demo": rounds})
    for spec in trial:
        records = [runs.record(i, 1.0, kind="multi_choice", detail=make.make.choice(1.0)) for i in range(rounds)]
        runs.write(spec, records)
    found = compare([load_run(runs.root)], metric_set, resamples=100)
    assert (found.metrics, found.pairs[0].differences[0].a) == ((metric,), 1.0)


def test_a_planted_fifth_of_failures_is_covered_by_the_interval(tmp_path):
    rng = random.Random(3)
    planted = {f"s{n:02}": {0: [float(rng.random() >= 0.2) for _ in range(10)]} for n in range(12)}
    sides = {"right": make.flat([1.0] * 10), "fails.a.fifth": planted}
    found = compare([load_run(make.run_of(tmp_path / "run", sides))], metrics=["tcr"], seed=1)
    (item,) = found.pairs[0].differences
    assert item.low <= -0.2 <= item.high
    assert item.high < 0
    assert item.verdict == "lower"
    assert item.exact
    assert item.permutations == 4096
    assert 0 < item.smallest_detectable < 0.2
