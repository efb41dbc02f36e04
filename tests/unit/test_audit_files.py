"""What the audit says of files: read in parts or framed, written, edited, shown by commands, and not there at all."""

import json
from types import SimpleNamespace

import pytest

from claw_adapter.audit.answered import judge_count, judge_status, judge_stopped
from claw_adapter.audit.book import Book
from claw_adapter.audit.commands import gone_by, put_by, said_by, shown_by
from claw_adapter.audit.edits import Edits
from claw_adapter.audit.ledger import KEY
from claw_adapter.audit.mistaken import mistaken
from claw_adapter.audit.pages import broken_line, signs_lost, unfolded, words_in
from claw_adapter.audit.parts import FileParts
from claw_adapter.audit.reads import Files, Reads, Talks
from claw_adapter.audit.remarks import folded
from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.results import Failed, bare_ends, flat_of, lines_otherwise
from claw_adapter.audit.shells import ShellPlaces
from claw_adapter.audit.told import ToldCommand
from claw_adapter.audit.units import CALL, RESULT, RequestUnit
from claw_adapter.audit.untouched import Untouched
from claw_adapter.audit.writes import WrittenFiles, judge_writes
from claw_adapter.protocol import Capabilities, Clip, Message, Session
from claw_adapter.protocol.limits import Drop, Mask
from claw_adapter.protocol.update import Update, UpdateAction
from claw_adapter.workspace.tree import Entry

LINES = [f"{number} harbour ledger" for number in range(1000, 1500)]
TEXT = "".join(f"{line}\n" for line in LINES)
PLAIN = Renderer(Capabilities())


def parts(*readings, losses=()):
    """The causes found of readings ``(arguments, first line from 0, last line)``, or of their texts."""
    failed = Failed()
    made = FileParts(Renderer(Capabilities(losses=losses)), Book(), failed)
    for number, (arguments, *shown) in enumerate(readings):
        flat = shown[0] if isinstance(shown[0], str) else "\n".join(LINES[slice(*shown)])
        made.take([TEXT], "a.md", "read", arguments, flat, number, exact="end_line" in arguments)
    made.judge()
    return sorted({cause for cause, _ in failed.found})


@pytest.mark.parametrize("base", [0, 1], ids=["from 0", "from 1"])
def test_parts_that_follow_each_other_are_whole_whatever_the_first_line_is_called(base):
    asked = [({"offset": start, "limit": 100}, start - base, start - base + 100) for start in (1, 101, 201)]
    assert parts(*asked) == []
    name, first, last = asked[1]
    assert parts(asked[0], (name, first + 1, last), asked[2]) == ["lines-between-parts"]


def test_a_part_has_no_gap_and_one_that_a_command_shows_has_each_line_asked_for():
    gap = "\n".join(LINES[0:40] + LINES[41:100])
    assert parts(({"offset": 1, "limit": 100}, gap)) == ["part-lines-missing"]
    assert parts(({"start_line": 11, "end_line": 50}, 10, 50)) == []
    assert parts(({"start_line": 11, "end_line": 50}, 11, 50)) == ["part-lines-missing"]


def test_a_script_of_the_workspace_writes_what_its_command_says():
    files = {"make.sh": "printf '%s\\n' 'a b' > out.csv\n", "out.csv": "old\n"}
    run = ("exec", {"command": "sh make.sh"})
    assert written(run, before=files, after=files | {"out.csv": "a b\n"}) == []
    assert written(run, before=files, after=files) == ["M17 written-missing"]


def test_what_is_no_number_of_lines_and_what_says_where_it_ends_is_not_judged_by_lines():
    bytes_of_it = ({"offset": 1, "limit": 100}, TEXT[1:101]), ({"offset": 101, "limit": 100}, TEXT[101:201])
    assert parts(*bytes_of_it) == []
    for size in range(22, 60):  # some have no whole line, or end in one
        few = [({"offset": at, "limit": size}, TEXT[at : at + size]) for at in range(1, 9 * size, size)]
        assert parts(*few) == [], size
    few = [({"offset": at, "limit": 50}, TEXT[at : at + 50]) for at in (1, 51)]
    assert parts(few[0], (few[1][0], TEXT[66:76])) == ["lines-between-parts"]
    told = f"{chr(10).join(LINES[:50])}\n(go on with line 51)"
    assert parts(({}, told), ({"offset": 51}, 50, 100)) == []
    assert parts(({}, told), ({"offset": 51}, 51, 100)) == ["lines-between-parts"]
    told = f"{chr(10).join(LINES[:450])}\n(lines 1 to 450 of 500; go on with offset=451)"
    assert parts(({"limit": 450}, told), ({"offset": 500}, 499, 500)) == [], "the number of all lines"
    assert parts(({"limit": 450}, told), ({"offset": 451}, 451, 500)) == ["lines-between-parts"]
    assert parts(({"offset": 1, "limit": 100}, 0, 60), ({"offset": 101, "limit": 100}, 100, 200)) == []


def test_a_line_without_a_letter_or_said_twice_tells_no_place():
    failed = Failed()
    made = FileParts(PLAIN, Book(), failed)
    lines = [LINES[0], 20 * "-", "The same again", *LINES[1:50], 30 * "=", *LINES[50:89], "The same again"]
    for number, (start, end) in enumerate(((1, 50), (51, 93))):
        flat = "\n".join(lines[start - 1 : end])
        made.take(["\n".join(lines)], "a.md", "read", {"offset": start, "limit": 50}, flat, number, exact=False)
    made.judge()
    assert failed.found == {}


def test_a_declared_cut_explains_a_gap():
    gap = "\n".join([*LINES[0:40], "…", *LINES[60:100]])
    assert parts(({"offset": 1, "limit": 100}, gap), losses=[Clip(of="result", characters=1500)]) == []


def test_framed_and_wrapped_lines_have_their_signs_and_a_lost_or_escaped_one_is_told():
    text = "one \u200d two & <three>\nfour\u00a0five | six\n"
    framed = "    1 | one \u200d two & |\n    1 | <three>       |\n    2 | four\u00a0five | six |\n"
    assert words_in(text, framed)
    assert signs_lost(text, framed) == []
    assert signs_lost(text, framed.replace("\u200d", "")) == ["\u200d"]
    assert signs_lost(text, framed.replace("\u00a0", " ")) == ["\u00a0"]
    assert signs_lost("a & b\n", "a &amp; b\n") == ["&"]


LONG_LINES = "The first harbour ledger of the hall, which is long\nThe second ledger\n"


@pytest.mark.parametrize(
    "shown",
    [
        "The first harbour ledger\nof the hall, which is long\nThe second ledger",
        "The first harbour led\nger of the hall, which is long\nThe second ledger",
        "1| The first harbour ledger\n2| of the hall, which is long\n3| The second ledger",
        '{"text": "The first harbour ledger\\nof the hall, which is long\\nThe second ledger", "lines": 3}',
    ],
)
def test_a_line_that_is_broken_as_if_it_were_two_is_found(shown):
    assert broken_line(LONG_LINES, shown).startswith("The first")


@pytest.mark.parametrize(
    "shown",
    [
        LONG_LINES,
        "The first harbour ledger\n  of the hall, which is long\nThe second ledger",
        "The first harbour ledger ↩\nof the hall, which is long\nThe second ledger",
        "1| The first harbour ledger\n   of the hall, which is long\n2| The second ledger",
        "<file>\n1 | The first harbour ledger\nof the hall, which is long\n2 | The second ledger\n</file>",
        "1| The first harbour ledger\n1| of the hall, which is long\n2| The second ledger",
        '["The first harbour ledger ", "of the hall, which is long\\nThe second ledger"]',
        "The first harbour ledger of the",
    ],
)
def test_a_line_that_goes_on_in_one_of_another_shape_is_not_broken(shown):
    assert broken_line(LONG_LINES, shown) == ""


def test_a_line_that_is_cut_before_its_last_sign_is_not_broken():
    shown = "The first ledger of the harbour\n... (58,046 characters are left out) ..."
    assert broken_line("The first ledger of the harbour.\n", shown) == ""


def test_blanks_at_the_ends_of_lines_count_but_for_the_ends_of_the_result():
    text = "  first\n\tsecond  \nthird\n fourth  \n"
    assert bare_ends(text, text.strip()) == ""
    assert bare_ends(text, "first\nsecond\nthird\nfourth") == "\tsecond  "


@pytest.mark.parametrize("asked", ["notes/plans.md", "Notes/plan.md", "plan.txt", "other/plan.md", "/w/plans.md"])
def test_a_file_that_is_not_there_is_not_answered_with_another(asked):
    files = {"notes/plan.md": TEXT, "docs/b.md": "else\n"}
    assert mistaken({"path": asked}, TEXT, files) == (asked, "notes/plan.md")
    assert mistaken({"path": asked}, "no such file; there is notes/plan.md", files) is None


@pytest.mark.parametrize(
    "asked", ["notes/plan.md", "/w/notes/plan.md", "plan.md", "./notes/plan.md", "notes", "notes/*.md"]
)
def test_the_same_file_by_another_name_its_folder_and_a_pattern_are_no_mistake(asked):
    assert mistaken({"path": asked}, TEXT, {"notes/plan.md": TEXT}) is None


def test_commands_that_show_are_readings():
    assert shown_by({"command": "cat 'a b.md'"}).path == "a b.md"
    assert shown_by({"command": "sleep 0.4 && cat a.md"}).arguments == {}
    assert shown_by({"cmd": "sed -n '3,7p' a.md"}).arguments == {"start_line": 3, "end_line": 7}
    assert shown_by({"command": "cat a.md | head"}) is None
    assert said_by({"command": r"echo 'a b'; printf '%s\n' 'c;d' >&2"}) == ["a b", "c;d"]


def written(
    *calls, before=None, after, strict=True, losses=(), renderings=(), replies=(), results=(), tools=(), **more
):
    steps = [
        (
            RequestUnit(CALL, f"{name} {json.dumps(arguments)}", "c"),
            RequestUnit(RESULT, results[at] if results else "ok", "c"),
            SimpleNamespace(messages=(), number=replies[at] if replies else 1, tools=tools),
        )
        for at, (name, arguments) in enumerate(calls)
    ]
    book = Book()
    files = WrittenFiles(before or {}, after, "/t/workspace", frozenset({"gone.md"}), **more)
    renderer = Renderer(Capabilities(losses=losses, renderings=renderings))
    judge_writes(steps, files, renderer, book, strict=strict)
    files.removals.finish(book)
    return [finding.key for finding in book.findings()]


def test_an_edit_that_is_refused_until_its_file_was_read_has_not_worked():
    edit, gone = (("edit", {"path": "a.md", "old": old, "new": "two"}) for old in ("one apple a day", "no such text"))
    before, refused = {"a.md": "one apple a day\n"}, ["read it first", "read it first"]
    found = written(edit, gone, before=before, after=before, results=refused, replies=(1, 2), edits=Edits(strict=True))
    assert found == ["M17 written-missing"]


def test_a_word_taken_out_everywhere_by_two_equal_calls_goes_with_its_line_end_first():
    call = ("edit", {"path": "a.md", "old": "pear", "new": "", "replace_all": True})
    before, after = {"a.md": "a pear\nthe pear tree\n"}, {"a.md": "a the  tree\n"}
    for losses, found in (((Drop(what="line_end"),), []), ((), ["M17 written-blanks"])):
        assert written(call, call, before=before, after=after, losses=losses, replies=(1, 2)) == found


def test_a_line_end_may_go_with_a_text_and_one_come_behind_the_last_line():
    call = ("edit", {"path": "a.md", "old": "pear", "new": ""})
    before, after = {"a.md": "one\npear\nthe end"}, {"a.md": "one\nthe end\n"}
    both = Drop(what="line_end"), Drop(what="file_ends")
    for losses, found in ((both, []), (both[:1], ["M17 written-blanks"]), (both[1:], ["M17 written-blanks"])):
        assert written(call, before=before, after=after, losses=losses) == found


@pytest.mark.parametrize(
    ("said", "strict", "found"),
    [
        ("edited a.md", True, ["M17 edit-untold"]),
        ("edited a.md", False, []),
        ("a.md has no such text", True, []),
    ],
)
def test_an_edit_that_finds_nothing_is_not_answered_as_one_that_works(said, strict, found):
    edits = [
        ("edit", {"path": "a.md", "old": old, "new": "two"})
        for old in ("one apple a day", "a sentence that is nowhere")
    ]
    assert (
        written(
            *edits,
            before={"a.md": "one apple a day\ntwo\n"},
            after={"a.md": "two\ntwo\n"},
            strict=strict,
            results=["edited a.md", said],
            edits=Edits(strict),
        )
        == found
    )


def test_a_file_holds_what_the_last_call_wrote():
    made = ("write_file", {"path": "/w/t/workspace/a.md", "content": "a &amp; b\nand so on\n"})
    assert written(made, after={"a.md": "a &amp; b\nand so on\n"}) == []
    assert written(made, after={"a.md": "a & b\nand so on\n"}) == ["M17 written-changed"]
    assert written(made, after={"a.md": "a &amp; b\nand so on"}) == ["M17 written-stripped"]
    assert written(made, after={}) == ["M17 written-missing"]
    assert written(made, after={}, strict=False) == []
    assert written(made, ("exec", {"command": "make"}), after={"a.md": "a & b\nand so on\n"}, strict=False) == []


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Wrote 0 characters to b.md", ["M17 written-missing"]),
        ("", ["M17 written-missing"]),
        ("error: b.md: content is required", []),
    ],
)
def test_a_file_may_be_refused_to_be_emptied_in_words(said, found):
    calls = [("write_file", {"path": "a.md", "content": "one line\n"}), ("write_file", {"path": "b.md", "content": ""})]
    results = ["Wrote 9 characters to a.md", said]
    after = {"a.md": "one line\n", "b.md": "some text\n"}
    assert written(*calls, before={"b.md": "some text\n"}, after=after, results=results) == found
    assert written(*calls, before={"b.md": "some text\n"}, after={**after, "b.md": ""}, results=results) == []


@pytest.mark.parametrize(
    ("talks", "found"),
    [((3, 5), ["M20 file-withheld"]), ((3, 3), []), ((None, 5), ["M20 file-withheld"])],
    ids=["two sub-agents", "one", "the caller and a sub-agent"],
)
def test_what_one_conversation_was_shown_is_not_refused_to_another(talks, found):
    """Though it comes when it is read by its whole path; it is named in the words of the first reading."""
    whole, pointer = ("read_file", {"path": "a.md"}, TEXT), "(unchanged since it was read before, see above)"
    calls = whole, (*whole[:2], pointer), ("read_file", {"path": "/t/workspace/a.md"}, TEXT)
    steps = [
        (
            RequestUnit(CALL, f"{name} {json.dumps(arguments)}", f"c{n}"),
            RequestUnit(RESULT, result, f"c{n}"),
            SimpleNamespace(messages=(), number=n, tools=()),
        )
        for n, (name, arguments, result) in enumerate(calls, start=1)
    ]
    beside = {n: talk for n, talk in zip((1, 2, 3), (*talks, talks[1]), strict=True) if talk is not None}
    reads, files = Reads(PLAIN, book := Book(), "/t/workspace", strict=True), {"a.md": TEXT}
    reads.judge(steps, Files(files, files, {}, beside=beside), Talks({}, {}, ()))
    assert [finding.key for finding in book.findings()] == found


@pytest.mark.parametrize(
    ("between", "found"),
    [
        (("replace_lines", {"path": "a.md", "first": "2#9a", "last": "2#9a", "new": "two pears"}), []),
        (("exec", {"command": "sh format.sh"}), []),
        (("read_file", {"path": "a.md"}), ["M17 written-changed"]),
    ],
    ids=["names the file", "any command", "only looks"],
)
def test_behind_a_call_of_which_nobody_knows_what_it_does_an_edit_may_meet_any_text(between, found):
    edit = ("edit", {"path": "a.md", "old": "three figs", "new": "three plums"})
    before, after = {"a.md": "one\ntwo apples\nthree figs\n"}, {"a.md": "one\ntwo pears\nthree plums\n"}
    assert written(between, edit, before=before, after=after, replies=(1, 2), strict=False) == found
    made = ("write_file", {"path": "a.md", "content": "one\nthree figs\n"})
    left = {"a.md": "one\nTwo pears\nthree plums\n"}
    assert written(made, between, edit, before=before, after=left, replies=(1, 2, 3), strict=False) == found


NOTE = "the gate of the harbour\nopens at six\n"
MADE = ("write_file", {"path": "n/a.md", "content": NOTE}, "Wrote 38 characters to n/a.md")
BACK, KEPT = ("read_file", {"path": "n/a.md"}, NOTE), ("read_file", {"path": "b.md"}, "a file that stays\n")
TAKES = ("read_file", {"path": "n/a.md", "then": "sink"}, NOTE)
TOOLS = [{"function": {"name": name}} for name in ("write_file", "read_file", "save_buffer")]


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ([KEPT, MADE, BACK], ["M17 written-missing"]),
        ([MADE, BACK, KEPT], ["M17 written-missing"]),
        ([MADE, BACK], []),  # the tool may take away what it shows
        ([KEPT, MADE, TAKES], []),
        ([KEPT, MADE, ("read_file", {"path": "n/a.md"}, "no such file")], []),
        ([KEPT, (*MADE[:2], "n/a.md: changed, not saved"), BACK], []),
        ([KEPT, ("write_file", {**MADE[1], "where": "scratchpad"}, "written"), BACK], []),
    ],
)
def test_a_file_that_is_read_as_it_was_written_is_there_after_the_turn(calls, found):
    steps = [
        (
            RequestUnit(CALL, f"{name} {json.dumps(arguments)}", "c"),
            RequestUnit(RESULT, result, "c"),
            SimpleNamespace(messages=(), number=1, tools=TOOLS),
        )
        for name, arguments, result in calls
    ]
    after, book = {"b.md": KEPT[2]}, Book()
    for tree in ({}, {"n/a.md": Entry("file", "1", 1)}, {"n": Entry("link", target="/elsewhere")}):
        judge_writes(steps, WrittenFiles(after, after, "/t/workspace", tree=tree), PLAIN, book, strict=False)
        assert [finding.key for finding in book.findings()] == found, tree
        found = []
        book = Book()


@pytest.mark.parametrize(
    ("command", "after", "found"),
    [
        ("rm a.md", {"a.md": "one\n"}, ["M17 removed-there"]),
        ("rm a.md", {}, []),
        ("rm ./a.md", {"a.md": "one\n"}, ["M17 removed-there"]),
        ("rm a.md b.md", {"a.md": "one\n"}, []),
        ("mv a.md b.md", {"b.md": "one\n"}, []),
        ("mv a.md b.md", {"a.md": "one\n", "b.md": "one\n"}, ["M17 removed-there"]),
        ("mv a.md b.md", {}, ["M17 moved-changed"]),
        ("mv a.md b.md", {"b.md": "two\n"}, ["M17 moved-changed"]),
    ],
)
def test_what_a_command_removes_is_gone_and_what_it_moves_is_there(command, after, found):
    calls = [("exec", {"command": command})]
    assert written(*calls, before={"a.md": "one\n"}, after=after, results=[""]) == found
    assert written(*calls, before={"a.md": "one\n"}, after=after, results=[""], strict=False) == []


@pytest.mark.parametrize(
    ("removes", "found"),
    [("ran in 3 s: {}", ["M17 removed-there"]), ("{} is not run: the user does not want it", [])],
    ids=["answered like one that worked", "refused"],
)
def test_a_removal_is_refused_by_other_words_than_those_for_what_has_worked(removes, found):
    put, gone = r"printf '%s\n' new > b.md", "rm a.md"
    calls = [("exec", {"command": put}), ("exec", {"command": gone})]
    results = [f"ran in 12 s: {put}", removes.format(gone)]
    before, after = {"a.md": "one\n"}, {"a.md": "one\n", "b.md": "new\n"}
    assert written(*calls, before=before, after=after, results=results) == found


@pytest.mark.parametrize("there", ["two\n", "one\n", ""], ids=["edited", "as before", "empty"])
def test_what_is_edited_before_it_is_moved_is_held_as_it_was_then(there):
    edit = ("edit_file", {"path": "a.md", "old_string": "one", "new_string": "two"})
    found = written(edit, ("exec", {"command": "mv a.md b.md"}), before={"a.md": "one\n"}, after={"b.md": there})
    assert found == ([] if there == "two\n" else ["M17 moved-changed"])


@pytest.mark.parametrize("first", ["two\n", "one\n"], ids=["done at once", "refused at first"])
def test_what_is_written_again_after_a_move_may_have_been_written_before_it(first):
    write = ("write_file", {"path": "a.md", "content": "two\n"})
    moves = ("exec", {"command": "mv a.md b.md"})
    after = {"a.md": "two\n", "b.md": first}
    assert written(write, moves, write, before={"a.md": "one\n"}, after=after, replies=(1, 2, 3)) == []


@pytest.mark.parametrize(
    "old", ["The depot 11 is dry", "\ufeffdepot", "depot  10  is"], ids=["number", "mark", "blanks"]
)
def test_an_edit_of_what_is_not_there_changes_nothing_where_no_blank_is_the_reason(old):
    edit = ("edit_file", {"path": "a.md", "old_string": old, "new_string": "The depot 12 is wet"})
    before, after = {"a.md": "The depot 10 is dry\n"}, {"a.md": "The depot 12 is wet\n"}
    assert written(edit, before=before, after=before) == []
    assert written(edit, before=before, after=after) == ([] if old == "depot  10  is" else ["M17 written-changed"])
    assert written(edit, before=before, after=after, strict=False) == []


@pytest.mark.parametrize(("said", "found"), [("done", ["M17 written-once"]), ("not run: a third time", [])])
def test_an_equal_call_that_does_nothing_says_so(said, found):
    call = RequestUnit(CALL, json.dumps({"command": "printf '%s\\n' more >> a.md"}).join(("exec ", "")), "c")
    results = (1, "done"), (1, "done"), (2, said)
    steps = [
        (call, RequestUnit(RESULT, one, "c"), SimpleNamespace(messages=(), number=at, tools=())) for at, one in results
    ]
    book = Book()
    judge_writes(steps, WrittenFiles({"a.md": ""}, {"a.md": "more\nmore\n"}, "/t/workspace"), PLAIN, book, strict=True)
    assert [finding.key for finding in book.findings()] == found


def test_what_is_removed_and_written_again_is_there():
    again = ("write_file", {"path": "a.md", "content": "two\n"})
    assert written(("exec", {"command": "rm a.md"}), again, before={"a.md": "one\n"}, after={"a.md": "two\n"}) == []


def test_a_word_among_the_arguments_may_say_how_a_file_is_written():
    made = {"path": "a.md", "content": "one\ntwo\n"}
    crlf = {"a.md": "one\r\ntwo\r\n"}
    assert written(("write_file", made), after=crlf) == ["M17 written-newlines"]
    assert written(("write_file", {**made, "line_ends": "crlf"}), after=crlf) == []
    assert (
        written(("write_file", {**made, "place": "end"}), before={"a.md": "0\n"}, after={"a.md": "0\none\ntwo\n"}) == []
    )
    assert written(("write_file", {**made, "place": "end"}), after={"a.md": "one\n"}) == ["M17 written-changed"]
    assert written(("write_file", {**made, "why": "to see it"}), after=crlf) == ["M17 written-newlines"]


def test_an_edit_leaves_bytes_that_are_no_text_or_is_refused_or_the_loss_is_declared():
    change = ("edit", {"path": "a.md", "old": "one", "new": "last"})
    before, kept, replaced = {"a.md": "one\ncaf\udce9\n"}, {"a.md": "last\ncaf\udce9\n"}, {"a.md": "last\ncaf\ufffd\n"}
    assert written(change, before=before, after=kept, encoded=before) == []
    assert written(change, before=before, after=before, encoded=before) == []
    assert written(change, before=before, after=before) == ["M17 written-missing"]
    assert written(change, before=before, after=replaced, encoded=before) == ["M17 written-other_bytes"]
    assert written(change, before=before, after=replaced, encoded=before, losses=[Drop(what="other_bytes")]) == []
    assert written(change, before=before, after={"a.md": "last\ncaf\n"}, encoded=before) == ["M17 written-changed"]


def test_who_edits_a_file_or_writes_over_it_leaves_the_right_to_execute_it_but_not_who_makes_it_anew():
    before, after = {"a.sh": "#!/bin/sh\necho one\n"}, {"a.sh": "#!/bin/sh\necho last\n"}
    change, made = (
        ("edit", {"path": "a.sh", "old": "one", "new": "last"}),
        ("write", {"path": "a.sh", "content": after["a.sh"]}),
    )
    assert written(change, before=before, after=after, barred={"a.sh"}) == ["M17 written-mode"]
    assert written(change, before=before, after=after, barred={"b.sh"}) == []
    assert written(change, before=before, after=after, barred={"a.sh"}, strict=False) == []
    assert written(change, before=before, after=after, barred={"a.sh"}, losses=[Drop(what="executable")]) == []
    assert written(made, before=before, after=after, barred={"a.sh"}) == ["M17 written-mode"]
    assert written(made, before=before, after=after, barred={"a.sh"}, losses=[Drop(what="executable")]) == []
    assert written(("exec", {"command": "rm a.sh"}), made, before=before, after=after, barred={"a.sh"}) == []


@pytest.mark.parametrize("name", ["content", "file_text", "file_content", "contents"])
def test_what_is_written_is_known_by_its_name_though_that_has_file_in_it(name):
    made = ("create_file", {"path": "a.md", name: "text\n"})
    assert written(made, after={"a.md": "text\n"}) == []
    assert written(made, after={}) == ["M17 written-missing"]


@pytest.mark.parametrize("path", ["a.md", "./a.md", "/w/t/workspace/a.md", "/agent/workspace/a.md"])
def test_a_path_is_the_workspace_s_however_it_is_written(path):
    made = ("write_file", {"path": path, "content": "text\n"})
    assert written(made, after={"a.md": "text\n"}) == []
    assert written(made, after={}) == ["M17 written-missing"]
    assert written(("write_file", {"path": "/tmp/a.md", "content": "text\n"}), after={}) == []


def test_an_edit_replaces_one_text_and_what_was_deleted_stays_away():
    change = ("edit_file", {"path": "a.md", "old_string": "two", "new_string": r"\1 $&"})
    assert written(change, before={"a.md": "one two\n"}, after={"a.md": "one \\1 $&\n"}) == []
    assert written(change, before={"a.md": "one two\n"}, after={"a.md": "one \\1 two\n"}) == ["M17 written-changed"]
    assert written(change, before={"a.md": "two two\n"}, after={"a.md": "two two\n"}) == []
    assert written(after={"gone.md": "here\n"}) == ["M20 file-back"]
    assert written(after={"new.md": "here\n"}) == []


def test_an_editor_may_give_a_file_of_mixed_line_ends_one_kind_and_no_other_file():
    change = ("edit_file", {"path": "a.md", "old_string": "two", "new_string": "three"})
    mixed, whole = "one\r\nlast\r\ntwo\n", "one\r\nlast\r\ntwo\r\n"
    assert written(change, before={"a.md": mixed}, after={"a.md": "one\r\nlast\r\nthree\r\n"}) == []
    assert written(change, before={"a.md": mixed}, after={"a.md": "one\nlast\nthree\n"}) == []
    assert written(change, before={"a.md": mixed}, after={"a.md": "one\r\nlast\r\nthree"}) != []
    assert written(change, before={"a.md": whole}, after={"a.md": "one\nlast\nthree\n"}) == ["M17 written-newlines"]
    more = ("edit_file", {"path": "a.md", "old_string": "two", "new_string": "three\nfour"})
    for there in ("one\r\nlast\r\nthree\nfour\r\n", "one\r\nlast\r\nthree\r\nfour\r\n"):
        assert written(more, before={"a.md": whole}, after={"a.md": there}) == []
    lost = {"a.md": "one\nlast\nthree\nfour\n"}
    assert written(more, before={"a.md": whole}, after=lost) == ["M17 written-newlines"]
    assert written(more, before={"a.md": whole}, after=lost, losses=[], strict=False) == []


def edited(old, new, before, there, *, says="edited a.md", losses=(), description="", strict=True, told=()):
    """What is found of an edit of a file, behind one of another file that is answered as one that works."""
    calls = [
        ("edit", {"path": path, "old": one, "new": two, **dict(told)})
        for path, one, two in (("b.md", "b", "c"), ("a.md", old, new))
    ]
    tools = ({"type": "function", "function": {"name": "edit", "description": description}},)
    return written(
        *calls, before={"b.md": "b"} | ({"a.md": before} if before is not None else {}),
        after={"b.md": "c"} | ({"a.md": there} if there is not None else {}),
        results=["edited b.md", says], edits=Edits(strict), strict=strict, losses=losses, tools=tools,
    )  # fmt: skip


def test_a_change_that_an_edit_is_answered_by_is_the_right_way_round():
    before, there = "a first line\nit is one\n", "a first line\nit is two\n"
    for says, found in (
        ("done:\n a first line\n-it is one\n+it is two\n", []),
        ("done:\n a first line\n-it is two\n+it is one\n", ["M17 change-turned"]),
        ('{"diff": "@@ -2 +2 @@\\n-it is two\\n+it is one\\n"}', ["M17 change-turned"]),
        ("done:\n 2 -it is one\n 2 +it is two\n", []),
    ):
        assert edited("it is one", "it is two", before, there, says=says) == found


@pytest.mark.parametrize(
    ("there", "says", "found"),
    [
        ("two\nand\nfour\n", "edited", []),
        ("one\nand\nthree\n", "edited", ["M17 written-missing"]),
        ("two\nand\nthree\n", "edited", ["M17 written-changed"]),
    ],
    ids=["all", "none", "some"],
)
def test_several_replacements_of_one_call_are_all_made(there, says, found):
    changes = [{"old": "one", "new": "two"}, {"old": "three", "new": "four"}]
    call = ("edit", {"path": "a.md", "edits": changes})
    assert written(call, before={"a.md": "one\nand\nthree\n"}, after={"a.md": there}, results=[says]) == found


@pytest.mark.parametrize(
    ("says", "there", "found"),
    [
        ("refused: something is not there", "two\nand\n", ["M17 edit-partly"]),
        ("refused: something is not there", "one\nand\n", []),
        ("the first was made, something else is not there", "two\nand\n", []),
    ],
    ids=["made and not said", "refused", "said"],
)
def test_of_several_replacements_those_that_were_made_are_said(says, there, found):
    missing = {"old": "a text that is nowhere", "new": "six"}
    calls = [
        ("edit", {"path": "b.md", "edits": [missing]}),
        ("edit", {"path": "a.md", "edits": [{"old": "one", "new": "two"}, missing]}),
    ]
    assert written(
        *calls, before={"a.md": "one\nand\n", "b.md": "b\n"}, after={"a.md": there, "b.md": "b\n"},
        results=["refused: something is not there", says], edits=Edits(),
    ) == found  # fmt: skip


def test_an_edit_of_what_stands_twice_is_refused_made_everywhere_or_says_where_it_was_made():
    before, every = "one\nlast\none\n", "two\nlast\ntwo\n"
    first, end, more = "two\nlast\none\n", "one\nlast\ntwo\n", "two\ntwo\none\n"
    assert edited("one", "two", before, before, says="it stands there twice") == []
    assert edited("one", "two", before, before) == ["M17 edit-untold"]
    assert edited("one", "two", before, every) == []
    assert edited("one", "two", before, first) == edited("one", "two", before, end) == ["M17 edit-ambiguous"]
    assert edited("one", "two", before, first, strict=False) == []
    assert edited("one", "two", before, first, says="the first of two") == []
    assert edited("one", "two", before, first, description="Replaces the first one.") == []
    assert edited("one", "two", before, more, says="done") == ["M17 written-changed"]


def test_what_is_put_behind_a_file_is_there_with_its_line_end():
    for tool, more in (("append_file", {}), ("write_file", {"append": True}), ("write_file", {"mode": "append"})):
        call = (tool, {"path": "a.md", "content": "two\n", **more})
        assert written(call, before={"a.md": "one\n"}, after={"a.md": "one\ntwo\n"}) == []
        if "mode" not in more:  # which may say how lines end
            assert written(call, before={"a.md": "one\n"}, after={"a.md": "one\ntwo"}) != []
        assert written(call, before={"a.md": "one\n"}, after={"a.md": "two\n"}) != []
    call = ("write_file", {"path": "a.md", "content": "append\n", "append": False})
    assert written(call, before={"a.md": "one\n"}, after={"a.md": "append\n"}) == []


@pytest.mark.parametrize("value", [False, "false"])
def test_an_edit_that_is_told_not_to_be_made_everywhere_is_not(value):
    before, every, told = "one\nlast\none\n", "two\nlast\ntwo\n", {"replace_all": value}
    assert edited("one", "two", before, before, says="it stands there twice", told=told) == []
    assert edited("one", "two", before, "two\nlast\none\n", says="the first", told=told) == []
    assert edited("one", "two", before, every, told=told) == ["M17 written-changed"]


def test_an_edit_with_other_line_ends_is_refused_or_leaves_those_of_the_file():
    before, old, new = "one\r\ntwo\r\nlast\r\n", "one\ntwo", "three\nfour"
    assert edited(old, new, before, before, says="not found") == []
    assert edited(old, new, before, "three\r\nfour\r\nlast\r\n") == []
    for there in ("three\nfour\r\nlast\r\n", "three\r\nfour\nlast\r\n"):
        assert edited(old, new, before, there) == ["M17 written-newlines"]
    assert edited(old, new, before, "three\nfour\nlast\n") == ["M17 written-changed"]


@pytest.mark.parametrize("there", ["  three\nlast\n one\n", "last\n one\n", "three\nlast\nthree\n\n\nmore\n", ""])
def test_an_edit_that_differs_in_blanks_is_refused_or_changes_places_that_are_like_it_and_nothing_else(there):
    before = "  one\nlast\n one\n"
    assert edited("    one", "    three", before, before, says="not found") == []
    for good in ("    three\nlast\n one\n", "  one\nlast\n three\n"):
        assert edited("    one", "    three", before, good, says="the first of two") == []
        assert edited("    one", "    three", before, good) == ["M17 edit-ambiguous"]
    assert edited("    one", "    three", before, "three\nlast\nthree\n") == []
    assert edited("    one", "    three", "  one\nlast\n", "  three\nlast\n") == []
    wrong = ["M17 edit-ambiguous" if "three\nlast\n one" in there else "M17 written-changed"]
    assert edited("    one", "    three", before, there) == wrong
    assert edited("    one", "    three", before, there, strict=False) == []


@pytest.mark.parametrize(
    ("there", "found"),
    [
        ("abc\n", []), ("X\nabc\n", []), ("abc\nX", []),
        ("XaXbXcX\n", ["M17 written-changed"]), ("X", ["M17 written-changed"]),
    ],
)  # fmt: skip
def test_nothing_is_replaced_by_what_goes_before_or_behind_a_file_or_is_refused(there, found):
    assert edited("", "X", "abc\n", there, says="refused") == found
    told = "If the old text is empty, all of the file is written."
    assert edited("", "X", "abc\n", there, description=told, says="refused") == ([] if there == "X" else found)


def test_an_edit_makes_no_file_that_is_not_there():
    assert edited("old", "new", None, None, says="not found") == []
    assert edited("old", "new", None, None) == ["M17 edit-untold"]
    assert edited("old", "new", None, "new") == ["M20 file-back"]
    assert edited("old", "new", None, "new", strict=False) == []
    assert edited("", "new", None, "new") == []


def test_equal_calls_take_effect_each_or_say_something_else():
    add = ("exec", {"command": "printf '%s\\n' 'one more' >> a.md"})
    before = {"a.md": "old\n"}
    lines = ["old\n" + "one more\n" * times for times in range(4)]
    one, three = {"replies": (1, 1)}, {"replies": (1, 1, 2)}
    assert written(add, add, before=before, after={"a.md": lines[2]}, **one) == []
    assert written(add, add, before=before, after={"a.md": lines[1]}, **one) == ["M17 written-once"]
    assert written(add, add, before=before, after={"a.md": lines[1]}, results=("ok", "said before"), **one) == []
    assert written(add, add, add, before=before, after={"a.md": lines[3]}, **three) == []
    assert written(add, add, add, before=before, after={"a.md": lines[2]}, **three) == ["M17 written-once"]
    assert written(add, add, add, before=before, after={"a.md": lines[1]}, **three) == ["M17 written-once"]
    grow = ("edit_file", {"path": "a.md", "old": "old", "new": "old gate"})
    assert written(grow, grow, before=before, after={"a.md": "old gate gate\n"}) == []
    assert written(grow, grow, before=before, after={"a.md": "old gate\n"}) == ["M17 written-once"]
    change = ("edit_file", {"path": "a.md", "old": "old", "new": "new"})
    assert written(change, change, before=before, after={"a.md": "new\n"}, results=("ok", "not there")) == []


def test_a_name_that_a_shell_spells_otherwise_is_removed_all_the_same():
    name = "kitchen's notes.md"
    spelt = """kitchen'"'"'s notes.md"""
    add = ("exec", {"command": f"printf '%s\\n' 'one more' >> '{spelt}'"})
    gone = ("exec", {"command": f"rm '{spelt}'"})
    assert written(add, gone, before={name: "one\n"}, after={}, replies=(1, 2)) == []
    assert written(add, before={name: "one\n"}, after={}) == ["M17 written-missing"]


def test_what_is_written_a_second_time_in_a_later_reply_is_there_again():
    first, second = (("write_file", {"path": "a.md", "content": f"{text} harbour ledger\n"}) for text in ("one", "two"))
    calls = (first, second, first)
    for after in ("one harbour ledger\n", "two harbour ledger\n"):  # side by side any may be the last
        assert written(*calls, after={"a.md": after}) == []
    assert written(*calls, after={"a.md": "one harbour ledger\n"}, replies=(1, 2, 3)) == []
    assert written(*calls, after={"a.md": "two harbour ledger\n"}, replies=(1, 2, 3)) == ["M17 written-once"]


@pytest.mark.parametrize("refused", [True, False])
def test_what_is_written_twice_in_a_turn_may_have_been_written_the_first_time(refused):
    before, after = "the one harbour\nthe ledger\n", "the one\nharbour\nthe ledger\n"
    write, look = ("write_file", {"path": "a.md", "content": after}), ("read_file", {"path": "a.md"})
    calls = [(*write, "ok"), (*look, before if refused else after), (*write, "ok"), (*look, after)]
    assert answered(*calls, files={"a.md": before}, after={"a.md": after}, strict=True) == ([], [])
    calls[3] = (*look, before)
    found, _ = answered(*calls, files={"a.md": before}, after={"a.md": after}, strict=True)
    assert found == ["M20 file-stale"]


def test_an_edit_leaves_a_byte_order_mark():
    change = ("edit_file", {"path": "a.md", "old": "two", "new": "three"})
    before = {"a.md": "\ufeffone\r\ntwo"}
    assert written(change, before=before, after={"a.md": "\ufeffone\r\nthree"}) == []
    assert written(change, before=before, after={"a.md": "one\r\nthree"}) == ["M17 written-mark"]
    assert written(change, before={"a.md": "one\ntwo"}, after={"a.md": "\ufeffone\nthree"}) == ["M17 written-mark"]


def test_a_reading_need_not_show_a_byte_order_mark():
    text = f"\ufeff{TEXT}"
    assert read(text, text) == read(TEXT, text) == ([], [])


def answered(*calls, files=None, after=None, sessions=(), older=(), new=(), strict=False):
    """What is found of calls ``(name, arguments, result)`` of one turn, and what is said of those that showed nothing."""
    book, there = Book(), files or {"a.md": TEXT}
    reads = Reads(PLAIN, book, "/t/workspace", strict=strict)
    steps = [
        (
            RequestUnit(CALL, f"{name} {json.dumps(arguments)}", f"c{n}"),
            RequestUnit(RESULT, result, f"c{n}"),
            SimpleNamespace(messages=(), number=n, tools=()),
        )
        for n, (name, arguments, result) in enumerate(calls, start=1)
    ]
    reads.judge(steps, Files(there, after or there, {}, new), Talks({one.id: one for one in sessions}, {"": older}, ()))
    reads.finish()
    return [finding.key for finding in book.findings()], [(one.place, one.times, one.what) for one in book.refusals()]


NO = ("read_file", {"path": "a.md"}, "error: no such file")


def test_readings_that_show_nothing_of_what_is_there_are_counted_and_are_no_finding():
    said = """read_file {"path": "a.md"} → 'error: no such file', request 1"""
    assert answered(NO, NO) == ([], [("a.md", 2, said)])
    assert answered(NO, (*NO[:2], TEXT)) == ([], [])
    assert answered(NO, ("open_it", {"path": "a.md", "from": 9}, "\n".join(LINES[9:20]))) == ([], [])
    assert answered(NO, new=[f"The open file:\n{TEXT}"]) == ([], [])
    assert answered(NO, files={"a.md": "\n"}) == ([], [])
    assert answered(NO, strict=True) == (["M20 file-unread"], [])


@pytest.mark.parametrize(
    ("shown", "before", "found"),
    [
        ("The first shelf is ,full\n", (), ["M20 file-changed"]),
        ("The first shelf is }{full\n", (), []),
        ("error: the disk is full", (), []),
        ("The first shelf is ,full\n", [("exec", {"command": "make all"}, "done")], []),
    ],
    ids=["as it was not written", "as it was written", "not shown", "behind a command"],
)
def test_who_shows_what_is_left_of_a_file_right_after_it_was_written_otherwise_has_written_it_so(shown, before, found):
    """Whatever a command does afterwards."""
    write = ("write_file", {"path": "a.md", "content": "The first shelf is }{full\n"}, "written")
    calls = [write, *before, ("read_file", {"path": "a.md"}, shown), ("exec", {"command": "awk 1 b.md"}, "")]
    after = {"a.md": "The first shelf is ,full\n"}
    assert answered(*calls, files={"a.md": "The shelf is as it was.\n"}, after=after)[0] == found


def test_a_line_with_a_number_that_is_shown_otherwise_does_not_say_how_many_are_left_out():
    """One in which two letters have become another one each, where one line is not shown as it is."""
    text = "\n".join([*LINES[:9], "the harbour has 1 gate, and it is shut", *LINES[9:18]])
    shown = text.replace("1 gate", "1 g\ufffd\ufffde")
    tools = [{"function": {"name": "run", "parameters": {"properties": {"command": {}, "timeout": {}}}}}]
    call = RequestUnit(CALL, 'run {"command": "cat a.md"}', "c1"), RequestUnit(RESULT, shown, "c1")
    book = Book()
    reads = Reads(PLAIN, book, "/t/workspace")
    reads.judge(
        [(*call, SimpleNamespace(messages=(), number=1, tools=tools))],
        Files({"a.md": text}, {"a.md": text}, {}),
        Talks({}, {}, ()),
    )
    assert [finding.key for finding in book.findings()] == ["M20 file-changed"]


@pytest.mark.parametrize(("first", "found"), [(101, []), (1, ["M20 read-number"])], ids=["of the file", "of the part"])
def test_a_tool_that_numbers_lines_numbers_those_of_a_part_as_the_file_has_them(first, found):
    whole = "\n".join(f"{number} | {line}" for number, line in enumerate(LINES, 1))
    part = "\n".join(f"{number} | {line}" for number, line in enumerate(LINES[100:105], first))
    asked = {"path": "a.md", "offset": 101, "limit": 5}
    assert answered(("read_file", {"path": "a.md"}, whole), ("read_file", asked, part))[0] == found
    assert answered(("read_file", asked, part))[0] == [], "perhaps it is only how many that is"


@pytest.mark.parametrize(
    ("begins", "first", "found"),
    [(1, 101, []), (1, 102, ["M20 read-number"]), (0, 101, []), (0, 100, [])],
    ids=["right", "one too high", "counts from 0, and from 1", "counts from 0"],
)
def test_the_numbers_of_a_part_counted_from_the_end_are_the_lines_own(begins, first, found):
    whole = "\n".join(f"{number} | {line}" for number, line in enumerate(LINES, begins))
    part = "\n".join(f"{number} | {line}" for number, line in enumerate(LINES[100:105], first))
    asked = {"path": "a.md", "offset": 100 - len(LINES), "limit": 5}
    assert answered(("read_file", {"path": "a.md"}, whole), ("read_file", asked, part))[0] == found


def test_histories_that_are_refused_are_counted_where_the_tool_shows_others():
    mail, floor = (
        Session(id=name, messages=[Message(id="1", role="user", text=f"the scales of {name} are sealed")])
        for name in ("mail", "floor")
    )
    no = ("chat_log", {"chat": "mail"}, "internal error")
    shown = ("chat_log", {"chat": "floor"}, floor.messages[0].text)
    assert answered(no, sessions=[mail, floor]) == ([], [])
    assert [one[:2] for one in answered(no, shown, sessions=[mail, floor])[1]] == [("mail", 1)]
    assert answered((*no[:2], ""), shown, sessions=[mail, floor]) == (["M17 result-empty"], [])


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ("Yard-2\nyard-2 (3 messages)\nmail", []),
        ("yard-2 (3 messages)\nmail", ["M22 history-unlisted"]),
        ("mail\nfloor.md\nnotes.md", []),
        ("mail: 3 messages", []),
        ("mail, Yard-2; for the rest see list_older", []),
    ],
    ids=["all", "two names taken for one", "a folder's files", "of one", "more elsewhere"],
)
def test_a_list_of_histories_names_all_of_them(result, found):
    sessions = [
        Session(id=name, messages=[Message(id="1", role="user", text="x")]) for name in ("Yard-2", "yard-2", "mail")
    ]
    call = RequestUnit(CALL, "sessions {}", "c1"), RequestUnit(RESULT, result, "c1")
    tools = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in ("sessions", "list_older")]
    book = Book()
    reads = Reads(PLAIN, book, "/t/workspace")
    files = {"floor.md": TEXT, "mail.md": TEXT} if "floor" in result else {"a.md": TEXT}
    exchange = SimpleNamespace(messages=(), number=1, tools=tools)
    reads.judge([(*call, exchange)], Files(files, files, {}), Talks({one.id: one for one in sessions}, {}, ()))
    assert [finding.key for finding in book.findings()] == found


def test_what_an_update_took_from_a_history_is_shown_by_no_tool_unless_the_model_has_said_it():
    session = Session(id="floor", messages=[Message(id="1", role="user", text="the scales are sealed")])
    calls = (
        ("find_talk", {"words": "crane"}, "floor: the crane is broken"),
        ("note", {"text": "the crane is broken"}, "the crane is broken"),
    )
    older = frozenset({"the crane is broken"})
    assert answered(calls[0], sessions=[session], older=older)[0] == ["M21 deleted-there"]
    assert answered(calls[1], sessions=[session], older=older)[0] == []


def test_a_result_without_a_word_is_lost_also_where_the_file_is_read_again():
    empty, whole = (*NO[:2], ""), (*NO[:2], TEXT)
    assert answered(empty, whole) == (["M17 result-empty"], [])
    assert answered(whole, empty) == ([], [])
    assert answered(empty) == ([], [])  # nobody knows whether the tool shows anything


def test_a_file_that_a_call_before_has_written_may_be_read_and_moved():
    one, other = ({"path": path, "content": TEXT} for path in ("one.txt", "two.txt"))
    read = ("read_file", {"path": "one.txt", "then": "sink"}, TEXT)
    assert answered(("write_file", one, "ok"), read, ("write_file", one, "ok"), files={"two.txt": TEXT}) == ([], [])
    assert answered(read, ("write_file", other, "ok"), files={"two.txt": TEXT})[0] == ["M20 file-mistaken"]


def test_a_file_in_a_folder_that_a_command_has_made_may_be_read_until_it_goes():
    calls = [("exec", {"command": line}, "") for line in ("cp -r notes copy", "rm -r copy")]
    read = ("read_file", {"path": "copy/one.txt"}, TEXT)
    assert answered(calls[0], read, calls[1], files={"notes/one.txt": TEXT}) == ([], [])
    assert answered(read, files={"notes/one.txt": TEXT})[0] == ["M20 file-mistaken"]


@pytest.mark.parametrize(
    ("shown", "end", "found"),
    [(300, "", []), (200, "", ["M20 part-lines-missing"]), (200, "[lines 1 to 200 of 300]\n", [])],
    ids=["all", "some", "some, and how many there are"],
)
def test_more_lines_than_there_are_end_with_the_last_one_or_it_says_so(shown, end, found):
    lines = [f"{number} a row of a table\n" for number in range(1000, 1300)]
    read = ("read_file", {"path": "rows.csv", "offset": 1, "limit": 600}, "".join((*lines[:shown], end)))
    assert answered(read, files={"rows.csv": "".join(lines)}) == (found, [])


def folded_as(first, said, last, parameters=("path", "raw")):
    schema = {"properties": {name: {} for name in parameters}}
    tools = [{"function": {"name": "read", "parameters": schema}}]
    return folded(TEXT, "\n".join([*LINES[:first], said, *LINES[last:]]), ("read", {"path": "a.md"}, tools))


def test_lines_that_are_left_out_and_counted_where_they_were_are_no_loss():
    assert folded_as(3, "⋯ 490 similar lines ⋯", 493)
    assert folded_as(3, "⋯ 497 similar lines ⋯", 500)
    assert not folded_as(3, "⋯ 490 similar lines ⋯", 494)
    assert not folded_as(3, "⋯", 493)
    assert not folded_as(3, "⋯ 490 similar lines ⋯", 493, ("path",))
    assert not folded_as(3, "", 493)


@pytest.mark.parametrize(("count", "told"), [(4, True), (7, True), (3, False), (8, False)])
def test_blank_lines_among_those_that_are_left_out_may_count_or_not(count, told):
    text = "\n".join(["the first line", "", *LINES[:2], "", *LINES[2:4], "", "the last line"])
    shown = f"the first line\n\n⋯ {count} lines left out ⋯\n\nthe last line"
    tools = [{"function": {"name": "read", "parameters": {"properties": {"offset": {}}}}}]
    assert folded(text, shown, ("read", {}, tools)) is told


def test_a_tool_that_ends_lines_as_unicode_does_counts_them_so():
    text = "first\na harbour\u2028ledger\nan old\x0bgate\nthe key\nthe last"
    tools = [{"function": {"name": "read", "parameters": {"properties": {"offset": {}}}}}]
    for count, told in ((3, True), (5, True), (4, False)):  # in lines of files, and in those of Unicode
        assert folded(text, f"first\n⋯ {count} lines left out ⋯\nthe last", ("read", {}, tools)) is told


@pytest.mark.parametrize(("first", "told"), [(6, True), (7, False)])
def test_a_line_that_stands_twice_may_be_the_one_behind_those_that_are_left_out(first, told):
    lines = [line for number in range(20) for line in (f"the harbour {number}", "---")]
    tools = [{"function": {"name": "read", "parameters": {"properties": {"offset": {}}}}}]
    shown = [*lines[:first], "⋯ 25 lines left out ⋯", *lines[31:]]
    assert folded("\n".join(lines), "\n".join(shown), ("read", {}, tools)) is told
    numbered = [f"{number} {line}" for number, line in enumerate(lines, start=1) if number not in range(16, 20)]
    assert not folded("\n".join(lines), "\n".join(numbered), ("read", {}, tools))


def read(shown, text, *losses):
    """What is found of one reading of a file, and which losses bit."""
    book = Book()
    reads = Reads(Renderer(Capabilities(losses=losses)), book, "/t/workspace", strict=True)
    call = RequestUnit(CALL, 'read_file {"path": "a.md"}', "c1")
    exchange = SimpleNamespace(messages=(), number=1, tools=())
    files = Files({"a.md": text}, {"a.md": text}, {})
    reads.judge([(call, RequestUnit(RESULT, shown, "c1"), exchange)], files, Talks({}, {}, ()))
    return [finding.key for finding in book.findings()], [bite.loss for bite in book.bites()]


def test_what_was_deleted_once_may_be_written_read_and_moved_away_in_one_turn():
    text = f"{LINES[0]}\n{LINES[1]}\n"
    made = [
        ("write_file", {"path": "a.md", "content": text}, "written"), ("read_file", {"path": "a.md"}, text),
        ("exec", {"command": "mv a.md b.md"}, ""),
    ]  # fmt: skip
    steps = [
        (
            RequestUnit(CALL, f"{name} {json.dumps(arguments)}", f"c{number}"), RequestUnit(RESULT, result, f"c{number}"),
            SimpleNamespace(messages=(), number=number, tools=()),
        )
        for number, (name, arguments, result) in enumerate(made, 1)
    ]  # fmt: skip
    book = Book()
    told = [None, None, ToldCommand("mv a.md b.md", {"a.md": text}, {"a.md": None, "b.md": text}, "")]
    reads = Reads(Renderer(Capabilities()), book, "/t/workspace", strict=True)
    reads.judge(steps, Files({}, {"b.md": text}, {"a.md": frozenset(LINES[:2])}, told=told), Talks({}, {}, ()))
    assert book.findings() == ()


def test_a_long_line_is_cut_where_that_is_declared_and_nothing_else_is():
    long = " ".join(LINES)
    text = f"{LINES[0]}\n{long}\n{LINES[2]}\n"
    cut = f"{LINES[0]}\n{long[:2000]}… (line cut)\n{LINES[2]}\n"
    declared = Clip(of="line", characters=2000)
    assert read(text, text) == read(text, text, declared) == ([], [])
    assert read(cut, text) == (["M20 file-cut"], [])
    assert read(cut, text, declared) == ([], ["lines of files that are read: cut at 2,000 characters"])
    assert read(cut.replace(long[:2000], long[:500]), text, declared)[0] == ["M20 file-cut"]
    assert read(cut.replace(LINES[2], ""), text, declared)[0] == ["M20 file-cut"]


def test_nothing_but_updates_and_calls_changes_a_file():
    def tree(**files):
        return {name: Entry("file", sha, 1) for name, sha in files.items()}

    book = Book()
    untouched = Untouched(tree(a="1", b="1"), ["notes"], book)
    untouched.updated(tree(a="2", b="1"), [Update(id="U1", actions=(UpdateAction(workspace="a", source="s"),))])
    untouched.worked(tree(a="2", b="2", notes="1"), ["echo b"])
    assert book.findings() == ()
    untouched.updated(tree(b="3"), [])
    untouched.worked(tree(new="1"), ["echo a"])
    assert {(one.key, one.what.split()[2]) for one in book.findings()} == {
        ("M20 workspace-changed", "b"),
        ("M20 workspace-removed", "a"),
        ("M20 workspace-added", "new"),
    }


@pytest.mark.parametrize("said", ["'a'\\''s b'", '"a\'s b"', "a\\'s\\ b", "'a'\"'\"'s b'"])
def test_a_command_names_a_file_in_any_way_of_quoting(said):
    book = Book()
    untouched = Untouched({}, [], book)
    untouched.worked({"a's b": Entry("file", "1", 1)}, [f"cat > {said} <<'EOF'\nit's\nEOF"])
    assert book.findings() == ()


def test_a_command_adds_a_line_and_fails_when_it_has_shown_a_file():
    line = ("exec", {"command": "printf '%s\\n' 'one more' >> a.md"})
    assert written(line, before={"a.md": "old\n"}, after={"a.md": "old\none more\n"}) == []
    assert written(line, before={"a.md": "old\n"}, after={"a.md": "old\none more\none more\n"}) == [
        "M17 written-changed"
    ]
    shown = shown_by({"command": "cat a.md; exit 3"})
    assert shown is not None
    assert shown.path == "a.md"


def looked(*calls, before, after, encoded=None, tools=()):
    """What is found of calls ``(reply, name, arguments, result)`` of one turn; a.md was read once as an older text."""
    book = Book()
    reads = Reads(Renderer(Capabilities()), book, "/t/workspace", strict=True, whole={"a.md": "an older text\n"})
    steps = [
        (
            RequestUnit(CALL, f"{name} {json.dumps(arguments)}", f"c{n}"),
            RequestUnit(RESULT, result, f"c{n}"),
            SimpleNamespace(messages=(), number=reply, tools=[{"function": {"name": one}} for one in tools]),
        )
        for n, (reply, name, arguments, result) in enumerate(calls)
    ]
    files = Files(before, after, {"a.md": frozenset({"an older text"})}, encoded=encoded or {})
    reads.judge(steps, files, Talks({}, {}, ()))
    return [finding.key for finding in book.findings()]


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ("one line\n", []),
        ("no such file", []),
        ("an older text\n", ["M20 file-stale"]),
    ],
)
def test_a_file_that_was_deleted_may_be_made_and_shown_in_one_reply_and_added_to_later(shown, found):
    made = (1, "write_file", {"path": "a.md", "content": "one line\n"}, "ok")
    read = (1, "read_file", {"path": "a.md"}, shown)
    added = (2, "exec", {"command": "printf '%s\\n' 'one more' >> a.md"}, "")
    assert looked(made, read, added, before={}, after={"a.md": "one line\none more\n"}) == found


@pytest.mark.parametrize(
    ("shown", "found"), [("an older text and more\n", []), ("an older text\n", ["M20 file-stale"])]
)
def test_a_line_that_goes_on_is_not_an_old_one(shown, found):
    text = "one line\nan older text and more\n" if not found else "one line\nanother\n"
    read = (1, "read_file", {"path": "a.md", "offset": 2}, shown)
    assert looked(read, before={"a.md": text}, after={"a.md": text}) == found


@pytest.mark.parametrize(("losses", "found"), [((), ["M17 output-changed"]), ((Mask(),), [])])
def test_what_a_command_prints_may_look_like_a_secret_where_that_is_declared_to_be_masked(losses, found):
    book = Book()
    reads = Reads(Renderer(Capabilities(losses=losses)), book, "/t/workspace", strict=True)
    arguments = json.dumps({"command": "echo 'a gate'; printf '%s\\n' '39984 tunakidodobalumbakibaparovestaend' >&2"})
    call = RequestUnit(CALL, f"exec {arguments}", "c1")
    exchange = SimpleNamespace(messages=(), number=1, tools=())
    reads.judge(
        [(call, RequestUnit(RESULT, "a gate\n39984 tunakidod…aend", "c1"), exchange)],
        Files({}, {}, {}),
        Talks({}, {}, ()),
    )
    assert [finding.key for finding in book.findings()] == found


@pytest.mark.parametrize("shown", ["", "(no output)", "an older text\n", "one line\n"])
@pytest.mark.parametrize("written", [False, True])
def test_who_reads_a_file_while_it_is_written_anew_may_find_it_empty(shown, written):
    read = (1, "exec", {"command": "cat a.md"}, shown)
    put = (1 if written else 2, "exec", {"command": "printf '%s\\n' 'one line' > a.md"}, "(no output)")
    found = looked(read, put, before={"a.md": "some text\n"}, after={"a.md": "one line\n"})
    lost = shown == "an older text\n" or not written
    assert bool(found) == lost, found


def test_what_was_made_is_there_in_the_next_reply():
    made = (1, "write_file", {"path": "a.md", "content": "one line\n"}, "ok")
    later = [(2, "read_file", {"path": "a.md"}, shown) for shown in ("one line\n", "no such file")]
    after = {"a.md": "one line\n"}
    assert looked(made, later[0], before={}, after=after) == []
    assert looked(made, later[1], before={}, after=after) == ["M20 file-unchanged"]


def test_what_a_call_of_unknown_effect_has_been_at_may_be_gone():
    made = (1, "write_file", {"path": "a.md", "content": "one line of it\n"}, "ok")
    did = (2, "exec", {"command": "rm -rf ./a.md"}, "")
    shown = (3, "open_document", {"path": "a.md"}, "no such file")
    assert looked(made, did, shown, before={"a.md": "some text\n"}, after={}) == []
    copied = (2, "exec", {"command": "cat < b.md > a.md"}, "")
    there = (3, "read_file", {"path": "a.md"}, "another text of it\n")
    moved = (4, "exec", {"command": "mv a.md c.md"}, "")
    files = {"a.md": "some text\n", "b.md": "another text of it\n"}
    assert looked(copied, there, moved, before=files, after={"b.md": files["b.md"], "c.md": files["b.md"]}) == []
    assert looked(made, shown, before={"a.md": "some text\n"}, after={"a.md": "one line of it\n"}) != []


@pytest.mark.parametrize(("reply", "found"), [(1, []), (2, ["M20 file-unchanged"])])
def test_what_is_removed_beside_a_reading_may_be_gone(reply, found):
    shown = (1, "exec", {"command": "cat a.md"}, "cat: a.md: No such file or directory")
    removed = (reply, "exec", {"command": "rm a.md"}, "")
    assert looked(shown, removed, before={"a.md": "some text\n"}, after={}) == found


def test_what_a_command_may_have_made_of_a_file_for_a_while_is_not_what_it_was_nor_what_it_is():
    made = (1, "exec", {"command": "cat > a.md << 'EOF' && cat a.md\nin between\nEOF"}, "in between")
    shown = (2, "exec", {"command": "cat a.md; exit 3"}, "in between\n(exit 3)")
    moved = (3, "exec", {"command": "mv b.md a.md"}, "")
    sides = {"before": {"a.md": "some text\n", "b.md": "another\n"}, "after": {"a.md": "another\n"}}
    assert looked(made, shown, moved, **sides) == []


def test_what_was_deleted_is_not_back_because_it_was_read():
    calls = [("read_file", {"path": "gone.md"})]
    assert written(*calls, after={"gone.md": "one line\n"}) == ["M20 file-back"]
    assert written(("exec", {"command": "cp a gone.md"}), after={"gone.md": "one line\n"}) == []


CUT = ("edit_file", {"path": "a.md", "old_string": "and six more", "new_string": ""})


@pytest.mark.parametrize(
    ("after", "losses", "found"),
    [
        ("one \nthe end\n", (), []),
        ("one \nthe end\n", (Drop(what="line_end"),), []),
        ("one the end\n", (), ["M17 written-blanks"]),
        ("one the end\n", (Drop(what="line_end"),), []),
        ("onethe end\n", (Drop(what="line_end"),), ["M17 written-changed"]),
    ],
)
def test_what_stands_behind_a_text_that_is_taken_out_stays_but_for_a_line_end_where_that_is_declared(
    after, losses, found
):
    before = {"a.md": "one and six more\nthe end\n"}
    assert written(CUT, before=before, after={"a.md": after}, losses=losses) == found


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("\u201cnew\u201d\n\u201cthe end\u201d \u2013 now\n", []),
        ("\u201cone\u201d \u2013 more\n\u201cthe end\u201d \u2013 now\n", []),  # it was refused
        ('\u201cnew\u201d\n"the end" - now\n', ["M17 written-changed"]),
        ('"one" - more\n"the end" - now\n', ["M17 written-changed"]),
    ],
)
def test_plain_signs_may_stand_for_typographic_ones_where_a_line_is_replaced_and_nowhere_else(after, found):
    call = ("edit_file", {"path": "a.md", "old_string": '"one" - more', "new_string": "\u201cnew\u201d"})
    before = {"a.md": "\u201cone\u201d \u2013 more\n\u201cthe end\u201d \u2013 now\n"}
    assert written(call, before=before, after={"a.md": after}) == found


@pytest.mark.parametrize("after", ["one\r\nthe end\r\n", "one\r\n\r\nthe end\r\n"])
def test_a_line_end_may_go_along_also_where_those_of_two_kinds_are_made_one(after):
    before = {"a.md": "one\r\nand six more\r\nthe end\n"}
    assert written(CUT, before=before, after={"a.md": after}, losses=(Drop(what="line_end"),)) == []


@pytest.mark.parametrize(("tool", "found"), [("save_buffer", []), ("other_tool", ["M20 file-stale"])])
def test_until_a_buffer_is_saved_a_file_is_as_it_was(tool, found):
    said = "not saved: a.md is in the buffer; call save_buffer"
    written = (1, "write_file", {"path": "a.md", "content": "one line\n"}, said)
    shown = (2, "read_file", {"path": "a.md"}, "some text\n")
    saved = [(3, "save_buffer", {"path": "a.md"}, "saved"), (4, "read_file", {"path": "a.md"}, "one line\n")]
    before, after = {"a.md": "some text\n"}, {"a.md": "one line\n"}
    assert looked(written, shown, *saved, before=before, after=after, tools=("write_file", tool)) == found


@pytest.mark.parametrize(
    ("shown", "found"),
    [("plain\ncaf\ufffd\n", []), ("UnicodeDecodeError: byte 0xe9", ["M20 command-undecoded"])],
)
def test_a_command_shows_what_is_plain_of_a_text_that_is_no_utf_8(shown, found):
    call = (1, "exec", {"command": "cat b.md"}, shown)
    assert looked(call, before={}, after={}, encoded={"b.md": "plain\ncaf\udce9\n"}) == found


@pytest.mark.parametrize("last", ["-", "_", "a"])
def test_the_key_of_a_trial_is_known_whatever_its_last_sign(last):
    assert KEY.search(f'{{"key": "claw-{"x" * 31}{last}"}}')
    assert not KEY.search(f"claw-{'x' * 32}{last}")


def test_a_text_in_json_in_json_is_there_without_its_quotes():
    text = 'name: "tour"\nstop: "b"'
    inner = json.dumps({"text": text})
    for result in (inner, json.dumps({"output": inner}), json.dumps(json.dumps({"output": [inner]})), json.dumps(text)):
        assert text in flat_of(result)
    assert flat_of('{"not": "closed') == '{"not": "closed'


def test_of_several_changes_in_a_reply_some_may_be_refused_in_words_and_none_in_silence():
    before, after = {"a.md": "one\ntwo\n"}, {"a.md": "1\ntwo\n"}
    first = (1, "edit_file", {"path": "a.md", "old": "one", "new": "1"}, "edited")
    second = (1, "edit_file", {"path": "a.md", "old": "two", "new": "2"})
    read = (2, "read_file", {"path": "a.md"}, "1\ntwo\n")
    assert looked(first, (*second, "not run: one change per file and reply"), read, before=before, after=after) == []
    assert looked(first, (*second, "edited"), read, before=before, after=after) == ["M20 file-stale"]
    alone = (2, *second[1:], "edited")
    assert looked(first, alone, (3, *read[1:]), before=before, after=after) == ["M20 file-stale"]


def test_a_line_that_is_shown_otherwise_is_told_from_one_that_is_left_out_or_cut():
    text = "code,town,people\n01067,Dresden Mitte,40217\n08056,Zwickau Nord,11830\n09111,Chemnitz Schloss,7\n"
    shown = text.replace("08056", "8056")
    assert list(lines_otherwise(text, shown)) == [("08056,Zwickau Nord,11830", "8056,Zwickau Nord,11830")]
    numbered = "\n".join(f"{n}\t{line}" for n, line in enumerate(shown.splitlines(), 1))
    assert list(lines_otherwise(text, numbered)) == [("08056,Zwickau Nord,11830", "3\t8056,Zwickau Nord,11830")]
    for other in ("[1 line left out]", "08056,Zwickau N… [cut]", "08056,Zwickau Nord,"):
        assert not [*lines_otherwise(text, text.replace("08056,Zwickau Nord,11830", other))], other
    assert not [*lines_otherwise(text, text.replace("08056,Zwickau Nord,11830\n", ""))]
    assert not [*lines_otherwise(text, text)]
    indented = f"{LINES[0]}\n    B=sensor\n{LINES[1]}\n"
    numbered = "\n".join(f"{n:6d}\t{line}" for n, line in enumerate(indented.splitlines(), 99))
    assert not [*lines_otherwise(indented, numbered)], "a frame that grows by a digit"


def test_what_a_command_counts_in_the_workspace_is_what_is_there():
    command = 'echo "$(ls -A /w/t/workspace | wc -l) entries"'
    call = RequestUnit(CALL, f"exec {json.dumps({'command': command})}", "c")
    there = {"a.md": None, "notes": None, "notes/b.md": None}
    for after, said, keys in (
        (there, "exit 0\n2 entries\n", []),
        (there, "exit 0\n3 entries\n", ["M20 workspace-added"]),
        ({**there, "c.md": None}, "3 entries", []),
        (there, "refused", []),
    ):
        book = Book()
        steps = [(call, RequestUnit(RESULT, said, "c"), SimpleNamespace(messages=(), number=1, tools=()))]
        judge_count(steps, there, after, book)
        assert [finding.key for finding in book.findings()] == keys


def test_a_command_that_shows_something_and_fails_is_not_answered_as_one_that_does_not():
    files = {"a.md": "one line of it\n"}

    def found(*results, after=files):
        steps = [
            (
                RequestUnit(CALL, f"exec {json.dumps({'command': f'cat a.md{end}'})}", end),
                RequestUnit(RESULT, result, end),
                SimpleNamespace(messages=(), number=1, tools=()),
            )
            for end, result in zip(("; exit 3", ""), results, strict=True)
        ]
        judge_status(steps, files, after, book := Book())
        return [finding.key for finding in book.findings()]

    assert found("one line of it\n", "one line of it") == ["M17 status-untold"]
    assert found("one line of it\nexit status 3", "one line of it") == []
    assert found("one line of it", "one line of it", after={"a.md": "another\n"}) == []


@pytest.mark.parametrize(
    ("results", "found"),
    [(("", "exit 1"), []), (("ok b.sh", "ok c.sh"), ["M17 status-untold"]), (("(exit 0)",) * 2, ["M17 status-untold"])],
)
def test_a_command_that_fails_without_a_word_is_not_answered_as_one_that_does_not(results, found):
    book, files = Book(), {"b.sh": "exit 0\n", "c.sh": "exit 3\n"}
    steps = [
        (
            RequestUnit(CALL, f"exec {json.dumps({'command': f'sh {name}'})}", name),
            RequestUnit(RESULT, result, name),
            SimpleNamespace(messages=(), number=1, tools=()),
        )
        for name, result in zip(files, results, strict=True)
    ]
    judge_status(steps, files, files, book)
    assert [finding.key for finding in book.findings()] == found
    judge_status(steps, files, files | {"b.sh": "exit 3\n"}, book := Book())
    assert not book.findings()


@pytest.mark.parametrize(
    ("ended", "stopped", "found"),
    [
        ("17\n", "18\n", ["M17 status-untold"]),
        ("17\n(exit 0)", "18\n(exit 0)", ["M17 status-untold"]),
        ("17\n(exit 0)", "18\n(stopped)", []),
        ("17\n", "18\n19\n", []),
        ("17\n", "still running", []),
    ],
)
def test_a_command_that_is_stopped_is_not_answered_as_one_that_has_ended(ended, stopped, found):
    steps = [
        (
            RequestUnit(CALL, f"exec {json.dumps({'command': command, 'timeout': 1})}", command),
            RequestUnit(RESULT, result, command),
            SimpleNamespace(messages=(), number=1, tools=()),
        )
        for command, result in (("echo 17", ended), ("echo 18; sleep 4; echo 19", stopped))
    ]
    judge_stopped(steps, [None, None], {}, (), book := Book())
    assert [finding.key for finding in book.findings()] == found


@pytest.mark.parametrize(
    ("result", "after", "found"),
    [
        ("18\n(stopped)", "one\n17\n", ["M17 stopped-goes-on"]),
        ("18\n(stopped)", "one\n", []),
        ("18\n19\n", "one\n17\n", []),
    ],
    ids=["goes on", "stopped", "not stopped"],
)
@pytest.mark.parametrize("program", ["sh", "$(command -v timeout > /dev/null && echo timeout 30) sh"])
def test_what_a_stopped_command_has_begun_is_stopped_as_well(result, after, found, program):
    command = f"echo 18; {program} later.sh a.md; echo 19"
    step = (
        RequestUnit(CALL, f"exec {json.dumps({'command': command, 'timeout': 1})}", "c1"),
        RequestUnit(RESULT, result, "c1"),
        SimpleNamespace(messages=(), number=1, tools=()),
    )
    told, left = [ToldCommand(command, given={"a.md": "one\n"})], {"a.md": after}
    judge_stopped([step], told, left, (), book := Book())
    assert [finding.key for finding in book.findings()] == found
    judge_stopped([step], told, left, (Drop(what="stopped_groups"),), book := Book())
    assert [finding.key for finding in book.findings()] == ([] if "timeout" in program else found)


@pytest.mark.parametrize(
    ("next_turn", "behind", "found"),
    [("41", "41", []), ("41", "", ["M24 shell-forgotten"]), ("", "", []), ("", "41", [])],
)
def test_an_exported_name_that_stays_over_turns_stays_over_restarts(next_turn, behind, found):
    asked, answers = "printf '%s\\n' \"[$NAME_3]\"", [f"[{value}]\n" for value in ("", next_turn, behind)]
    assert kept_by_a_shell("export NAME_3=41", asked, answers) == found


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ("41414\n42=43", []),
        ("41414\r\n42=43", []),
        ("", []),
        ("41414", ["M17 shell-halved"]),
        ("41414 42=43", ["M17 shell-halved"]),
    ],
)
def test_an_exported_name_stays_whole(shown, found):
    asked, answers = "printf '%s\\n' \"[$NAME_3]\"", [f"[{value}]\n" for value in ("", shown, shown)]
    assert kept_by_a_shell("export NAME_3='41414\n42=43'", asked, answers) == found


@pytest.mark.parametrize(("shown", "found"), [("42424", []), ("", []), ("41414", ["M17 shell-older"])])
def test_an_exported_name_has_the_value_that_it_was_given_last(shown, found):
    place, failed = ShellPlaces("t/workspace"), Failed()
    asks = "printf '%s\\n' \"[$NAME_3]\""
    for command, result in (
        ("export NAME_3=41414", ""),
        ("trap 'echo 7' EXIT; export NAME_3=42424", "7"),
        (asks, f"[{shown}]"),
    ):
        assert place.judge({"command": command}, result, failed, 1, None)
    assert [f"{must} {cause}" for must, cause in found_by(failed)] == found


@pytest.mark.parametrize(
    ("talks", "asking", "found"),
    [
        ((7,), None, ["M17 shell-shared"]),
        ((7,), 9, ["M17 shell-shared"]),
        ((7,), 7, []),
        ((7, None), None, []),
        ((None,), 7, []),
    ],
    ids=["the caller", "another one", "itself", "both have gone there", "its caller"],
)
@pytest.mark.parametrize("goes", ["cd notes && true", "mkdir -p notes; cd ./notes && ls | head -3"])
def test_where_one_conversation_goes_no_other_one_is(talks, asking, found, goes):
    place, failed = ShellPlaces("t/workspace"), Failed()
    for talk in talks:
        place.follow({"command": goes}, talk)
        place.judge({"command": goes}, "", failed, 1, talk)
    place.judge({"command": "pwd"}, "/t/workspace/notes\n", failed, 2, asking)
    assert [f"{must} {cause}" for must, cause in found_by(failed)] == found
    place.turned(again=False)
    failed = Failed()
    place.judge({"command": "pwd"}, "/t/workspace/notes\n", failed, 3, asking)
    assert [f"{must} {cause}" for must, cause in found_by(failed)] == (["M17 shell-shared"] if talks == (7,) else [])


@pytest.mark.parametrize(("shown", "found"), [("41414", []), ("", []), ("42424", ["M17 shell-shared"])])
def test_a_function_that_a_sub_agent_exports_nobody_else_has(shown, found):
    place, failed = ShellPlaces("t/workspace"), Failed()
    for talk, value in ((None, "41414"), (7, "42424")):
        made = f"say_3() {{ echo {value}; }}; export -f say_3 2> /dev/null; true"
        assert place.judge({"command": made}, "", failed, 1, talk)
    place.judge({"command": "say_3 2> /dev/null; true"}, f"{shown}\n", failed, 2, None)
    assert [f"{must} {cause}" for must, cause in found_by(failed)] == found


@pytest.mark.parametrize("goes", ["cd no*", 'cd "$WHERE"', "cd -", "cd; ls", "cd a/notes.d; cd notes"])
def test_where_a_command_may_have_gone_anywhere_nothing_is_said(goes):
    place, failed = ShellPlaces("t/workspace"), Failed()
    for talk, command in ((7, "cd notes && ls"), (None, goes)):
        place.follow({"command": command}, talk)
    place.judge({"command": "pwd"}, "/t/workspace/notes\n", failed, 2, None)
    assert not found_by(failed)


@pytest.mark.parametrize(
    ("shown", "asking", "found"),
    [("41414", None, []), ("", None, []), ("42424", None, ["M17 shell-shared"]), ("42424", 7, []), ("41414", 9, [])],
    ids=["its own", "none", "the sub-agent's", "to itself", "the caller's to another one"],
)
def test_what_a_sub_agent_exports_nobody_else_has(shown, asking, found):
    place, failed = ShellPlaces("t/workspace"), Failed()
    for talk, value in ((None, "41414"), (7, "42424")):
        assert place.judge({"command": f"export NAME_3={value}"}, "", failed, 1, talk)
    place.judge({"command": "printf '%s\\n' \"[$NAME_3]\""}, f"[{shown}]", failed, 2, asking)
    assert [f"{must} {cause}" for must, cause in found_by(failed)] == found


@pytest.mark.parametrize(
    ("worked", "failed", "found"),
    [
        ("", "", []),
        ("/notes", "/notes", []),
        ("/notes", "", []),
        ("", "/notes", ["M17 shell-left"]),
    ],
    ids=["goes back", "stays", "stays where it works", "stays where it fails"],
)
def test_a_shell_goes_back_whether_a_command_works_or_fails(worked, failed, found):
    calls = [("exec", {"command": "cd notes && true"}, ""), ("exec", {"command": "pwd"}, f"/t/workspace{worked}\n")]
    calls += [
        ("exec", {"command": "cd notes && false"}, "(1)"),
        ("exec", {"command": "pwd"}, f"/t/workspace{failed}\n"),
    ]
    assert answered(*calls, strict=True)[0] == found


@pytest.mark.parametrize(
    ("next_turn", "behind", "found"),
    [
        ("/notes", "/notes", []),
        ("/notes", "", ["M24 shell-forgotten"]),
        ("", "", []),
        ("", "/notes", []),
    ],
    ids=["stays", "stays until a restart", "goes back", "goes back until a restart"],
)
def test_a_shell_that_stays_over_turns_stays_over_restarts(next_turn, behind, found):
    answers = [f"/t/workspace{folder}\n" for folder in ("", next_turn, behind)]
    assert kept_by_a_shell("cd notes && true", "pwd", answers) == found


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        ("  1 | one li\n    | ne\n  2 | two", ["  1 | one line", "  2 | two"]),
        ("  1 | one\n    | line\n  2 | two", ["  1 | one line", "  2 | two"]),
        ("  1 | one li\n    | me\n  2 | two", ["  1 | one li", "    | me", "  2 | two"]),
        ("one line\n| a | table |\ntwo", ["one line", "| a | table |", "two"]),
        ("1| one li\n | n\n | e\n[lines 1 to 1]", ["1| one line", "[lines 1 to 1]"]),
        ("     1\tone li↩\n      \tne\n     2\ttwo", ["     1\tone line", "     2\ttwo"]),
        ("1\tone l\\\n\ti\\\n\tne\n2\ttwo", ["1\tone line", "2\ttwo"]),
        ("one:\n\tline\ntwo", ["one:", "\tline", "two"]),
    ],
)
def test_lines_that_go_on_behind_a_margin_are_one_where_the_file_has_them_so(shown, lines):
    assert unfolded(shown, ["one line\ntwo\n"]).split("\n") == lines


def test_where_a_shell_is_behind_a_command_that_goes_somewhere_and_does_more_nobody_knows():
    place, failed = ShellPlaces("t/workspace"), Failed()
    place.judge({"command": "cd notes && true"}, "", failed, 1, None)
    for again, shown in ((False, "notes"), (True, "elsewhere")):
        place.turned(again=again)
        place.follow({"command": "cd elsewhere && cat a.md" if again else "pwd"}, None)
        place.judge({"command": "pwd"}, f"/t/workspace/{shown}\n", failed, 2, None)
    assert found_by(failed) == []


@pytest.mark.parametrize(
    ("beside", "found"),
    [
        ({"command": "ls", "workdir": "elsewhere"}, ["M24 shell-forgotten"]),
        ({"command": "cd elsewhere && ls"}, []),
    ],
    ids=["told a folder", "goes to one"],
)
def test_a_call_that_is_told_its_folder_moves_no_shell(beside, found):
    place, failed = ShellPlaces("t/workspace"), Failed()
    place.judge({"command": "cd notes && true"}, "", failed, 1, None)
    place.follow(beside, None)
    for again, folder in ((False, "/notes"), (True, "")):
        place.turned(again=again)
        place.judge({"command": "pwd"}, f"/t/workspace{folder}\n", failed, 2, None)
    assert [f"{must} {cause}" for must, cause in found_by(failed)] == found


def kept_by_a_shell(does, asks, answers):
    """What is found of a command, and of one that asks what has become of it: in the next turn, and behind a restart."""
    place, failed = ShellPlaces("t/workspace"), Failed()
    for again, command, answer in zip((False, False, True), (does, asks, asks), answers, strict=True):
        place.turned(again=again)
        assert place.judge({"command": command}, answer, failed, 1, None)
    return [f"{must} {cause}" for must, cause in found_by(failed)]


def found_by(failed):
    """MUST and cause of each."""
    book = Book()
    failed.report(book)
    return [tuple(one.key.split(" ", 1)) for one in book.findings()]


def test_a_call_that_does_nothing_from_its_third_time_on():
    add = ("exec", {"command": "printf '%s\\n' 'more' >> a.md"})
    calls, before = (add, add, add, add), {"a.md": "one\n"}
    for times, found in ((4, []), (2, ["M17 written-once"]), (1, ["M17 written-once"])):
        after = {"a.md": "one\n" + times * "more\n"}
        assert written(*calls, before=before, after=after, replies=(1, 2, 3, 4)) == found


@pytest.mark.parametrize("key", ["workdir", "working_dir", "cwd", "workingDirectory"])
def test_a_command_that_is_told_where_to_run_is_about_files_there(key):
    def call(command):
        return {"command": command, key: "notes"}

    assert (shown := shown_by(call("cat a.md"))) is not None
    assert shown.path == "notes/a.md"
    assert gone_by(call("mv ./a.md b.md")) == ("notes/a.md", "notes/b.md")
    assert (put := put_by(call("printf '%s\\n' so > a.md"))) is not None
    assert put.path == "notes/a.md"
    assert shown_by({"command": "cat /w/a.md", key: "notes"}).path == "/w/a.md"
    assert gone_by({"command": "rm ./a.md", key: ""}) == ("a.md", "")


@pytest.mark.parametrize(("rows", "found"), [(3, set()), (1, {"file-unread"})])
def test_a_file_whose_lines_are_all_broken_in_a_frame_is_read_and_another_one_is_not(rows, found):
    text = "".join(f"{line} of the eastern quarter\n" for line in LINES[:3])
    words = [
        f"{number} harbour" if n == 0 else ("ledger of the", "eastern quarter")[n - 1]
        for number in range(1000, 1003)
        for n in range(3)
    ]
    shown = "\n".join(f"{1 + n // 3:5} | {word:16} |" for n, word in enumerate(words if rows == 3 else words[1::9]))
    book = Book()
    call = RequestUnit(CALL, json.dumps({"path": "a.md"}).join(("read_file ", "")), "c1")
    steps = [(call, RequestUnit(RESULT, shown, "c1"), SimpleNamespace(messages=(), number=1, tools=()))]
    Reads(PLAIN, book, "/t/workspace", strict=True).judge(
        steps, Files({"a.md": text}, {"a.md": text}, {}), Talks({}, {}, ())
    )
    assert {finding.cause for finding in book.findings()} == found


@pytest.mark.parametrize(
    ("command", "after", "found"),
    [
        ("cat a.md | wc -l", "a plum\nthe tree\n", []),
        ("cat a.md | wc -l", "a plu\nthe tree\n", ["M17 written-changed"]),
        ("make all", "a plu\nthe tree\n", []),
        ("make all", "a plum\nthe tree\n", []),
    ],
)
def test_an_edit_before_a_command_that_only_looks_is_held_against_its_file(command, after, found):
    edit, before = ("edit", {"path": "a.md", "old": "pear", "new": "plum"}), {"a.md": "a pear\nthe tree\n"}
    assert written(edit, ("bash", {"command": command}), before=before, after={"a.md": after}, strict=False) == found


def test_an_edit_of_a_file_with_crlf_is_known_by_the_line_feeds_that_a_model_writes():
    edit = ("edit", {"path": "a.md", "old": "pear\nthe", "new": "plum\nthe"})
    before = {"a.md": "a pear\r\nthe tree\r\nand so on\r\n"}
    for after, found in (
        (before["a.md"].replace("pear", "plum"), []),
        ("a plum\nthe tree\nand so on\n", ["M17 written-newlines"]),
    ):
        assert written(edit, before=before, after={"a.md": after}, strict=False) == found


@pytest.mark.parametrize("losses", [(), (Drop(what="file_ends"),)])
def test_what_becomes_of_line_ends_in_a_file_is_a_loss_and_no_rendering(losses):
    make = ("write", {"path": "b.md", "content": "one\r\ntwo"})
    for after, cause in (("one\ntwo", "M17 written-newlines"), ("one\r\ntwo\r\n", "M17 written-stripped")):
        found = written(make, after={"b.md": after}, losses=losses, renderings=("newline", "trim"))
        assert found == ([] if losses else [cause])
    make = ("write", {"path": "b.md", "content": "one\r\ntwo\r\n"})
    assert written(make, after={"b.md": "one\r\ntwo"}, losses=losses) == ["M17 written-stripped"]


def test_a_file_may_suffer_two_declared_losses_at_once():
    make, both = (
        ("write", {"path": "b.md", "content": "one  \ntwo"}),
        (Drop(what="line_blanks"), Drop(what="file_ends")),
    )
    for losses, found in ((both, 0), (both[:1], 1), (both[1:], 1)):
        assert len(written(make, after={"b.md": "one\ntwo\n"}, losses=losses)) == found
