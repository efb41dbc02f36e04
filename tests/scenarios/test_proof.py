"""The proofs hold for the example, and each of them can fail."""

import shutil
from pathlib import Path

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.authoring import EXAMPLE
from claw_adapter_scenarios.compiler.compile import compile_spec
from claw_adapter_scenarios.proof import Part, prove
from claw_adapter_scenarios.proof.alternatives import alternatives
from claw_adapter_scenarios.proof.baselines import Question, baselines
from claw_adapter_scenarios.proof.mutants import mutants
from claw_adapter_scenarios.proof.stage import Stage, staged
from claw_adapter_scenarios.spec.load import load_spec

KINDS = {
    "compiled twice, the same bytes": "bytes", "oracle: every round right": "oracle", "null: nothing right": "null",
    "hasty: no artefact accepted": "hasty", "stale: fails the update rounds and no other": "stale",
    "mutants refused": "checks", "alternatives accepted": "checks",
}  # fmt: skip


def part(root: Path, name: str) -> Part:
    """One part of the proof."""
    return next(one for one in prove(root, only=(KINDS[name],)) if one.name == name)


def patched(folder: Path, *changes: tuple[str, str, str]) -> Path:
    root = folder / "spec"
    shutil.copytree(EXAMPLE, root)
    for layer, old, new in changes:
        path = root / f"{layer}.yaml"
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")
    return root


@pytest.mark.slow(20)
def test_every_proof_holds_for_the_example_and_those_without_checks_for_a_variant():
    assert [one for one in prove(EXAMPLE) if not one.holds] == []
    assert [one for one in prove(EXAMPLE, 4, only=("bytes", "oracle", "null", "stale")) if not one.holds] == []


@pytest.mark.slow
def test_a_tolerance_that_is_too_wide_lets_a_mutant_live_and_a_check_that_is_too_narrow_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from claw_adapter_scenarios.checker import pairs

    monkeypatch.setattr(pairs, "MARKS", ())
    root = patched(tmp_path, ("3-rounds", "equals: peak_c}", "equals: peak_c, tolerance: 5}"))
    found = {one.name: one.detail for one in prove(root, only=("checks",))}
    assert [line for line in found["mutants refused"] if "peak_c" in line]
    assert [line for line in found["alternatives accepted"] if "bold labels with the colon" in line]


@pytest.mark.slow
def test_a_check_that_asks_for_nothing_is_found(monkeypatch: pytest.MonkeyPatch):
    from claw_adapter_scenarios.checker import documents, objects

    for module in (documents, objects):
        monkeypatch.setattr(module, "judge", lambda *_: None)
    assert not part(EXAMPLE, "hasty: no artefact accepted").holds
    assert not part(EXAMPLE, "mutants refused").holds


FIELD = {"as": {"type": "number", "unit": "EUR"}, "value": 1840, "stale": [900]}
RULE = {
    "path": "a.md",
    "format": "markdown",
    "sections": [{"title": "Costs", "labels": {"All": FIELD}}, {"title": "Why", "labels": {}}],
}
NOTE = "## Costs\n\n- All: 1840 EUR\n\n## Why\n\nSo it is.\n"


def test_other_ways_to_write_a_document():
    said = {name: files["a.md"] for name, files in alternatives({"files": [RULE]}, {"a.md": NOTE}, "en")}
    assert "- **All:** 1840 EUR" in said["a.md: bold labels with the colon"]
    assert "| All | 1840 EUR |" in said["a.md: tables"]
    assert any("1,840 EUR" in text for text in said.values())


def test_every_kind_of_mistake_is_tried():
    tried = [
        (kind, files.get("a.md", "")) for kind, _, files in mutants({"files": [RULE]}, {"a.md": NOTE}, "en", "all")
    ]
    assert {kind for kind, _ in tried} >= {
        "damage", "dump", "duplicate", "hedge", "missing", "negate", "off by one", "rotate", "stale", "ten times", "unit",
    }  # fmt: skip
    assert ("stale", NOTE.replace("1840", "900")) in tried


def test_a_round_that_passes_with_nothing_done_is_found(tmp_path: Path):
    there = """
  - path: notes/decision.md
    kind: markdown
    source: paper
    text: |
      # Decision
      Lot {lot}: blocked
      Doses that can be used: {spare}
"""
    root = patched(tmp_path, ("3-rounds", "notes/decision.md\n        find: notes/*.md\n", "notes/decision.md\n"))
    path = root / "1-workspace.yaml"
    path.write_text(path.read_text("utf-8") + there, "utf-8")
    assert not part(root, "null: nothing right").holds


def test_a_program_is_run_once_for_each_text_of_it(monkeypatch: pytest.MonkeyPatch):
    made, runs, ran = compile_spec(load_spec(EXAMPLE)), list[str](), Stage._ran

    def counted(stage, one, folder):
        runs.append(one.spec.id)
        return ran(stage, one, folder)

    monkeypatch.setattr(Stage, "_ran", counted)
    one = next(one for one in made.rounds if one.work is not None and one.work.programs)
    assert one.work is not None
    [(path, text)] = one.work.oracle.items()
    with staged(made) as stage:
        passed = [stage.passes(one, {path: each}) for each in (text, text, "print('count=1')\n", text)]
    assert (passed, len(runs)) == ([True, True, False, True], 2)


def test_an_oracle_that_does_not_pass_is_found(tmp_path: Path):
    root = patched(tmp_path, ("3-rounds", "> <<limit_c>> for", "> 9 for"))
    with pytest.raises(ScenarioError, match="the oracle program prints count="):
        part(root, "oracle: every round right")


def test_a_stale_reader_that_is_right_is_found(monkeypatch: pytest.MonkeyPatch):
    from claw_adapter_scenarios.compiler import questions

    monkeypatch.setattr(questions._Compiler, "_dependent", lambda self, evidence: True)
    assert not part(EXAMPLE, "stale: fails the update rounds and no other").holds


def test_a_compiler_that_is_not_deterministic_is_found(monkeypatch: pytest.MonkeyPatch):
    from random import Random

    from claw_adapter_scenarios.compiler import talk

    monkeypatch.setattr(talk, "dice", lambda *labels: Random())
    assert not part(EXAMPLE, "compiled twice, the same bytes").holds


def asked(texts_true: list[str], texts_false: list[str], rounds: int, shuffle: int = 0) -> list[Question]:
    made = []
    for index in range(rounds):
        pairs = [(f"{text} {index * 7}", True) for text in texts_true] + [
            (f"{text} {index * 7}", False) for text in texts_false
        ]
        turn = (index * shuffle) % len(pairs)
        pairs = pairs[turn:] + pairs[:turn]
        made.append(Question(f"r{index}", tuple(t for t, _ in pairs), tuple(holds for _, holds in pairs)))
    return made


def failing(questions: list[Question]) -> set[str]:
    return {one.name for one in baselines(questions) if not one.holds}


def test_long_true_statements_are_found():
    found = failing(asked(["a rather long statement about it"] * 2, ["a short one", "one more", "no"], 8, shuffle=3))
    assert "longest statements" in found


def test_true_statements_at_the_same_places_are_found():
    assert "majority letters" in failing(asked(["one word", "two word"], ["red word", "new word", "old word"], 8))


def test_words_that_give_the_truth_away_are_found():
    found = failing(asked(["the log perhaps shows it"] * 2, ["all of them certainly did"] * 3, 8, shuffle=3))
    assert {"leak probe", "leak probe by statement"} <= found


def test_selecting_all_is_found_where_all_are_true():
    assert "select all" not in failing(asked(["one"] * 3, ["two"] * 2, 8))


def test_too_small_sets_are_found():
    assert "gold-size prior" in failing([Question(f"r{i}", ("a", "b", "c"), (True, True, False)) for i in range(6)])
