"""Streak metrics: the edges that protocol and paper fix."""

import pytest

from claw_adapter.scoring import RoundScore, ScoringError, Streaks, sequence


def counts(streaks):
    return (streaks.n, streaks.s, streaks.k, streaks.s_f, streaks.k_f)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], (0, 0, 0, 0, 0)),
        ([1], (1, 1, 1, 0, 0)),
        ([0], (1, 0, 0, 1, 1)),
        ([1, 1, 1], (3, 3, 1, 0, 0)),
        ([0, 0, 0], (3, 0, 0, 3, 1)),
        ([0, 1, 1, 0, 1], (5, 3, 2, 2, 2)),
    ],
)
def test_runs_are_counted_once_each(scores, expected):
    assert counts(Streaks.of(scores)) == expected


@pytest.mark.parametrize("scores", [[], [0], [1]])
def test_up_to_one_round_cohesion_is_zero_and_dispersion_one(scores):
    streaks = Streaks.of(scores)
    assert (streaks.sc, streaks.fd, streaks.robustness) == (0, 1, 0)


def test_no_success_gives_zero_cohesion_and_zero_dispersion():
    streaks = Streaks.of([0, 0, 0, 0])
    assert (streaks.sc, streaks.fd, streaks.crs) == (0, 0, 0)


def test_no_failure_gives_full_marks():
    streaks = Streaks.of([1, 1, 1])
    assert (streaks.tcr, streaks.sc, streaks.fd, streaks.crs) == (1, 1, 1, 1)


def test_only_a_score_of_exactly_one_continues_a_success_run():
    streaks = Streaks.of([1, 0.5, 1, 0.999999])
    assert counts(streaks) == (4, 2, 2, 2, 2)
    assert streaks.tcr == pytest.approx(3.499999 / 4)


def test_an_empty_sequence_has_no_completion_rate():
    assert Streaks.of([]).tcr is None
    assert Streaks.of([]).crs is None


def test_strict_keeps_an_unscored_round_as_zero_and_adjusted_joins_its_neighbours():
    rounds = [
        RoundScore("s", "1", "exec_check", 1.0),
        RoundScore("s", "2", "exec_check", None, cause="endpoint"),
        RoundScore("s", "3", "exec_check", 1.0),
    ]
    assert sequence(rounds, "strict") == (1, 0, 1)
    assert sequence(rounds, "adjusted") == (1, 1)
    assert Streaks.of(sequence(rounds, "strict")).k == 2
    assert Streaks.of(sequence(rounds, "adjusted")).k == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"score": 1.5},
        {"score": -0.1},
        {"score": float("nan")},
        {"score": 1.0, "per_option": 2.0},
        {"score": None},
        {"score": None, "cause": ""},
        {"score": 1.0, "cause": "harness"},
    ],
)
def test_a_round_score_that_means_nothing_is_refused_with_its_place(fields):
    with pytest.raises(ScoringError, match="s1/q1"):
        RoundScore("s1", "q1", "exec_check", **fields)


def test_an_unknown_view_is_refused():
    with pytest.raises(ScoringError, match="lenient"):
        sequence([], "lenient")
