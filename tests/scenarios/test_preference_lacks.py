"""A preference that forbids something by `lacks` is what fails the work that has it, and nothing else would."""

# ruff: noqa: RUF001 - full-width signs

import re
from pathlib import Path

import pytest

from claw_adapter.questions.judge import decide
from claw_adapter_scenarios.authoring import SPECS
from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec import load_spec

LISTED = (
    "{}: 1", "* **{}**: 1", "1. {}：1", "2) {}: 1", "**{}:** 1", "__{}__: 1", "- [x] {}: 1", "{} : 1", "- {} (min): 1",
    "> {}（天）：1", "`{}`: 1", "### {}: 1",
)  # fmt: skip
SHEET = "reports/figures.md"


@pytest.fixture(scope="module")
def made() -> Compiled:
    return compile_spec(load_spec(SPECS / "cert-rotation"))


def kept(made: Compiled, folder: Path, text: str, *, without: str = "") -> bool:
    (folder / SHEET).parent.mkdir(exist_ok=True)
    (folder / SHEET).write_text(text, "utf-8")
    rule = made.preferences["table"].model_dump(exclude={"feedback", "rule", "dimension", *filter(None, [without])})
    return decide(rule, "", str(folder), {SHEET})[0]


def sheets(made: Compiled) -> dict[str, tuple[str, list[str]]]:
    """The oracle's figures sheet of each round that asks for one, and its labels."""
    found = {}
    for one in made.rounds:
        for rule in one.work.expected["files"] if one.work else ():
            if rule["path"] == SHEET:
                labels = [label for section in rule["sections"] for label in section["labels"]]
                found[one.spec.id] = (one.work.oracle[SHEET], labels)
    return found


def test_a_list_beside_a_table_of_something_else_is_refused_for_that_alone(made: Compiled, tmp_path: Path):
    asked = sheets(made)
    (exam,) = (one for one in made.rounds if "table" in one.spec.exam)
    assert len(asked) > 3
    assert exam.spec.id in asked
    for text, labels in asked.values():
        listed = "\n".join(f"- {label}: 1" for label in labels)
        decoy = f"{listed}\n\n| As of | Source |\n|---|---|\n| today | monitoring |\n"
        assert not kept(made, tmp_path, decoy)
        assert kept(made, tmp_path, decoy, without="lacks")
        for label in labels:
            for form in LISTED:
                line = form.format(label)
                assert not kept(made, tmp_path, f"| a | b |\n|---|---|\n| c | d |\n\n{line}\n"), line
        assert not kept(made, tmp_path, listed)
        rows = re.findall(r"(?m)^(?:- |\| )([^|\n]+?)(?:: | \| )([^|\n]+?)(?: \|)?$", text)
        assert {label for label, _ in rows} >= set(labels)
        for form in ("| {} | {} |", "| {}: | {} |", "{} | {}", "| **{}:** | {} |"):
            table = "\n".join(form.format(*row) for row in rows)
            assert kept(made, tmp_path, f"Figure | Value\n---|---\n{table}\n\nThe figures: see above, as of now.\n"), (
                form
            )


def test_the_oracle_of_the_exam_keeps_it(made: Compiled, tmp_path: Path):
    (exam,) = (one for one in made.rounds if "table" in one.spec.exam)
    assert kept(made, tmp_path, exam.work.oracle[SHEET])
    assert not kept(made, tmp_path, exam.work.hasty[SHEET])
