"""`claw tokens` on the published data gives the papers' numbers (ClawArena v2, tables 8 and 11)."""

from __future__ import annotations

import csv
import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.cli.tokens import command
from claw_adapter.data_format.tables import COLUMNS
from claw_adapter.datasets.measuring import NEUTRAL, measure
from claw_adapter.tokens.fast import Backend
from claw_adapter_clawarena import convert_suite

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "published_data.py")))
needs_data = pytest.mark.skipif(not make.DATA.is_file(), reason="needs ../shared/clawarena (the published data)")

TABLE_11 = """
hil_c7 28 8 20 2 3 6 9 12 44210
hil_d3 30 8 22 2 4 8 10 12 44137
hil_e4 24 7 17 2 3 6 6 11 40112
hil_g4 27 8 19 2 3 7 8 10 37429
hil_g1 30 8 22 3 4 7 8 10 36077
hil_h3 27 8 19 2 4 6 7 10 35038
hil_j1 30 8 22 2 4 5 6 8 34823
hil_f3 30 8 22 2 4 6 7 11 34061
hil_i2 30 8 22 2 4 7 7 10 30940
hil_g3 30 8 22 0 4 6 7 7 30474
hil_f7 27 8 19 2 4 11 7 10 28084
"""
TOTALS = {"openclaw": 395_385, "claude-code": 403_062, "nanobot": 407_587, "picoclaw": 393_726}


@pytest.fixture(scope="module")
def measured():
    if not make.DATA.is_file():
        pytest.skip("needs ../shared/clawarena (the published data)")
    return measure(make.DATA)


def test_table_11_in_all_its_columns(measured):
    expected = [line.split() for line in TABLE_11.strip().splitlines()]
    found = [[str(getattr(row, name)) for name in COLUMNS] for row in measured.tables["openclaw"].table11]
    assert found == expected


def test_totals_of_the_four_layouts(measured):
    assert {layout: made.table8.total for layout, made in measured.tables.items()} == TOTALS


def test_what_layouts_share_has_one_size(measured):
    shared = [
        {bucket: made.table8.tokens[bucket] for bucket in ("questions", "feedback", "preferences")}
        for made in measured.tables.values()
    ]
    assert shared == [shared[0]] * 4


def test_tables_9_and_10(measured):
    made = measured.tables["openclaw"]
    assert (made.options.least, made.options.most) == (5, 10)
    assert (made.correct.least, made.correct.most) == (2, 8)
    assert (made.timeouts.least, made.timeouts.most) == (30, 60)
    assert (made.exit_percent, made.stdout_percent) == (100, 0)
    assert made.targets == {"workspace": 38, "session": 33, "group": 4}
    assert (made.operations, made.applied_operations, made.actions) == (82, 81, {})


@needs_data
def test_equal_text_is_counted_once():
    counted: list[str] = []

    def counter(texts):
        counted.extend(texts)
        return [1] * len(texts)

    found = measure(make.DATA, counter=Backend("ones", counter))
    assert len(counted) == len(set(counted)) == found.distinct


@needs_data
def test_progress_reaches_its_end():
    seen: list[tuple[int, int]] = []
    measure(make.DATA, "nanobot", progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 1
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@needs_data
def test_the_command_prints_json_and_writes_csv(capsys, tmp_path):
    file = tmp_path / "tables.csv"
    assert command.main([str(make.DATA), "--json", "--csv", str(file)], standalone_mode=False) == 0
    assert json.loads(capsys.readouterr().out)["totals"] == TOTALS
    rows = list(csv.DictReader(file.read_text("utf-8").splitlines()))
    assert len(rows) == 44
    for row in rows:
        assert sum(int(row[key]) for key in row if key.startswith("tokens_")) == int(row["tokens"])
    assert sum(int(row["tokens"]) for row in rows if row["layout"] == "picoclaw") == TOTALS["picoclaw"]


@needs_data
def test_the_command_prints_tables(capsys):
    assert command.main([str(make.DATA), "--layout", "openclaw"], standalone_mode=False) == 0
    out = capsys.readouterr().out
    assert "Table 8" in out
    assert "395,385" in out
    assert "44,210" in out


@needs_data
def test_converted_data_counts_as_the_published(measured, tmp_path):
    convert_suite(make.DATA, tmp_path / "data", layout="nanobot")
    neutral = measure(tmp_path / "data").tables[NEUTRAL].table8.tokens
    published = measured.tables["nanobot"].table8.tokens
    for bucket in ("main", "workspace", "workspace_updates", "questions", "feedback"):
        there = (
            10 if bucket == "questions" else 0
        )  # the word ${workspace} in five questions is written "." for the agent
        assert neutral[bucket] == published[bucket] - there, bucket
    assert neutral["histories"] == measured.tables["picoclaw"].table8.tokens["histories"]
