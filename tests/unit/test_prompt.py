"""What a harness gets to read: feedback of the previous round by its own type, the update notice, the question, the roster."""

import re
from pathlib import Path

import pytest

from claw_adapter.protocol import Answers, Gold, Message, Round, RoundRecord, Score, Session
from claw_adapter.questions import builtin
from claw_adapter.questions.words import words
from claw_adapter.runner.prompt import compat_feedback, compose, fill_roster

MC = Round(id="r1", type="multi_choice", question="Which?", options={"A": "this", "B": "that"})
EC = Round(id="r2", type="exec_check", question="Write it.")
FEEDBACK = {"correct": "Good.", "incorrect": "Check: the file.", "options": {"A": "about A", "B": "about B"}}
RULE = {
    "dimension": "tone",
    "rule": "x",
    "answer": True,
    "contains": "y",
    "feedback": {"correct": "kept", "incorrect": "mind P"},
}
ANSWERS = Answers.model_validate(
    {
        "preferences": {"P": RULE},
        "rounds": {
            "r1": {"answer": ["A"], "feedback": FEEDBACK},
            "r2": {"check": {"command": "true"}, "teach": ["P"], "feedback": FEEDBACK},
        },
    }
)


def record(item: Round, value: float | None, **more) -> RoundRecord:
    blob = "0" * 64
    return RoundRecord(
        index=0, round=item.id, type=item.type, prompt="?", score=Score(value=value), feedback="own words",
        events=blob, snapshot=blob, checkpoint=None, **more,
    )  # fmt: skip


def test_feedback_then_notice_then_question():
    text = compose(EC, builtin()["exec_check"], "Good.", updated=True)
    assert text.splitlines()[0] == "Feedback on your previous answer: Good."
    assert text.index("have changed") < text.index("Write it.")
    assert compose(EC, builtin()["exec_check"], "", updated=False) == "Write it."


def test_the_published_form_has_its_own_prefix():
    text = compose(EC, builtin()["exec_check"], "Good.", updated=True, compat="clawarena-1.0")
    assert text == "[Previous Feedback] Good.\n\nWrite it."


@pytest.mark.parametrize(
    ("item", "value", "current", "says"),
    [
        (EC, 0, MC, "Good. mind P"),  # a failed exec_check is told that it succeeded
        (MC, 0, EC, ""),  # a failed multi_choice is told nothing
        (MC, 1, EC, "Good."),
        (EC, 0, EC, "own words"),
        (MC, 0, MC, "own words"),
    ],
)
def test_compat_asks_the_current_rounds_type_about_the_previous_round(tmp_path, item, value, current, says):
    gold = Gold(root=tmp_path, answers=ANSWERS)
    taught = {"P": False} if item is EC else {}
    assert compat_feedback(item, record(item, value, taught=taught), current, gold) == says


def test_the_roster_says_where_this_harness_finds_each_conversation():
    main = Session(id="main", messages=(Message(id="m1", role="user", text="Others:\n${roster}"),))
    ops = Session(id="ops", channel="slack", title="Operations")
    native = fill_roster(main, [ops], lambda name: f"cli:{name}", {})
    assert native.messages[0].text == "Others:\n- Operations (slack): conversation cli:ops"
    files = fill_roster(main, [ops], str, {"ops": "message_logs/ops.md"})
    assert files.messages[0].text.endswith("file message_logs/ops.md")
    assert "(none)" in fill_roster(main, [], str, {}).messages[0].text


def test_what_stands_around_the_question_is_in_the_scenarios_language():
    kinds, zh = builtin(), {"language": "zh-CN"}
    choice, revision = MC.model_copy(update=zh), MC.model_copy(update={**zh, "type": "revision"})
    said = [compose(item, kinds[item.type], "不对。", updated=True) for item in (choice, revision)]
    gold = Gold(root=Path(), answers=ANSWERS)
    said.append(kinds["multi_choice"].feedback(choice, Score(value=0, answer=("A", "B")), gold))
    said.append(kinds["multi_choice"].feedback(choice, Score(value=0, malformed="nothing"), gold))
    main = Session(id="main", messages=(Message(id="m1", role="user", text="${roster}"),))
    ops = Session(id="ops", channel="微信", title="仪器室")
    said += [fill_roster(main, [ops], str, files, "zh").messages[0].text for files in ({}, {"ops": "ops"})]
    theirs = ("Which", "this", "that", "Check", "the", "file", "about", "ops", "A", "B", "C", "bbox")
    for text in said:
        assert re.search(r"[\u4e00-\u9fff]", text)
        assert set(re.findall(r"[A-Za-z]+", text)) <= set(theirs), text
    assert all(r"\bbox{A,C}" in text for text in said[:2])


def test_every_language_has_the_same_places_to_fill():
    for english, chinese in zip(words("en"), words("zh"), strict=True):
        assert set(re.findall(r"\{[a-z]+\}", english)) == set(re.findall(r"\{[a-z]+\}", chinese))
    assert words("fr") == words("") == words("en")
