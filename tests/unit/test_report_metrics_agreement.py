"""Tests of agreement give the values of the published tables, and behave at their edges."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.scoring import ScoringError
from claw_adapter.scoring.agreement import (
    binomial_test,
    chi_square_sf,
    correlation,
    g_test,
    kolmogorov_test,
    pool,
)


@pytest.mark.parametrize(
    ("x", "df", "p"),
    [
        (3.841459, 1, 0.05),
        (6.634897, 1, 0.01),
        (18.307038, 10, 0.05),
        (67.504807, 50, 0.05),
        (2.705543, 1, 0.1),
        (0, 3, 1),
    ],
)
def test_chi_square_is_that_of_the_tables(x, df, p):
    assert chi_square_sf(x, df) == pytest.approx(p, rel=1e-5)


@given(st.floats(0, 400), st.integers(1, 200))
def test_chi_square_is_a_falling_probability(x, df):
    assert 0 <= chi_square_sf(x + 1, df) <= chi_square_sf(x, df) + 1e-12 <= 1 + 2e-12


def test_chi_square_with_two_degrees_of_freedom_is_exponential():
    for x in (0.1, 1.0, 5.0, 40.0):
        assert chi_square_sf(x, 2) == pytest.approx(math.exp(-x / 2), rel=1e-10)


def test_g_is_that_of_the_textbook_ratio():
    found = g_test([10, 20, 30], [1, 1, 1])
    g = 2 * (10 * math.log(0.5) + 20 * math.log(1.0) + 30 * math.log(1.5))
    q = 1 + (9 - 1) / (6 * 60 * 2)
    assert found.statistic == pytest.approx(g / q)
    assert found.effect == pytest.approx(math.sqrt(((10 - 20) ** 2 + 0 + (30 - 20) ** 2) / 20 / 60))
    assert found.n == 60


def test_classes_that_expect_too_few_are_pooled_with_their_neighbours():
    assert pool([1, 2, 3, 4], [2, 3, 4, 1]) == ([3, 7], [5, 5])
    assert pool([1, 1], [1, 1]) == ([2], [2])
    assert g_test([1, 1], [1, 1]) is None
    assert g_test([0, 0], [1, 1]) is None
    with pytest.raises(ScoringError):
        g_test([1, 2], [0, 0])


def test_true_hypotheses_are_rejected_as_rarely_as_promised():
    rng = random.Random(11)
    shares = [1, 2, 3, 4, 5, 6]
    rejected = 0
    for _ in range(2000):
        drawn = rng.choices(range(6), shares, k=300)
        rejected += g_test([drawn.count(place) for place in range(6)], shares).p < 0.05
    assert 0.03 < rejected / 2000 < 0.07
    uniform = sum(kolmogorov_test([rng.random() for _ in range(40)], lambda x: x).p < 0.05 for _ in range(2000))
    assert 0.03 < uniform / 2000 < 0.07


def test_the_binomial_test_is_exact():
    assert binomial_test(7, 10, 0.5).p == pytest.approx(0.34375)
    assert binomial_test(10, 10, 0.5).p == pytest.approx(2 / 1024)
    assert binomial_test(0, 5, 0.0).p == pytest.approx(1.0)
    assert binomial_test(3, 5, 0.6).effect == pytest.approx(0.0)
    assert binomial_test(0, 0, 0.5) is None
    with pytest.raises(ScoringError):
        binomial_test(3, 2, 0.5)


def test_a_sample_far_from_its_distribution_is_found():
    far = kolmogorov_test([0.9 + n / 1000 for n in range(20)], lambda x: x)
    assert far.statistic == pytest.approx(0.9)
    assert far.p < 1e-6
    assert kolmogorov_test([0.1] * 4, lambda x: x) is None


def test_correlation_is_pearsons_and_spearmans():
    found = correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    assert found.r == pytest.approx(0.8)
    assert found.rank == pytest.approx(0.8)
    assert found.p == pytest.approx(0.104088, rel=1e-4)
    assert correlation([1, 2, 3], [1, 4, 9]).rank == pytest.approx(1.0)
    assert correlation([1, 1, 2, 2], [1, 1, 2, 2]).p == pytest.approx(0.0)
    assert correlation([1, 2], [1, 2]) is None
    assert correlation([1, 2, 3], [5, 5, 5]) is None
    with pytest.raises(ScoringError):
        correlation([1], [1, 2])
