"""Promise: a difference is called within a margin, or beyond it, no more often by chance than the level says."""

import random

import pytest

from claw_adapter.scoring import ScoringError
from claw_adapter.scoring.equivalence import equivalence, fewest_scenarios


def test_equal_scenarios_are_within_any_margin_once_there_are_five():
    assert fewest_scenarios(0.95) == 5
    for n in (1, 4, 5, 12):
        found = equivalence([0.0] * n, 0.05, draws=200, seed=0)
        assert (found.p_within, found.p_beyond) == (1 / 2**n, 1.0)
    assert equivalence([], 0.05, draws=200, seed=0) is None


def test_a_difference_beyond_is_beyond_on_either_side_and_one_at_the_margin_is_neither():
    for sign in (1, -1):
        found = equivalence([sign * x for x in (0.2, 0.25, 0.3, 0.22, 0.28, 0.24)], 0.1, draws=200, seed=0)
        assert found.p_within == 1.0
        assert found.p_beyond == 2 / 2**6
    at = equivalence([0.05, 0.15] * 3, 0.1, draws=200, seed=0)
    assert min(at.p_within, at.p_beyond) > 0.3


def test_more_scenarios_than_can_be_enumerated_are_drawn_and_the_same_each_time():
    values = [0.01 * (n % 5 - 2) for n in range(40)]
    found = equivalence(values, 0.05, draws=300, seed=3)
    assert found.p_within == 1 / 301
    assert found == equivalence(values, 0.05, draws=300, seed=3)


@pytest.mark.parametrize("margin", [0.0, -0.1, 1.01])
def test_margins_out_of_range_are_refused(margin):
    with pytest.raises(ScoringError):
        equivalence([0.0], margin, draws=200, seed=0)


@pytest.mark.parametrize(("true", "most", "least"), [(0.10, 0.09, 0.0), (0.0, 1.0, 0.7)])
def test_the_error_rate_is_kept_at_the_margin_and_power_is_there_without_a_difference(true, most, least):
    """300 drawn comparisons of 7 scenarios, spread 0.08, margin 0.1: wrong ones are 5 % and what chance adds to 300."""
    rng = random.Random(1)
    drawn = ([rng.gauss(true, 0.08) for _ in range(7)] for _ in range(300))
    within = sum(equivalence(values, 0.1, draws=200, seed=0).p_within <= 0.05 for values in drawn) / 300
    assert least <= within <= most
