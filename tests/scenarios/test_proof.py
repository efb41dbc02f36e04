"""The proofs hold for the example, and each of them can fail."""

import shutil
from pathlib import Path

import pytest

from claw_adapter_scenarios.authoring import EXAMPLE
from claw_adapter_scenarios.proof import Part, prove
from claw_adapter_scenarios.proof import run as proof_run
from claw_adapter_scenarios.proof.alternatives import alternatives
from claw_adapter_scenarios.proof.baselines import Question, baselines
from claw_adapter_scenarios.proof.mutants import mutants

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


def test_every_proof_holds_for_the_example_and_for_a_variant():
    for seed in (0, 4):
        assert [one for one in prove(EXAMPLE, seed) if not one.holds] == []


def test_a_tolerance_that_is_too_wide_lets_a_mutant_live(tmp_path: Path):
    root = patched(tmp_path, ("3-rounds", "equals: peak_c, tolerance: 0.05", "equals: peak_c, tolerance: 5"))
    survivors = part(root, "mutants refused").detail
    assert [line for line in survivors if "peak_c a fifth more" in line]
    assert part(EXAMPLE, "mutants refused").detail == ()


def test_a_check_that_asks_for_nothing_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from claw_adapter_scenarios.checker import program

    monkeypatch.setattr(program, "same", lambda wanted, value: True)
    assert not part(EXAMPLE, "hasty: no artefact accepted").holds
    assert not part(EXAMPLE, "mutants refused").holds


def test_a_check_that_is_too_narrow_is_found(monkeypatch: pytest.MonkeyPatch):
    from claw_adapter_scenarios.checker import program

    monkeypatch.setattr(program, "number", lambda value: value if type(value) is int else None)
    assert not part(EXAMPLE, "alternatives accepted").holds


@pytest.mark.parametrize(
    ("name", "narrow", "refused"),
    [
        ("filled", lambda lines, heads, head: lines[head[0] + 2 : head[0] + 3] != [] and "#" not in lines[head[0] + 2], "sub"),
        ("flat", lambda text: " ".join(text.split()).casefold(), "bold numbers"),
        ("written", lambda found: found[0], "numbers with decimals"),
    ],
)  # fmt: skip
def test_other_headings_and_numbers_are_tried(name: str, narrow: object, refused: str, monkeypatch: pytest.MonkeyPatch):
    from claw_adapter_scenarios.checker import program

    monkeypatch.setattr(program, name, narrow)
    assert [line for line in part(EXAMPLE, "alternatives accepted").detail if refused in line]


def test_other_ways_to_write_a_document():
    rule = {"path": "a.md", "format": "markdown", "sections": ["Costs"], "mentions": [["1840 %"]]}
    said = dict(alternatives({"files": [rule]}, {"a.md": "In short.\n\n## Costs\n\n- 1840 %\n"}))
    assert {name.partition(": ")[2]: files["a.md"].partition("\n\n")[2] for name, files in said.items()}.items() >= {
        "a title that names Costs": "# Note: Costs\n\n## Costs\n\n- 1840 %\n",
        "Costs underlined": "\nCosts\n-----\n\n- 1840 %\n",
        "subheadings first": "## Costs\n\n### In detail\n\n- 1840 %\n", "bold numbers": "## Costs\n\n- **1840** %\n",
        "numbers with separators": "## Costs\n\n- 1,840 %\n", "full-width per cent sign": "## Costs\n\n- 1840 \uff05\n",
    }.items()  # fmt: skip


def test_an_emptied_section_and_a_longer_number_are_tried_as_mutants():
    rule = {"path": "a.md", "format": "markdown", "sections": ["Costs"], "mentions": [["840 euros"]]}
    tried = dict(mutants({"files": [rule]}, {"a.md": "## Costs\n\n- 840 euros\n\n## More\n\n- no\n"}))
    assert tried["a.md: nothing below Costs"]["a.md"] == "## Costs\n\n## More\n\n- no\n"
    assert "- 1,840 euros" in tried["a.md: 840 euros: 1 before 840"]["a.md"]
    assert "- 840.5 euros" in tried["a.md: 840 euros: 5 after 840"]["a.md"]


def test_a_round_that_passes_with_nothing_done_is_found(tmp_path: Path):
    there = """
  - path: notes/decision.md
    kind: markdown
    source: paper
    text: |
      # Decision
      {spare}, blocked
"""
    root = patched(tmp_path, ("3-rounds", "        find: notes/*decision*.md\n", ""))
    path = root / "1-workspace.yaml"
    path.write_text(path.read_text("utf-8") + there, "utf-8")
    assert not part(root, "null: nothing right").holds


def test_an_oracle_that_does_not_pass_is_found(tmp_path: Path):
    root = patched(tmp_path, ("3-rounds", "> <<limit_c>> for", "> 9 for"))
    assert not part(root, "oracle: every round right").holds


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


def test_the_bars_are_those_of_the_design():
    assert proof_run.KILLED == 0.95
