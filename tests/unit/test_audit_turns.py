"""What the audit says of a turn by its messages and its events: results that stand elsewhere, or stood there before."""

import json
from io import StringIO
from types import SimpleNamespace

import pytest
from rich.console import Console

from claw_adapter.audit.answers import ToldEvents, judge_events
from claw_adapter.audit.asked import ModelAsked
from claw_adapter.audit.book import Book
from claw_adapter.audit.conversation import judge_requests
from claw_adapter.audit.load import _verdicts
from claw_adapter.audit.records import Refusal, RunAudit, TrialAudit
from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.summaries import Summaries
from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import CALL, RESULT, RequestUnit, Said, call_text
from claw_adapter.protocol import Capabilities, Event
from claw_adapter.protocol.limits import Prune, WindowLimit
from claw_adapter.report.audit_terminal import render_audit

PROMPT = "What stands in the papers of the harbour?"
LONG = "\n".join(f"{number} crates of herring were landed at pier {number % 7}" for number in range(60))
OTHER = LONG.replace("herring", "mussels")


def called(*calls):
    """What the model says: calls ``(id, path)`` of one reply."""
    made = [{"id": name, "function": {"name": "read_file", "arguments": {"path": path}}} for name, path in calls]
    return {"role": "assistant", "content": "", "tool_calls": made}


def turn_of(*requests, tools=True, losses=(), tokens=0, bare=()):
    """A turn of requests ``(messages behind the prompt, reply)``, each of so many tokens; some, from 0, are `bare` of tools."""
    offered = [{"function": {"name": "read_file"}}]
    turn = RequestTurn("r1", 1, 0)
    for number, (messages, reply) in enumerate(requests, start=1):
        turn.exchanges.append(
            SimpleNamespace(
                number=number, messages=[{"role": "user", "content": PROMPT}, *messages], reply=reply, status=200,
                fault="", failure=None, usage={"input": tokens}, tools=offered if tools and number - 1 not in bare else [],
            )
        )  # fmt: skip
    turn.follow(PROMPT, [], Renderer(Capabilities(losses=losses)), tools=tools)
    return turn


def result(name, text):
    return {"role": "tool", "tool_call_id": name, "content": text}


def asked(turn, renderings=()):
    book = Book()
    renderer = Renderer(Capabilities(renderings=renderings))
    judge_requests(turn, [], Said("user", PROMPT, "prompt", 0), (), renderer, book, Summaries())
    return [(finding.key, finding.owner) for finding in book.findings()]


def told(turn, *results, losses=()):
    """What is found of events: each call of the turn, with these results."""
    calls = [call for reply in turn.replies for call in reply.calls]
    events = [Event(kind="tool_call", id=call.call, name="read_file", arguments=arguments(call)) for call in calls]
    events += [Event(kind="tool_result", id=call.call, text=text) for call, text in zip(calls, results, strict=True)]
    return found(turn, events, losses=losses)


def found(turn, events, known=None, losses=()):
    """What is found of these events, at last; `known` is how other turns tell of calls."""
    book, known = Book(), known or ToldEvents()
    judge_events(turn, events, Renderer(Capabilities(losses=losses)), book, known)
    known.finish(book)
    return [finding.key for finding in book.findings()]


def arguments(call):
    return {"path": call.text.partition('"path": "')[2].removesuffix('"}')}


def test_a_result_among_the_events_is_what_the_model_was_given():
    turn = turn_of(([], READS), ([READS, result("c1", LONG)], DONE))
    assert told(turn, LONG) == told(turn, f"[frame]\n{LONG}") == []
    assert told(turn, "x") == told(turn, "") == ["M17 events-results-other"]


def test_what_the_events_of_one_turn_lack_is_found_where_other_turns_have_it():
    turn = turn_of(([], READS), ([READS, result("c1", LONG)], DONE))
    bare = [Event(kind="tool_call", id="c1", name="read_file", arguments={"path": "a.md"})]
    strange = [Event(kind="tool_call", id="c1", name="read_file", arguments={"path": "other"}), event("c1", LONG)]
    assert found(turn, bare) == found(turn, strange) == []
    assert found(turn, bare, ToldEvents(results=True)) == ["M17 events-results"]
    assert found(turn, strange, ToldEvents(own=True)) == ["M17 events-foreign"]


READS = called(("c1", "a.md"))


def event(call, text):
    return Event(kind="tool_result", id=call, text=text)


DONE = {"role": "assistant", "content": "done"}


def test_a_result_that_stood_there_in_the_turn_and_is_gone_is_the_harnesss():
    first, second = called(("c1", "a.md")), called(("c2", "b.md"))
    whole = [first, result("c1", LONG)]
    cleared = [first, result("c1", "[cleared]"), second, result("c2", OTHER)]
    assert asked(turn_of(([], first), (whole, second), (cleared, DONE))) == [("M30 result-changed", "harness")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f'## read_file {{"path": "a.md"}}\n{LONG}\n## read_file {{"path": "b.md"}}\n{OTHER}', []),
        (OTHER, [("M17 calls-not-run", "harness")]),
        (f"(one other call of read_file was not run)\n{OTHER}", [("M17 calls-not-run", "harness")]),
    ],
)
def test_the_results_of_a_reply_may_stand_in_one_that_names_its_calls(text, found):
    both, last = called(("c1", "a.md"), ("c2", "b.md")), called(("c2", "b.md"))
    assert asked(turn_of(([], both), ([last, result("c2", text)], DONE))) == found


def test_results_of_the_same_call_are_not_swapped_where_one_was_shortened():
    first, again = called(("c1", "a.md")), called(("c2", "a.md"))
    short = [first, result("c1", "[dropped to save room; call again, and it is shown]")]
    turn = turn_of(([], first), (short, again), ([*short, again, result("c2", LONG)], DONE))
    assert told(turn, LONG, LONG) == []
    turn = turn_of(
        ([], first), (short, called(("c2", "b.md"))), ([*short, called(("c2", "b.md")), result("c2", LONG)], DONE)
    )
    assert told(turn, LONG, LONG) == ["M17 events-results-swapped"]


def test_what_stands_behind_a_result_may_take_the_blanks_at_its_end():
    both = called(("c1", "a.md"), ("c2", "b.md"))
    given = result("c1", f"{LONG}\t"), result("c2", f"{LONG}\n\n<note>Two are left.</note>")
    assert told(turn_of(([], both), ([both, *given], DONE)), f"{LONG}\t", f"{LONG}\t") == []


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        (f"Done so far: {call_text('read_file', {'path': 'a.md'})}\n{LONG}", []),
        (f"Done so far: {LONG!r}", []),
        ("Done so far: read_file a.md, done", ["M17 results-missing"]),
    ],
)
def test_results_that_are_told_in_texts_are_there(shown, found):
    turn = turn_of(([], called(("c1", "a.md"))), ([{"role": "system", "content": shown}], DONE))
    assert told(turn, LONG) == found
    assert told(turn, LONG, losses=[Prune(turns=1)]) == []


def test_a_call_that_ends_the_turn_has_no_request_behind_it():
    assert told(turn_of(([], called(("c1", "a.md")))), LONG) == []


def test_what_was_refused_is_counted_over_trials_and_stands_in_the_verdict_and_makes_no_violation():
    no = [Refusal(place=name, what=f"read {name} → 'no', request 3", rounds=("r2",), times=2) for name in "ab"]
    trials = [TrialAudit(trial=f"t--{n}", harness="h", refused=no[:n], requests=9) for n in (2, 1)]
    (one,) = _verdicts(trials)
    assert one.verdict == "nothing lost · said no: 6 readings of 2 files and histories that are there"
    assert [(refusal.place, refusal.times) for refusal in one.refused] == [("a", 4), ("b", 2)]
    audit = RunAudit(run="r", trials=tuple(trials), harnesses=(one,))
    assert audit.ok
    console = Console(file=StringIO(), width=200)
    render_audit(audit, console)
    assert "- said no, first: read a → 'no', request 3; rounds r2" in console.file.getvalue()


@pytest.mark.parametrize(
    ("renderings", "found"),
    [
        ((), [("M7 text-added", "adapter")]),
        (("merge",), [("M7 text-added", "adapter")]),
        (("insert",), []),
        (("told",), []),
    ],
)
def test_a_message_that_nobody_said_is_declared_by_what_adds_texts_and_not_by_what_joins_them(renderings, found):
    nudge = {"role": "user", "content": "The reply before had no words in it. Go on with what you were asked."}
    turn = turn_of(([nudge], {"role": "assistant", "content": "Herring."}))
    assert asked(turn, renderings) == found


CALLED = called(("c1", "a.md"), ("c2", "b.md"))
FIRST, SECOND = result("c1", "one"), result("c2", "two")


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([CALLED, FIRST, SECOND], []),
        ([CALLED, SECOND, FIRST, {"role": "user", "content": "Go on."}], []),
        ([CALLED, FIRST], ["M11 calls-unpaired"]),
        ([CALLED, FIRST, {"role": "user", "content": "Go on."}, SECOND], ["M11 calls-unpaired"]),
        ([CALLED, FIRST, SECOND, SECOND], ["M11 calls-unpaired"]),
        ([FIRST], ["M11 calls-unpaired"]),
    ],
)
@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses"])
def test_a_request_that_a_provider_would_refuse_is_found(messages, found, dialect):
    turn, book = turn_of((messages, {"role": "assistant", "content": "Herring."})), Book()
    for exchange in turn.exchanges:
        exchange.dialect, exchange.asked, exchange.params = dialect, "m", {}
    ModelAsked("m", Capabilities(), book).judge(turn, None)
    assert [finding.key for finding in book.findings()] == (found if dialect == "openai-chat" else [])


@pytest.mark.parametrize(("again", "found"), [(True, []), (False, ["M30 tools-missing"])])
def test_a_request_that_is_made_again_behind_a_failure_offers_what_it_did(again, found):
    turn, book = turn_of(([], None), ([], {"role": "assistant", "content": "Herring."})), Book()
    for exchange in turn.exchanges:
        exchange.dialect, exchange.asked, exchange.params = "openai-chat", "m", {}
    turn.exchanges[0].status = 503
    turn.exchanges[1].tools = turn.exchanges[1].tools if again else []
    ModelAsked("m", Capabilities(), book).judge(turn, None)
    assert [finding.key for finding in book.findings()] == found


SUM_UP = {"role": "user", "content": "Sum up what was said, as a note to go on from."}
SUMMED = WindowLimit(tokens=1000, then="summary")


@pytest.mark.parametrize(
    ("tokens", "losses", "chain"),
    [(700, (SUMMED,), [1, 4, 5]), (500, (SUMMED,), [1, 2, 3, 4, 5]), (700, (), [1, 2, 3, 4, 5])],
    ids=["long", "short", "undeclared"],
)
def test_who_asks_for_a_summary_within_a_turn_does_not_go_on_with_the_conversation(tokens, losses, chain):
    read, refused = called(("c1", "a.md")), [called(("c2", "a.md")), result("c2", "no tools here")]
    turn = turn_of(
        ([], read),
        ([SUM_UP], called(("c2", "a.md"))),
        ([SUM_UP, *refused], {"role": "assistant", "content": "The harbour has papers."}),
        ([read, result("c1", LONG)], called(("c3", "b.md"))),
        ([read, result("c1", LONG), called(("c3", "b.md")), result("c3", OTHER)], DONE),
        losses=losses,
        tokens=tokens,
    )
    assert [exchange.number for exchange in turn.chain] == chain


@pytest.mark.parametrize(
    ("tokens", "read", "answer"),
    [(700, "", DONE["content"]), (9, "~" * 700, DONE["content"]), (9, "", "word " * 700)],
    ids=["counted", "many signs", "a long answer"],
)
def test_who_asks_for_a_summary_behind_the_answer_leaves_the_answer_as_it_is(tokens, read, answer):
    """However it counts what its window holds: the endpoint's vocabulary has one token for many signs in a row."""
    said, summed = {"role": "assistant", "content": answer}, {"role": "assistant", "content": "All was said."}
    calls = [called(("c1", "a.md")), result("c1", read)] if read else []
    requests = [([], calls[0]), (calls, said)] if read else [([], said)]
    turn = turn_of(*requests, ([*calls, said, SUM_UP], summed), losses=(SUMMED,), tokens=tokens)
    assert turn.replies[-1].text == answer


@pytest.mark.parametrize(
    ("used", "losses", "chain"),
    [(True, (SUMMED,), [1, 3]), (False, (SUMMED,), [1, 2, 3]), (True, (), [1, 2, 3])],
    ids=["its reply goes in the place of all", "it does not", "undeclared"],
)
def test_a_request_for_a_summary_may_have_the_beginning_of_a_result_that_filled_the_window(used, losses, chain):
    read, noted = called(("c1", "a.md")), {"role": "assistant", "content": "The harbour has papers."}
    note = {"role": "user", "content": f"<note>{noted['content'] if used else 'Nothing.'}</note>"}
    turn = turn_of(
        ([], read), ([read, result("c1", LONG[:40]), SUM_UP], noted), ([note], DONE), losses=losses, tokens=90, bare=(1,)
    )  # fmt: skip
    assert [exchange.number for exchange in turn.chain] == chain
    assert (turn.window(3) > 1_000) == (used and losses != ())


def test_who_puts_something_behind_each_prompt_asks_for_no_summary():
    read, hint = called(("c1", "a.md")), {"role": "user", "content": "The time is noon."}
    turn = turn_of(([hint], read), ([read, result("c1", LONG), hint], DONE), losses=(SUMMED,), tokens=700)
    assert [exchange.number for exchange in turn.chain] == [1, 2]


def test_a_sub_agent_that_reads_what_was_read_before_does_not_go_on_with_the_conversation():
    known = [Said(RESULT, LONG, "step", 0, call="c0"), Said("user", "Good morning to you at the harbour.", "seeded", 0)]
    helper = [{"role": "user", "content": "Count the crates."}, called(("h1", "a.md")), result("h1", LONG)]
    turn = turn_of(([], READS), ([READS, result("c1", OTHER)], DONE))
    turn.exchanges.insert(
        1,
        SimpleNamespace(
            number=9, messages=helper, reply={"content": "60"}, status=200, fault="", failure=None, usage={}, tools=[1]
        ),
    )
    turn.chain, turn.steps, turn.before = [], [], []
    turn.follow(PROMPT, known, Renderer(Capabilities()), tools=True)
    assert [exchange.number for exchange in turn.chain] == [1, 2]


def test_what_a_sub_agent_reads_stands_beside_with_the_request_that_asked_for_it():
    helper = [{"role": "user", "content": "Count the crates."}]
    asked, done = called(("h1", "a.md")), {"role": "assistant", "content": "There are 60."}
    turn = turn_of(([], READS), ([READS, result("c1", OTHER)], DONE))
    for number, (messages, reply) in enumerate(
        [(helper, asked), ([*helper, asked, result("h1", LONG)], done)], start=8
    ):
        turn.exchanges.insert(
            number - 7,
            SimpleNamespace(
                number=number, messages=messages, reply=reply, status=200, fault="", failure=None, usage={}, tools=[1]
            ),
        )  # fmt: skip
    turn.chain, turn.steps, turn.before, turn.beside = [], [], [], []
    turn.follow(PROMPT, [], Renderer(Capabilities()), tools=True)
    (talk,) = turn.beside
    assert (talk.first, talk.last) == (8, 9)
    assert [(call.call, found.text, exchange.number) for call, found, exchange in talk.steps] == [("h1", LONG, 8)]


def summed(*requests, beside=()):
    """What is found of requests, each with the summaries asked for before it, its text, and whether it lacks messages."""
    book, summaries = Book(), Summaries()
    for number, (new, text, lacks) in enumerate(requests):
        summaries.beside = number in beside
        summaries.new += new
        summaries.judge([RequestUnit("user", text)], [], [], number, book, lacks=lacks)
    return [finding.key for finding in book.findings()]


FIRST, SECOND = "The harbour has papers in order.", "All crates were counted twice."


def test_what_goes_with_a_summary_was_in_the_request_for_it():
    def lost(text, *told, held=(), others=False, kind="user"):
        book, gone = Book(), Said(kind, text, "step")
        begins = Said("user", "The conversation begins with this.", "seeded")
        asked = [RequestUnit("user", one) for one in told]
        summaries = Summaries(held=held, shown=[begins, gone], others=others, told=asked)
        summaries.judge([RequestUnit("user", "A summary.")], [begins], [begins, gone], 4, book, lacks=True)
        return [finding.key for finding in book.findings() if finding.cause == "summary-without"]

    assert lost(FIRST, SECOND) == ["M30 summary-without"]
    assert lost(FIRST, SECOND, others=True) == [], "that may have been one as well"
    assert lost(FIRST, SECOND, f"<user> {FIRST}") == [], "in whatever frame"
    assert lost(f"{FIRST}\n{SECOND}", f"{FIRST[:32]} …", SECOND) == [], "a part of a long one is enough"
    assert lost(FIRST, json.dumps([{"role": "user", "text": FIRST}])) == []
    assert lost("Yes.", SECOND) == [], "a short one may stand for many things"
    assert lost(FIRST, SECOND, kind=RESULT) == [], "a result goes with its call"
    call = call_text("search", {"where": "notes/harbour", "for": "24786"})
    assert lost(call, 'calls search {"for": "24786", "where": "notes/harbour"}', kind=CALL) == [], "in another order"
    assert lost(call, SECOND, kind=CALL) == ["M30 summary-without"]
    assert lost(call_text("search", {"where": ".", "for": "24786"}), SECOND, kind=CALL) == [], "of that nothing is sure"
    assert lost(FIRST, FIRST, held=(SECOND,)) == ["M30 summary-without"], "the summary before it"
    assert lost(FIRST, FIRST, SECOND, held=(SECOND,)) == []
    assert lost(FIRST, FIRST, "The conversation begins with this.", held=(SECOND,)) == []


def test_behind_an_update_nothing_goes_for_which_no_summary_was_asked():
    def lost(text, *, lacks=True, beside=False, shown=FIRST, kind="user", before=("This is how",)):
        begins, gone, later = (
            Said("user", "This is how it begins.", "seeded"),
            Said(kind, shown, "step"),
            Said("user", SECOND, "step"),
        )
        summaries = Summaries(shown=[begins, gone], beside=beside, before=before)
        summaries.judge([RequestUnit("user", text)], [later], [begins, gone, later], 4, book := Book(), lacks=lacks)
        return [finding.key for finding in book.findings()]

    assert lost("This is how it begins.") == ["M30 summary-missing"]
    assert lost("This is how it begins.", lacks=False) == [], "then it is said otherwise"
    assert lost("This is how it begins.", beside=True) == [], "something was asked for that may be one"
    assert lost("This is how it begins.", before=()) == [], "some leave out the oldest of a long one"
    assert lost("It begins so.") == [], "nothing has stood for anything"
    assert lost(f"This is how it begins.\n{FIRST}") == []
    assert lost("This is how it begins.", shown=SECOND) == [], "it says the same as what is there"
    assert lost("This is how it begins.", kind=RESULT) == lost("This is how it begins.", kind=CALL) == []


def test_a_summary_that_was_there_stays_as_long_as_what_it_stands_for_is_gone():
    shown, gone = ([FIRST], f"Before: {FIRST}", True), ([], "What now?", True)
    assert summed(shown, gone) == ["M30 summary-forgotten"]
    assert summed(shown, gone, beside=[0]) == ["M30 summary-forgotten"]
    assert summed(shown, gone, gone, beside=[1]) == [], "what was asked for beside may be another one"
    assert summed(shown, ([], "What now?", False)) == [], "all that was said may come back"
    assert summed(([FIRST], "What now?", True), gone) == [], "the harness may put its own words in its place"
    assert summed(shown, ([SECOND], f"Before: {SECOND}", True), ([], SECOND, True)) == []
    assert summed(shown, ([SECOND], "Both in other words", True)) == []
    cut = FIRST[:20]
    assert summed(([FIRST], f"Before: {FIRST}", True), ([], f"Before: {cut}", True)) == ["M30 summary-forgotten"]
    both = f"{FIRST}\n{SECOND}"
    assert summed(([both], FIRST, True), ([], FIRST, True)) == [], "what was never there is the harness's choice"
    assert summed(([both], both, True), ([], FIRST, True)) == ["M30 summary-forgotten"]
