"""Lists of what is to do: what is shown of one is the last that was given."""

from types import SimpleNamespace

import pytest

from claw_adapter.audit.book import Book
from claw_adapter.audit.todos import TodoLists
from claw_adapter.audit.turns import ChainStep
from claw_adapter.audit.units import CALL, RESULT, RequestUnit, call_text

FIRST = ("Buy 17 red apples", "Call all 23 owners", "Look at file 35 again")
SECOND = (*FIRST[1:], "Write to harbour 46")
TOOL = {"function": {"name": "todo", "parameters": {"properties": {"status": {"enum": ["open", "done"]}}}}}


def boxes(entries):
    return "\n".join(f"- [ ] {entry}" for entry in entries)


def objects(entries):
    return [{"id": str(at), "content": entry, "status": "open"} for at, entry in enumerate(entries)]


def call(entries, shape=boxes, says="noted"):
    """The reply with a call, and its result."""
    unit = RequestUnit(CALL, call_text("todo", {"todos": shape(entries)}), "1")
    reply = SimpleNamespace(calls=[unit], exchange=SimpleNamespace(tools=[TOOL], number=1))
    return ChainStep(reply, [RequestUnit(RESULT, says, "1")])


def judged(*turns):
    """What is found of turns: each the steps of its only reply, what stands before its requests, and whether it counts."""
    book = Book()
    lists = TodoLists(book)
    for steps, texts, counts in turns:
        units = {at: [RequestUnit("system", text), RequestUnit("user", "Go on.")] for at, text in enumerate(texts)}
        chain = [SimpleNamespace(number=at) for at in range(len(texts))]
        before = [0, *[len(steps)] * (len(texts) - 1)]
        turn = SimpleNamespace(chain=chain, before=before, steps=steps, units=units)
        lists.judge(turn, "Go on.", counts=counts)
    return [finding.key for finding in book.findings()]


STALE = ["M20 todos-otherwise"]


@pytest.mark.parametrize("shape", [boxes, objects])
def test_what_is_shown_is_the_last_list(shape):
    given = ([call(FIRST, shape)], ["", boxes(FIRST)], True)
    assert judged(given, ([], [boxes(FIRST)], True)) == []
    assert judged(given, ([], [boxes(FIRST[:2])], True)) == STALE
    assert judged(given, ([], [boxes(FIRST[::-1])], True)) == STALE
    assert (
        judged(given, ([call(SECOND, shape)], [boxes(FIRST), boxes(SECOND)], True), ([], [boxes(SECOND)], True)) == []
    )
    assert judged(given, ([call(SECOND, shape)], [boxes(FIRST), boxes(FIRST)], True)) == STALE
    assert judged(given, ([call(SECOND, shape)], [boxes(FIRST), boxes((*FIRST, SECOND[-1]))], True)) == STALE


def test_what_is_done_again_leaves_nothing():
    given, failed = ([call(FIRST)], ["", boxes(FIRST)], True), ([call(SECOND)], [boxes(FIRST), boxes(SECOND)], False)
    assert judged(given, failed, ([], [boxes(FIRST)], True)) == []
    assert judged(given, failed, ([], [boxes(SECOND)], True)) == STALE


def test_what_may_be_refused_or_is_one_entry_alone_is_no_finding():
    given = ([call(FIRST)], ["", boxes(FIRST)], True)
    assert judged(given, ([], [f"Now: {FIRST[0]}"], True)) == []
    assert judged(given, ([call(SECOND, says="one has to be under way")], [boxes(FIRST)] * 2, True)) == []
    assert judged(([call(FIRST, says=f"noted\n{boxes(FIRST)}")], [""], True)) == []
    assert judged(([call(FIRST, says=f"noted\n{boxes(FIRST[1:])}")], [""], True)) == ["M17 todos-otherwise"]


def test_other_calls_with_lists_are_none():
    edits = [{"old": FIRST[0], "new": "x"}, {"old": FIRST[1], "new": "y"}]
    assert judged(([call(edits, lambda given: given, says=f"{FIRST[0]}\n{FIRST[1]}")], ["", boxes(FIRST)], True)) == []
