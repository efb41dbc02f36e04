"""Reports: the paper's tables from records, with intervals, null lines and paired tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.errors import JournalError
from claw_adapter_forge.report.render import render_html, render_markdown
from claw_adapter_forge.report.stats import holm, mcnemar, pass_hat_k, wilson
from claw_adapter_forge.report.tables import summarise
from claw_adapter_forge.runner.agents import policy_agent
from claw_adapter_forge.runner.loop import run_episode
from claw_adapter_forge.runner.records import RunRecord, append_record, read_records, write_records
from claw_adapter_forge.tasks.spec import ForgeTask


@pytest.fixture(scope="module")
def records(one_per_family: tuple[ForgeTask, ...]) -> list[RunRecord]:
    return [
        run_episode(policy_agent(p), t, trial=k)
        for p in ("careful", "half-finisher", "hasty")
        for t in one_per_family
        for k in range(2)
    ]


def test_the_tables_hold_what_the_records_say(records: list[RunRecord]) -> None:
    summary = summarise(records)
    assert next(iter(summary["table_1"])) == "careful"
    assert summary["table_1"]["careful"]["accuracy"] == 1.0
    assert summary["table_1"]["careful"]["pass_hat_k"] == {"1": 1.0, "2": 1.0}
    half = summary["table_1"]["half-finisher"]
    assert half["accuracy"] == 0.0
    assert 0.0 < half["progress"] < 1.0
    assert half["null_partial"] < half["partial"]
    assert sum(v["n"] for v in summary["table_4"]["hasty"].values()) == half["n"]
    assert summary["table_8"]["half-finisher"]["hallucinated_completion"] > 0
    for table in ("table_2", "table_7", "figure_4"):
        assert set(summary[table]) == {"careful", "half-finisher", "hasty"}
    styles = summary["figure_4_by_style"]["careful"]
    assert sum(r["n"] for split in styles.values() for r in split.values()) == half["n"]


def test_paired_tests_and_their_correction(records: list[RunRecord]) -> None:
    paired = {(p["a"], p["b"]): p for p in summarise(records)["paired"]}
    assert paired["careful", "hasty"]["p_holm"] < 0.001
    assert paired["half-finisher", "hasty"]["p"] == 1.0


def test_harnesses_are_columns_of_their_own_and_compared_in_pairs(records: list[RunRecord]) -> None:
    shown = [replace(r, harness="nanobot", bypasses=("cron",)) for r in records if r.agent != "half-finisher"]
    # through the second harness the careful policy fails everything but one task
    shown = [r if r.agent == "hasty" else replace(r, strict=r.task == records[0].task) for r in shown]
    summary = summarise([*records, *shown])
    assert "careful · bare" in summary["table_1"]
    assert summary["table_1"]["hasty · nanobot"]["bypass_rate"] == 1.0
    pairs = {(p["a"], p["b"]): p for p in summary["paired"]}
    between = pairs["careful · bare", "careful · nanobot"]
    tasks = len({r.task for r in records})
    assert (between["differ"], between["tasks"], between["only_a"]) == ("harness", tasks, tasks - 1)
    assert between["p_holm"] < 0.001
    assert ("careful · bare", "hasty · nanobot") not in pairs
    assert "used a tool beside the world" in render_markdown(summary)


def test_markdown_and_html_show_the_null_line_and_every_failed_trial(records: list[RunRecord]) -> None:
    summary = summarise(records)
    text, page = render_markdown(summary), render_html(summary, records)
    for title in ("Table 1", "Table 2", "Table 3", "Table 4", "Table 7", "Table 8", "Figure 4, brief"):
        assert title in text
        assert title in page
    assert "null line" in text
    assert page.count("<details>") == sum(not r.strict for r in records)
    assert "<script" not in page


def test_text_of_an_agent_cannot_break_the_page(paper: tuple[ForgeTask, ...]) -> None:
    class Hostile:
        name = "<script>alert(1)</script>"

        def reply(self, turns: object) -> str:
            return "tasks add --title '<img src=x>'"

    record = run_episode(Hostile(), paper[0])
    page = render_html(summarise([record]), [record])
    assert "<script>" not in page
    assert "<img" not in page


def test_records_survive_a_file_and_a_damaged_one_is_named(records: list[RunRecord], tmp_path: Path) -> None:
    path = tmp_path / "runs" / "r.jsonl"
    assert write_records(path, records[:3]) == 3
    append_record(path, records[3])
    assert list(read_records(path)) == records[:4]
    path.write_text(path.read_text() + '{"format": "other"}\n')
    with pytest.raises(JournalError, match=r"r\.jsonl:5"):
        list(read_records(path))


def test_pass_hat_k_and_wilson_at_known_values() -> None:
    assert pass_hat_k({"a": [True, True, False], "b": [True] * 3}, 2) == pytest.approx((1 / 3 + 1) / 2)
    assert pass_hat_k({"a": [True]}, 2) is None
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-3)
    assert wilson(164, 362) == pytest.approx((0.4025, 0.5045), abs=1e-3)
    assert mcnemar({"a": True, "b": True, "c": True}, {"a": False, "b": False, "c": False}) == (3, 0, 0.25)
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


@given(st.integers(0, 50), st.integers(1, 50))
def test_an_interval_holds_its_rate(passed: int, more: int) -> None:
    low, high = wilson(passed, passed + more)
    assert 0.0 <= low <= passed / (passed + more) <= high <= 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_a_p_value(values: list[float]) -> None:
    assert all(adjusted >= p for p, adjusted in zip(values, holm(values), strict=True))
