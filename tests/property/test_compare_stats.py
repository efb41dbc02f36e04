"""Promise: intervals cover what was planted, and of comparisons without a difference no more than the level alarm."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.report.compare_judge import judged
from claw_adapter.report.compare_stats import Resampling, difference_of, matched
from claw_adapter.scoring import RoundScore, aggregate, paired_difference

LEVEL = 0.95
PAIRS = 200


def scores(scenario, values):
    kinds = ("exec_check", "multi_choice")
    return [RoundScore(scenario, f"r{i}", kinds[i % 2], float(v)) for i, v in enumerate(values)]


def side(rng, rates, rounds=10):
    """One simulated row: each scenario has a rate of its own."""
    return {name: {0: (scores(name, [rng.random() < rate for _ in range(rounds)]),)} for name, rate in rates.items()}


def rates_of(rng, scenarios):
    return {f"s{n}": rng.uniform(0.2, 0.95) for n in range(scenarios)}


def compared(a, b, metric, how):
    return difference_of({name: matched(a[name], b[name]) for name in a}, metric, "published", "strict", how)


def most_alarms(tests, level):
    """The number of alarms that a true rate of `level` exceeds with a probability below one in a thousand."""
    total = 0.0
    for k in range(tests + 1):
        total += math.comb(tests, k) * level**k * (1 - level) ** (tests - k)
        if total > 0.999:
            return k
    return tests


@pytest.mark.parametrize("metric", ["tcr", "crs"])
def test_of_200_null_pairs_no_more_alarm_than_the_level_allows(metric):
    rng = random.Random(20)
    how = Resampling(LEVEL, 100, 0)
    found = []
    for _ in range(PAIRS):
        rates = rates_of(rng, 8)
        found.append(compared(side(rng, rates), side(rng, rates), metric, how))
    alarms = sum(judged([item], how)[0].verdict != "not shown" for item in found)
    assert 0 < alarms <= most_alarms(PAIRS, 1 - LEVEL)  # none at all would mean that nothing can alarm


def test_of_200_null_comparisons_of_three_rows_any_alarm_is_as_rare_as_the_level():
    rng = random.Random(21)
    how = Resampling(LEVEL, 100, 0, comparisons=3)
    alarms = 0
    for _ in range(PAIRS):
        rates = rates_of(rng, 8)
        a, b, c = (side(rng, rates) for _ in range(3))
        results = judged([compared(x, y, "tcr", how) for x, y in ((a, b), (a, c), (b, c))], how)
        alarms += any(item.verdict != "not shown" for item in results)
    assert alarms <= most_alarms(PAIRS, 1 - LEVEL)


def test_seeds_are_no_further_scenarios():
    """Ten repetitions of each scenario, with an effect per scenario: counted as independent they would alarm always."""
    rng = random.Random(22)
    how = Resampling(LEVEL, 100, 0)
    alarms = 0
    for _ in range(PAIRS):
        a, b = {}, {}
        for n in range(6):
            for target in (a, b):
                rate = rng.uniform(0.1, 0.9)
                target[f"s{n}"] = {s: (scores(f"s{n}", [rng.random() < rate for _ in range(5)]),) for s in range(10)}
        alarms += judged([compared(a, b, "tcr", how)], how)[0].verdict != "not shown"
    assert alarms <= most_alarms(PAIRS, 1 - LEVEL)


def test_a_planted_fifth_of_failures_is_covered_and_shown():
    """B fails a fifth of what A gets right, by chance: the truth is -0.2, in 60 repetitions."""
    rng = random.Random(23)
    how = Resampling(LEVEL, 300, 0)
    covered, shown = 0, 0
    for _ in range(60):
        a = {f"s{n}": {0: (scores(f"s{n}", [1] * 10),)} for n in range(12)}
        b = side(rng, dict.fromkeys(a, 0.8))
        item = difference_of({n: matched(a[n], b[n]) for n in a}, "tcr", "published", "strict", how)
        covered += item.low <= -0.2 <= item.high
        shown += item.p <= 1 - LEVEL
    assert covered >= 50  # the percentile interval of 12 units covers somewhat less than it says: about 92 %
    assert shown == 60


SIDES = st.integers(1, 5).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.lists(st.sampled_from([0, 0.5, 1]), min_size=4, max_size=4), min_size=n, max_size=n)] * 2
    )
)


@settings(max_examples=40, deadline=None)
@given(
    SIDES,
    st.sampled_from(["tcr", "mc", "ec", "sc", "fd", "robustness", "crs"]),
    st.sampled_from(["published", "macro"]),
)
def test_with_one_seed_it_is_the_paired_difference_of_the_scoring_room(sides, metric, metric_set):
    a, b = ({f"s{n}": {0: (scores(f"s{n}", values),)} for n, values in enumerate(side)} for side in sides)
    ours = difference_of({n: matched(a[n], b[n]) for n in a}, metric, metric_set, "strict", Resampling(LEVEL, 50, 1))
    flat = ({n: seeds[0][0] for n, seeds in side.items()} for side in (a, b))
    assert ours == paired_difference(*flat, metric, metric_set, level=LEVEL, resamples=50, seed=1)


@settings(max_examples=40, deadline=None)
@given(SIDES, st.sampled_from(["tcr", "mc", "ec", "sc", "fd"]), st.booleans())
def test_with_as_many_trials_everywhere_a_side_is_the_mean_over_all(sides, metric, as_seeds):
    both = [(scores(f"s{n}", sides[0][n]), scores(f"s{n}", sides[1][n])) for n in range(len(sides[0]))]
    a = {f"s{n}": {0: (one,), 1: (other,)} if as_seeds else {0: (one, other)} for n, (one, other) in enumerate(both)}
    ours = difference_of({n: matched(a[n], a[n]) for n in a}, metric, "published", "strict", Resampling(LEVEL, 50, 1))
    trials = {}
    for name, seeds in a.items():
        for number, rounds in enumerate(rounds for repeats in seeds.values() for rounds in repeats):
            key = f"{name}#{number}"
            trials[key] = [RoundScore(key, r.round, r.type, r.score) for r in rounds]
    assert ours.a == pytest.approx(getattr(aggregate(trials, "published", "strict"), metric))
    assert ours.difference == 0


@settings(max_examples=40, deadline=None)
@given(SIDES)
def test_exchanging_the_sides_turns_the_difference_around(sides):
    a, b = ({f"s{n}": {0: (scores(f"s{n}", values),)} for n, values in enumerate(side)} for side in sides)
    how = Resampling(LEVEL, 50, 1)
    one, other = compared(a, b, "crs", how), compared(b, a, "crs", how)
    assert one.difference == pytest.approx(-other.difference)
    assert one.p == other.p
