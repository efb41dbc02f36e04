"""Breakdowns: the papers' formulas on small planted data, shown only where a run has data for them."""

import io
import json
import os
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import ValidationError
from rich.console import Console

from claw_adapter.cli.report import command as report
from claw_adapter.protocol import (
    Evidence,
    Gold,
    PreferenceDetail,
    RevisionDetail,
    Round,
    RoundTags,
    RoundTraits,
    RuleOutcome,
    Score,
    UpdateTags,
)
from claw_adapter.protocol.gold import Answers, Fragment, OptionEvidence, RoundEvidence
from claw_adapter.report import render, summarise
from claw_adapter.report.breakdown_terminal import render_breakdowns
from claw_adapter.report.breakdown_words import breakdown_tables
from claw_adapter.report.breakdowns import breakdown_of, make_breakdowns
from claw_adapter.report.html import page
from claw_adapter.runs.load import load_run
from claw_adapter.scenario.traits import round_traits
from claw_adapter.scoring import ScoringError
from claw_adapter.scoring.breakdown import breakdown
from claw_adapter.scoring.formats import format_correlation
from claw_adapter.scoring.observed import Observation, RuleVerdict
from claw_adapter.scoring.options import identical_wrong, option_grid, passes
from claw_adapter.scoring.parts import conclusions, preferences, statements
from support.running import experiment, run_sync

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "report_runs.py")))
HERE = Path(__file__).parent
SHARED = Path(__file__).parents[2].parent / "shared"


def seen(config, index, score, *, kind="multi_choice", scenario="s", **more):
    fields = {"trial": config, "round": f"r{index + 1}", "index": index, "type": kind} | more
    return Observation(config=config, scenario=scenario, score=score, **fields)


def parts(rows):
    """Value → configuration → mean and number of scored."""
    found = {}
    for row in rows:
        found.setdefault(" ".join(row.values), {})[row.config] = (row.mean, row.scored)
    return found


def tables(found):
    """Of what and by what → the same, for all breakdowns of a record."""
    return {(one.of, *one.by): parts(one.rows) for one in found.by_tag}


def phase(number):
    return {"tags": {"phase": (str(number),)}}


def test_unscored_and_unread_are_counted_and_only_the_unscored_left_out_of_the_mean():
    found = [
        seen("a", 0, 1.0, **phase(0)),
        seen("a", 1, 0.0, unread=True, **phase(0)),
        seen("a", 2, None, **phase(1)),
        seen("a", 3, 0.5, **phase(1)),
    ]
    rows = breakdown(found, ("phase",), metric_set="published")
    assert parts(rows) == {"0": {"a": (0.5, 2)}, "1": {"a": (0.5, 1)}}
    assert [(row.n, row.unscored, row.unread) for row in rows] == [(2, 0, 1), (2, 1, 0)]
    assert [row.strict for row in rows] == [{"tcr": 0.5, "mc": 0.5}, {"tcr": 0.25, "mc": 0.25}]
    (table, *_) = breakdown_tables(make_breakdowns(found))
    assert [row[1] for row in table.rows] == ["50.0 (2, 1 unread)", "50.0 (1, 1 unscored)"]
    assert "no answer could be extracted" in table.note
    assert make_breakdowns([seen("a", 0, 1.0, **phase(0))]).by_tag == ()


def test_metrics_of_streaks_are_there_for_whole_trials_only():
    found = [seen("a", index, score, **phase(index // 2)) for index, score in enumerate((1.0, 1.0, 0.0, 1.0))]
    (whole,) = breakdown(found, ("scenario",), metric_set="published")
    assert (whole.strict["sc"], whole.strict["fd"]) == (pytest.approx(1 / 3), 1.0)
    assert all("sc" not in row.strict for row in breakdown(found, ("phase",), metric_set="published"))


def test_what_lacks_a_tag_is_counted_apart_and_several_names_are_crossed():
    found = [
        seen("a", 0, 1.0, tags={"category": ("MS-R",), "topic": ("x", "y")}),
        seen("a", 1, 0.0, tags={"category": ("MD-I",), "topic": ("x",)}),
        seen("a", 2, 1.0),
    ]
    assert parts(breakdown(found, ("category",))) == {
        "MD-I": {"a": (0.0, 1)},
        "MS-R": {"a": (1.0, 1)},
        "": {"a": (1.0, 1)},
    }
    crossed = breakdown(found, ("topic", "category"))
    assert [row.values for row in crossed] == [("x", "MD-I"), ("x", "MS-R"), ("y", "MS-R"), ("", "")]
    with pytest.raises(ScoringError, match=r"'family'\s+use one of: category, round, scenario, topic, type"):
        breakdown(found, ("family",))


def test_codes_are_explained_under_the_table_that_shows_them():
    found = [seen("a", n, 1.0, tags={"category": (name,)}) for n, name in enumerate(("MS-R", "MD-I", "billing"))]
    (table, *_) = breakdown_tables(make_breakdowns(found))
    assert table.title == "By category"
    assert table.note.endswith("MS, M: multi-source judgement; D: dynamic updates; I: reasoning; R: recall.")


def test_revision_counts_only_pairs_that_had_something_to_revise():
    def tags(update, *effects):
        return {"tags": {"update": (f"s/{update}",), "nature": ("objective",), "effect": effects}}

    found = [
        seen("a", 0, 1.0, kind="revision", was_stale=True, revised=True, **tags("U1", "reinterprets")),
        seen("a", 1, 0.0, kind="revision", was_stale=True, revised=False, **tags("U2")),
        seen("a", 2, 1.0, kind="revision", was_stale=False, revised=True, **tags("U1", "reinterprets")),
        seen("b", 0, 1.0, kind="revision", was_stale=False, revised=True, **tags("U1", "reinterprets")),
    ]
    pairs = list(conclusions(found))
    assert parts(breakdown(pairs)) == {"": {"a": (0.5, 2)}}
    assert parts(breakdown(pairs, ("update",))) == {"s/U1": {"a": (1.0, 1)}, "s/U2": {"a": (0.0, 1)}}
    assert parts(breakdown(pairs, ("nature",))) == {"objective": {"a": (0.5, 2)}}
    assert parts(breakdown(pairs, ("effect",))) == {"reinterprets": {"a": (1.0, 1)}, "": {"a": (0.0, 1)}}


def test_compliance_is_counted_per_dimension():
    rules = (RuleVerdict("p1", "tone", passed=True), RuleVerdict("p2", "tone", passed=False))
    found = [
        seen("a", 0, 0.0, rules=rules),
        seen("a", 1, 1.0, rules=(RuleVerdict("p3", "output_format", passed=True),)),
    ]
    rows = breakdown(list(preferences(found)), ("preference",))
    assert parts(rows) == {"output format": {"a": (1.0, 1)}, "tone": {"a": (0.5, 2)}}


def test_the_grid_finds_identical_wrong_sets_and_rounds_that_nobody_passed():
    wrong = {"A": "tp", "B": "fp", "C": "fn"}
    found = [
        seen("a", 0, 0.0, chosen=("A", "B"), outcomes=wrong),
        seen("b", 0, 0.0, chosen=("A", "B"), outcomes=wrong),
        seen("c", 0, 0.0, chosen=("A",), outcomes={"A": "tp", "B": "tn", "C": "fn"}),
        seen("d", 0, 0.0, chosen=None),
        seen("a", 1, 1.0, kind="exec_check"),
        seen("b", 1, 0.0, kind="exec_check"),
    ]
    (row,) = option_grid(found)
    assert row.key == ("A", "C")
    assert row.wrong == {"a": ("B", "C"), "b": ("B", "C"), "c": ("C",)}
    assert (row.exact, row.chosen["d"]) == ((), None)
    assert identical_wrong(row) == (("a", "b"),)
    assert [(one.round, one.passed, one.of) for one in passes(found)] == [("r1", 0, 4), ("r2", 1, 2)]
    made = make_breakdowns(found)
    assert [one.round for one in made.never_passed] == ["r1"]
    assert made.identical[0].configs == ("a", "b")


def test_a_round_with_half_the_credit_is_not_passed():
    found = [seen("a", 0, 0.5, kind="revision"), seen("b", 0, 1.0, kind="revision"), seen("a", 1, 0.5, kind="revision")]
    assert [(one.passed, one.of) for one in passes(found)] == [(1, 2), (0, 1)]


def test_compound_and_atomic_statements_are_told_apart_among_the_true_ones():
    outcomes = {"A": "tp", "B": "fn", "C": "tp", "D": "fp"}
    found = [seen("a", 0, 0.0, outcomes=outcomes, compound=frozenset({"B", "C", "D"}))]
    rows = breakdown(list(statements(found)), ("statement",))
    assert parts(rows) == {"compound": {"a": (0.5, 2)}, "atomic": {"a": (1.0, 1)}}
    assert list(statements([seen("a", 0, 0.0, outcomes=outcomes)])) == []


def test_the_two_formats_are_correlated_over_those_that_have_both():
    found = []
    for name, mc, ec in (("a", 1.0, 0.9), ("b", 0.5, 0.5), ("c", 0.0, 0.2)):
        found += [seen(name, 0, mc), seen(name, 1, ec, kind="exec_check")]
    pairs, link = format_correlation([*found, seen("only", 0, 1.0)])
    assert [pair.name for pair in pairs] == ["a", "b", "c"]
    assert link is not None
    assert link.r == pytest.approx(0.9966, abs=1e-4)
    assert link.rank == pytest.approx(1.0)
    assert format_correlation(found[:4])[1] is None


def planted(root):
    """Two harnesses over a scenario of six rounds with everything that is broken down."""
    left, right = make.spec("demo", "left"), make.spec("demo", "right")
    runs = make.Runs(root, [left, right], {"demo": 6})
    tags = {
        0: RoundTags(dimensions=("MS",), skill="reasoning"),
        3: RoundTags(dimensions=("MS", "DU"), skill="recall"),
        4: RoundTags(dimensions=("P",), skill="recall"),
    }

    def records(right_too):
        revised = make.choice(A="tp").statements
        stale = RevisionDetail(of="r1", cited=("f",), was_stale=True, revised=not right_too, statements=revised)
        rules = {"dated": RuleOutcome(dimension="artefact_naming", passed=not right_too)}
        wrong = make.choice(A="tp", B="fp", C="fn")
        fields = [
            (0.0, "multi_choice", wrong, ()),
            (1.0, "exec_check", None, ()),
            (1.0, "multi_choice", make.choice(A="tp", B="tn"), ("U1",)),
            (0.0 if right_too else 1.0, "revision", stale, ()),
            (0.0 if right_too else 1.0, "preference", PreferenceDetail(rules=rules), ()),
            (0.0, "exec_check", None, ("U2",)),
        ]
        for index, (value, kind, detail, updates) in enumerate(fields):
            traits = RoundTraits(
                tags=tags.get(index, RoundTags()),
                updates={name: UpdateTags(nature="objective") for name in updates},
                compound=("C",) if index == 0 else (),
            )
            statements = getattr(detail, "statements", None)
            chosen = statements.options if statements else {}
            letters = tuple(key for key, how in chosen.items() if how in ("tp", "fp"))
            score = Score(value=value, answer=letters, detail=detail)
            yield runs.record(index, value, kind=kind, updates=updates, traits=traits, score=score)

    runs.write(left, list(records(right_too=False)))
    runs.write(right, list(records(right_too=True)))
    return runs


def test_a_planted_run_is_broken_down_as_its_golden_file_says(tmp_path):
    found = summarise(load_run(planted(tmp_path / "run").root)).breakdowns
    assert found is not None
    golden = HERE / "report_metrics_golden.json"
    if os.environ.get("REGENERATE_GOLDEN"):
        golden.write_text(json.dumps(found.model_dump(mode="json"), indent=1) + "\n", "utf-8")
    assert json.loads(found.model_dump_json()) == json.loads(golden.read_text("utf-8"))


def test_the_age_of_the_last_update_counts_rounds_and_is_none_before_the_first(tmp_path):
    found = tables(summarise(load_run(planted(tmp_path / "run").root)).breakdowns)
    assert found["rounds", "update_age"] == {
        "0": {"left": (0.5, 2), "right": (0.5, 2)},
        "1": {"left": (1.0, 1), "right": (0.0, 1)},
        "2": {"left": (1.0, 1), "right": (0.0, 1)},
        "": {"left": (0.5, 2), "right": (0.5, 2)},
    }


def test_a_tag_of_ones_own_takes_the_place_of_the_age_of_the_last_update(tmp_path):
    trial = make.spec("demo", "left")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 2})
    own = RoundTraits(tags=RoundTags(update_age="a week"))
    runs.write(trial, [runs.record(0, 1.0, updates=("U1",)), runs.record(1, 0.0, traits=own)])
    found = tables(summarise(load_run(runs.root)).breakdowns)
    assert found["rounds", "update_age"] == {"0": {"left": (1.0, 1)}, "a week": {"left": (0.0, 1)}}


def test_patterns_and_tags_of_ones_own_are_broken_down_like_the_others(tmp_path):
    trial = make.spec("demo", "left")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 3})

    def record(index, value, pattern, **tags):
        traits = RoundTraits(tags=RoundTags(**tags), scenario={"domain": ("ward",), "level": ("easy",)})
        return runs.record(index, value, traits=traits, score=Score(value=value, pattern=pattern))

    records = [record(0, 1.0, "", topic="dose"), record(1, 0.0, "gave-up", topic="shift", level=2)]
    runs.write(trial, records, end=make.CRASH)
    run = load_run(runs.root)
    found = tables(summarise(run).breakdowns)
    assert found["rounds", "topic"] == {
        "dose": {"left": (1.0, 1)},
        "shift": {"left": (0.0, 1)},
        "": {"left": (None, 0)},
    }
    assert found["failures", "pattern"] == {"gave-up": {"left": (0.5, 2)}, "unscored-harness": {"left": (0.5, 2)}}
    assert list(found["rounds", "level"]) == ["2", "easy", ""]
    assert ("rounds", "domain") not in found
    (whole,) = breakdown_of(run, "scenario").rows
    strict = summarise(run).rows[0].strict
    assert (whole.n, whole.unscored) == (3, 1)
    assert {key: getattr(strict, key) for key in whole.strict} == dict(whole.strict)
    assert {"tcr", "sc", "crs"} <= set(whole.strict)


def test_terminal_and_page_show_the_same_tables(tmp_path):
    run = load_run(planted(tmp_path / "run").root)
    summary = summarise(run)
    out = io.StringIO()
    render(summary, Console(file=out, width=140), whole=True)
    text, html = out.getvalue(), page(run, summary)
    titles = [table.title for table in breakdown_tables(summary.breakdowns)]
    assert len(titles) == 10
    for title in titles:
        assert title in text
        assert title in html


def test_nothing_is_shown_where_there_is_nothing_to_show(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 1})
    runs.write(trial, [runs.record(0, 1.0)])
    summary = summarise(load_run(runs.root))
    assert list(breakdown_tables(summary.breakdowns)) == []
    assert "Broken down" not in page(load_run(runs.root), summary)
    assert list(breakdown_tables(None)) == []


def test_the_command_prints_what_is_asked_for_and_lists_the_tags_there_are(tmp_path, capsys):
    root = planted(tmp_path / "run").root
    assert report([str(root), "--by", "phase,category", "--by", "scenario"], standalone_mode=False) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "By phase, category" in text
    assert "CRS composite reliability" in text
    assert report([str(root), "--by", "phase", "--json"], standalone_mode=False) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["by"], len(found["rows"]), found["rows"][0]["values"]) == (["phase"], 6, ["0"])
    with pytest.raises(ScoringError, match="category, dimensions, harness, model"):
        report([str(root), "--by", "nope"], standalone_mode=False)
    assert not (root / "report.html").exists()


@pytest.mark.parametrize(
    "tags", [{"seed": 1}, {"two words": "x"}, {"topic": ""}, {"topic": {"a": 1}}, {"skill": "luck"}]
)
def test_a_tag_that_cannot_be_one_is_refused(tags):
    with pytest.raises(ValidationError):
        RoundTags.model_validate(tags)


def test_tags_of_ones_own_come_back_as_they_were_written():
    tags = RoundTags.model_validate({"topic": ["a", "b"], "level": 2, "urgent": True, "skill": "recall"})
    assert tags.values == {"skill": ("recall",), "topic": ("a", "b"), "level": ("2",), "urgent": ("true",)}
    assert RoundTags.model_validate_json(tags.model_dump_json()) == tags


def test_names_from_a_run_are_never_markup(tmp_path):
    hostile = "[red]x[/nope] <script>"
    found = [seen(hostile, 0, 0.0, outcomes={"A": "fn"}, scenario="<b>"), seen(hostile, 1, 1.0, **phase(1))]
    out = io.StringIO()
    render_breakdowns(make_breakdowns(found), Console(file=out, width=140))
    assert "[red]x[/nope]" in out.getvalue()
    trial = make.spec("demo", "left")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 1})
    runs.write(trial, [runs.record(0, 1.0)])
    run = load_run(runs.root)
    html = page(run, summarise(run).model_copy(update={"breakdowns": make_breakdowns(found)}))
    assert "<script>&" not in html
    assert "&lt;script&gt;" in html
    assert "<b> r1" not in html


def test_a_statement_is_compound_when_even_its_shortest_evidence_has_two_parts(tmp_path):
    fragment = Fragment(where="workspace/a.md", text="a line of evidence")
    options = {
        "A": OptionEvidence(supports=(("f1", "f2"), ("f3",)), hasty=True),
        "B": OptionEvidence(supports=(("f1", "f2"),), hasty=False),
        "C": OptionEvidence(refutes=(("f1",),), hasty=False),
    }
    evidence = Evidence(fragments={"f1": fragment}, rounds={"r1": RoundEvidence(options=options)})
    gold = Gold(root=tmp_path, answers=Answers(rounds={}), evidence=evidence)
    item = Round(id="r1", type="multi_choice", question="?", stage="silent")
    manifest = SimpleNamespace(domain="ward", language="en", tags={"level": ("easy",)})
    scenario = SimpleNamespace(manifest=manifest, expand=lambda _updates: ())
    traits = round_traits(item, scenario, gold)
    assert (traits.compound, traits.stage) == (("B",), "silent")
    assert traits.scenario == {"domain": ("ward",), "language": ("en",), "level": ("easy",)}
    assert round_traits(item, scenario, gold.model_copy(update={"evidence": None})).compound is None


def test_published_results_are_broken_down_as_far_as_they_go():
    results, data = SHARED / "clawarena-results" / "gpt-5.5_openclaw", SHARED / "clawarena" / "tests.json"
    if not results.is_dir():
        pytest.skip("../shared/clawarena-results is not here")
    from claw_adapter_clawarena.observations import published_observations

    found = published_observations(results, data)
    made = make_breakdowns(found)
    assert len(found) == 60
    phases, ages = (one for one in made.by_tag if one.by in (("phase",), ("update_age",)))
    assert sum(row.n for row in phases.rows) == 60
    assert len(phases.rows) == 5  # four rounds with updates in each of both scenarios, and what is before them
    assert sum(row.n for row in ages.rows if row.values == ("0",)) == 8
    assert sum(row.n for row in ages.rows) == 60
    assert {pair.name for link in made.formats for pair in link.pairs} == {"hil_d3", "hil_g1"}
    assert all(any(row.wrong.values()) or len(row.exact) < len(row.chosen) for row in made.options)


def test_a_run_of_the_demo_is_broken_down_from_its_journal_alone(tmp_path):
    careful, hasty = {"name": "careful", "kind": "reader"}, {"name": "hasty", "kind": "reader", "policy": "hasty"}
    root = tmp_path / "run"
    run_sync(root, experiment("demo", models=[careful, hasty]))
    made = summarise(load_run(root)).breakdowns
    assert made is not None
    assert made.configs == ("reference · careful", "reference · hasty")
    found = tables(made)
    assert list(found["rounds", "phase"]) == ["0", "1", "2"]
    assert list(found["rounds", "update_age"]) == ["0", "1", "2", "3", ""]
    assert set(found["rounds", "category"]) - {""} == {"MD-I", "MD-R", "MS-I", "MS-R", "P-R"}
    assert found["conclusions", "update"]["demo/U1"]["reference · careful"][0] == 1.0
    assert (set(found["conclusions", "nature"]), set(found["conclusions", "effect"])) == (
        {"objective"},
        {"reinterprets"},
    )
    assert set(found["preferences", "preference"]) == {"artefact naming"}
    assert all(row.wrong["reference · careful"] == () for row in made.options)
    assert set(found["statements", "statement"]) == {"compound", "atomic"}
