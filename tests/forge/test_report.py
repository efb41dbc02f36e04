"""Reports: the paper's tables from records, with intervals, null lines and paired tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from claw_adapter.errors import JournalError
from claw_adapter_forge.report.render import render_html, render_markdown
from claw_adapter_forge.report.stats import clustered, pass_hat_k, sign_flip, wilson
from claw_adapter_forge.report.tables import summarise
from claw_adapter_forge.runner.agents import policy_agent
from claw_adapter_forge.runner.loop import run_episode
from claw_adapter_forge.runner.recordfile import read_file, write_records
from claw_adapter_forge.runner.records import RunRecord, append_record
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
    near = next(r for r in records if any(line.startswith("  nearest: ") for line in r.reasons))
    assert all(str(escape(line)) in page for line in near.reasons), "what came nearest, and the condition that it fails"


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
    assert list(read_file(path).records) == records[:4]
    path.write_text(path.read_text() + '{"format": "other"}\n')
    with pytest.raises(JournalError, match=r"r\.jsonl:5"):
        list(read_file(path).records)


def test_pass_hat_k_and_wilson_at_known_values() -> None:
    assert pass_hat_k({"a": [True, True, False], "b": [True] * 3}, 2) == pytest.approx((1 / 3 + 1) / 2)
    assert pass_hat_k({"a": [True]}, 2) is None
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-3)
    assert wilson(164, 362) == pytest.approx((0.4025, 0.5045), abs=1e-3)
    # McNemar's exact test: three tasks that only one passes
    assert sign_flip([1, 1, 1]) == 0.25
    assert sign_flip([1, 1, 0, 0, -1]) == 1.0
    # of the eight signs of 3, 1, 1 two have a sum of 5 in size
    assert sign_flip([3, 1, 1]) == 0.25
    assert sign_flip([]) == sign_flip([0, 0]) == 1.0


def test_trials_of_a_task_are_no_independent_evidence() -> None:
    once, five = [[True]] * 8, [[True] * 5] * 8
    assert clustered(five) == clustered(once) == wilson(8, 8)
    half = [[True] * 5] * 4 + [[False] * 5] * 4
    assert clustered(half) == pytest.approx(wilson(4, 8), abs=1e-9)
    # trials of a task that differ among themselves do tell something: narrower than tasks, never than trials
    mixed = [[True, False, True, True, False]] * 4 + [[False, True, False, False, True]] * 4
    low, high = clustered(mixed)
    widths = [b - a for a, b in (wilson(20, 40), (low, high), wilson(4, 8))]
    assert widths[0] <= widths[1] < widths[2]
    assert clustered([[True], [False], [True]]) == pytest.approx(wilson(2, 3))
    assert clustered([]) == (0.0, 1.0)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=1, max_size=12))
def test_a_clustered_interval_holds_the_rate_and_is_no_wider_than_that_of_tasks(passes: list[list[bool]]) -> None:
    low, high = clustered(passes)
    rate = sum(map(sum, passes)) / sum(map(len, passes))
    assert 0.0 <= low <= rate + 1e-9
    assert rate - 1e-9 <= high <= 1.0


@given(st.lists(st.integers(-3, 3), max_size=9))
def test_the_exact_p_is_that_of_all_signs(differences: list[int]) -> None:
    sums = [0]
    for d in differences:
        sums = [s + d for s in sums] + [s - d for s in sums]
    expected = sum(abs(s) >= abs(sum(differences)) for s in sums) / len(sums)
    assert sign_flip(differences) == pytest.approx(expected)


def test_failures_of_provider_and_harness_are_no_wrong_answers(records: list[RunRecord]) -> None:
    rows = [r for r in records if r.agent == "careful" and r.trial == 0][:8]
    gone = [replace(r, ended="harness", failure="harness: HarnessCrash: x") for r in rows[:4]]
    row = summarise([*gone, *rows[4:]])["table_1"]["careful"]
    assert (row["accuracy"], row["adjusted_accuracy"], row["harness_failures"]) == (0.5, 1.0, 4)
    nothing = summarise(gone)
    assert nothing["table_1"]["careful"]["adjusted_accuracy"] is None
    assert render_markdown(nothing).splitlines()[6].endswith("| 4 | – |")


def test_pairs_show_the_difference_and_what_could_have_been_shown(records: list[RunRecord]) -> None:
    tasks = sorted({r.task for r in records})
    keep = set(tasks[::2])
    weaker = [replace(r, agent="weaker", strict=r.task in keep) for r in records if r.agent == "careful"]
    [pair] = summarise([*(r for r in records if r.agent == "careful"), *weaker])["paired"]
    assert pair["difference"] == pytest.approx(len(keep) / len(tasks) - 1)
    assert 0.1 < pair["smallest_detectable"] < 0.5
    [same] = summarise([r for r in records if r.agent != "careful"])["paired"]
    assert (same["difference"], same["smallest_detectable"]) == (0.0, None)
    assert "detectable, points" in render_markdown(summarise(records))


def test_abilities_that_no_task_has_are_a_dash(records: list[RunRecord]) -> None:
    rows = [r for r in records if r.ability == "state_repair"]
    table = render_markdown(summarise(rows)).split("## Table 3")[1].split("## Table 4")[0]
    assert "| information_transfer | – | – | – |" in table


@given(st.integers(0, 50), st.integers(1, 50))
def test_an_interval_holds_its_rate(passed: int, more: int) -> None:
    low, high = wilson(passed, passed + more)
    assert 0.0 <= low <= passed / (passed + more) <= high <= 1.0
