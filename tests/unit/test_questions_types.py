"""Question types: what is asked, how it is scored, what is said about it."""

from __future__ import annotations

import pytest

from claw_adapter.errors import Owner, SandboxError, ScenarioError
from claw_adapter.protocol import (
    Agreement,
    Answer,
    Answers,
    Evidence,
    Feedback,
    Fragment,
    Gold,
    Revision,
    Round,
    RoundTags,
    Score,
    TurnResult,
)
from claw_adapter.protocol.gold import RoundEvidence
from claw_adapter.question import ScoringContext
from claw_adapter.questions import builtin
from claw_adapter.questions.exec_check import substitute
from claw_adapter.questions.words import words

OPTIONS = {"C": "gamma", "A": "alpha", "B": "beta", "D": "delta"}


def gold_of(tmp_path, key, **more):
    return Gold(root=tmp_path, answers=Answers(rounds={"r1": key}, **more), evidence=None)


def context(gold, **more):
    return ScoringContext(gold=gold, workspace=gold.root, isolation=1, **more)


def item(kind="multi_choice", **more):
    return Round(id="r1", type=kind, question="Which?", options=OPTIONS, tags=RoundTags(), **more)


def turn(text):
    return TurnResult(text=text)


@pytest.fixture
def choice():
    return builtin()["multi_choice"]


def test_the_built_in_types_go_by_their_names():
    assert {name: kind.name for name, kind in builtin().items()} == {
        name: name for name in ("multi_choice", "exec_check", "preference", "revision")
    }
    assert [name for name, kind in builtin().items() if kind.needs_workspace] == ["exec_check", "preference"]


def test_the_native_prompt(choice):
    first, options, instruction = choice.prompt(item()).split("\n\n")
    assert first == "Which?"
    assert options == "A. alpha\nB. beta\nC. gamma\nD. delta"
    assert r"\bbox{A,C}" in instruction


def test_the_published_prompt_keeps_its_slips(choice):
    text = choice.prompt(item(updates=("u1",)), compat="clawarena-1.0")
    assert text == (
        "The workspace and messages in other channels are updated.\\n\n"
        "Which?\nA. alpha\nB. beta\nC. gamma\nD. delta\n\n"
        "\\nSelect all correct statements, and answer with \\bbox{X,Y,...} format directly."
    )
    assert choice.prompt(item(), compat="clawarena-1.0").startswith("Which?\nA. alpha")


@pytest.mark.parametrize("kind", ["exec_check", "preference"])
@pytest.mark.parametrize("compat", [None, "clawarena-1.0"])
def test_other_questions_are_asked_bare(kind, compat):
    assert builtin()[kind].prompt(item(kind), compat=compat) == "Which?"


async def test_only_exactly_the_right_set_scores(choice, tmp_path):
    gold = gold_of(tmp_path, Answer(answer=("A", "C")))
    values = {
        text: (await choice.score(item(), turn(text), context(gold))).value
        for text in (r"\bbox{C,A}", r"\bbox{A}", r"\bbox{A,B,C}", r"\bbox{}")
    }
    assert list(values.values()) == [1.0, 0.0, 0.0, 0.0]


async def test_everything_finer_is_recorded(choice, tmp_path):
    gold = gold_of(tmp_path, Answer(answer=("A", "C")))
    score = await choice.score(item(), turn(r"\bbox{A,B}"), context(gold))
    assert score.answer == ("A", "B")
    assert score.detail.statements == Agreement(
        iou=1 / 3, precision=0.5, recall=0.5, f1=0.5, v1=0.5, options={"A": "tp", "B": "fp", "C": "fn", "D": "tn"}
    )


async def test_an_unreadable_answer_scores_nothing_and_says_why(choice, tmp_path):
    gold = gold_of(tmp_path, Answer(answer=("A",), feedback=Feedback(correct="yes", incorrect="no")))
    score = await choice.score(item(), turn(r"\bbox{E}"), context(gold))
    assert (score.value, score.answer) == (0.0, None)
    assert "'E'" in score.malformed
    assert choice.feedback(item(), score, gold) == words("en").reminder


async def test_compat_reads_the_first_box(choice, tmp_path):
    gold = gold_of(tmp_path, Answer(answer=("A",)))
    text = turn(r"\bbox{A} or rather \bbox{B}")
    assert (await choice.score(item(), text, context(gold, compat="clawarena-1.0"))).value == 1.0
    assert (await choice.score(item(), text, context(gold))).value == 0.0


def test_feedback_speaks_of_each_statement_that_was_wrong(choice, tmp_path):
    words = Feedback(correct="well done", options={"B": "beta is old", "C": "gamma is in the log"})
    gold = gold_of(tmp_path, Answer(answer=("A", "C", "D"), feedback=words))
    said = choice.feedback(item(), Score(value=0.0, answer=("A", "B")), gold)
    assert said.splitlines() == [
        "B (chosen, but not true): beta is old",
        "C (true, but not chosen): gamma is in the log",
        "D (true, but not chosen)",
    ]
    assert choice.feedback(item(), Score(value=1.0, answer=("A", "C", "D")), gold) == "well done"
    assert choice.feedback(item(), Score(value=None), gold) == ""


async def test_a_round_without_a_key_is_the_scenario_s_fault(choice, tmp_path):
    gold = Gold(root=tmp_path, answers=Answers(rounds={}))
    with pytest.raises(ScenarioError, match="r1"):
        await choice.score(item(), turn("x"), context(gold))


def test_placeholders_are_quoted_and_unknown_ones_left_alone():
    values = {"workspace": "/a b/'c'", "checks": "/checks"}
    assert substitute("x ${workspace} ${checks}/y ${HOME} ${} $workspace", values) == (
        """x '/a b/'"'"'c'"'"'' /checks/y ${HOME} ${} $workspace"""
    )
    assert substitute("${workspace}", {"workspace": "${checks}", "checks": "no"}) == "'${checks}'"


async def test_a_sandbox_that_fails_leaves_the_round_unscored(tmp_path, monkeypatch):
    import claw_adapter.sandbox
    from claw_adapter.protocol import Check

    async def broken(*_, **__):
        raise SandboxError("no namespaces")

    monkeypatch.setattr(
        "claw_adapter.questions.rules.run_check", broken
    )  # first: it takes the name when it is imported
    monkeypatch.setattr(claw_adapter.sandbox, "run_check", broken)
    gold = gold_of(tmp_path, Answer(check=Check(command="true"), feedback=Feedback(correct="yes", incorrect="no")))
    kind = builtin()["exec_check"]
    score = await kind.score(item("exec_check"), turn("done"), context(gold))
    assert score.value is None
    assert score.cause is not None
    assert score.cause.owner is Owner.SANDBOX
    assert kind.feedback(item("exec_check"), score, gold) == ""


def revision_gold(tmp_path, **more):
    key = Answer(
        answer=("A", "C"),
        revision=Revision(of="r0", stale=("B",), cites=("f1", "docs/audit_2.md")),
        feedback=Feedback(correct="revised", incorrect="look again"),
    )
    fragment = Fragment(where="workspace/docs/audit_2.md", text="Audit: 7 nurses are over **48 h** per week")
    evidence = Evidence(fragments={"f1": fragment}, rounds={"r1": RoundEvidence()})
    return Gold(root=tmp_path, answers=Answers(rounds={"r1": key}), evidence=evidence)


CITE = "docs/audit_2.md says so."


@pytest.mark.parametrize(
    ("reply", "earlier", "value"),
    [
        (rf"{CITE} \bbox{{A,C}}", ("B",), 1.0),
        (rf"{CITE} \bbox{{A,C}}", None, 1.0),
        (rf"{CITE} \bbox{{B}}", ("B",), 0.5),
        (rf"{CITE} \bbox{{B}}", None, 0.5),
        (rf"{CITE} \bbox{{D}}", ("D",), 0.5),
        (rf"{CITE} \bbox{{D}}", ("B",), 0.0),
        (rf"{CITE} \bbox{{A}}", ("B",), 0.0),
        (r"\bbox{A,C}", ("B",), 0.0),
        (r"old_docs/audit_2.mdx \bbox{A,C}", ("B",), 0.0),
        (r"mydocs/audit_2.md \bbox{A,C}", ("B",), 0.0),
        (CITE, ("B",), 0.0),
        ("> audit:  7 nurses\nare OVER `48 h` per week\n\n\\bbox{A,C}", ("B",), 1.0),
        ("\u6839\u636edocs/audit_2.md\u7684\u7ed3\u679c \\bbox{A,C}", ("B",), 1.0),
    ],
)
async def test_revision_scores_by_rule(tmp_path, reply, earlier, value):
    gold = revision_gold(tmp_path)
    answers = {} if earlier is None else {"r0": earlier}
    kind = builtin()["revision"]
    score = await kind.score(item("revision"), turn(reply), context(gold, answers=answers))
    assert score.value == value
    assert score.detail.was_stale == (None if earlier is None else earlier == ("B",))
    said = kind.feedback(item("revision"), score, gold)
    assert said == (words("en").reminder if score.answer is None else "revised" if value == 1 else "look again")


def test_a_revision_prompt_asks_for_the_evidence():
    text = builtin()["revision"].prompt(item("revision"))
    assert "A. alpha\nB. beta" in text
    assert "quote" in text
