"""Breakdowns: the papers' formulas on small planted data, shown only where a run has data for them."""

import io
import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

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
from claw_adapter.report.facet_records import Facets
from claw_adapter.report.facet_terminal import render_facets
from claw_adapter.report.facet_words import facet_tables
from claw_adapter.report.facets import make_facets
from claw_adapter.report.html import page
from claw_adapter.runs.load import load_run
from claw_adapter.scenario.traits import round_traits
from claw_adapter.scoring.facets import by_category, by_phase, compliance, format_correlation, revision_rates
from claw_adapter.scoring.observed import Observation, RuleVerdict
from claw_adapter.scoring.options import compound_options, identical_wrong, option_grid, passes
from support.running import experiment, run_sync

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "report_runs.py")))
HERE = Path(__file__).parent
SHARED = Path(__file__).parents[2].parent / "shared"


def seen(config, index, score, *, kind="multi_choice", scenario="s", **more):
    fields = {"trial": config, "round": f"r{index + 1}", "index": index, "type": kind} | more
    return Observation(config=config, scenario=scenario, score=score, **fields)


def parts(groups):
    return {group.name: {part.config: (part.mean, part.rounds) for part in group.parts} for group in groups}


def test_phases_begin_with_updates_and_unscored_rounds_are_left_out_of_the_mean():
    found = [seen("a", 0, 1.0), seen("a", 1, 0.0), seen("a", 2, None, phase=1), seen("a", 3, 0.5, phase=1)]
    groups = by_phase(found)
    assert parts(groups) == {"phase 0": {"a": (0.5, 2)}, "phase 1": {"a": (0.5, 1)}}
    assert groups[1].parts[0].unscored == 1
    assert by_phase([seen("a", 0, 1.0)]) == ()


def test_categories_are_those_that_rounds_are_tagged_with():
    found = [seen("a", 0, 1.0, category="MS-R"), seen("a", 1, 0.0, category="MD-I"), seen("a", 2, 1.0)]
    assert parts(by_category(found)) == {"MD-I": {"a": (0.0, 1)}, "MS-R": {"a": (1.0, 1)}}


def test_revision_counts_only_pairs_that_had_something_to_revise():
    update = {"updates": ("U1",), "update_tags": ("objective", "reinterprets")}
    found = [
        seen("a", 0, 1.0, kind="revision", was_stale=True, revised=True, **update),
        seen("a", 1, 0.0, kind="revision", was_stale=True, revised=False, updates=("U2",), update_tags=("objective",)),
        seen("a", 2, 1.0, kind="revision", was_stale=False, revised=True, **update),
        seen("b", 0, 1.0, kind="revision", was_stale=False, revised=True, **update),
    ]
    rates = {(one.by, one.config): (one.rate, one.revised, one.pairs) for one in revision_rates(found)}
    assert rates["all", "a"] == (0.5, 1, 2)
    assert rates["s/U1", "a"] == (1.0, 1, 1)
    assert rates["s/U2", "a"] == (0.0, 0, 1)
    assert rates["objective", "a"] == (0.5, 1, 2)
    assert rates["reinterprets", "a"] == (1.0, 1, 1)
    assert rates["all", "b"] == (None, 0, 0)


def test_compliance_is_counted_per_dimension():
    rules = (RuleVerdict("p1", "tone", passed=True), RuleVerdict("p2", "tone", passed=False))
    found = [
        seen("a", 0, 0.0, rules=rules),
        seen("a", 1, 1.0, rules=(RuleVerdict("p3", "output_format", passed=True),)),
    ]
    assert [(one.dimension, one.kept, one.examined) for one in compliance(found)] == [
        ("tone", 1, 2),
        ("output_format", 1, 1),
    ]


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
    facets = make_facets(found)
    assert [one.round for one in facets.never_passed] == ["r1"]
    assert facets.identical[0].configs == ("a", "b")


def test_compound_and_atomic_statements_are_told_apart_among_the_true_ones():
    outcomes = {"A": "tp", "B": "fn", "C": "tp", "D": "fp"}
    found = [seen("a", 0, 0.0, outcomes=outcomes, compound=frozenset({"B", "C", "D"}))]
    assert parts(compound_options(found)) == {"compound": {"a": (0.5, 2)}, "atomic": {"a": (1.0, 1)}}
    assert compound_options([seen("a", 0, 0.0, outcomes=outcomes)]) == ()


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
    facets = summarise(load_run(planted(tmp_path / "run").root)).facets
    assert facets is not None
    golden = HERE / "report_metrics_golden.json"
    assert json.loads(facets.model_dump_json()) == json.loads(golden.read_text("utf-8"))


def test_terminal_and_page_show_the_same_tables(tmp_path):
    run = load_run(planted(tmp_path / "run").root)
    summary = summarise(run)
    out = io.StringIO()
    render(summary, Console(file=out, width=140))
    text, html = out.getvalue(), page(run, summary)
    titles = [table.title for table in facet_tables(summary.facets)]
    assert len(titles) == 9
    for title in titles:
        assert title in text
        assert title in html


def test_nothing_is_shown_where_there_is_nothing_to_show(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 1})
    runs.write(trial, [runs.record(0, 1.0)])
    summary = summarise(load_run(runs.root))
    assert list(facet_tables(summary.facets)) == []
    assert "Broken down" not in page(load_run(runs.root), summary)
    assert list(facet_tables(None)) == []


def test_names_from_a_run_are_never_markup(tmp_path):
    hostile = "[red]x[/nope] <script>"
    found = [seen(hostile, 0, 0.0, outcomes={"A": "fn"}, scenario="<b>"), seen(hostile, 1, 1.0, phase=1)]
    out = io.StringIO()
    render_facets(make_facets(found), Console(file=out, width=140))
    assert "[red]x[/nope]" in out.getvalue()
    trial = make.spec("demo", "left")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 1})
    runs.write(trial, [runs.record(0, 1.0)])
    run = load_run(runs.root)
    html = page(run, summarise(run).model_copy(update={"facets": make_facets(found)}))
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
    scenario = SimpleNamespace(expand=lambda _updates: ())
    traits = round_traits(item, scenario, gold)
    assert (traits.compound, traits.stage) == (("B",), "silent")
    assert round_traits(item, scenario, gold.model_copy(update={"evidence": None})).compound is None


def test_published_results_are_broken_down_as_far_as_they_go():
    results, data = SHARED / "clawarena-results" / "gpt-5.5_openclaw", SHARED / "clawarena" / "tests.json"
    if not results.is_dir():
        pytest.skip("../shared/clawarena-results is not here")
    from claw_adapter_clawarena.observations import published_observations

    found = published_observations(results, data)
    facets = make_facets(found)
    assert isinstance(facets, Facets)
    assert len(found) == 60
    assert sum(part.rounds for group in facets.phases for part in group.parts) == 60
    assert len(facets.phases) == 5  # four rounds with updates in each of both scenarios, and what is before them
    assert {pair.name for link in facets.formats for pair in link.pairs} == {"hil_d3", "hil_g1"}
    assert facets.categories == facets.revision == facets.compound == ()
    assert all(any(row.wrong.values()) or len(row.exact) < len(row.chosen) for row in facets.options)


def test_a_run_of_the_demo_is_broken_down_from_its_journal_alone(tmp_path):
    careful, hasty = {"name": "careful", "kind": "reader"}, {"name": "hasty", "kind": "reader", "policy": "hasty"}
    root = tmp_path / "run"
    run_sync(root, experiment("demo", models=[careful, hasty]))
    facets = summarise(load_run(root)).facets
    assert facets is not None
    assert facets.configs == ("reference · careful", "reference · hasty")
    assert [group.name for group in facets.phases] == ["phase 0", "phase 1", "phase 2"]
    assert {group.name for group in facets.categories} == {"MD-I", "MD-R", "MS-I", "MS-R", "P-R"}
    rates = {(one.by, one.config): one for one in facets.revision}
    assert rates["demo/U1", "reference · careful"].rate == 1.0
    assert {by for by, _ in rates} >= {"all", "demo/U1", "objective", "reinterprets"}
    assert {one.dimension for one in facets.compliance} == {"artefact_naming"}
    assert all(row.wrong["reference · careful"] == () for row in facets.options)
    assert [group.name for group in facets.compound] == ["compound", "atomic"]
