"""Scenarios in Chinese: names drawn by seed, words without blanks in checks, the compiler's own words."""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
from __future__ import annotations

import pytest

from claw_adapter_scenarios.authoring import find_spec
from claw_adapter_scenarios.checker.program import has, same
from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.language.people import FAMILY_ZH, FIRST_ZH, split_name
from claw_adapter_scenarios.spec import load_spec


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("样品共12份", "12", True),
        ("样品共112份", "12", False),
        ("读数为12.5", "12", False),
        ("仪器已停用，待修", "已停用", True),
        ("第3次校准", "校准", True),
        ("a café12", "12", False),
        ("12 of them", "12", True),
    ],
)
def test_words_are_found_where_scripts_have_no_blanks(text: str, word: str, found: bool) -> None:
    assert has(text, word) is found


def test_a_text_is_the_same_with_chinese_punctuation_around_it() -> None:
    assert same({"kind": "text", "value": "有"}, "“有”。")


def test_names_are_split_by_their_script() -> None:
    assert split_name("Ana Ruiz") == ("Ana", "Ruiz")
    assert split_name("陈晓岚") == ("晓岚", "陈")


def test_pools_have_no_name_twice() -> None:
    given = [name for names in FIRST_ZH.values() for name in names]
    assert len(set(given)) == len(given)
    assert len(set(FAMILY_ZH)) == len(FAMILY_ZH) >= 30


@pytest.mark.parametrize("seed", [0, 3])
def test_people_of_a_chinese_scenario_have_chinese_names_and_ascii_mail(seed: int) -> None:
    made = compile_spec(load_spec(find_spec("lab-booking-zh")), seed)
    assert all(name.isidentifier() and not name.isascii() and " " not in name for name in made.canon.people.values())
    assert all(made.canon.text(key, "mail").isascii() for key in made.canon.people)
    assert len(set(made.canon.people.values())) == len(made.canon.people)


def test_the_compiler_speaks_the_language_of_the_scenario() -> None:
    made = compile_spec(load_spec(find_spec("lab-booking-zh")))
    told = [text for one in made.rounds for text in one.answer.feedback.options.values()]
    told += [one.answer.feedback.incorrect for one in made.rounds]
    assert not [text for text in told if text.isascii()]
    assert made.files["workspace/SOUL.md"].decode().startswith("# 原则")
