"""A plan keeps its promise: worlds with the planted difference are told apart as often as it says, by comparisons' own test."""

import random
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.report.planning import chances_of, planned, power
from claw_adapter.runs.load import load_run
from claw_adapter.scoring import RoundScore, ScoringError
from claw_adapter.scoring.paired import paired_difference

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "compare_runs.py")))


def side(rate, scenarios, repeats, draw):
    """Scenarios of ten rounds, each right by chance; repeats stand behind each other."""
    return {
        f"s{n}": [RoundScore(f"s{n}", f"r{k}", "exec_check", float(draw.random() < rate)) for k in range(10 * repeats)]
        for n in range(scenarios)
    }


@pytest.mark.parametrize(("scenarios", "repeats", "planted"), [(8, 4, 0.15), (8, 4, 0.0), (24, 1, 0.2)])
def test_simulated_power_is_that_of_comparisons_of_worlds_with_the_planted_difference(scenarios, repeats, planted):
    draw, tries = random.Random(7), 60
    shown = 0
    for _ in range(tries):
        a, b = side(0.5, scenarios, repeats, draw), side(0.5 + planted, scenarios, repeats, draw)
        found = paired_difference(a, b, "tcr", resamples=100)
        shown += found.p <= 0.05 and found.difference > 0
    if not planted:
        assert shown / tries <= 0.06  # the share of the level that falls on this side, and chance
        return
    promised = power([[0.5] * 10], planted, scenarios, repeats, simulations=400)
    assert abs(shown / tries - promised) < 0.2  # three standard errors of the two
    assert 0.2 < promised < 1


def test_more_scenarios_or_repeats_show_more_and_the_smallest_enough_is_named(tmp_path):
    run = load_run(make.run_of(tmp_path / "run", {"a": make.flat([1.0, 0.0] * 5, scenarios=8)}))
    found = planned(run, 0.2, simulations=40)
    by_size = {(one.scenarios, one.repeats): one.power for one in found.sizes}
    assert by_size[8, 1] < by_size[8, 8]
    assert by_size[8, 1] < by_size[64, 1]
    assert found.enough.power >= 0.8
    assert all(one.power < 0.8 for one in found.sizes if one.trials < found.enough.trials)


def test_chances_are_those_of_all_trials_and_never_certain(tmp_path):
    run = load_run(
        make.run_of(
            tmp_path / "run", {"a": make.flat([1.0, 0.0], scenarios=2), "b": make.flat([1.0, 1.0], scenarios=2)}
        )
    )
    assert chances_of(run) == ([[2.5 / 3, 1.5 / 3]] * 2, 2)


def test_what_cannot_be_planned_is_refused(tmp_path):
    run = load_run(make.run_of(tmp_path / "run", {"a": make.flat([1.0] * 9, scenarios=2)}))
    with pytest.raises(ScoringError, match="nothing can be 30 points better"):
        planned(run, 0.3, simulations=10)
