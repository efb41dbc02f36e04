"""Pictures of a report: what they show of which breakdowns, and that nothing of a run gets out of its text."""

from __future__ import annotations

import re

import pytest

from claw_adapter.report.breakdown_records import Breakdown, Breakdowns
from claw_adapter.report.state_pictures import groups_of, state_pictures
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
    (dots,) = state_pictures(_found("family", *words))
    assert dots.count('class="m0"') == dots.count('class="m1"') == 5 + 1  # and the legend's
    assert re.findall(r">(family \d)</text>", dots) == [f"family {i}" for i in (4, 3, 2, 1, 0)]
    assert '<tr><th scope="row">family 3</th><td>60.0 %</td><td>60.0 %</td></tr>' in dots
    (line,) = state_pictures(_found("necessary", *(_row("a", str(i), 1 - i / 10) for i in range(3, 9))))
    assert line.count('<polyline class="s0"') == 1
    assert '<tr><th scope="row">3</th><td>70.0 %</td></tr>' in line


def test_neighbouring_numbers_are_put_together_until_steps_have_about_as_many_rounds() -> None:
    groups = groups_of(dict.fromkeys(range(10, 42), 1))
    assert (len(groups), groups[0]) == (8, [10, 11, 12, 13])
    assert groups_of({3: 9, 20: 1}) == [[3], [20]]
    rows = [_row("a", str(i), float(i % 2), rounds=1) for i in range(10, 42)]
    (line,) = state_pictures(_found("length", *rows))
    assert '<tr><th scope="row">10–13</th><td>50.0 %</td></tr>' in line  # the sign between numbers


@pytest.mark.parametrize(
    "found",
    [
        None,
        _found("family", *(_row("a", f"f{i}", 1.0) for i in range(4))),
        _found("family", *(_row("a", f"f{i}", 1.0, progress=None) for i in range(9))),
    ],
    ids=["nothing", "few values", "not judged by state"],
)
def test_where_a_table_says_it_there_is_no_picture(found: Breakdowns | None) -> None:
    assert list(state_pictures(found)) == []


def test_names_of_a_run_stay_text() -> None:
    rows = [_row("<script>alert(1)</script>", f'"><b onload="{i}', 0.5) for i in range(5)]
    (found,) = state_pictures(_found("family", *rows))
    assert "<script" not in found
    assert "<b " not in found
