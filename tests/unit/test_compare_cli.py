"""Promise: `claw compare` prints, writes and refuses as its help says."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from claw_adapter.cli.compare import METRICS, command
from claw_adapter.report.compare import NotComparable
from claw_adapter.report.compare_records import Comparison
from claw_adapter.scoring import METRICS as ALL

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "compare_runs.py")))


@pytest.fixture
def run(tmp_path):
    sides = {"a": make.flat([1.0, 1.0], scenarios=6), "b": make.flat([0.0, 1.0], scenarios=6)}
    return make.run_of(tmp_path / "run", sides)


def called(*arguments):
    return CliRunner().invoke(command, list(map(str, arguments)), standalone_mode=False)


def test_it_prints_the_table_and_writes_the_page(run, tmp_path):
    result = called(run, "--metric", "tcr", "--html", tmp_path / "page.html")
    assert result.return_value == 0
    assert "A higher" in result.output
    assert "−50.0" in result.output
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_json_is_compare_1_and_takes_every_option(run):
    result = called(
        run, "--json", "--metric-set", "macro", "--metric", "sc", "--level", 0.9, "--resamples", 150, "--seed", 4
    )
    found = Comparison.model_validate(json.loads(result.output))
    assert (found.version, found.metric_set, found.metrics) == ("compare/1", "macro", ("sc",))
    assert (found.level, found.resamples, found.seed) == (0.9, 150, 4)


def test_the_same_arguments_give_the_same_numbers(run):
    assert called(run, "--json", "--seed", 7).output == called(run, "--json", "--seed", 7).output


@pytest.mark.parametrize(
    ("other", "scenarios", "status", "said"),
    [
        ([1.0, 1.0], 6, 0, "within ±5"),
        ([0.0, 1.0], 6, 1, "beyond ±5"),
        ([1.0, 1.0], 3, 1, "3 scenarios: too few to show that a difference is within a margin, it takes 5"),
    ],
)
def test_a_margin_sets_the_exit_code_for_somebody_s_ci(tmp_path, other, scenarios, status, said):
    sides = {"a": make.flat([1.0, 1.0], scenarios=scenarios), "b": make.flat(other, scenarios=scenarios)}
    run = make.run_of(tmp_path / "run", sides)
    result = called(run, "--metric", "tcr", "--margin", 5, "--html", tmp_path / "page.html")
    assert result.return_value == status
    assert said in " ".join(result.output.split())
    assert said in (tmp_path / "page.html").read_text("utf-8")
    found = Comparison.model_validate(json.loads(called(run, "--metric", "tcr", "--margin", 5, "--json").output))
    assert (found.margin, found.equivalent) == (0.05, status == 0)


def test_other_conditions_are_refused_unless_allowed(run, tmp_path):
    sides = {"a": make.flat([1.0, 1.0], scenarios=6)}
    other = make.run_of(tmp_path / "other", sides, isolation=(0, 0))
    assert isinstance(called(run, other).exception, NotComparable)
    result = called(run, other, "--allow-mixed")
    assert result.return_value == 0
    assert result.output.splitlines()[1].startswith("! Mixed conditions (A and C, B and C): isolation.check:")


def test_the_names_of_metrics_are_those_of_the_scoring_room():
    assert METRICS == ALL
