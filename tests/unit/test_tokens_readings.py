"""Readings become consumption only where they can."""

import pytest

from claw_adapter.tokens import per_turn


def test_readings_per_turn_pass_through():
    got = per_turn([3, 0, 5], "per_turn")
    assert (got.values, got.total, got.flags) == ((3, 0, 5), 8, ())


def test_cumulative_readings_are_differenced_from_zero():
    got = per_turn([10, 10, 25], "cumulative")
    assert (got.values, got.total, got.flags) == ((10, 0, 15), 25, ())


def test_a_falling_cumulative_reading_is_flagged_and_its_turn_unknown():
    got = per_turn([10, 4, 9], "cumulative")
    assert (got.values, got.total) == ((10, None, 5), None)
    assert got.flags == ("turn 2: cumulative reading fell from 10 to 4",)


def test_a_missing_cumulative_reading_is_carried_by_the_next_turn():
    got = per_turn([10, None, 30], "cumulative")
    assert (got.values, got.total) == ((10, None, 20), 30)
    assert got.flags == ("turn 3: covers turns 2 to 3",)


def test_a_missing_last_reading_leaves_the_total_unknown():
    assert per_turn([10, None], "cumulative").total is None
    assert per_turn([10, None], "per_turn").total is None


@pytest.mark.parametrize("semantics", ["per_turn", "cumulative"])
def test_a_negative_reading_is_flagged_and_counts_as_missing(semantics):
    got = per_turn([5, -1], semantics)
    assert (got.values, got.total) == ((5, None), None)
    assert got.flags == ("turn 2: negative reading -1",)


def test_occupancy_is_not_consumption():
    got = per_turn([100, 200], "last_request")
    assert (got.values, got.total) == ((None, None), None)
    assert got.flags == ("last_request readings are occupancy, not consumption",)


@pytest.mark.parametrize("semantics", ["per_turn", "cumulative", "last_request"])
def test_no_turns_give_nothing(semantics):
    got = per_turn([], semantics)
    assert (got.values, got.total, got.flags) == ((), None, ())
