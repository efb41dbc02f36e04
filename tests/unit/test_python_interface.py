"""Promise: a finished run is data, and a mistake made from Python is told with its way out. Nothing is run here."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import claw_adapter
from claw_adapter.api.experiment import ExperimentOptions, make_experiment
from claw_adapter.api.running import RunOptions
from claw_adapter.cli.run import command as run_command
from claw_adapter.errors import ArgumentError, ClawError, JournalError, PluginError
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import Exchange, Transcript

ROOT = Path(__file__).resolve().parents[2]
make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "report_runs.py")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Two harnesses on one scenario of five rounds; the second trial crashed after three, one of them unscored."""
    return make.small(tmp_path_factory.mktemp("runs") / "small").root


@pytest.fixture
def run(folder):
    return claw_adapter.open_run(folder)


# the package


def test_the_package_has_what_it_names_and_its_stub_names_the_same():
    assert [name for name in claw_adapter.__all__ if not hasattr(claw_adapter, name)] == []
    assert set(claw_adapter.__all__) <= set(dir(claw_adapter))
    stub = (ROOT / "core/src/claw_adapter/__init__.pyi").read_text("utf-8")
    names: dict = {}
    exec(stub[stub.index("__all__ =") : stub.index("]") + 1], names)
    assert names["__all__"] == claw_adapter.__all__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        claw_adapter.nothing  # noqa: B018


def test_importing_the_package_does_no_work():
    code = "import sys, claw_adapter; print([name for name in sys.modules if name.startswith('claw_adapter.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_module_is_the_command():
    argv = [sys.executable, "-m", "claw_adapter"]
    helped = subprocess.run([*argv, "--help"], capture_output=True, text=True, check=True)
    assert helped.stdout.startswith("Usage: claw [OPTIONS] COMMAND")
    wrong = subprocess.run([*argv, "report", "/no/such"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_python_takes_what_the_command_takes():
    shown = {"what", "estimate", "metric_set", "as_json", "quiet"}  # not of the run, but of what is printed
    repeating = {"trial", "round_", "into"}  # arguments of `repeat_round`
    flags = {parameter.name for parameter in run_command.params} - shown - repeating
    assert flags <= set(RunOptions.__annotations__)
    assert set(RunOptions.__annotations__) - flags == {"model", "overlays", "watcher"}


# the tables


def test_every_round_that_is_over_is_in_the_table(run):
    assert [(trial.harness, trial.status, trial.recorded, trial.owner) for trial in run.trials] == [
        ("reference", "finished", 5, None),
        ("nanobot+metaclaw", "failed", 3, "harness"),
    ]
    rounds = [row for row in run.rounds if row.harness == "nanobot+metaclaw"]
    assert [row.score for row in rounds] == [1.0, None, 0.0, None, None]
    assert [row.owner for row in rounds] == [None, "endpoint", None, "harness", "harness"]
    assert [row.record is None for row in rounds] == [False, False, False, True, True]
    assert run.rounds[0].record.prompt


def test_scores_are_those_of_the_summary(run):
    assert [(row.harness, row.view, row.tcr) for row in run.scores] == [
        (row.label, metrics.view, metrics.tcr) for row in run.summary().rows for metrics in (row.strict, row.adjusted)
    ]


@pytest.mark.parametrize("table", ["rounds", "trials", "requests", "scores"])
def test_a_table_is_the_same_in_pandas_and_in_arrow(run, table):
    frame, arrow = run.to_pandas(table), run.to_arrow(table)
    assert list(frame.columns) == arrow.column_names
    assert len(frame) == arrow.num_rows == len(list(getattr(run, table)))
    for field in arrow.schema:
        assert (frame[field.name].dtype.kind in "if") == (str(field.type) in ("int64", "double")), field


def test_an_unscored_round_is_empty_in_a_table(run):
    frame = run.to_pandas()
    assert len(frame) == 10
    assert (frame["score"].isna().sum(), run.to_arrow()["score"].null_count) == (3, 3)


def test_requests_come_from_the_transcripts(tmp_path):
    runs = make.small(tmp_path / "run")
    exchange = Exchange(
        number=1, round="r1", at="2026-01-02T03:04:05Z", seconds=0.5, dialect="openai", stream=False, asked="m",
        messages=({"role": "user", "content": "q"},), status=200, usage={"input": 7, "output": 2},
    )  # fmt: skip
    with Transcript(runs.folder.transcript(runs.specs[0].id)) as transcript:
        transcript.append(exchange)
        transcript.append(exchange.model_copy(update={"number": 2}))
    found = list(claw_adapter.open_run(runs.root).requests)
    assert [(row.number, row.messages, row.input_tokens, row.output_tokens) for row in found] == [
        (1, 1, 7, 2),
        (2, 1, 7, 2),
    ]
    assert found[0].exchange.messages[0]["content"] == "q"
    assert len(claw_adapter.open_run(runs.root).to_pandas("requests")) == 2


async def test_a_run_is_opened_from_an_event_loop(folder):
    assert (await claw_adapter.aopen_run(folder)).path == folder


def test_a_run_is_reported_and_compared(run, folder, tmp_path):
    assert run.report(tmp_path / "page.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert run.report() == folder / "report.html"
    assert [(pair.a, pair.b) for pair in run.compare(metrics="tcr", resamples=100).pairs] == [("A", "B")]
    with pytest.raises(ClawError, match="given twice"):
        run.compare(folder)
    by_phase = run.breakdown("phase")
    assert sum(row.n for row in by_phase.rows) == len(run.rounds)
    assert run.breakdown("phase,type").by == ("phase", "type")


# mistakes


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda run: run.breakdown("colour"), "phase"),
        (lambda run: run.to_pandas("round"), "rounds, trials, requests, scores"),
        (lambda run: run.to_arrow("__class__"), "rounds, trials, requests, scores"),
        (lambda run: run.summary("v7"), "published"),
        (lambda run: run.compare(metric_set="v7"), "published"),
        (lambda run: run.compare(between="seed"), "harness, model"),
        (lambda run: run.compare(metrics="speed"), "crs"),
        (lambda run: run.compare("/no/such/run"), "claw run"),
        (lambda run: run.report("/no/such/folder/page.html"), "there"),
    ],
)
def test_a_wrong_argument_says_which_would_be_right(run, call, says):
    with pytest.raises(ClawError) as caught:
        call(run)
    assert says in caught.value.remedy


@pytest.mark.parametrize("module", ["pandas", "pyarrow"])
def test_a_missing_library_says_how_it_is_installed(run, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    extra = {"pandas": "pandas", "pyarrow": "arrow"}[module]
    with pytest.raises(ClawError, match=rf"pip install 'claw-adapter\[{extra}\]'"):
        run.to_pandas() if module == "pandas" else run.to_arrow()


def test_a_folder_that_is_no_run_or_of_a_later_version_is_refused(tmp_path, folder):
    with pytest.raises(JournalError, match="not a run folder") as caught:
        claw_adapter.open_run(tmp_path)
    assert caught.value.remedy
    about = json.loads((folder / "run.json").read_text("utf-8"))
    (tmp_path / "run.json").write_text(json.dumps({**about, "format": "run/2"}))
    with pytest.raises(JournalError, match="'run/2' is not 'run/1'") as caught:
        claw_adapter.open_run(tmp_path)
    assert "version" in caught.value.remedy
    (tmp_path / "run.json").unlink()
    (tmp_path / "run.json").mkdir()
    with pytest.raises(ClawError):
        claw_adapter.open_run(tmp_path)


@pytest.mark.parametrize(
    ("scenarios", "options", "kind", "says"),
    [
        ("dmeo", {}, PluginError, "Did you mean 'demo'?"),
        ("no/such", {}, ClawError, "scenario.yaml"),
        ([], {}, ArgumentError, "scenarios"),
        ("demo", {"harnesses": "refrence"}, PluginError, "Did you mean 'reference'?"),
        ("demo", {"harnesses": ["reference", "reference"]}, ClawError, "label"),
        ("demo", {"harnesses": "reference:mode"}, ArgumentError, "harnesses 'reference:mode'"),
        ("demo", {"harnesses": []}, ArgumentError, "harnesses"),
        ("demo", {"harnes": "reference"}, ArgumentError, "Did you mean 'harnesses'?"),
        ("demo", {"model": "gtp"}, ArgumentError, "base_url"),
        ("demo", {"model": "reader", "models": ["reader"]}, ArgumentError, "both"),
        ("demo", {"model": {"name": "m", "kind": "reader"}, "base_url": "http://x/v1"}, ArgumentError, "drop base_url"),
        ("demo", {"isolation": 3}, ArgumentError, "isolation"),
        ("demo", {"deadline": float("nan")}, ArgumentError, "deadline"),
        ("demo", {"repeats": 0}, ArgumentError, "repeats"),
        ("demo", {"jobs": 0}, ArgumentError, "jobs 0"),
        ("demo", {"replay": "/no/such"}, ClawError, "/no/such"),
        ("no.yaml", {}, ClawError, "no.yaml"),
        ("no.yaml", {"seeds": 1, "isolation": 0}, ArgumentError, "drop seeds, isolation"),
    ],
)
def test_a_wrong_run_is_refused_before_anything_is_written(tmp_path, monkeypatch, scenarios, options, kind, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as caught:
        claw_adapter.run(scenarios, **{"isolation": 0, **options} if scenarios != "no.yaml" else options)
    assert says in str(caught.value)
    assert caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_an_experiment_is_made_of_names_records_and_files(tmp_path):
    made = make_experiment(
        [tmp_path, "demo"],
        {
            "harnesses": ["reference:mode=in-process", {"name": "nanobot", "overlays": ["metaclaw"]}],
            "models": ["reader:hasty", ModelSpec(name="own", kind="reader")],
            "overlays": ["none", ["a", "b"]],
            "seeds": [1, 2],
            "deadline": 5,
        },
    )
    assert made.scenarios == (str(tmp_path), "demo")
    assert [harness.label for harness in made.harnesses] == ["reference-in-process", "nanobot"]
    assert [model.name for model in made.models] == ["reader:hasty", "own"]
    assert [[overlay.name for overlay in stack] for stack in made.overlays] == [[], ["a", "b"]]
    assert (made.seeds, made.repeats, made.settings.deadline) == ((1, 2), 1, 5.0)
    assert make_experiment(made, {}) is made
    file = tmp_path / "e.yaml"
    file.write_text(made.model_dump_json(by_alias=True))
    assert make_experiment(file, {}) == made


def test_an_estimate_counts_every_trial():
    found = claw_adapter.estimate("demo", harnesses=["reference", "reference:mode=in-process"], seeds=[0, 1])
    assert (found["reader"].trials, found["reader"].rounds) == (4, 44)
    assert "jobs" not in ExperimentOptions.__annotations__
    with pytest.raises(ArgumentError):
        claw_adapter.estimate("demo", jobs=2)
