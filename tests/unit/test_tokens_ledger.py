"""The ledger: kinds of token numbers never mix, and readings become consumption only where they can."""

import pytest

from claw_adapter.tokens import Amount, Kind, Ledger, TurnUsage, per_turn


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


def test_amounts_of_different_kinds_cannot_be_added():
    with pytest.raises(TypeError, match="rendered and metered"):
        Amount(Kind.RENDERED, 1, 1) + Amount(Kind.METERED, 1, 1)
    assert Amount(Kind.METERED, 1, 2) + Amount(Kind.METERED, 3, 4) == Amount(Kind.METERED, 4, 6)


def test_an_amount_cannot_be_entered_under_another_kind():
    with pytest.raises(TypeError, match="metered tokens entered as rendered"):
        TurnUsage(rendered=Amount(Kind.METERED, 1, 1))


def test_each_kind_is_summed_by_itself():
    ledger = Ledger("cumulative")
    ledger.add(TurnUsage(Amount(Kind.RENDERED, 10, 1), Amount(Kind.METERED, 100, 2), 7, 3))
    ledger.add(TurnUsage(None, Amount(Kind.METERED, 50, 2), 9, 4))
    got = ledger.totals()
    assert got.turns == 2
    assert got.rendered == Amount(Kind.RENDERED, 10, 1)
    assert got.metered == Amount(Kind.METERED, 150, 4)
    assert got.reported == Amount(Kind.REPORTED, 9, 4)


def test_reported_is_none_where_one_side_is_unknown_and_the_flag_says_which():
    ledger = Ledger("cumulative")
    ledger.add(TurnUsage(reported_input=7, reported_output=3))
    ledger.add(TurnUsage(reported_input=5, reported_output=4))
    got = ledger.totals()
    assert got.reported is None
    assert got.flags == ("input turn 2: cumulative reading fell from 7 to 5",)


def test_an_empty_ledger_knows_nothing():
    got = Ledger().totals()
    assert (got.turns, got.rendered, got.reported, got.metered, got.flags) == (0, None, None, None, ())
