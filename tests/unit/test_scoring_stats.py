"""Error bars: known values, reproducibility, and silence where nothing can be said."""

import math
from dataclasses import replace

import pytest

from claw_adapter.scoring import RoundScore, ScoringError, holm, interval, paired_difference, smallest_detectable
from claw_adapter.scoring.exact import exchange_p
from claw_adapter.scoring.paired import difference_of_tallies
from claw_adapter.scoring.shares import clustered, pass_hat, wilson
from claw_adapter.scoring.stats import quantile, student_cdf, student_quantile
from claw_adapter.scoring.tally import tally


def run(sequences):
    return {
        name: [RoundScore(name, str(i), "exec_check", float(bit)) for i, bit in enumerate(bits)]
        for name, bits in sequences.items()
    }


def twelve(pattern):
    return run({f"s{i:02}": pattern(i) for i in range(12)})


# Textbook t table, two-sided 5 % and one-sided 20 %.
@pytest.mark.parametrize(
    ("p", "df", "t"),
    [(0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 11, 2.201), (0.975, 30, 2.042), (0.8, 11, 0.876), (0.95, 5, 2.015)],
)
def test_t_quantiles_equal_the_printed_table(p, df, t):
    assert student_quantile(p, df) == pytest.approx(t, abs=6e-4)
    assert student_cdf(student_quantile(p, df), df) == pytest.approx(p)


def test_t_becomes_normal_far_out():
    assert student_quantile(0.975, 10_000) == pytest.approx(1.96, abs=1e-3)
    assert student_quantile(0.975, 400) == pytest.approx(student_quantile(0.975, 401), rel=5e-3)


def test_holm_equals_the_worked_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([]) == ()
    with pytest.raises(ScoringError):
        holm([1.2])


def test_smallest_detectable_is_the_formula_on_known_numbers():
    differences = [0.1, 0.2, 0.3, 0.0]  # sd = sqrt(1/60), n = 4, t(.975, 3) = 3.182, t(.8, 3) = 0.978
    assert smallest_detectable(differences) == pytest.approx((3.182 + 0.978) * (1 / 60) ** 0.5 / 2, rel=1e-3)


@pytest.mark.parametrize("differences", [[], [0.3], [0.2, 0.2, 0.2]])
def test_smallest_detectable_is_none_where_it_cannot_be_estimated(differences):
    assert smallest_detectable(differences) is None


@pytest.mark.parametrize("bad", [{"level": 0.0}, {"level": 1.0}, {"power": 0.1}, {"power": 1.0}])
def test_out_of_range_levels_are_refused(bad):
    with pytest.raises(ScoringError):
        smallest_detectable([0.1, 0.2], **bad)


def test_quantiles_interpolate():
    assert quantile([0, 1, 2, 3], 0.5) == 1.5
    assert (quantile([5], 0.9), quantile([1, 2], 1.0)) == (5, 2)


def test_an_interval_is_reproduced_by_its_seed_and_changed_by_another():
    scores = twelve(lambda i: [int(j >= i) for j in range(12)])
    first, again, other = (interval(scores, "crs", resamples=500, seed=s) for s in (7, 7, 8))
    assert first == again
    assert (first.low, first.high) != (other.low, other.high)
    assert first.low < first.estimate < first.high


def test_an_interval_of_a_mean_has_about_the_width_theory_says():
    scores = twelve(lambda i: [1] * i + [0] * (11 - i))  # scenario means 0, 1/11 .. 1: sd (n) = 0.3138
    got = interval(scores, "tcr", "macro", resamples=4_000, seed=1)
    assert got.high - got.low == pytest.approx(2 * 1.96 * 0.3138 / 12**0.5, rel=0.08)


def test_one_scenario_has_no_interval():
    got = interval(run({"only": [1, 0, 1]}), "crs")
    assert (got.low, got.high) == (None, None)
    assert got.estimate is not None


def test_resamples_without_a_denominator_are_counted_not_scored():
    scores = run({"a": [1, 0]}) | {"m": [RoundScore("m", "1", "multi_choice", 1.0)]}
    got = interval(scores, "mc", resamples=400, seed=3)
    assert (got.low, got.high) == (1, 1)
    assert 60 < got.undefined < 140  # a quarter of the resamples draw `a` twice


def test_a_metric_that_the_profile_lacks_is_refused():
    with pytest.raises(ScoringError, match="crs"):
        interval(twelve(lambda _: [1]), "crs", "v1")
    with pytest.raises(ScoringError, match="resamples"):
        interval(twelve(lambda _: [1]), "crs", resamples=0)


def test_the_exact_permutation_of_three_scenarios_by_hand():
    # Per-scenario differences 0.5, 0.5, 1 (means of two rounds): of 8 sign patterns only all + and all - reach 2/3.
    a = run({"x": [0, 0], "y": [0, 0], "z": [0, 0]})
    b = run({"x": [1, 0], "y": [0, 1], "z": [1, 1]})
    got = paired_difference(a, b, "tcr", "macro", resamples=200)
    assert got.difference == pytest.approx(2 / 3)
    assert (got.p, got.exact, got.permutations) == (2 / 8, True, 8)
    assert got.smallest_detectable is None  # 2/8 can never pass 0.05


def test_what_ties_with_the_difference_but_for_rounding_counts_against_it():
    # 0, 0.3, -0.3 and -0.7: of the eight signs of the last three, only 0.3 + 0.3 - 0.7 and its mirror come to less than 0.7.
    a, b = (
        {f"s{i}": [RoundScore(f"s{i}", "r", "exec_check", score)] for i, score in enumerate(scores)}
        for scores in ((0.8, 0.3, 0.7, 0.9), (0.8, 0.6, 0.4, 0.2))
    )
    assert paired_difference(a, b, "tcr").p == 6 / 8


def test_twelve_scenarios_all_better_give_the_smallest_possible_p():
    got = paired_difference(twelve(lambda _: [0, 0, 0]), twelve(lambda i: [1, 1, i % 2]), "tcr", resamples=300, seed=2)
    assert got.p == 2 / 4096
    assert got.low > 0
    assert 0 < got.smallest_detectable < got.difference


def test_beyond_twelve_scenarios_metrics_of_streaks_are_sampled_and_say_so():
    a = run({str(i): [0, 0] for i in range(13)})
    b = run({str(i): [1, 1] for i in range(13)})
    got = paired_difference(a, b, "crs", resamples=400, seed=5)
    assert (got.exact, got.permutations) == (False, 400)
    assert got.p == 1 / 401  # a sampled p is never zero


def test_tcr_is_exact_for_any_number_of_scenarios():
    a, b = (run({str(i): [bit, bit] for i in range(40)}) for bit in (0, 1))
    got = paired_difference(a, b, "tcr", resamples=400)
    assert (got.p, got.exact, got.permutations) == (2 / 2**40, True, 2**40)


def test_with_one_round_each_it_is_mcnemars_exact_test():
    only_a, only_b, both = 3, 11, 20
    left = [1] * only_a + [0] * only_b + [1] * both
    right = [0] * only_a + [1] * only_b + [1] * both
    a, b = (run({str(i): [bit] for i, bit in enumerate(side)}) for side in (left, right))
    discordant = only_a + only_b
    expected = 2 * sum(math.comb(discordant, k) for k in range(only_a + 1)) / 2**discordant
    got = paired_difference(a, b, "tcr", resamples=10)
    assert got.p == pytest.approx(expected, abs=1e-15)
    assert (got.a_better, got.b_better) == (only_a, only_b)


def test_differences_without_a_common_unit_are_sampled():
    assert exchange_p([math.pi / 10**k for k in range(20)]) is None
    assert exchange_p([0.1 + 0.2, -0.3]) == 1
    assert exchange_p([1 / 3, 1 / 2, 1 / 5]) == 2 / 8


def test_sides_of_unlike_size_are_sampled_where_rounds_are_pooled():
    a = run({str(i): [0] for i in range(13)})
    b = run({str(i): [1] for i in range(13)})
    tallied = [tally(rounds, "strict") for rounds in b.values()]
    twice = [replace(one, n=2, total=one.total * 2) for one in tallied]
    left = [tally(rounds, "strict") for rounds in a.values()]
    how = {"view": "strict", "level": 0.95, "resamples": 50, "seed": 0}
    assert not difference_of_tallies(left, twice, "tcr", "published", **how).exact
    assert difference_of_tallies(left, twice, "tcr", "macro", **how).exact


@pytest.mark.parametrize(
    ("rate", "n", "low", "high"), [(0.5, 10, 0.2366, 0.7634), (0.0, 10, 0.0, 0.2775), (1, 3, 0.4385, 1)]
)
def test_wilsons_interval_equals_printed_values(rate, n, low, high):
    assert wilson(rate, n) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_several_trials_of_a_scenario_are_not_so_many_scenarios():
    once = clustered([[1.0], [1.0], [0.0], [0.0]])
    alike = clustered([[1.0] * 5, [1.0] * 5, [0.0] * 5, [0.0] * 5])
    mixed = clustered([[1.0, 0.0] * 3] * 4)
    assert (once.effective, alike.effective) == (4, 4)
    assert (once.low, once.high) == (alike.low, alike.high)
    assert mixed.effective == 24
    assert clustered([[1.0] * 9] * 3).effective == 3
    assert clustered([[1.0, 0.0]]) is None


def test_pass_hat_k_is_the_chance_that_all_of_k_trials_pass():
    trials = [[True, True, False], [True, True, True]]
    assert pass_hat(trials, 1) == pytest.approx(5 / 6)
    assert pass_hat(trials, 2) == pytest.approx((1 / 3 + 1) / 2)
    assert pass_hat(trials, 4) is None


@pytest.mark.parametrize(("rate", "n"), [(1.1, 3), (0.5, -1)])
def test_a_rate_that_is_none_is_refused(rate, n):
    with pytest.raises(ScoringError, match="out of range"):
        wilson(rate, n)


def test_the_smallest_detectable_difference_of_a_mean_comes_from_the_differences_of_scenarios():
    a = twelve(lambda i: [0, 0, 0, 0])
    b = twelve(lambda i: [1] * (i % 5) + [0] * (4 - i % 5))
    got = paired_difference(a, b, "tcr", resamples=50)
    assert got.smallest_detectable == pytest.approx(smallest_detectable([i % 5 / 4 for i in range(12)]))


def test_equal_runs_differ_by_nothing_and_p_is_one():
    scores = twelve(lambda i: [1, i % 2, 0])
    got = paired_difference(scores, scores, "crs", resamples=200)
    assert (got.difference, got.p, got.low, got.high) == (0, 1, 0, 0)
    assert got.smallest_detectable is None


def test_an_undefined_metric_has_no_difference():
    scores = run({"x": [1, 0], "y": [1, 1]})
    got = paired_difference(scores, scores, "mc", resamples=50)
    assert (got.a, got.difference, got.p, got.low) == (None, None, None, None)


def test_other_scenarios_or_rounds_are_not_comparable():
    a = run({"x": [1, 0], "y": [1]})
    with pytest.raises(ScoringError, match="only one side has y"):
        paired_difference(a, run({"x": [1, 0]}), "tcr")
    with pytest.raises(ScoringError, match="different rounds"):
        paired_difference(a, run({"x": [1], "y": [1]}), "tcr")
