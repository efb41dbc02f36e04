"""Laws of the metrics that hold for every sequence of scores."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.scoring import METRICS, RoundScore, Streaks, aggregate

KINDS = st.sampled_from(["multi_choice", "exec_check", "revision"])
BITS = st.lists(st.sampled_from([0, 1]), max_size=40)
SCORES = st.lists(st.sampled_from([0, 0.5, 1]), max_size=40)
METRIC_SETS = st.sampled_from(["published", "macro", "v1"])
VIEWS = st.sampled_from(["strict", "adjusted"])


def build(name, entries):
    """Rounds from (kind, score or None) pairs, with a per-option score where there is a score."""
    return [
        RoundScore(name, str(i), kind, score, cause=None if score is not None else "endpoint", per_option=score)
        for i, (kind, score) in enumerate(entries)
    ]


def suites(scores, **size):
    entries = st.lists(st.tuples(KINDS, scores), **size)
    return st.lists(entries, min_size=1, max_size=5).map(lambda s: {str(i): build(str(i), e) for i, e in enumerate(s)})


SCORED = suites(st.sampled_from([0.0, 0.5, 1.0]), max_size=12)
MIXED = suites(st.sampled_from([0.0, 0.5, 1.0, None]), max_size=12)


def values(summary):
    return {metric: getattr(summary, metric) for metric in METRICS}


@given(SCORES)
def test_counts_equal_those_of_a_plain_grouping(scores):
    groups = [won for won, _ in groupby(scores, key=lambda score: score == 1)]
    got = Streaks.of(scores)
    assert (got.s, got.k, got.k_f) == (scores.count(1), groups.count(True), groups.count(False))
    assert got.s + got.s_f == got.n == len(scores)
    assert abs(got.k - got.k_f) <= 1


@given(SCORES)
def test_streak_metrics_stay_in_bounds(scores):
    got = Streaks.of(scores)
    assert 0 <= got.robustness <= min(got.sc, got.fd) <= max(got.sc, got.fd) <= 1
    assert got.sc <= (got.tcr or 0)  # (S - k)/(N - 1) <= S/N as soon as k >= S/N


@given(BITS)
def test_flipping_every_score_swaps_cohesion_and_dispersion(bits):
    got, flipped = Streaks.of(bits), Streaks.of([1 - bit for bit in bits])
    assert (flipped.s, flipped.k, flipped.s_f, flipped.k_f) == (got.s_f, got.k_f, got.s, got.k)
    assert flipped.sc == pytest.approx(1 - got.fd)
    assert flipped.fd == pytest.approx(1 - got.sc)


@given(SCORES)
def test_reading_the_rounds_backwards_changes_nothing(scores):
    forwards, backwards = Streaks.of(scores), Streaks.of(scores[::-1])
    assert (forwards.s, forwards.k, forwards.s_f, forwards.k_f) == (
        backwards.s,
        backwards.k,
        backwards.s_f,
        backwards.k_f,
    )


@given(SCORES)
def test_a_half_is_a_failure_for_streaks_only(scores):
    got, floored = Streaks.of(scores), Streaks.of([int(score) for score in scores])
    assert (got.sc, got.fd) == (floored.sc, floored.fd)
    assert (got.tcr or 0) >= (floored.tcr or 0)


@given(BITS.filter(lambda bits: 0 in bits), st.data())
def test_turning_a_failure_into_a_success_never_lowers_completion_or_dispersion(bits, data):
    at = data.draw(st.sampled_from([i for i, bit in enumerate(bits) if not bit]))
    better = [*bits[:at], 1, *bits[at + 1 :]]
    before, after = Streaks.of(bits), Streaks.of(better)
    assert after.tcr > before.tcr
    assert after.fd >= before.fd - 1e-12
    assert after.sc >= before.sc - 1e-12
    assert after.crs > before.crs


@given(MIXED, METRIC_SETS, VIEWS)
def test_every_aggregate_is_none_or_in_bounds(suite, metric_set, view):
    got = aggregate(suite, metric_set, view)
    assert all(value is None or 0 <= value <= 1 for value in values(got).values())
    assert got.scored + got.unscored == got.rounds == sum(map(len, suite.values()))


@given(SCORED, METRIC_SETS)
def test_the_views_agree_where_everything_is_scored(suite, metric_set):
    strict, adjusted = (aggregate(suite, metric_set, view) for view in ("strict", "adjusted"))
    assert values(strict) == values(adjusted)


@given(MIXED, METRIC_SETS)
def test_adjusted_is_strict_of_the_scored_rounds_alone(suite, metric_set):
    kept = {name: [r for r in rounds if r.scored] for name, rounds in suite.items()}
    assert values(aggregate(suite, metric_set, "adjusted")) == values(aggregate(kept, metric_set, "strict"))


@given(MIXED, METRIC_SETS)
def test_strict_is_adjusted_after_writing_zeros(suite, metric_set):
    zeros = {
        name: build(name, [(r.type, 0.0 if r.score is None else r.score) for r in rounds])
        for name, rounds in suite.items()
    }
    assert values(aggregate(suite, metric_set, "strict")) == values(aggregate(zeros, metric_set, "adjusted"))


@given(MIXED)
def test_rates_are_never_lower_adjusted_than_strict(suite):
    strict, adjusted = (aggregate(suite, "published", view) for view in ("strict", "adjusted"))
    assert adjusted.tcr is None or adjusted.tcr >= strict.tcr - 1e-12


@given(st.integers(1, 8).flatmap(lambda n: suites(st.sampled_from([0.0, 0.5, 1.0]), min_size=n, max_size=n)))
def test_pooled_equals_macro_for_scenarios_of_equal_length(suite):
    published, macro = (aggregate(suite, metric_set, "strict") for metric_set in ("published", "macro"))
    assert published.tcr == pytest.approx(macro.tcr)
    assert (published.sc, published.fd) == (macro.sc, macro.fd)


@given(st.lists(st.tuples(KINDS, st.sampled_from([0.0, 1.0])), min_size=1, max_size=20))
def test_one_scenario_alone_is_the_same_in_both_profiles(entries):
    suite = {"s": build("s", entries)}
    published, macro = (aggregate(suite, metric_set, "strict") for metric_set in ("published", "macro"))
    assert values(published) == pytest.approx(values(macro))
    assert published.crs == pytest.approx(Streaks.of([r.score for r in suite["s"]]).crs)


@given(MIXED, METRIC_SETS, VIEWS)
def test_the_order_of_scenarios_does_not_matter(suite, metric_set, view):
    turned = dict(reversed(suite.items()))
    assert values(aggregate(suite, metric_set, view)) == pytest.approx(values(aggregate(turned, metric_set, view)))
