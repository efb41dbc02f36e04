"""The terminal text of a comparison, plain and 100 columns wide.

After a wanted change: ``REGENERATE_GOLDEN=1 python -m pytest tests/golden/test_compare_terminal.py``, then read the difference.
"""

import io
import os
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from claw_adapter.report.compare import compare
from claw_adapter.report.compare_terminal import render
from claw_adapter.runs.load import load_run

HERE = Path(__file__).parent
make = SimpleNamespace(**runpy.run_path(str(HERE.parent / "unit" / "compare_runs.py")))


@pytest.fixture
def compared(tmp_path):
    """Three rows of two runs over nine scenarios: one a little worse, one much; one round lost to the endpoint."""
    good = make.flat([1.0] * 6, scenarios=9)
    mixed = {
        name: {0: [1.0, 1.0, 0.0 if n % 3 else 1.0, 1.0, None if n == 7 else 1.0, 1.0]} for n, name in enumerate(good)
    }
    poor = {name: {0: [0.0, 1.0, 0.0, 1.0, 0.0, float(n % 2)]} for n, name in enumerate(good)}
    first = make.run_of(tmp_path / "monday", {"reference": good, "nanobot": mixed})
    second = make.run_of(tmp_path / "friday", {"nanobot": poor}, version="1.3.0")
    return compare([load_run(first), load_run(second)], metrics=["tcr", "crs"], resamples=500)


def printed(comparison, width=100, whole=True, **more):
    out = io.StringIO()
    render(comparison, Console(file=out, width=width, highlight=False, **more), whole=whole)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def test_a_comparison_prints_as_recorded(compared):
    text = printed(compared)
    golden = HERE / "test_compare_small.txt"
    if os.environ.get("REGENERATE_GOLDEN"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


@pytest.mark.parametrize("width", [80, 120])
def test_the_first_screen_holds_six_rows_and_says_where_the_rest_is(tmp_path, width):
    sides = {f"harness-{n}": make.flat([1.0, float(n % 2)] * 3, scenarios=6) for n in range(6)}
    found = compare([load_run(make.run_of(tmp_path / "run", sides))], metrics=["tcr", "crs"], resamples=100)
    text = printed(found, width, whole=False)
    assert len(text.splitlines()) <= 40
    assert "8 more pairs" in text
    assert len(printed(found, width).splitlines()) > 80


def test_no_line_is_wider_than_the_console_and_nothing_is_coloured(compared):
    text = printed(compared)
    assert max(map(len, text.splitlines())) <= 100
    assert "\x1b" not in text


def test_text_of_a_run_folder_is_no_markup_and_moves_no_cursor(compared):
    bad = "[red]x[/red]\x1b[2J\x1b]0;t\x07\u202e"
    rows = tuple(row.model_copy(update={"label": bad, "run": bad, "model": bad}) for row in compared.rows)
    odd = compared.model_copy(update={"rows": rows, "warnings": (bad,), "not_compared": (bad,)})
    text = printed(odd, force_terminal=True, color_system=None)
    assert "[red]x[/red]" in text.replace("\n", "")
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
