"""What is known of the text beside a harness's own words, and when that speaks against them."""

from types import SimpleNamespace

import pytest

from claw_adapter.audit.book import Book
from claw_adapter.audit.own import OwnWordsHeard, doubted
from claw_adapter.audit.units import CALL, RESULT, RequestUnit, call_text

OLD, NEW = "The gate opens at eight on Sundays.", "The gate stays closed on Sundays."
LENT = "The two chairs are lent until May."
GIVEN = [
    ("user", "Ann", "I have paid my third of it."),
    ("user", "Ben", "The water bill has come today."),
    ("assistant", "", "I have noted both of these."),
]


def heard(*units, before="", after="", call=None):
    """The own words of one request, each with whether it is doubted, beside what it stands, and what it says."""
    own = OwnWordsHeard(Book())
    for role, speaker, text in GIVEN:
        own.learn(role, [text], speaker)
    own.files({"hours.md": before}, {"hours.md": before}, ())
    own.files({"hours.md": before}, {"hours.md": after}, ())
    exchange = SimpleNamespace(number=1, tools=())
    offered = [(call, unit) for unit in units if call is not None and unit.kind == RESULT]
    chain = [exchange]
    turn = SimpleNamespace(
        steps=[SimpleNamespace(offered=offered)], chain=chain, exchanges=chain, units={1: list(units)}
    )
    own.hear(turn, "", {"c1"})
    return [(one.doubted, one.beside, one.what) for one in doubted(own.book.own_words())]


def said(text, kind="user"):
    return RequestUnit(kind, text)


def test_a_name_before_what_another_one_said_is_marked():
    right = heard(said("[from Ann]\nI have paid my third of it."), said("[from Ben]\nThe water bill has come today."))
    assert {mark for mark, _, _ in right} == {False}
    assert heard(said("[from Ben]\nI have paid my third of it.")) == [
        (True, "not who said what stands after it: Ann", "[from Ben]")
    ]


def test_times_before_both_speakers_are_not_marked_and_several_labels_are():
    every = [text for _, _, text in GIVEN]
    times = [said(f"[{day} 26.11., 08:1{n}]\n{text}") for day in ("Do", "Fr") for n, text in enumerate(every)]
    assert not any(mark for mark, _, _ in heard(*times))
    labels = [said(f"{label}:\n{text}") for label in ("User", "Model") for text in every]
    assert all(mark for mark, beside, _ in heard(*labels) if beside.startswith("before what"))


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (f"hours.md: {OLD}", True),
        (f"hours.md: was “{OLD}”, is now “{NEW}”", False),
        (f"hours.md: {NEW}", False),
        (f"hours.md: {OLD} {LENT}", True),
    ],
    ids=["of old", "what it was and is", "as it is", "of old, beside what stays"],
)
def test_a_line_that_no_file_has_is_marked_where_no_newer_one_stands_beside_it(text, marked):
    own = OwnWordsHeard(Book())
    own.files({"hours.md": f"{OLD}\n{LENT}\n"}, {"hours.md": f"{NEW}\n{LENT}\n"}, ())
    own.files({"hours.md": f"{NEW}\n{LENT}\n"}, {"hours.md": f"{NEW}\n{LENT}\n"}, ())
    exchange = SimpleNamespace(number=1, tools=())
    own.hear(SimpleNamespace(steps=[], chain=[exchange], exchanges=[exchange], units={1: [said(text)]}), "", ())
    assert [one.doubted for one in doubted(own.book.own_words())] == [marked]


@pytest.mark.parametrize(("shown", "marked"), [(OLD, True), (NEW, False), (f"- {OLD}\n+ {NEW}", False)])
def test_a_result_that_shows_what_its_call_has_replaced_is_marked(shown, marked):
    call = RequestUnit(CALL, call_text("edit_file", {"path": "hours.md", "old": OLD, "new": NEW}), "c1")
    result = RequestUnit(RESULT, f"edited, the lines there are now:\n{shown}", "c1")
    found = heard(result, before=f"{OLD}\n{LENT}\n", after=f"{NEW}\n{LENT}\n", call=call)
    assert any(mark for mark, _, _ in found) is marked


TASK = "Find the dearest rent of the shops.\nOnly shops that are closed on Sundays count."


@pytest.mark.parametrize(
    ("passed", "marked"),
    [(TASK, []), (TASK.splitlines()[0], [TASK.splitlines()[1]]), ("A title for this talk.", [])],
    ids=["whole", "its beginning", "something else"],
)
def test_a_task_of_which_a_sub_agent_gets_a_part_is_marked(passed, marked):
    own = OwnWordsHeard(Book())
    own.learn("user", [TASK])
    call = RequestUnit(CALL, call_text("task", {"task": TASK}), "c1")
    steps = [SimpleNamespace(offered=[(call, RequestUnit(RESULT, "The quay shop.", "c1"))])]
    exchanges = [SimpleNamespace(number=number, tools=(), reply=None) for number in (1, 2)]
    units = {1: [said(TASK)], 2: [said(passed)]}
    own.hear(SimpleNamespace(steps=steps, chain=exchanges[:1], exchanges=exchanges, units=units), "", ())
    assert [one.what for one in doubted(own.book.own_words()) if one.doubted] == marked


BEGINS, ENDS = "I look into the shops of the quay first.", "The dearest of them is the net maker's."


@pytest.mark.parametrize(
    ("shown", "marked"), [(ENDS, []), (f"It reports:\n{ENDS}\n(in 2 steps)", []), (BEGINS, [ENDS])]
)
def test_what_a_sub_agent_says_at_its_end_and_its_caller_does_not_hear_is_marked(shown, marked):
    def exchange(number, text=None, *calls):
        reply = None if text is None else {"content": text, "tool_calls": list(calls)}
        return SimpleNamespace(number=number, tools=(), reply=reply, status=200, fault="", failure=None)

    own = OwnWordsHeard(Book())
    own.learn("user", [TASK])
    call = RequestUnit(CALL, call_text("task", {"task": TASK}), "c1")
    steps = [SimpleNamespace(offered=[(call, RequestUnit(RESULT, shown, "c1"))])]
    looks = {"id": "s1", "function": {"name": "list", "arguments": "{}"}}
    exchanges = [exchange(1), exchange(2, BEGINS, looks), exchange(3, ENDS)]
    units = {1: [said(TASK)], 2: [said(TASK)], 3: [said(TASK)]}
    own.hear(SimpleNamespace(steps=steps, chain=exchanges[:1], exchanges=exchanges, units=units), "", ())
    assert [one.what for one in doubted(own.book.own_words()) if one.doubted] == marked
