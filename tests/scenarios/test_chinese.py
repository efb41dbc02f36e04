"""Scenarios in Chinese: names drawn by seed, words without blanks in checks, the compiler's own words."""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
from __future__ import annotations

import re
from datetime import datetime

import pytest

from claw_adapter_scenarios.authoring import find_spec
from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.compiler.fillers import fill
from claw_adapter_scenarios.language.people import FAMILY_ZH, FIRST_ZH, split_name
from claw_adapter_scenarios.language.values import render_value
from claw_adapter_scenarios.language.wording import words_of
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.spec.workspace import Contract, Mail, Minutes, Ticket


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


def spoken(language: str) -> list[str]:
    """What the compiler can say by itself in a language, without the signs that stand for values."""
    return [re.sub(r"\{[^}]*\}", "", text) for text in words_of(language).values()]


def test_every_word_of_the_compiler_is_there_in_chinese() -> None:
    assert words_of("zh").keys() == words_of("en").keys()
    files = ("SOUL", "USER", "md")
    left = [text for text in spoken("zh") if set(re.findall(r"[A-Za-z]+", text)) - set(files)]
    assert left == []


def test_values_with_words_in_them_are_written_in_the_language_of_the_scenario() -> None:
    at = datetime.fromisoformat("2026-03-10 21:55")
    said = [render_value(at, form, "zh-CN") for form in ("dm", "long", "wd")]
    assert said == ["3月10日", "2026年3月10日星期二", "星期二"]
    assert [render_value(value, "", "zh") for value in (True, False, [], ["一", "二", "三"])] == [
        "是",
        "否",
        "无",
        "一、二和三",
    ]
    assert render_value(at, "", "zh") == render_value(at) == "2026-03-10 21:55"
    assert [render_value(at, form) for form in ("dm", "long", "wd")] == ["10 March", "Tuesday 10 March 2026", "Tuesday"]


ZH = load_spec(find_spec("lab-booking-zh"))
BOTH = ["daoshi", "guanli"]
DOCUMENTS = [
    Mail.model_validate({
        "path": "a.txt", "source": "s", "kind": "mail", "subject": "机时",
        "mails": [{"from": "daoshi", "to": ["guanli"], "at": "2026-05-12 08:30", "text": "请看。"}] * 2,
    }),
    Minutes.model_validate({
        "path": "b.md", "source": "s", "kind": "minutes", "meeting": "碰头", "at": "2026-05-12 08:30", "present": BOTH,
        "items": [{"topic": "分工", "text": "照旧。", "decision": "不变。"}], "actions": ["预约。"],
    }),
    Ticket.model_validate({
        "path": "c.txt", "source": "s", "kind": "ticket", "number": "7", "title": "网慢", "opened": "2026-05-12 08:30",
        "by": "daoshi", "status": "已关闭", "priority": "一般",
        "comments": [{"at": "2026-05-12 09:00", "by": "guanli", "text": "好。"}],
    }),
    Contract.model_validate({
        "path": "d.md", "source": "s", "kind": "contract", "title": "办法", "parties": ["甲", "乙"], "dated": "春季",
        "clauses": [{"title": "计费", "text": "按时。"}],
    }),
]  # fmt: skip


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: one.kind)
def test_documents_have_chinese_heads(document: Mail | Minutes | Ticket | Contract) -> None:
    canon = compile_spec(ZH).canon
    mail = {canon.text(key, "mail") or "" for key in BOTH}
    text = fill(document, canon).text
    for address in mail:
        text = text.replace(address, "")
    assert re.findall(r"[A-Za-z]{2,}", text) == []
    assert ": " not in text


@pytest.mark.parametrize("seed", [0, 3])
def test_nothing_that_is_shown_speaks_english_by_itself(seed: int) -> None:
    made = compile_spec(ZH, seed)
    stamps = [found for loop in made.material.loops for found in re.findall(r"^\[.*?\]", loop.messages[0].text)]
    assert stamps
    assert not [stamp for stamp in stamps if not re.search(r"\| 周[一二三四五六日] \d{4}-\d\d-\d\d \d\d:\d\d ", stamp)]
    assert not [stamp for stamp in stamps if "wechat" in stamp.casefold()]
    heads = [m.text.splitlines()[-1] for loop in made.material.loops for m in loop.messages if m.role == "tool"]
    assert heads
    assert all(re.fullmatch(r"……（共 \d+ 行）", head) for head in heads)
    replies = [text for one in made.rounds for text in (one.evidence.answer, one.evidence.hasty_answer) if text]
    artefacts = [
        line for one in made.rounds if one.work for text in one.work.oracle.values() for line in text.splitlines()
    ]
    assert not [
        text for text in (*replies, *artefacts) if re.search("nothing further|unchecked|conclusion|work is done", text)
    ]
    assert not re.search(r"\((wechat|im|mail|telegram), ", made.files["workspace/USER.md"].decode())
