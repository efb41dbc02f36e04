"""The terminal text of a small run, plain and 100 columns wide.

After a wanted change: ``REGENERATE_GOLDEN=1 python -m pytest tests/golden/test_report_terminal.py``, then read the difference.
"""

import io
import os
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from claw_adapter.report import matrix_terminal, render, summarise
from claw_adapter.runs.load import load_run

HERE = Path(__file__).parent
state = SimpleNamespace(**runpy.run_path(str(HERE.parent / "unit" / "state_runs.py")))
make = SimpleNamespace(**runpy.run_path(str(HERE.parent / "unit" / "report_runs.py")))


def printed(summary, width=100, report=None, whole=True):
    out = io.StringIO()
    render(summary, Console(file=out, width=width, highlight=False), report=report, whole=whole)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


@pytest.fixture
def small(tmp_path):
    return summarise(load_run(make.small(tmp_path / "run").root))


def as_recorded(text, name):
    golden = HERE / name
    if os.environ.get("REGENERATE_GOLDEN"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def test_a_small_run_prints_as_recorded(small):
    as_recorded(printed(small, report=Path("run/report.html")), "test_report_small.txt")


def test_a_run_that_is_judged_by_state_prints_as_recorded(tmp_path):
    run = state.several(tmp_path / "run", 12)
    as_recorded(printed(summarise(run), report=Path("run/report.html")), "test_report_state.txt")


def test_the_first_screen_says_what_matters_and_where_the_rest_is(small):
    text = printed(small, width=120, report=Path("run/report.html"), whole=False)
    assert len(text.splitlines()) <= 40
    assert "claw report run --all" in text
    assert "run/report.html" in text
    assert "Harnesses: versions" not in text
    assert "Harnesses: versions" in printed(small)


def test_the_first_screen_holds_six_harnesses_in_a_terminal_of_80_columns(tmp_path):
    specs = [make.spec(f"s{n}", f"harness-{who}") for n in range(9) for who in range(6)]
    runs = make.Runs(tmp_path / "run", specs, {f"s{n}": 7 for n in range(9)})
    for spec in specs:
        runs.write(spec, [runs.record(i, float(i > 1), usage=make.usage(9_876_543, 7_654, 321)) for i in range(7)])
    summary = summarise(load_run(runs.root))
    for width in (80, 100, 120):
        text = printed(summary, width=width, report=Path("run/report.html"), whole=False)
        assert len(text.splitlines()) <= 40
        assert text.count("harness-5") >= 2


def test_the_marks_of_many_trials_are_counted(small, monkeypatch):
    monkeypatch.setattr(matrix_terminal, "MOST_LINES", 1)
    text = printed(small)
    assert "reference         ✓ 3  ✗ 1  ½ 1\n" in text
    assert "nanobot+metaclaw  ✓ 1  ✗ 1  − 3\n" in text


def test_no_line_is_wider_than_the_console_and_nothing_is_coloured(small):
    text = printed(small)
    assert max(map(len, text.splitlines())) <= 100
    assert "\x1b" not in text


def test_several_scenarios_seeds_and_models_stay_readable(tmp_path):
    hasty = make.ModelSpec(name="reader:hasty", kind="reader", policy="hasty")
    specs = [
        make.spec(scenario, label, model=model, seed=seed)
        for scenario in ("alpha", "beta")
        for label in ("reference", "nanobot")
        for model in (make.READER, hasty.model_copy(update={"name": "hasty"}))
        for seed in (0, 1)
    ]
    runs = make.Runs(tmp_path / "run", specs, {"alpha": 7, "beta": 7})
    for n, spec in enumerate(specs):
        record = [
            runs.record(i, float((i + n) % 3 > 0), usage=make.usage(123_456_789, 1_234_567, 654_321)) for i in range(7)
        ]
        runs.write(spec, record, end=n != 3)
    text = printed(summarise(load_run(runs.root)))
    assert max(map(len, text.splitlines())) <= 100
    assert "reference · hasty s1" in text
    assert "95 % over 2 scenarios" in text
    assert "✓✓✗✓✓ ✗✓" in text


def test_without_evidence_it_says_that_scores_carry_no_meaning(tmp_path):
    trial = make.spec("plain", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"plain": 1})
    runs.write(trial, [runs.record(0, 1.0)])
    assert "Scenario plain has no evidence layer: scores carry no meaning." in printed(summarise(load_run(runs.root)))


def test_text_of_a_run_folder_is_no_markup_and_moves_no_cursor(tmp_path):
    trial = make.spec("demo", "reference", overlays=("[red]x[/red]", "\x1b]0;title\x07\x1b[2Jwipe"))
    runs = make.Runs(tmp_path / "run", [trial.model_copy(update={"id": "t"})], {"demo": 1})
    notes = ("[link=https://example.org]click[/link]", "tab\there \u202egnp.exe", "[/]")
    runs.write(runs.specs[0], [runs.record(0, 1.0)], notes=notes, versions={"[bold]v[/bold]": "\x9b31m1"})
    out = io.StringIO()
    render(
        summarise(load_run(runs.root)), Console(file=out, width=100, force_terminal=True, color_system=None), whole=True
    )
    text = out.getvalue()
    assert "reference+[red]x[/red]" in text.replace("\n", "")
    assert "[link=https://example.org]click[/link]" in text
    assert "[bold]v[/bold] 1" in text
    assert not {"\x1b", "\x9b", "\x07", "\u202e", "\t"} & set(text)
