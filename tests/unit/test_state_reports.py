"""Runs that are judged by state: their tables by tag and pattern, what stands beside a score, and why a round failed."""

import io
import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from claw_adapter import open_run, plugins
from claw_adapter.cli.compare import command as compare
from claw_adapter.cli.report import command as report
from claw_adapter.errors import PluginError
from claw_adapter.question import QuestionType
from claw_adapter.report import Summary, render, summarise
from claw_adapter.report.breakdown_words import breakdown_table, breakdown_tables
from claw_adapter.report.breakdowns import breakdown_of
from claw_adapter.report.html import page
from claw_adapter.report.observations import config_names, observations_of
from claw_adapter.runs.load import load_run

state = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "state_runs.py")))
make = state.make


class EndState(QuestionType):
    name = state.TYPE
    patterns = {"stale-state": "took an old state for the present one"}  # noqa: RUF012


@pytest.fixture
def run(tmp_path):
    return state.several(tmp_path / "run", 12)


@pytest.fixture
def explained(monkeypatch):
    known = plugins.provides
    brought = {state.TYPE: {"question_type": EndState}}
    monkeypatch.setattr(plugins, "provides", lambda name, *kinds: brought.get(name) or known(name, *kinds))


def rows(run, by, config):
    return {row.values: row for row in breakdown_of(run, by).rows if config in row.config}


def shown(run, width=100):
    out = io.StringIO()
    render(summarise(run), Console(file=out, width=width, highlight=False), whole=True)
    return out.getvalue()


def table(run, title):
    return next(one for one in breakdown_tables(summarise(run).breakdowns) if one.title == title)


def test_observations_have_what_the_state_says_and_what_became_of_the_provider(run):
    found = {(one.scenario, one.config): one for one in observations_of(run, config_names(run))}
    lost, hit, stale = (found["task-4", "bare · policy:careful"], found["task-5", "bare · policy:careful"],
                        found["task-1", "bare · policy:hasty"])  # fmt: skip
    assert (lost.provider, lost.cause, lost.progress, lost.commands, lost.conduct) == (
        "failed",
        "endpoint",
        None,
        None,
        None,
    )
    assert (hit.provider, hit.failed_requests, hit.score) == ("impacted", 2, 1.0)
    assert (stale.progress, stale.partial, stale.baseline, stale.commands) == (0.25, 0.75, 0.5, 9)
    assert stale.conduct == ("excess", "violation", "forbidden", "unread", "bypass")
    assert stale.provider is None


def test_a_failure_of_the_harness_is_none_of_the_provider(tmp_path):
    run = state.write(tmp_path / "run", 1, {"m": lambda n, r: make.CRASH})
    (row,) = breakdown_of(run, "model").rows
    assert (row.unscored, row.provider_failed, row.provider_impacted) == (1, 0, 0)


def test_a_row_has_strict_and_adjusted_scores_and_partial_credit_with_its_baseline(run):
    row = rows(run, "model", "careful")["policy:careful",]
    assert (row.n, row.unscored, row.provider_failed, row.provider_impacted) == (12, 1, 1, 1)
    assert (row.strict_mean, row.mean) == (pytest.approx(11 / 12), 1.0)
    assert (row.partial, row.baseline, row.progress) == (1.0, 0.5, 1.0)
    assert row.interval.low < row.strict_mean < row.interval.high < 1
    hasty = rows(run, "family", "hasty")
    assert [hasty[name,].strict_mean for name in state.FAMILIES] == [1.0, 0.0, 0.0]
    assert (hasty["release",].partial, hasty["release",].commands) == (0.75, 9)
    crossed = rows(run, "family,style", "hasty")
    assert sum(row.n for row in crossed.values()) == 12
    assert list(rows(run, "length", "hasty")) == [("5",), ("6",), ("10",)]


def test_several_trials_of_a_scenario_narrow_the_interval_only_as_far_as_they_differ(tmp_path):
    def alike(n, _):
        return state.passed(n) if n % 2 else state.unfinished(n)

    def mixed(n, r):
        return state.passed(n) if r % 2 else state.unfinished(n)

    (once,) = breakdown_of(state.write(tmp_path / "once", 8, {"m": alike}), "model").rows
    (five,) = breakdown_of(state.write(tmp_path / "five", 8, {"m": alike}, repeats=4), "model").rows
    (other,) = breakdown_of(state.write(tmp_path / "mixed", 8, {"m": mixed}, repeats=4), "model").rows
    assert (five.n, five.interval) == (32, once.interval)
    assert other.interval.effective == 32
    assert once.pass_hat == {}
    assert five.pass_hat == {1: 0.5, 2: 0.5, 3: 0.5, 4: 0.5}
    assert (other.pass_hat[1], other.pass_hat[2]) == (0.5, pytest.approx(1 / 6))


def test_of_many_trials_pass_k_is_of_few_numbers(tmp_path):
    (row,) = breakdown_of(
        state.write(tmp_path / "run", 1, {"m": lambda n, _: state.passed(n)}, repeats=20), "model"
    ).rows
    assert list(row.pass_hat) == [*range(1, 9), 16]


def test_failures_are_shared_out_by_pattern_and_the_unscored_by_owner(run):
    found = table(run, "Failures by pattern")
    careful, hasty = found.head.index("bare · policy:careful"), found.head.index("bare · policy:hasty")
    by = {row[0]: row for row in found.rows}
    assert (by["stale-state"][hasty], by["incomplete-closure"][hasty]) == ("50.0 (4/8)", "50.0 (4/8)")
    assert by["unscored-endpoint"][careful] == "100.0 (1/1)"
    assert "unscored-…: without a score, for a failure of that owner" in found.note


def test_patterns_are_explained_where_the_question_type_is_installed(run, explained, capsys):
    note = table(run, "Failures by pattern").note
    assert "stale-state: took an old state for the present one" in note
    assert "incomplete-closure" not in note
    assert report([str(run.root), "--by", "pattern"], standalone_mode=False) == 0
    assert "took an old state for the present one" in " ".join(capsys.readouterr().out.split())


def test_a_run_is_shown_where_its_question_type_is_not_installed_or_broken(run, monkeypatch):
    assert "stale-state" not in table(run, "Failures by pattern").note

    def broken(name):
        raise PluginError(f"{name} cannot be loaded")

    monkeypatch.setattr(plugins, "provides", broken)
    assert table(run, "Failures by pattern").rows


def test_baseline_stands_beside_partial_credit_in_every_table(run):
    tables = [*breakdown_tables(summarise(run).breakdowns), breakdown_table(breakdown_of(run, "family"))]
    heads = [name for one in tables for name in one.head if "partial" in name]
    assert set(heads) == {"partial (baseline)"}
    credit = next(one for one in tables if one.title == "By family: partial credit, progress, commands")
    assert credit.rows[1][credit.head.index("bare · policy:hasty")] == "75.0 (50.0) · 25.0 · 9.0"
    assert "do-nothing baseline" in credit.note


def test_what_has_no_partial_credit_shows_none(tmp_path):
    detail = state.StateDetail(progress=0.5, commands=3)
    run = state.write(tmp_path / "run", 2, {"m": lambda n, r: state.Score(value=0.0, detail=detail)})
    overall = table(run, "Overall")
    assert "partial (baseline)" not in overall.head
    assert "50.0" in overall.rows[0]
    credit = table(run, "By family: partial credit, progress, commands")
    assert credit.rows[0][1] == "50.0 · 3.0"


def test_other_runs_have_no_tables_of_state(tmp_path):
    made = summarise(load_run(make.small(tmp_path / "run").root))
    assert made.failed == ()
    assert not [one for one in made.breakdowns.by_tag if one.of in ("failures", "conduct") or not one.by]


@pytest.mark.parametrize(("tasks", "width"), [(51, 80), (51, 120), (102, 80)])
def test_many_scenarios_stay_readable(tmp_path, tasks, width):
    text = shown(state.several(tmp_path / "run", tasks), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) < 250
    assert f"{tasks} scenarios of one round" in text
    assert "CRS" not in text.split("Failed rounds")[0].split("Overall")[1]
    assert "more, on the page" in " ".join(text.split())
    marks = "✓✓✓✓− ✓✓✓✓✓" if tasks == 51 else f"✓ {tasks - 1}  − 1"
    assert marks in text


def test_many_longer_scenarios_are_counted_after_the_first(tmp_path):
    specs = [make.spec(f"s{n:02}", "reference") for n in range(15)]
    runs = make.Runs(tmp_path / "run", specs, {spec.scenario: 2 for spec in specs})
    for spec in specs:
        runs.write(spec, [runs.record(i, 1.0) for i in range(2)])
    text = shown(load_run(runs.root))
    assert "s11 (2 rounds)" in text
    assert "s12 (2 rounds)" not in text
    assert "and 3 more scenarios, on the page; claw report RUN --by scenario has their scores" in text
    assert text.count("has no evidence layer") == 0
    assert "Scenarios s00, s01, s02, s03, s04 and 10 more have no evidence layer" in " ".join(text.split())


def test_why_a_round_failed_is_in_the_records_and_leads_to_the_round_on_the_page(run):
    summary = summarise(run)
    first = next(one for one in summary.failed if one.pattern == "stale-state")
    assert first.reasons[0] == "draft 1: the subject is 'Invoice', not 'Invoice 1'"
    assert "changed and should not have been: calendar: event 3 was deleted" in first.reasons
    assert "must not be done: mail 7 was sent" in first.reasons
    assert first.first_wrong == 2
    assert next(one for one in summary.failed if one.pattern == "incomplete-closure").reasons == (
        "missing: the ticket is closed",
    )
    assert Summary.model_validate_json(summary.model_dump_json()) == summary
    html = page(run, summary)
    (anchor,) = set(re.findall(r'<a href="#(r\d+t\d+)">task-1 r1</a></th><td class="text">bare · policy:hasty', html))
    cell = html.split(f'<article id="{anchor}">')[1].split("</article>")[0]
    for part in (
        "mail list",
        "7  ana  Invoice",
        "All done.",
        "0.75 (do-nothing baseline 0.5)",
        "event 3 was deleted",
        "command 2",
    ):
        assert part in cell, part
    assert html.count('<table class="matrix">') == 1


def test_of_many_rounds_those_that_failed_are_shown_with_more_of_what_was_printed(tmp_path, monkeypatch):
    long = "x" * 1_000
    monkeypatch.setitem(state.EVENTS[1], "text", long)
    run = state.write(tmp_path / "run", 121, {"m": lambda n, r: state.unfinished(n) if n == 0 else state.passed(n)})
    html = page(run, summarise(run))
    assert html.count(long) == 1
    assert html.count(long[:600]) == 121


def test_a_round_is_printed_to_be_read(run, capsys):
    assert report([str(run.root), "--round", "task-1/r1"], standalone_mode=False) == 0
    text = capsys.readouterr().out
    assert "Answer the invoice 1." in text
    hasty = text[text.index("policy:hasty: 0") :]
    parts = ("mail list", "7  ana  Invoice", "All done.", "stale-state", "mail 7 was sent")
    places = [hasty.index(part) for part in parts]
    assert places == sorted(places)
    assert report([str(run.root), "--round", "task-4"], standalone_mode=False) == 0
    assert "EndpointQuotaError" in capsys.readouterr().out
    with pytest.raises(Exception, match="no scenario or round 'task-99'"):
        report([str(run.root), "--round", "task-99"], standalone_mode=False)
    with pytest.raises(Exception, match="goes with none of --by, --all and --json"):
        report([str(run.root), "--round", "task-1", "--json"], standalone_mode=False)
    assert not (run.root / "report.html").exists()


def test_models_of_a_run_of_single_rounds_are_compared_by_an_exact_test(tmp_path, capsys):
    run = state.several(tmp_path / "run", 14)
    assert compare([str(run.root), "--between", "model", "--all"], standalone_mode=False) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "CRS" not in text.split("Differences")[1]
    assert "all exchanges. Not shown" in text


def test_a_breakdown_as_json_has_every_number(run, capsys):
    assert report([str(run.root), "--by", "family", "--json"], standalone_mode=False) == 0
    (found,) = json.loads(capsys.readouterr().out)
    row = found["rows"][0]
    assert {"strict_mean", "mean", "interval", "partial", "baseline", "progress", "commands", "provider_failed"} <= set(
        row
    )
    assert set(row["interval"]) == {"low", "high", "effective"}


def test_the_table_of_rounds_has_the_columns_of_state(run):
    frame = open_run(run.root).to_pandas()
    stale = frame[frame.pattern == "stale-state"].iloc[0]
    assert (stale.progress, stale.partial, stale.baseline, stale.commands, stale.failed_requests) == (
        0.25,
        0.75,
        0.5,
        9,
        0,
    )
    assert frame.failed_requests.sum() == 3
    assert frame[frame.score.isna()].progress.isna().all()
