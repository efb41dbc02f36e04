"""The reader's rule, and the brief that tells it where to look."""

import pytest

from claw_adapter.demo import DEMO
from claw_adapter.protocol import Gold
from claw_adapter.protocol.gold import OptionEvidence, RoundEvidence
from claw_adapter.scenario import decide, load_gold, load_scenario, make_answer_key, visible_at
from claw_adapter.scenario.evidence import flatten, fragments_of

SCENARIO = load_scenario(DEMO)
GOLD = load_gold(SCENARIO)
INDEX = {item.id: index for index, item in enumerate(SCENARIO.rounds)}


@pytest.mark.parametrize(
    ("visible", "expected"),
    [
        (set(), True),
        ({"s1"}, True),
        ({"s1", "s2"}, True),
        ({"r"}, False),
        ({"s1", "s2", "r"}, False),
        ({"t"}, True),
    ],
)
def test_supports_and_refutes(visible: set[str], expected: bool):
    option = OptionEvidence(supports=(("s1", "s2"), ("t",)), refutes=(("r",),), hasty=True)
    assert decide(RoundEvidence(options={"A": option}), visible) == {"A": expected}


def test_an_undecided_statement_gets_the_hasty_value():
    for hasty in (True, False):
        option = OptionEvidence(supports=(("s1", "s2"),), hasty=hasty)
        assert decide(RoundEvidence(options={"A": option}), {"s1"}) == {"A": hasty}


def test_fragments_become_visible_when_their_source_does():
    assert "u1-door-switch" not in visible_at(SCENARIO, GOLD, INDEX["r4"])
    assert "u1-door-switch" in visible_at(SCENARIO, GOLD, INDEX["r5"])
    assert "u1-door-switch" not in visible_at(SCENARIO, GOLD, INDEX["r5"], without={"U1"})
    assert "date-first" not in visible_at(SCENARIO, GOLD, INDEX["r3"])
    assert "date-first" in visible_at(SCENARIO, GOLD, INDEX["r4"])


def test_flattening_undoes_blanks_and_forms_but_keeps_lines():
    assert flatten("a \t b\n  c\u00a0d ") == "a b\nc d"
    assert flatten("\ufb01le  2") == "file 2"


def answer_key(round_id: str, gold: Gold = GOLD, files: dict[str, str] | None = None, **more):
    return make_answer_key(
        SCENARIO,
        gold,
        INDEX[round_id],
        session_key=lambda name: f"agent:{name}",
        history_files=files or {},
        workspace="/w",
        **more,
    )


def test_a_locator_says_how_to_get_at_a_fragment():
    native = {item.id: item for item in answer_key("r4").fragments}
    assert native["refusal"].path == "customers/contract_excerpt.md"
    assert (native["excess"].session, native["excess"].key) == ("claims-mail", "agent:claims-mail")
    assert native["excess"].path == ""
    memory = native["board-threshold"]
    assert (memory.path, memory.session, memory.key) == ("", "", "")
    rendered = {
        item.id: item for item in answer_key("r4", files={"claims-mail": "message_logs/claims-mail.md"}).fragments
    }
    assert rendered["excess"].path == "message_logs/claims-mail.md"
    assert (rendered["excess"].session, rendered["excess"].key) == ("", "")
    assert [item.path + item.session for item in answer_key("r8").fragments] == [""]


def test_feedback_on_a_round_without_a_score_is_said_by_nobody():
    assert answer_key("r9").unsaid == ()
    assert answer_key("r9", unsaid=["r3", "r7"]).unsaid == ("booked",)


def test_a_brief_has_the_rounds_evidence_and_artefacts_and_no_others():
    found = answer_key("r7")
    assert (found.round, found.type, found.letters, found.workspace) == ("r7", "exec_check", (), "/w")
    assert {item.id for item in found.fragments} == set(fragments_of(GOLD.evidence.rounds["r7"]))
    assert found.oracle.keys() == {"reports/credits.csv", "reports/credits.json"}
    assert found.hasty.keys() == found.oracle.keys()
    assert answer_key("r1").letters == tuple("ABCDEF")


def test_without_an_evidence_layer_the_brief_is_empty():
    found = answer_key("r1", gold=GOLD.model_copy(update={"evidence": None}))
    assert found.evidence is None
    assert found.fragments == ()


def test_what_is_asked_is_the_question_and_the_statements_that_the_prompt_says():
    item = SCENARIO.rounds[INDEX["r1"]]
    assert answer_key("r1", prompt=f"{item.question}\n{item.options['A']}").asked == (item.question, item.options["A"])


def test_what_a_rendered_log_holds_is_told_by_who_can_read_it_where_it_lies():
    path = "message_logs/claims-mail.md"
    assert answer_key("r4", files={"claims-mail": path}, history_text="as {}".format).texts[path] == (f"as {path}",)
    assert answer_key("r4", files={"claims-mail": path}).texts[path] == ()
