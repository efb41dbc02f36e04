"""Laws of the statistics."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.scoring import RoundScore, holm, interval, paired_difference, smallest_detectable

METRIC = st.sampled_from(["tcr", "ec", "sc", "fd", "robustness", "crs"])
PROFILE = st.sampled_from(["published", "macro"])
PVALUES = st.lists(st.floats(0, 1), max_size=8)


def run(sequences):
    return {
        str(s): [RoundScore(str(s), str(i), "exec_check", float(bit)) for i, bit in enumerate(bits)]
        for s, bits in enumerate(sequences)
    }


@st.composite
def pairs(draw, most=5):
    """Two runs of the same shape."""
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=most))
    sides = [[draw(st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n)) for n in lengths] for _ in range(2)]
    return run(sides[0]), run(sides[1])


@given(PVALUES)
def test_holm_is_never_below_the_raw_value_and_keeps_the_order(pvalues):
    adjusted = holm(pvalues)
    assert all(raw <= new <= 1 for raw, new in zip(pvalues, adjusted, strict=True))
    ranked = sorted(zip(pvalues, adjusted, strict=True))
    assert [new for _, new in ranked] == sorted(adjusted)


@given(PVALUES, st.randoms(use_true_random=False))
def test_holm_does_not_depend_on_the_order_given(pvalues, rng):
    order = list(range(len(pvalues)))
    rng.shuffle(order)
    assert holm([pvalues[i] for i in order]) == tuple(holm(pvalues)[i] for i in order)


@given(PVALUES)
def test_holm_is_never_above_bonferroni(pvalues):
    assert all(n <= min(1, len(pvalues) * p) for p, n in zip(pvalues, holm(pvalues), strict=True))


@settings(deadline=None)
@given(pairs(), METRIC, PROFILE)
def test_exchanging_the_sides_turns_the_sign_and_keeps_p(pair, metric, metric_set):
    a, b = pair
    there = paired_difference(a, b, metric, metric_set, resamples=30)
    back = paired_difference(b, a, metric, metric_set, resamples=30)
    assert there.difference == pytest.approx(-back.difference)
    assert there.p == back.p
    if there.low is not None:
        assert (there.low, there.high) == (pytest.approx(-back.high), pytest.approx(-back.low))
    assert there.smallest_detectable == pytest.approx(back.smallest_detectable)


@settings(deadline=None)
@given(pairs(), METRIC, PROFILE)
def test_p_is_a_whole_number_of_exchanges_and_never_below_its_floor(pair, metric, metric_set):
    got = paired_difference(*pair, metric, metric_set, resamples=30)
    n = len(pair[0])
    assert got.permutations == 2**n
    assert 1 / 2**n <= got.p <= 1
    assert (got.p * 2**n).is_integer()
    if got.difference:
        assert got.p >= 2 / 2**n


@settings(deadline=None)
@given(pairs(), st.integers(0, 3))
def test_for_a_mean_over_scenarios_the_exchange_is_the_sign_flip(pair, seed):
    a, b = pair
    got = paired_difference(a, b, "tcr", "macro", resamples=20, seed=seed)
    d = [sum(r.score for r in b[s]) / len(b[s]) - sum(r.score for r in a[s]) / len(a[s]) for s in a]
    n = len(d)
    flips = [abs(sum(x if mask >> i & 1 else -x for i, x in enumerate(d))) for mask in range(2**n)]
    assert got.p == sum(flip >= abs(sum(d)) - 1e-9 for flip in flips) / 2**n


@settings(deadline=None)
@given(pairs(), METRIC, PROFILE, st.integers(0, 5))
def test_an_interval_lies_in_bounds_and_narrows_with_the_level(pair, metric, metric_set, seed):
    wide, narrow = (interval(pair[0], metric, metric_set, level=x, resamples=60, seed=seed) for x in (0.95, 0.5))
    assert 0 <= wide.estimate <= 1
    if len(pair[0]) > 1:
        assert 0 <= wide.low <= narrow.low <= narrow.high <= wide.high <= 1
    else:
        assert (wide.low, wide.high) == (None, None)


@given(st.lists(st.integers(-10, 10), min_size=2, max_size=12), st.integers(1, 9))
def test_smallest_detectable_scales_and_ignores_shift_and_sign(whole, factor):
    base = smallest_detectable(whole)
    for other, scale in (
        ([factor * x for x in whole], factor),
        ([x + 100 for x in whole], 1),
        ([-x for x in whole], 1),
    ):
        assert smallest_detectable(other) == (None if base is None else pytest.approx(scale * base))


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12))
def test_more_power_needs_a_larger_difference(differences):
    low, high = (smallest_detectable(differences, power=power) for power in (0.5, 0.95))
    assert (low is None) == (high is None)
    assert low is None or 0 < low < high
