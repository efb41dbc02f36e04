"""Pictures of a report: what they show of which breakdowns, and that nothing of a run gets out of its text."""

from __future__ import annotations

import re

import pytest

from claw_adapter.report.breakdown_records import Breakdown, Breakdowns
from claw_adapter.report.pictures import pictures, points_of
from claw_adapter.scoring.breakdown import BreakdownRow


def _row(config: str, value: str, share: float, rounds: int = 4, progress: float | None = 0.5) -> BreakdownRow:
    return BreakdownRow(
        config=config,
        values=(value,),
        n=rounds,
        scored=rounds,
        unscored=0,
        unread=0,
        mean=share,
        strict_mean=share,
        progress=progress,
    )


def _found(by: str, *rows: BreakdownRow) -> Breakdowns:
    configs = tuple(dict.fromkeys(row.config for row in rows))
    return Breakdowns(configs=configs, by_tag=(Breakdown(of="rounds", by=(by,), rows=rows),))


def test_words_become_rows_the_best_first_and_numbers_a_line() -> None:
    words = [_row(config, f"family_{i}", i / 5) for config in ("a", "b") for i in range(5)]
    (dots,) = pictures(_found("family", *words))
    assert dots.svg.count('<path class="mark') == 10 + 2  # and the legend's
    assert re.findall(r">(family \d)<", dots.svg) == [f"family {i}" for i in (4, 3, 2, 1, 0)]
    assert "<title>b, family_3: 60.0 % of 4</title>" in dots.svg
    numbers = [_row("a", str(i), 1 - i / 10) for i in range(3, 9)]
    (line,) = pictures(_found("necessary", *numbers))
    assert line.svg.count('<path class="way s0"') == 1
    assert "<title>a, necessary 3: 70.0 % of 4</title>" in line.svg


def test_neighbouring_numbers_are_put_together_until_points_have_about_as_many_rounds() -> None:
    points = points_of([_row("a", str(i), float(i % 2), rounds=1) for i in range(10, 42)])
    assert [(p.rounds, p.share) for p in points] == [(4, 0.5)] * 8
    assert (points[0].first, points[0].last, points[0].at) == (10, 13, 11.5)
    assert sum(p.rounds for p in points_of([_row("a", "3", 1.0, 9), _row("a", "20", 0.0, 1)])) == 10


@pytest.mark.parametrize(
    "found",
    [
        None,
        _found("family", *(_row("a", f"f{i}", 1.0) for i in range(4))),
        _found("family", *(_row("a", f"f{i}", 1.0, progress=None) for i in range(9))),
        _found("family", *(_row(f"config {i % 9}", f"f{i}", 1.0) for i in range(9))),
    ],
    ids=["nothing", "few values", "not judged by state", "many configurations"],
)
def test_where_a_table_says_it_there_is_no_picture(found: Breakdowns | None) -> None:
    assert list(pictures(found)) == []


def test_names_of_a_run_stay_text() -> None:
    rows = [_row("<script>alert(1)</script>", f'"><b onload="{i}', 0.5) for i in range(5)]
    (found,) = pictures(_found("family", *rows))
    assert "<script" not in found.svg
    assert "<b " not in found.svg
    assert "style=" not in found.svg
