"""What overlays ask of the model for themselves stands apart in every report, and is paid all the same."""

from __future__ import annotations

import io
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from claw_adapter.protocol import Metered, TrialEnd
from claw_adapter.report import summarise
from claw_adapter.report.html import page
from claw_adapter.report.terminal import render
from claw_adapter.runs.journal import Journal
from claw_adapter.runs.load import load_run

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "report_runs.py")))


def own(requests: int, sent: int, received: int) -> Metered:
    return Metered(requests=requests, input=sent, output=received)


def test_a_sum_has_every_count_of_both():
    counted = Metered.model_fields.keys() - {"asked"}
    one, other = (Metered(**dict.fromkeys(counted, number), asked={"model": "m"}) for number in (2, 3))
    assert one.plus(other).model_dump() == {**dict.fromkeys(counted, 5), "asked": {}}


@pytest.fixture
def run(tmp_path):
    """Two trials, the second with an overlay that asked in its second round and after the last one."""
    without, with_it = make.spec("demo", "reference"), make.spec("demo", "reference", overlays=("skills",))
    runs = make.Runs(tmp_path / "run", [without, with_it], {"demo": 2})
    spent = make.usage(10, 100, 5)
    runs.write(without, [runs.record(n, 1.0, usage=spent) for n in range(2)])
    records = [
        runs.record(n, 1.0, usage=spent.model_copy(update={"overlay": overlay}))
        for n, overlay in enumerate((own(0, 0, 0), own(1, 2000, 30)))
    ]
    runs.write(with_it, records, end=False)
    with Journal(runs.folder.journal(with_it.id)) as journal:
        journal.append(TrialEnd(overlay=own(2, 500, 1)))
    return load_run(runs.root)


def test_it_is_summed_over_the_whole_trial_and_in_no_other_count(run):
    without, with_it = summarise(run).rows
    assert without.tokens.overlay is None
    assert (with_it.tokens.overlay.requests, with_it.tokens.overlay.input, with_it.tokens.overlay.output) == (
        3,
        2500,
        31,
    )
    assert with_it.tokens.metered == without.tokens.metered


def test_the_table_has_a_column_for_it_only_where_there_is_an_overlay(run):
    def printed(summary):
        out = io.StringIO()
        render(summary, Console(file=out, width=140), whole=True)
        return out.getvalue()

    summary = summarise(run)
    text = printed(summary)
    assert "overlay's" in text
    assert re.search(r"reference\+skills .*2,500 \+ 31 ", text)
    assert re.search(r"3 calls", text)
    without = summary.model_copy(update={"rows": summary.rows[:1]})
    assert "overlay's" not in printed(without.model_copy(update={"rounds": (), "unscored": ()}))


def test_the_page_says_it_too(run):
    text = page(run, summarise(run))
    assert "Overlay's own sent" in text or "Overlay&#39;s own sent" in text
    assert "<td>2,500</td><td>31</td><td>3</td>" in text
