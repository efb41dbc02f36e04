"""The parts of the audit: units of requests, renderings, alignment, damage, declared losses."""

import json
from datetime import UTC, datetime, timedelta, timezone
from itertools import groupby
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.audit.alignment import align
from claw_adapter.audit.answers import judge_usage
from claw_adapter.audit.book import Book
from claw_adapter.audit.conversation import _Request, judge_requests, minutes
from claw_adapter.audit.damage import Damage, damage_of, declared_for
from claw_adapter.audit.histories import Histories, HistoryCall, _walked
from claw_adapter.audit.past import Past
from claw_adapter.audit.remarks import WholeReadings, first_page
from claw_adapter.audit.rendering import Renderer, without_directives
from claw_adapter.audit.results import Failed, asks_for_part, flat_of, lines_in, whole_in
from claw_adapter.audit.summaries import Summaries
from claw_adapter.audit.turns import RequestTurn, SideTalk
from claw_adapter.audit.units import RESULT, RequestUnit, Said, begins, call_text, units_of
from claw_adapter.audit.words import KnownLines, ScenarioLines
from claw_adapter.protocol import (
    Capabilities,
    Clip,
    Drop,
    Forget,
    Mask,
    Message,
    Prune,
    ReportedUsage,
    Session,
    ToolCall,
    WindowLimit,
)
from claw_adapter.runs.transcript import Exchange
from claw_adapter.scenario.load import load_gold, load_scenario
from support.scenarios import write_scenario

LONG = "the meter of the market hall shows a number, " * 40


def renderer(*names, losses=()):
    return Renderer(Capabilities(renderings=names, losses=losses))


def said(text, kind="user", **more):
    return Said(kind, text, more.pop("origin", "seeded"), **more)


def unit(text, kind="user", call=""):
    return RequestUnit(kind, text, call)


def damage(expected, *texts, names=(), losses=(), kind="user", **more):
    """How it is damaged, and the declared loss that explains it."""
    made = renderer(*names, losses=losses)
    units = [unit(text, kind, call="c") for text in texts]
    found = damage_of(expected, units, range(len(units)), made)
    return found.how, declared_for(expected, found, units, made, **{"age": 0, "tokens": 0, **more})


def test_results_of_one_reply_are_compared_in_the_order_of_its_calls():
    calls = [{"id": name, "function": {"name": "read", "arguments": "{}"}} for name in "ab"]
    messages = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": "second"},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "first"}]},
    ]
    assert [one.text for one in units_of(messages)] == ["read {}", "read {}", "first", "second"]


def test_a_call_may_have_a_tool_s_defaults_written_into_it_and_nothing_else():
    asked = said(call_text("edit", {"path": "a", "old": ""}), kind="call")
    for more, missing in (({"all": False, "mode": None}, []), ({"all": True}, [0])):
        there = unit(call_text("edit", {"path": "a", "old": "", **more}), kind="call")
        assert align([asked], [there], renderer()).missing == missing
    assert align([asked], [unit(call_text("edit", {"path": "a"}), kind="call")], renderer()).missing == [0]


def test_calls_are_the_same_however_their_arguments_are_written():
    assert call_text("f", '{"b": 1,  "a": "é"}') == call_text("f", {"a": "é", "b": 1})
    assert call_text("f", "{broken") == "f {broken"


@pytest.mark.parametrize(
    ("names", "expected", "there"),
    [
        ((), said("plain"), "plain"),
        (("stamp",), said("plain"), "[Mon 2026-03-02 09:00 UTC] plain"),
        (("speaker_as",), said("plain", speaker="Ann"), "Ann: plain"),
        (("system_as", "speaker_as"), said("plain", "system", speaker="Ann"), "[system] Ann: plain"),
        (("trim", "newline"), said(" one\r\ntwo "), "one\ntwo"),
        (("insert",), said("plain"), "<note>x</note>\nplain\n<note>y</note>"),
    ],
)
def test_a_rendering_is_equal_where_it_is_declared_and_only_there(names, expected, there):
    assert align([expected], [unit(there)], renderer(*names)).missing == []
    if names:
        assert align([expected], [unit(there)], renderer()).missing == [0]


def test_what_begins_like_a_stamp_may_have_no_other_one():
    own = said("[Mon 2026-03-02 09:00 UTC] plain")
    for there in (own.text, f"[Tue 2026-03-03 08:00 UTC] {own.text}"):
        assert align([own], [unit(there)], renderer("stamp")).missing == []
    assert align([own], [unit("plain")], renderer()).missing == [0]


@pytest.mark.parametrize(
    ("shown", "right"),
    [
        ("2026-03-12T08:02:00+01:00", True), ("2026-03-12 07:02 UTC", True), ("Thu 2026-03-12 07:02Z", True),
        ("2026-03-12T12:32:59.5+0530", True), ("2026-03-12 08:02", True), ("2026-03-12 07:02", True),
        ("2026-03-12 08:02 UTC", False), ("2026-03-12T07:02+01:00", False), ("2026-03-12 09:02", False),
    ],
)  # fmt: skip
def test_a_stamp_is_held_against_the_time_with_the_zone_that_it_names(shown, right):
    time = datetime.fromisoformat("2026-03-12T08:02:30+01:00")
    assert (renderer("stamp").stamped(f"[{shown}] plain") in minutes(time)) == right


def test_joined_messages_are_found_in_order_and_each_once():
    both = [said("the first of them"), said("the second of them")]
    joined = [unit("the first of them\n\nthe second of them")]
    assert align(both, joined, renderer("merge")).missing == []
    assert len(align(both[::-1], joined, renderer("merge")).missing) == 1
    assert align(both, [unit("the first of them, well, the second of them")], renderer("merge")).missing == [1]


@pytest.mark.parametrize(
    ("there", "how"),
    [
        (LONG[:900], "cut"), (f"{LONG}!", "added"), (f"{LONG}\n\n{LONG}", "doubled"), (LONG.strip(), "stripped"),
        (LONG.replace(", ", ",\x07 "), "control"), ("something else", "missing"),
    ],
)  # fmt: skip
def test_damage_is_called_by_its_name(there, how):
    assert damage(said(LONG), there)[0] == how


def test_what_differs_in_a_number_is_not_cut():
    assert damage(said("Noted: door number 13 needs oil."), "Noted: door number 3 needs oil.")[0] == "missing"


def test_a_loss_explains_what_it_says_and_nothing_smaller():
    clip = Clip(of="seeded", characters=1000)
    assert damage(said(LONG), LONG[:1000], losses=[clip])[1] == clip
    assert damage(said(LONG), LONG[:300], losses=[clip])[1] is None
    assert damage(said(LONG, origin="prompt"), LONG[:1000], losses=[clip])[1] is None
    preview = Clip(of="result", characters=1000, left=100)
    result = said(LONG, RESULT, call="c")
    assert damage(result, f"saved to a file\n{LONG[:120]}", losses=[preview], kind=RESULT)[1] == preview


def test_prune_wants_its_age_mask_its_mark_and_the_window_its_tokens():
    prune, mask, window = Prune(turns=3), Mask(), WindowLimit(tokens=1000, then="oldest")
    result = said(LONG, RESULT, call="c")
    assert [damage(result, "[cleared]", losses=[prune], kind=RESULT, age=age)[1] for age in (2, 3)] == [None, prune]
    secret = said("my password is hunter2hunter2, please keep it to yourself for good")
    assert damage(secret, "my password is ***, please keep it to yourself for good", losses=[mask])[1] == mask
    assert [damage(secret, "x", losses=[window], tokens=n)[1] for n in (500, 700)] == [None, window]
    assert [damage(secret, "x", losses=[window], tokens=700, older=n)[1] for n in (2, 3)] == [window, None]


def test_a_window_that_is_told_takes_the_place_of_the_one_that_is_taken_for_granted():
    limit = WindowLimit(tokens=1_000_000, then="error", reserve=300, told="summary")
    assert limit.at(1_000) == WindowLimit(tokens=700, then="summary")
    assert limit.at(100).tokens == 1
    assert WindowLimit(tokens=5, then="oldest").at(9) == WindowLimit(tokens=9, then="oldest")


def test_lines_that_are_directives_may_be_left_out_where_that_is_declared():
    loss = Drop(what="directives")
    text = "Here it is, as you wished\nMEDIA:/tmp/x.png\nand that is all of it"
    there = "Here it is, as you wished\nand that is all of it"
    assert damage(said(text, "assistant"), there, losses=[loss], kind="assistant") == ("directives", loss)


def test_a_result_is_read_through_numbers_and_quotes():
    text = 'one "quoted" line here\nand another line there'
    assert whole_in(text, flat_of('1| one "quoted" line here\n2| and another line there'))
    assert whole_in(text, flat_of(json.dumps({"lines": text.splitlines()})))
    assert not whole_in(text, "and another line there")
    assert lines_in(text, "and another line there") == 1
    assert asks_for_part({"path": "a", "offset": 20})
    assert not asks_for_part({"path": "a", "offset": 1})
    assert not asks_for_part({"sessionKey": "a", "limit": 1000}, 70)


def reading_tool(*parameters):
    return {"function": {"name": "read", "parameters": {"properties": {key: {} for key in ("path", *parameters)}}}}


@pytest.mark.parametrize(
    ("remark", "tools", "told"),
    [
        ("(lines 1 to 20 of 60, go on at 21)", [reading_tool("offset")], True),
        ("60 lines in all; `next_part` has the others", [reading_tool(), {"function": {"name": "next_part"}}], True),
        ("", [reading_tool("offset")], False),
        ("that was the text", [reading_tool("offset")], False),
        ("(60 lines in all)", [reading_tool(), {"function": {"name": "send_mail"}}], False),
        ("(60 lines in all)", [reading_tool("encoding")], False),
    ],
)
def test_a_page_is_no_cut_where_it_says_that_there_is_more_and_there_is_a_way_to_it(remark, tools, told):
    lines = [f"line of the register, entry {n * 7}" for n in range(1, 61)]
    text, page = "\n".join(lines), "\n".join(f"{n:4} {line}" for n, line in enumerate(lines[:20], start=1))
    result = f"{page}\n{remark}"
    claim = first_page(text, result, result, "a", ("read", {"path": "a"}, tools))
    assert bool(claim and claim.holds(WholeReadings())) is told


TEXTS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30), max_size=12)


@given(TEXTS, st.lists(st.integers(0, 12), max_size=4))
def test_what_is_there_is_found_and_what_is_taken_out_is_missing(texts, gone):
    expected = [said(text, ("user", "assistant")[n % 2]) for n, text in enumerate(texts)]
    whole = [unit(one.text, one.kind) for one in expected]
    assert align(expected, whole, renderer()).missing == []
    left = [one for n, one in enumerate(whole) if n not in gone]
    missing, lost = len(align(expected, left, renderer()).missing), len(whole) - len(left)
    assert missing == lost or (
        missing > lost and len(set(texts)) < len(texts)
    )  # of equal texts nobody knows which one went


@given(TEXTS)
def test_declared_renderings_together_lose_nothing(texts):
    names = ("stamp", "system_as", "speaker_as", "trim", "newline", "insert", "merge")
    expected = [said(text, speaker="Ann") for text in texts if text.strip()]
    shown = [unit(f"[2026-03-02 09:00] Ann: {one.text}".replace("\r\n", "\n").replace("\r", "\n")) for one in expected]
    assert align(expected, shown, renderer(*names)).missing == []


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.sampled_from("abcd")), min_size=1, max_size=14))
def test_what_is_said_twice_is_found_though_some_of_it_is_joined(talk):
    expected = [said(f"Of the {letter} there is no more to be said.", kind) for kind, letter in talk]
    shown = [
        unit("\n\n".join(one.text for one in group), kind)
        for kind, group in groupby(expected, key=lambda one: one.kind)
    ]
    assert align(expected, shown, renderer("merge")).missing == []


def test_a_line_of_a_gold_file_that_says_what_may_be_known_is_no_leak(tmp_path):
    root = write_scenario(tmp_path / "s", [{"id": "r1"}], histories=["chat-of-the-harbour-office"])
    (root / "workspace/logs").mkdir()
    (root / "workspace/logs/retry_worker_part1.log").write_text("nothing of note\n")
    (root / "gold/oracle/r1").mkdir(parents=True)
    listed = ["logs/retry_worker_part1.log", "chat-of-the-harbour-office", "the payment was made twice"]
    (root / "gold/oracle/r1/report.json").write_text(json.dumps({"sources": listed}, indent=2))
    scenario = load_scenario(root)
    known = KnownLines(scenario, ScenarioLines.of(scenario, load_gold(root)), {})
    asked = [f"    {json.dumps(one)}," for one in listed]
    assert known.judge(asked[:2], 0) == []
    assert [one.line for one in known.judge(asked, 0)] == ['"the payment was made twice"']
    known.visible(["echo 'Ann'\"'\"'s payment was made, and made twice' > notes.md"])
    known.lines.gold.add("Ann's payment was made, and made twice")
    assert known.judge(["Ann's payment was made, and made twice"], 0) == []


def test_a_line_that_the_agent_has_made_by_a_call_is_no_leak_though_an_update_says_it_later(tmp_path):
    root = write_scenario(tmp_path / "s", [{"id": "r1"}, {"id": "r2"}])
    (root / "workspace/rules.md").write_text("For a late convoy EUR 650 are taken off the bill.\n")
    scenario = load_scenario(root)
    known = KnownLines(scenario, ScenarioLines.of(scenario, load_gold(root)), {})
    line = "For a late convoy EUR 650 are not off the bill."
    known.lines.later[line] = 1
    for calls in ((), ["grep taken rules.md"], ["echo not"]):
        known.called(calls)
        assert [one.line for one in known.judge([line], 0)] == [line]
    known.called(["sed -i 's/taken/not/' rules.md"])
    assert known.judge([line], 0) == []
    known.lines.later["For a late convoy EUR 800 are not off the bill."] = 1
    assert known.judge(["For a late convoy EUR 800 are not off the bill."], 0)


def test_a_number_that_is_looked_for_is_no_size_of_a_page():
    assert asks_for_part({"session_key": "chat", "query": "6000"}, 68)
    assert not asks_for_part({"session_key": "chat", "limit": "6000", "query": None}, 68)


@pytest.mark.parametrize(("shown", "found"), [("12:00", []), ("11:30", ["history-times"])])
def test_a_time_beside_a_message_is_its_own_also_where_others_begin_with_the_same_words(shown, found):
    said_at = [("Thank you.", "09:00"), ("The books are closed.", "11:00"), ("The key is lost.", "11:30")]
    said_at.append(("Thank you. I use the day of death.", "12:00"))
    messages = [Message(id=at, role="user", text=text, time=f"2026-03-02T{at}:00+00:00") for text, at in said_at]
    page = [(text, at) for text, at in said_at[1:3]] + [(said_at[3][0], shown)]
    flat = "\n".join(f"2026-03-02T{at}:00 {text}" for text, at in page)
    book = Book()
    failed = Failed()
    Histories(renderer(), book, failed, ())._times(Session(id="mail", messages=messages), flat, 1)
    failed.report(book)
    assert [finding.cause for finding in book.findings()] == found


@pytest.mark.parametrize(("missing", "found"), [(slice(5, 8), []), (slice(0), ["history-times"])], ids=["cut", "whole"])
def test_a_time_where_messages_are_left_out_may_be_that_of_one_of_them(missing, found):
    """Each stands behind its message; what is cut out of the middle begins with a message and ends within another."""
    said = [(f"The harbour {number} is closed.", f"2026-03-02T{number:02}:00:00+00:00") for number in range(10, 22)]
    messages = [Message(id=at, role="user", text=text, time=at) for text, at in said]
    lines = [f"{text} {at}" for text, at in said]
    kept, last = [one for at, one in enumerate(lines) if at not in range(12)[missing]], said[7][1]
    kept[4] = f"{said[4][0]} ... {last}"
    book, failed = Book(), Failed()
    Histories(renderer(), book, failed, ())._times(Session(id="mail", messages=messages), "\n".join(kept), 1)
    failed.report(book)
    assert [finding.cause for finding in book.findings()] == found


def at_clock(write, *zones):
    """What is found of a history whose times, of messages of these zones, `write` has written."""
    messages = []
    for number in range(12):
        when = datetime(2026, 3, 2, 1, 7, tzinfo=zones[number % len(zones)]) + timedelta(days=number, hours=number * 2)
        messages.append(Message(id=f"m{number}", role="user", text=f"The harbour {number} is closed.", time=when))
    flat = "\n".join(f"{write(message.time)} {message.text}" for message in messages)
    book, failed = Book(), Failed()
    Histories(renderer(), book, failed, ())._times(Session(id="mail", messages=messages), flat, 1)
    failed.report(book)
    return [finding.cause for finding in book.findings()]


EAST, WEST = timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-8))


@pytest.mark.parametrize(
    ("write", "found"),
    [
        ("%Y-%m-%d %H:%M", []),
        ("%Y/%m/%d %I:%M %p", []),
        ("%Y-%m-%dT%H:%M:%S%z", []),
        ("%d %B, at %I", []),
        ("%Y-%m-%d %I:%M", ["history-times"]),
        ("%Y-%m-%d %H:%MZ", ["history-times"]),
        ("%Y-%m-%d %H:00", []),
    ],
)
def test_times_are_told_as_they_were_however_they_are_written(write, found):
    assert at_clock(lambda time: time.strftime(write), UTC, UTC, EAST, WEST)[:1] == found


@pytest.mark.parametrize(
    ("day", "found"),
    [
        (lambda before, time: "" if before else f"{time:%Y-%m-%d} ", ["history-times"]),
        (lambda before, time: "", ["history-times"]),
        (lambda before, time: "" if before == time.date() else f"--- {time:%Y-%m-%d} ---\n", []),
        (lambda before, time: "" if before == time.date() else f"{time:%A}\n", []),
        (lambda before, time: f"{time:%d %b} ", []),
    ],
)
def test_a_clock_is_told_with_its_day_or_under_it(day, found):
    start = datetime(2026, 3, 2, 9, 7, tzinfo=UTC)
    messages = [
        Message(
            id=f"m{number}",
            role="user",
            text=f"The harbour {number} is closed.",
            time=start + timedelta(hours=9 * number),
        )
        for number in range(8)
    ]
    before, lines = None, []
    for message in messages:
        lines.append(f"{day(before, message.time)}[{message.time:%H:%M}] {message.text}")
        before = message.time.date()
    book, failed = Book(), Failed()
    Histories(renderer(), book, failed, ())._times(Session(id="mail", messages=messages), "\n".join(lines), 1)
    failed.report(book)
    assert [finding.cause for finding in book.findings()] == found


def test_times_may_be_told_in_one_zone_for_all():
    assert at_clock(lambda time: time.astimezone(EAST).strftime("%Y-%m-%d %H:%M"), UTC, WEST) == []
    assert at_clock(lambda time: time.astimezone(UTC).strftime("%Y-%m-%d %H:%M"), EAST, WEST) == []


def test_a_reading_that_gives_another_history_is_named_so():
    talks = {name: [Message(id=name, role="user", text=f"The lift of {name} is slow.")] for name in ("mail", "mail-2")}
    sessions = {name: Session(id=name, messages=messages) for name, messages in talks.items()}
    found = {}
    for shown in sessions:
        book, failed = Book(), Failed()
        judge = Histories(renderer(), book, failed, (), sessions=sessions).judge
        judge(sessions["mail"], {}, talks[shown][0].text, frozenset(), 1)
        failed.report(book)
        found[shown] = [(finding.key, finding.what) for finding in book.findings()]
    assert found["mail"] == []
    assert found["mail-2"] == [("M22 history-wrong", "reading the history mail gives the history mail-2 (request 1)")]


def test_a_text_of_which_lines_are_gone_is_not_missing():
    text = "# Market\nThe hall is open.\n# Times\nThe clock stands still.\n\nWhat follows?"
    left = "The hall is open.\nThe clock stands still.\n\nWhat follows?"
    found = damage_of(said(text), [unit(left)], [0], renderer())
    assert (found.how, found.lost) == ("lines", "# Market")
    assert damage(said(text), "What follows?")[0] == "missing"


def test_a_text_before_calls_and_a_repeated_one_are_known_in_a_past():
    call = ToolCall(id="c", name="read", arguments={})
    said = [("user", "Why?"), ("assistant", "One."), ("assistant", "Two."), ("assistant", "Three."), ("tool", "There.")]
    said += [("assistant", "Four."), ("assistant", "Four."), ("user", "Yes."), ("assistant", "Five.")]
    messages = [Message(id=str(n), role=role, text=text, tool_call_id="c" if role == "tool" else None,
                        tool_calls=(call,) if text == "Three." else ()) for n, (role, text) in enumerate(said)]  # fmt: skip
    found = Past(SimpleNamespace(main=SimpleNamespace(messages=messages))).said()
    assert [one.text for one in found if one.kind != "call"] == [text for _, text in said]
    assert [one.text for one in found if one.before_calls] == ["One.", "Two."]
    assert [one.text for one in found if one.repeated] == ["Four.", "Four."]


def test_a_reply_that_repeats_the_one_before_is_a_loss_to_declare_once():
    loss = Drop(what="repeated_reply")
    once, other = said("The lift is slow today.", "assistant", repeated=True), said("The lift is slow.", "assistant")
    for expected, there, explained in (
        (once, once.text, loss),
        (once, "The key is lost.", None),
        (other, "Noted.", None),
    ):
        made = renderer(losses=[loss])
        units = [unit(there, "assistant")]
        assert declared_for(expected, damage_of(expected, units, [], made), units, made, age=0, tokens=0) == explained


def test_a_message_that_was_cut_out_is_not_moved_to_where_another_begins_with_its_words():
    said = ["Noted. The lift is slow.", "The coffee machine is new.", "Noted.", "The clock stands still."]
    messages = [Message(id=str(n), role="user", text=text) for n, text in enumerate(said)]

    def causes(*shown):
        book, failed = Book(), Failed()
        judge = Histories(renderer(), book, failed, ()).judge
        judge(Session(id="mail", messages=messages), {}, "\n".join(shown), frozenset(), 1)
        failed.report(book)
        return [finding.cause for finding in book.findings()]

    assert causes(*said) == []
    assert causes(said[0], said[1], said[3]) == ["history-missing"]
    assert causes(said[1], said[0], said[2], said[3]) == ["history-order"]


ROWS = [
    ({}, []),
    ({"content": 'He said "no",\nand closed the door of the office on the second floor'}, ["history-cut"]),
    ({"content": ""}, ["history-missing"]),
]


@pytest.mark.parametrize(("changed", "found"), ROWS)
def test_a_history_may_be_given_as_one_object_of_json_in_each_line(changed, found):
    said = [
        "The first of them.",
        'He said "no",\nand closed the door of the office on the second floor.',
        "{}",
        "The last one.",
    ]
    book, failed = Book(), Failed()
    session = Session(id="mail", messages=[Message(id=str(n), role="user", text=text) for n, text in enumerate(said)])
    rows = [
        json.dumps({"role": "user", "content": text} | (changed if at == 1 else {})) for at, text in enumerate(said)
    ]
    result = "\n".join(["Session mail:", *rows, "[messages 1 to 4 of 4]"])
    call = HistoryCall("history", result, ())
    Histories(renderer(), book, failed, ()).judge(session, {}, flat_of(result), frozenset(), 1, call)
    failed.report(book)
    assert [finding.cause for finding in book.findings()] == found


@pytest.mark.parametrize(("shown", "found"), [(3, []), (2, ["history-cut"])])
def test_a_message_of_a_history_may_have_line_ends_that_no_result_keeps(shown, found):
    lines = ["The lift of the house is slow again today, says Ines.", "The hall is open.", "The clock stands still."]
    book, failed = Book(), Failed()
    said = ("The books are closed.", "\r\n".join(lines))
    session = Session(id="mail", messages=[Message(id=text[:9], role="user", text=text) for text in said])
    flat = flat_of("\r\n".join((said[0], *lines[:shown])))
    Histories(renderer(), book, failed, ()).judge(session, {}, flat, frozenset(), 1)
    failed.report(book)
    assert [finding.cause for finding in book.findings()] == found


@pytest.mark.parametrize(("shown", "found"), [(range(4), []), ((0, 1, 3), ["history-missing"])])
@pytest.mark.parametrize("form", ["\n".join, json.dumps], ids=["lines", "JSON"])
def test_what_was_said_twice_is_there_twice(shown, found, form):
    said = ["Noted.", "The lift is slow again.", "Noted.", "The hall is open now."]
    session = Session(id="mail", messages=[Message(id=str(n), role="user", text=text) for n, text in enumerate(said)])
    book, failed = Book(), Failed()
    result = form([said[number] for number in shown])
    Histories(renderer(), book, failed, ()).judge(
        session, {}, flat_of(result), frozenset(), 1, HistoryCall("read_session", result)
    )
    failed.report(book)
    assert [finding.cause for finding in book.findings()] == found


def test_words_that_are_said_again_do_not_tell_where_a_message_stands():
    """The last messages are shown, and the first time of the words is not among them."""
    said = ["The key is lost today.", "The lift is slow again.", "The hall is open now.", "The clock stands still."]
    said = [*said, "The key is lost today.", "The books are closed."]
    messages = [Message(id=str(n), role="user", text=text) for n, text in enumerate(said)]

    def causes(*shown):
        book, failed = Book(), Failed()
        Histories(renderer(), book, failed, ()).judge(
            Session(id="mail", messages=messages), {}, "\n".join(shown), frozenset(), 1
        )
        failed.report(book)
        return [finding.cause for finding in book.findings()]

    assert causes(*said) == []
    assert causes(*said[2:]) == ["history-missing"]
    assert causes(said[0], said[2], said[1], *said[3:]) == ["history-order"]


@pytest.mark.parametrize(
    ("losses", "hidden", "found"),
    [([], 1, ["history-missing"]), ([Drop(what="history_system")], 1, []),
     ([Drop(what="history_system")], 2, ["history-missing"])],
)  # fmt: skip
def test_a_history_without_system_messages_is_a_loss_to_declare(losses, hidden, found):
    said = [("user", "The lift is slow."), ("system", "Tom has joined."), ("user", "The clock stands still.")]
    messages = [Message(id=str(n), role=role, text=text) for n, (role, text) in enumerate(said)]
    book, failed = Book(), Failed()
    flat = "\n".join(text for n, (_, text) in enumerate(said) if n != hidden)
    judge = Histories(renderer(losses=losses), book, failed, ()).judge
    judge(Session(id="mail", messages=messages), {}, flat, frozenset(), 1)
    failed.report(book)
    assert [finding.cause for finding in book.findings()] == found


def test_what_is_read_after_all_forgives_all_but_what_was_stale():
    failed, book = Failed(), Book()
    failed.note("M20", "file-stale", "a.md", "old", 1)
    failed.note("M20", "file-unread", "a.md", "nothing", 1)
    failed.note("M20", "file-unread", "b.md", "nothing", 1)
    failed.mended("a.md", but="file-stale")
    failed.report(book)
    assert sorted((one.cause, one.what) for one in book.findings()) == [
        ("file-stale", "old (request 1)"),
        ("file-unread", "nothing (request 1)"),
    ]


def test_a_message_that_is_joined_with_a_prompt_may_be_stamped_with_the_time_of_that():
    time = datetime.fromisoformat("2026-03-12T08:02:00+00:00")
    expected = [said("told", time=time), said("asked", origin="prompt")]
    units = [unit("[2026-03-14 09:00 UTC] told"), unit("asked")]
    causes = {}
    for names in (("stamp", "merge"), ("stamp",)):
        made, book = renderer(*names), Book()
        _Request(expected, units, align(expected, units, made), 1, made, book, 1, 0).judge(())
        causes["merge" in names] = [finding.cause for finding in book.findings()]
    assert causes == {True: [], False: ["times"]}


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        (["Ann: one", "Ben: two", "Ann: three", "Ann: four"], []),
        (["Ann: one", "Ben: two", "Ann: three", "four"], []),  # she goes on
        (["one", "two", "three", "four"], []),
        (["Ann: one", "Ben: two", "three", "four"], ["M7 speaker-missing"]),
        (["Ann: one", "two", "Ann: three", "Ann: four"], ["M7 speaker-missing"]),
    ],
)
def test_where_one_speaker_is_named_all_are_named(shown, found):
    who, book = ("Ann", "Ben", "Ann", "Ann"), Book()
    expected = [said(text, speaker=name) for text, name in zip(("one", "two", "three", "four"), who, strict=True)]
    made = renderer("speaker_as")
    units = [unit(text) for text in shown]
    _Request(expected, units, align(expected, units, made), 1, made, book, 1, 0).judge(())
    assert [one.key for one in book.findings()] == found


def test_the_name_of_a_role_before_a_message_is_nobodys():
    expected = [said("one", speaker="user"), said("two", speaker="Ben")]
    made, book, units = renderer("speaker_as"), Book(), [unit("user: one"), unit("two")]
    _Request(expected, units, align(expected, units, made), 1, made, book, 1, 0).judge(())
    assert not book.findings()


def test_a_name_may_stand_before_a_text_that_begins_with_blanks():
    expected, book, made = (
        [said("one", speaker="Ann"), said("\ttwo", speaker="Ben")],
        Book(),
        renderer("speaker_as", "trim"),
    )
    units = [unit("Ann: one"), unit("Ben: \ttwo")]
    _Request(expected, units, align(expected, units, made), 1, made, book, 1, 0).judge(())
    assert not book.findings()


def test_whoever_was_named_as_the_speaker_once_is_named_whenever_that_is_shown():
    expected, book = [said("plain", speaker="Ann"), said("asked", origin="prompt")], Book()
    made = renderer("speaker_as")
    for text in ("plain", "Ann: plain", "Ann: plain", "plain"):
        units = [unit(text), unit("asked")]
        _Request(expected, units, align(expected, units, made), 1, made, book, 1, 0).judge(())
    (found,) = book.findings()
    assert (found.cause, found.times) == ("speaker-forgotten", 1)


def exchange(number, given, made, fault=""):
    usage = {"input": given, "output": made}
    return SimpleNamespace(number=number, status=200, usage=usage, fault=fault, failure=None, reply=None)


@pytest.mark.parametrize("ran", [True, False])
def test_a_call_of_a_reply_that_broke_off_is_not_run(ran):
    asks = "What does the plan say of the van on Tuesday?"

    def asked(number, *messages, **more):
        said = ({"role": "user", "content": asks}, *messages)
        return Exchange.model_validate(
            {
                "number": number,
                "round": "q",
                "at": "",
                "seconds": 0,
                "dialect": "",
                "stream": True,
                "asked": "m",
                "messages": said,
            }
            | more
        )

    half = {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "function": {"name": "read", "arguments": '{"path": "no'}}],
    }
    run = (half, {"role": "tool", "tool_call_id": "c1", "content": "There is no such file."})
    exchanges = [
        asked(1, status=499, reply=half),
        asked(2, *(run if ran else ()), status=200, reply={"content": "Yes."}),
    ]
    turn, book = RequestTurn("q", 1, 0, exchanges), Book()
    turn.follow(asks, [], renderer(), tools=False)
    judge_requests(turn, [], Said("user", asks, "prompt", 0), (), renderer(), book, Summaries())
    assert [finding.cause for finding in book.findings()] == (["broken-call-run"] if ran else [])


@pytest.mark.parametrize(("reported", "right"), [((500, 20), True), ((900, 20), True), ((400, 0), False)])
def test_the_usage_of_a_reply_that_nobody_could_read_may_be_left_out(reported, right):
    exchanges, book = [exchange(1, 400, 0, "garbage"), exchange(2, 500, 20)], Book()
    usage = ReportedUsage(kind="per_turn", input=reported[0], output=reported[1])
    judge_usage(SimpleNamespace(exchanges=exchanges, chain=exchanges, beside=[]), usage, "per_turn", book)
    assert [finding.cause for finding in book.findings()] == ([] if right else ["usage-differs"])


@pytest.mark.parametrize(
    ("steps", "given", "right"),
    [(["call"], 900, False), (["call"], 1600, True), (["call"], 1650, True), ([], 900, True), ([], 1650, True)],
)
def test_what_a_sub_agent_has_cost_is_counted_and_other_requests_beside_may_be_left_out(steps, given, right):
    sizes, book = ((1, 400), (2, 600), (3, 50), (4, 100), (5, 500)), Book()
    exchanges = [exchange(number, size, 0) for number, size in sizes]
    beside = [SideTalk([2, 4], steps), SideTalk([3])]  # it asks for a title in the middle
    turn = SimpleNamespace(exchanges=exchanges, chain=[exchanges[0], exchanges[4]], beside=beside)
    judge_usage(turn, ReportedUsage(kind="per_turn", input=given, output=0), "per_turn", book)
    assert [finding.cause for finding in book.findings()] == ([] if right else ["usage-differs"])


@pytest.mark.parametrize(("given", "right"), [(500, True), (900, True), (700, False)])
def test_what_was_sent_for_a_reply_that_broke_off_may_be_counted(given, right):
    half = SimpleNamespace(**{**vars(exchange(1, 400, 9)), "status": 499, "reply": {"content": "Half"}})
    whole, book = exchange(2, 500, 20), Book()
    usage = ReportedUsage(kind="per_turn", input=given, output=20)
    judge_usage(SimpleNamespace(exchanges=[half, whole], chain=[whole], beside=[]), usage, "per_turn", book)
    assert [finding.cause for finding in book.findings()] == ([] if right else ["usage-differs"])


@pytest.mark.parametrize(
    ("kind", "reported", "right"),
    [
        ("last_request", (900, 101), True),
        ("last_request", (900, 0), True),
        ("last_request", (1001, 0), True),
        ("last_request", (400, 0), False),
        ("last_request", (900, 55), False),
        ("per_turn", (900, 0), False),
    ],
)
def test_a_last_request_may_be_told_as_one_figure(kind, reported, right):
    asked = [(500, 20), (900, 101)]
    exchanges = [exchange(number, given, made) for number, (given, made) in enumerate(asked)]
    book = Book()
    usage = ReportedUsage(kind=kind, input=reported[0], output=reported[1])
    judge_usage(SimpleNamespace(exchanges=exchanges, chain=exchanges, beside=[]), usage, kind, book)
    assert [finding.cause for finding in book.findings()] == ([] if right else ["usage-differs"])


@pytest.mark.parametrize(
    ("cached", "found"), [(0, []), (300, []), (250, ["cached-differs"]), (200, ["cached-differs"])]
)
def test_tokens_that_are_reported_as_cached_are_those_that_were(cached, found):
    garbled = [exchange(1, 500, 0, "garbage"), exchange(2, 900, 101)]
    for one, had in zip(garbled, (100, 200), strict=True):
        one.usage["cached"] = had
    turn, book = SimpleNamespace(exchanges=garbled, chain=garbled, beside=[]), Book()
    judge_usage(turn, ReportedUsage(kind="per_turn", input=900, output=101, cached=200), "per_turn", book)
    assert not book.findings()  # what nobody could read may be left out of all figures
    exchanges, book = [exchange(1, 500, 20), exchange(2, 900, 101)], Book()
    for one, had in zip(exchanges, (100, 200), strict=True):
        one.usage["cached"] = had
    turn = SimpleNamespace(exchanges=exchanges, chain=exchanges, beside=[])
    judge_usage(turn, ReportedUsage(kind="per_turn", input=1400, output=121, cached=cached), "per_turn", book)
    assert [finding.cause for finding in book.findings()] == found
    for demanded in (False, True):
        book = Book()
        judge_usage(turn, None, "per_turn", book, demanded=demanded)
        assert [finding.cause for finding in book.findings()] == ["usage-missing"] * demanded


@pytest.mark.parametrize(("reported", "right"), [((1700, 160), True), ((1400, 121), True), ((1700, 150), False)])
def test_what_is_added_up_is_held_against_the_turn_before(reported, right):
    exchanges = [exchange(1, 1400, 121)]
    before = ReportedUsage(kind="cumulative", input=300, output=39)
    usage = ReportedUsage(kind="cumulative", input=reported[0], output=reported[1])
    book = Book()
    turn = SimpleNamespace(exchanges=exchanges, chain=exchanges, beside=[])
    judge_usage(turn, usage, "cumulative", book, before=before)
    judge_usage(turn, usage, "cumulative", Book())
    assert [finding.cause for finding in book.findings()] == ([] if right else ["usage-differs"])


@pytest.mark.parametrize(("results", "age", "explained"), [(99, 3, False), (100, 3, True), (100, 0, False)])
def test_what_is_forgotten_after_many_results_is_an_earlier_turn(results, age, explained):
    loss = Forget(results=100)
    found = declared_for(
        said("one"), Damage("missing"), [], renderer(losses=[loss]), age=age, tokens=0, results=results
    )
    assert (found == loss) is explained


@pytest.mark.parametrize("shown", ["1375926411839557600", "1.3759264118395576e+18"])
def test_a_long_number_is_rounded_only_where_that_is_declared(shown):
    loss = Drop(what="long_numbers")
    asked = said(call_text("find", {"id": 1375926411839557643, "at": 3.5}), kind="call")
    rounded = f'find {{"at": 3.5, "id": {shown}}}'
    assert damage(asked, rounded, kind="call") == ("long_numbers", None)
    assert damage(asked, rounded, kind="call", losses=[loss]) == ("long_numbers", loss)
    assert damage(asked, rounded.replace("5926", "6925"), kind="call", losses=[loss])[1] is None


def test_a_cd_to_where_a_command_runs_anyway_is_left_out_only_where_that_is_declared():
    loss = Drop(what="cd_here")
    asked = said(call_text("exec", {"command": "cd /w/t/workspace && ls"}), kind="call")
    assert damage(asked, 'exec {"command": "ls"}', kind="call") == ("cd_here", None)
    assert damage(asked, 'exec {"command": "ls"}', kind="call", losses=[loss]) == ("cd_here", loss)
    assert damage(asked, 'exec {"command": "ls a"}', kind="call", losses=[loss])[1] is None


@pytest.mark.parametrize("shown", [20_000, 30_000, 19_999])
def test_of_long_arguments_events_may_have_the_beginning(shown):
    made = call_text("write", {"path": "a.md", "content": "Grüße an den Hafen, " * 5_000})
    told = json.dumps({"path": "a.md", "content": "Grüße an den Hafen, " * 5_000})[:shown]
    assert begins(made, call_text("write", {"raw": told})) is (shown >= 20_000)
    assert not begins(made, call_text("write", {"raw": told.replace("Hafen", "Haven")}))
    assert not begins(made, call_text("append", {"raw": told}))


def test_an_escape_in_a_call_becomes_its_character_only_where_that_is_declared():
    loss = Drop(what="escapes")
    asked = said(call_text("edit", {"old": r"caf\u00e9 \u0022", "new": "one"}), kind="call")
    shown = call_text("edit", {"old": 'café "', "new": "one"})
    assert damage(asked, shown, kind="call") == ("escapes", None)
    assert damage(asked, shown, kind="call", losses=[loss]) == ("escapes", loss)
    more = call_text("edit", {"all": False, "old": 'café "', "new": "one"})
    assert damage(asked, more, kind="call", losses=[loss]) == ("escapes", loss)
    assert damage(asked, shown.replace("é", "e"), kind="call", losses=[loss])[1] is None


@pytest.mark.parametrize(("replies", "found"), [(0, ["text-doubled"]), (1, ["text-doubled"]), (2, [])])
def test_what_the_model_has_said_twice_is_there_twice(replies, found):
    text = "# to delete a list of plugins"
    expected = [
        said("do it", origin="prompt"),
        said(text, "assistant", origin="step"),
    ]
    units = [unit("do it"), unit(text, "assistant"), unit("exit 127"), unit(text, "assistant"), unit("exit 127")]
    made, book = renderer("insert"), Book()
    told = [f"{text}\n```"] * replies
    _Request(expected, units, align(expected, units, made), 1, made, book, 1, 0, replies=told).judge(())
    assert [finding.cause for finding in book.findings()] == found


def test_of_what_is_said_again_in_a_part_of_a_history_the_one_outside_of_it_may_be_shown():
    every = ["The harbour opens.", "One crate.", "Two crates.", "The harbour opens.", "Three crates."]
    shown = "The harbour opens. One crate. [cut] Three crates."
    assert _walked(every[2:], shown, every) == ([0], False)
    assert _walked(["Three crates.", "One crate."], shown, every) == ([], True)


def test_a_line_that_says_what_is_attached_is_a_directive_as_real_programs_know_it():
    text = "[media attached: the plan of the harbour.png]\nOne crate."
    assert without_directives(text) == without_directives("One crate.")
