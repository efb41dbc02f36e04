"""Aggregation: each profile averages the way its name says, and absence is None, never 0."""

import pytest

from claw_adapter.scoring import METRICS, RoundScore, ScoringError, aggregate


def scenario(name, bits, kind="exec_check"):
    return [RoundScore(name, str(i), kind, float(bit)) for i, bit in enumerate(bits)]


UNEQUAL = {"long": scenario("long", [1, 1, 1, 1, 1, 1, 0, 0]), "short": scenario("short", [0, 0])}


def test_published_pools_rates_and_averages_streaks():
    got = aggregate(UNEQUAL, "published", "strict")
    sc, fd = (5 / 7 + 0) / 2, ((1 - 1 / 7) + 0) / 2
    assert got.tcr == pytest.approx(6 / 10)
    assert (got.sc, got.fd) == (pytest.approx(sc), pytest.approx(fd))
    assert got.robustness == pytest.approx(sc * fd)
    assert got.crs == pytest.approx((0.6 + sc * fd) / 2)


def test_macro_averages_everything_over_scenarios():
    got = aggregate(UNEQUAL, "macro", "strict")
    robustness = (5 / 7 * (1 - 1 / 7) + 0) / 2
    assert got.tcr == pytest.approx((6 / 8 + 0) / 2)
    assert got.ec == got.tcr
    assert got.robustness == pytest.approx(robustness)
    assert got.crs == pytest.approx((got.tcr + robustness) / 2)


def test_a_type_without_rounds_is_none_not_zero():
    got = aggregate(UNEQUAL, "published", "strict")
    assert got.mc is None
    assert got.ec == got.tcr


@pytest.mark.parametrize("metric_set", ["published", "macro", "v1"])
def test_nothing_gives_none_everywhere(metric_set):
    got = aggregate({}, metric_set, "strict")
    assert [getattr(got, metric) for metric in METRICS] == [None] * len(METRICS)
    assert (got.scenarios, got.rounds, got.scored, got.unscored) == (0, 0, 0, 0)


def test_a_scenario_with_every_round_unscored_is_zero_in_strict_and_absent_in_adjusted():
    lost = [RoundScore("lost", str(i), "exec_check", None, cause="endpoint") for i in range(3)]
    both = {"won": scenario("won", [1, 1, 1]), "lost": lost}
    strict, adjusted = (aggregate(both, "macro", view) for view in ("strict", "adjusted"))
    assert (strict.tcr, strict.fd) == (0.5, 0.5)
    assert (adjusted.tcr, adjusted.sc, adjusted.crs) == (1, 1, 1)
    assert (strict.scored, strict.unscored) == (adjusted.scored, adjusted.unscored) == (3, 3)


def test_v1_uses_per_option_scores_for_choices_and_defines_no_streak_metric():
    rounds = [
        RoundScore("s", "1", "multi_choice", 0.0, per_option=0.75),
        RoundScore("s", "2", "exec_check", 1.0),
        RoundScore("s", "3", "revision", 0.5),
    ]
    got = aggregate({"s": rounds}, "v1", "strict")
    assert (got.mc, got.ec, got.overall) == (0.75, 1.0, pytest.approx(1.75 / 2))
    assert got.tcr == pytest.approx(1.5 / 3)
    assert (got.sc, got.fd, got.robustness, got.crs) == (None, None, None, None)
    assert aggregate({"s": rounds}, "published", "strict").overall is None


def test_v1_counts_an_unscored_choice_as_zero_in_strict_only():
    rounds = [
        RoundScore("s", "1", "multi_choice", 1.0, per_option=1.0),
        RoundScore("s", "2", "multi_choice", None, cause="harness"),
    ]
    assert aggregate({"s": rounds}, "v1", "strict").overall == 0.5
    assert aggregate({"s": rounds}, "v1", "adjusted").overall == 1.0


def test_v1_refuses_choices_whose_per_option_score_was_not_recorded():
    with pytest.raises(ScoringError, match="per-option"):
        aggregate({"s": scenario("s", [1], "multi_choice")}, "v1", "strict")


@pytest.mark.parametrize(("metric_set", "view"), [("micro", "strict"), ("published", "both")])
def test_an_unknown_name_is_refused(metric_set, view):
    with pytest.raises(ScoringError, match="unknown"):
        aggregate(UNEQUAL, metric_set, view)


def test_rounds_filed_under_the_wrong_scenario_or_twice_are_refused():
    with pytest.raises(ScoringError, match="long"):
        aggregate({"other": UNEQUAL["long"]}, "published", "strict")
    with pytest.raises(ScoringError, match="twice"):
        aggregate({"short": UNEQUAL["short"] * 2}, "published", "strict")
