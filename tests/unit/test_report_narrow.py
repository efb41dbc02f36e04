"""Promise: in a narrow terminal tables are split; no number is cut, and every row keeps its name."""

import io
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from rich.table import Table

from claw_adapter.report import render, summarise
from claw_adapter.report.compare import compare
from claw_adapter.report.compare_terminal import render as render_comparison
from claw_adapter.report.narrow import parts
from claw_adapter.runs.load import load_run

HERE = Path(__file__).parent
make = SimpleNamespace(**runpy.run_path(str(HERE / "report_runs.py")))
compared = SimpleNamespace(**runpy.run_path(str(HERE / "compare_runs.py")))


def printed(show, width: int) -> str:
    out = io.StringIO()
    show(Console(file=out, width=width, highlight=False))
    return out.getvalue()


@pytest.fixture
def two_models(tmp_path):
    hasty = make.READER.model_copy(update={"name": "reader-hasty", "policy": "hasty"})
    specs = [make.spec(name, "reference", model=model) for name in ("demo", "more") for model in (make.READER, hasty)]
    runs = make.Runs(tmp_path / "run", specs, {"demo": 2, "more": 2})
    for number, spec in enumerate(specs):
        value = None if number == 3 else 1.0
        lost = [runs.record(1, value, cause=make.LATE)] if value is None else [runs.record(1, 1.0)]
        runs.write(spec, [runs.record(0, 1.0, usage=make.usage(123_456, 7_654, 654_321)), *lost])
    return summarise(load_run(runs.root))


@pytest.mark.parametrize("width", [60, 80])
def test_a_summary_says_the_same_in_a_narrow_terminal(two_models, width):
    wide, narrow = (printed(lambda console: render(two_models, console, whole=True), size) for size in (300, width))
    assert max(map(len, narrow.splitlines())) <= width
    assert "…" not in narrow
    for heading in ("TCR", "CRS", "trials", "rendered", "runner", "isolation"):
        assert heading in narrow
    numbers = re.compile(r"\d[\d.,/k]*")
    missing = set(numbers.findall(wide)) - set(numbers.findall(narrow))
    assert not missing
    assert narrow.count("\nharness ") > wide.count("\nharness ") == 2, "every part says whose numbers these are"


@pytest.mark.parametrize("width", [60, 80])
def test_a_comparison_keeps_intervals_and_verdicts_whole(tmp_path, width):
    sides = {"a": compared.flat([1.0, 1.0], scenarios=6), "b": compared.flat([0.0, 1.0], scenarios=6)}
    found = compare([load_run(compared.run_of(tmp_path / "run", sides))], metrics=["tcr"], resamples=200)
    text = printed(lambda console: render_comparison(found, console, whole=True), width)
    assert max(map(len, text.splitlines())) <= width
    assert "−50.0 to −50.0" in text
    assert "A higher" in text
    assert "…" not in text


def test_a_table_that_fits_stays_in_one_piece():
    table = Table("name", "n", box=None, pad_edge=False, title="Title")
    table.columns[1].no_wrap = True
    table.add_row("a-rather-long-name-of-a-row", "12345")
    assert list(parts(table, 17)) == [table]
    first, *_ = parts(table, 3)
    assert first is table, "one column beside the name is never taken apart"
