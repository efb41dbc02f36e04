"""What a check accepts is what questions and feedback say: words kept out are announced, and what is taught passes."""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from claw_adapter.questions.revision import cited
from claw_adapter.scenario import findings, load_gold, load_scenario
from claw_adapter_scenarios.authoring import EXAMPLE, find_spec
from claw_adapter_scenarios.checker.typed import judge
from claw_adapter_scenarios.compiler import build, compile_spec
from claw_adapter_scenarios.compiler.lessons import lesson
from claw_adapter_scenarios.language.wording import sentence, words_of
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.suites.likeness import shingles
from scenarios.patching import patched


def number(value: float, tolerance: float = 0.0) -> dict[str, Any]:
    return {"as": {"type": "number", "tolerance": str(tolerance)}, "value": str(value)}


def told(language: str = "en", /, **fields: dict[str, Any]) -> str:
    """The lesson on one JSON file with these fields."""
    return lesson({"files": [{"path": "a.json", "format": "json", "fields": fields}]}, language)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (number(39148.17), "39148.17"), (number(1234567), "1234567"), (number(4140.0), "4140"),
        (number(113.333333333, 0.01), "113.33"), (number(0.123456), "0.123456"),
        ({"as": {"type": "moment"}, "value": "2026-05-13T22:05"}, "2026-05-13 22:05"),
        ({"as": {"type": "time", "zone": "+02:00"}, "value": "22:05+02:00"}, "22:05"),
        ({"as": {"type": "date"}, "value": "2026-05-13"}, "2026-05-13"), ({"flag": True}, "true"),
        ({"as": {"type": "choice", "of": ["late", "early"]}, "value": "late"}, "late"),
        ({"as": {"type": "number", "unit": "min"}, "value": 240}, "240 min"),
    ],
)  # fmt: skip
def test_a_value_is_told_as_its_check_accepts_it(wanted: dict[str, Any], said: str):
    assert told(v=wanted) == f"In a.json was wanted: v is {said}."
    assert judge(wanted, json.loads(said) if "flag" in wanted else said, {}) is None


@pytest.mark.parametrize("name", [EXAMPLE.name, "lab-booking-zh", "estate-ledger"])
def test_every_value_that_feedback_teaches_passes(name: str):
    made = compile_spec(load_spec(find_spec(name)))
    rules = [rule for one in made.rounds if one.work for rule in one.work.expected["files"]]
    wanted = [one for rule in rules for one in rule.get("fields", {}).values() if "value" in one]
    wanted += [cell for rule in rules for row in rule.get("rows", {}).get("rows", ()) for cell in row]
    assert len(wanted) > 5
    wrong = [one for one in wanted if judge(one, told(v=one).removeprefix("In a.json was wanted: v is ")[:-1], {})]
    assert wrong == []


def test_the_name_of_a_file_that_the_agent_names_is_not_told():
    rule = {
        "path": "memos/rules.md",
        "find": "memos/*.md",
        "format": "markdown",
        "sections": [{"title": "Rules", "labels": {"Limit": number(35)}}],
    }
    assert lesson({"files": [rule]}, "en") == "In your file in memos/ was wanted: a section Rules; Limit is 35."
    assert lesson({"files": [rule]}, "zh") == "你放在 memos/ 的文件里应当有：“Rules”一节；Limit：35。"


def test_sums_lists_and_programs_are_told_in_words():
    total = {"same_as": "reports/split.csv#sum:per_cent", "tolerance": 0.011}
    other = {"same_as": "a/b.json#fee.net", "tolerance": 0.011}
    three = {"cites": [["a.csv", "b"], ["c.md"], ["d.log"]]}
    assert told(t=total) == "In a.json was wanted: t is the sum of the column per_cent of reports/split.csv."
    assert told(t=other) == "In a.json was wanted: t is the same as fee.net of a/b.json."
    assert told(s=three) == "In a.json was wanted: s is a list with a.csv, c.md and d.log."
    assert told("zh", t=total) == "a.json 里应当有：t：reports/split.csv 中 per_cent 一列之和。"
    assert told("zh", t=other) == "a.json 里应当有：t：与 a/b.json 里的 fee.net 相同。"
    assert (
        told("zh", s=three, n={"as": {"type": "names", "of": {"type": "number"}}, "value": [1, 2]})
        == "a.json 里应当有：s：列表，含 a.csv、c.md、d.log；n：1、2。"
    )
    runs = [{"visible": True, "prints": {"n": number(34), "m": number(239.4)}}]
    script = {"path": "s.py", "format": "python", "script": {"runs": runs}}
    assert lesson({"files": [script]}, "en") == "s.py was to print n=34 and m=239.4."
    assert lesson({"files": [script]}, "zh") == "s.py 应当打印 n=34、m=239.4。"


def test_a_sum_over_a_file_that_the_agent_names_does_not_tell_its_name():
    files = [
        {"path": "out/x.csv", "find": "out/*.csv", "format": "csv", "rows": {"rows": [[number(1), number(2)]]}},
        {"path": "b.json", "format": "json", "fields": {"t": {"same_as": "out/x.csv#sum:n"}}},
    ]
    assert "x.csv" not in lesson({"files": files}, "en")


@pytest.mark.parametrize(
    ("places", "said"), [("data/a.csv", "成立，见 data/a.csv。"), ("会话“导师”", "成立，见会话“导师”。")]
)
def test_chinese_has_a_blank_before_latin_letters_only(places: str, said: str):
    assert sentence("holds", "zh", places=places) == said
    assert sentence("holds", "en", places="a.csv") == "Holds; see a.csv."


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_whose_check_forbids_words_says_so(language: str, tmp_path: Path):
    forbid = (
        "3-rounds",
        "    teach: [dated]\n\n  - id: r4",
        "        lacks: [tomorrow]\n    teach: [dated]\n\n  - id: r4",
    )
    root = patched(tmp_path, ("0-truth", "\nid: ", f"\nlanguage: {language}\nid: "), forbid)
    made = compile_spec(load_spec(root))
    said = words_of(language)["only what holds"]
    forbidding = {one.spec.id for one in made.rounds if any(file.lacks for file in one.spec.files)}
    assert forbidding
    assert forbidding < {one.spec.id for one in made.rounds}
    assert {one.spec.id for one in made.rounds if one.round.question.endswith(said)} == forbidding


def test_what_the_compiler_adds_to_questions_makes_no_two_scenarios_alike():
    said = re.findall(r"[a-z]+", words_of("en")["only what holds"].casefold())
    assert not [one for one in shingles(compile_spec(load_spec(EXAMPLE))) if one in " ".join(said)]


def test_a_revision_may_cite_a_conversation_by_its_title(tmp_path: Path):
    seen = 0
    for name in ("lab-booking-zh", "well-nine"):
        spec = load_spec(find_spec(name))
        made = compile_spec(spec)
        titles = {entry.id: entry.title for entry in made.material.entries}
        scenario = load_scenario(build(spec, tmp_path))
        gold = load_gold(scenario)
        assert [one for one in findings(scenario, gold) if one.id == "SCN-036"] == []
        for cites in (one.answer.revision.cites for one in made.rounds if one.answer.revision):
            for title in (titles[place] for place in cites if place in titles):
                said = words_of(made.canon.language)["conversation"].format(title=title)
                assert title in cited(cites, said, gold)
                seen += 1
    assert seen


def test_feedback_of_the_example_names_no_path_that_is_examined(tmp_path: Path):
    root = patched(tmp_path, ("3-rounds", "path: notes/limits.md", "path: notes/hidden_name.md"))
    one = next(one for one in compile_spec(load_spec(root)).rounds if one.spec.id == "r3")
    assert "hidden_name" not in one.answer.feedback.incorrect
    assert "your file in notes/" in one.answer.feedback.incorrect
