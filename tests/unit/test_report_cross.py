"""Harnesses crossed with models: planted ranges, pooled effects and interactions come out, with intervals over scenarios."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from claw_adapter.cli.compare import command
from claw_adapter.report.compare import NotComparable
from claw_adapter.report.cross import cross
from claw_adapter.runs.load import load_run
from claw_adapter.scoring import ScoringError

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "compare_runs.py")))
READER = make.make.READER
MODELS = [READER.model_copy(update={"name": name}) for name in ("small", "large")]


def scores(right, of=10):
    return make.flat([1.0] * right + [0.0] * (of - right), scenarios=12)


def runs(root, table):
    """A run for each model; `table` says how many of ten rounds each harness has right under it."""
    return [
        load_run(
            make.run_of(root / model.name, {label: scores(right[at]) for label, right in table.items()}, model=model)
        )
        for at, model in enumerate(MODELS)
    ]


def effects(found):
    return {one.what: one for one in found.effects}


def test_planted_ranges_effects_and_interaction_come_out(tmp_path):
    found = cross(runs(tmp_path, {"a": (2, 6), "b": (4, 9)}), metric="tcr", resamples=200)
    assert [cell.value for cell in found.cells] == pytest.approx([0.2, 0.4, 0.6, 0.9])
    values = {what: one.value for what, one in effects(found).items()}
    assert values["over harnesses, under one model"] == pytest.approx((0.2 + 0.3) / 2)
    assert values["over models, under one harness"] == pytest.approx((0.4 + 0.5) / 2)
    assert values["b less a"] == pytest.approx(0.25)
    assert values["large less small"] == pytest.approx(0.45)
    assert values["(b less a) under large less under small"] == pytest.approx(0.1)
    assert all(one.low == pytest.approx(one.value) == one.high for one in found.effects)  # all scenarios are alike


def test_an_interval_is_that_of_scenarios_and_covers_what_differs_between_them(tmp_path):
    half = {f"s{n:02}": {0: [1.0 if n % 2 else 0.0] * 10} for n in range(12)}
    made = [
        load_run(make.run_of(tmp_path / model.name, {"a": scores(5), "b": half if at else scores(5)}, model=model))
        for at, model in enumerate(MODELS)
    ]
    found = effects(cross(made, metric="tcr", resamples=500))["(b less a) under large less under small"]
    assert found.low < found.value < found.high
    assert found.high - found.low > 0.3  # twelve scenarios that are all right or all wrong


def test_only_rounds_that_all_cells_have_count(tmp_path):
    short = {name: {0: trials[0][:4]} for name, trials in scores(2).items()}
    made = [
        load_run(make.run_of(tmp_path / "small", {"a": scores(2), "b": scores(2)}, model=MODELS[0])),
        load_run(make.run_of(tmp_path / "large", {"a": short, "b": short}, model=MODELS[1])),
    ]
    found = cross(made, metric="tcr", resamples=100)
    assert found.rounds == 12 * 4
    assert {cell.value for cell in found.cells} == {0.5}


def test_what_cannot_be_crossed_is_refused(tmp_path):
    one, other = runs(tmp_path, {"a": (2, 6), "b": (4, 9)})
    with pytest.raises(ScoringError, match="2 harnesses and 1 models"):
        cross([one])
    lone = load_run(make.run_of(tmp_path / "lone", {"c": scores(3)}, model=MODELS[0]))
    with pytest.raises(ScoringError, match="c under large"):
        cross([one, other, lone])
    settings = one.trials[0].spec.settings.model_copy(update={"deadline": 30.0})
    odd = load_run(make.run_of(tmp_path / "odd", {"a": scores(2), "b": scores(3)}, model=MODELS[1], settings=settings))
    with pytest.raises(NotComparable, match=r"settings\.deadline"):
        cross([one, odd])
    assert "settings.deadline" in " ".join(cross([one, odd], resamples=100, allow_mixed=True).warnings)


def test_the_command_prints_cells_ranges_and_interactions(tmp_path):
    made = runs(tmp_path, {"a": (2, 6), "b": (4, 9)})
    words = [*(str(run.root) for run in made), "--between", "harness,model", "--metric", "tcr"]
    done = CliRunner().invoke(command, [*words, "--resamples", "100"])
    assert done.exit_code == 0, done.output
    for line in ("over harnesses, under one model", "(b less a) under large less under small", "+10.0"):
        assert line in done.output
    told = json.loads(CliRunner().invoke(command, [*words, "--resamples", "100", "--json"]).output)
    assert (told["version"], len(told["cells"])) == ("cross/1", 4)
