"""What a plan says of its commands: what they print, and what they leave."""

import json
from types import SimpleNamespace

import pytest

from claw_adapter.audit.answered import judge_told
from claw_adapter.audit.book import Book
from claw_adapter.audit.course import FileCourse
from claw_adapter.audit.reads import Files, Reads, Talks
from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.told import ToldCommand, told_of
from claw_adapter.audit.units import CALL, RESULT, RequestUnit
from claw_adapter.audit.writes import WrittenFiles, judge_writes
from claw_adapter.protocol import Capabilities, Clip, Drop

FIRST, SECOND = "the harbour was moved 1201\nthe ledger is kept 1202\n", "another depot waits 1301\n"
COPY = ToldCommand("cp a.md b.md", {"a.md": FIRST, "b.md": None}, {"b.md": FIRST})
TACKED = "".join(reversed(FIRST.splitlines(keepends=True)))
BACKWARDS = ToldCommand("tac a.md", {"a.md": FIRST}, prints=TACKED)
REFUSED = "Blocked by a guard of the workspace."


def judged(*runs, told, before, after, at_once=False, losses=()):
    """Causes found of calls ``(command, result)``, or ``(path, result)`` where a file is read; in a reply each, or in one."""
    steps, renderer, book = [], Renderer(Capabilities()), Book()
    for at, (said, result) in enumerate(runs):
        name, key = ("read_file", "path") if said.endswith(".md") and " " not in said else ("exec", "command")
        call = RequestUnit(CALL, f"{name} {json.dumps({key: said})}", f"c{at}")
        steps.append(
            (
                call,
                RequestUnit(RESULT, result, f"c{at}"),
                SimpleNamespace(messages=(), number=1 if at_once else at + 1, tools=()),
            )
        )
    known = told_of(steps, told)
    sure = FileCourse.leaving(steps, (before, after), "/t/workspace", strict=True, losses=(), told=known).trusted(after)
    files = WrittenFiles(before, after, "/t/workspace", told=known)
    judge_writes(steps, files, renderer, book, strict=True)
    judge_told(steps, sure, after, files.removals, losses, book)
    reads = Reads(renderer, book, "/t/workspace", strict=True)
    reads.judge(steps, Files(before, after, {}, told=sure), Talks({}, {}, ()))
    return [finding.key for finding in book.findings()]


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (TACKED, []),
        (f"$ tac a.md\n{TACKED}(exit 0)", []),
        (TACKED.replace("\n", "\r\n"), []),
        (REFUSED, []),
        (FIRST, ["M17 command-otherwise"]),
        (TACKED.splitlines()[0], ["M17 command-otherwise"]),
    ],
)
def test_a_result_has_what_a_command_prints_in_its_order(result, found):
    files = {"a.md": FIRST}
    assert judged((BACKWARDS.command, result), told=[BACKWARDS], before=files, after=files) == found


@pytest.mark.parametrize(
    ("clip", "found"),
    [
        (Clip(of="result", characters=40), []),
        (Clip(of="command", characters=400, left=30), []),
        (Clip(of="result", characters=60), ["M17 command-otherwise"]),
        (Clip(of="file", characters=40), ["M17 command-otherwise"]),
    ],
    ids=["a cut", "a preview", "longer than that", "of files"],
)
def test_what_a_declared_cut_leaves_of_a_result_may_have_less_than_a_command_prints(clip, found):
    """What goes to the other output counts in the cut as well, so that it is the result's length that tells."""
    files = {"a.md": FIRST}
    runs = ((BACKWARDS.command, TACKED[:40]),)
    assert judged(*runs, told=[BACKWARDS], before=files, after=files, losses=(clip,)) == found


def test_an_answer_of_commands_that_print_nothing_refuses_nothing():
    files = {"a.md": FIRST}
    silent, made = ("printf '%s\\n' x > c.md", "(no output)"), {**files, "c.md": "x\n"}
    runs = (silent, (BACKWARDS.command, "(no output)"))
    assert judged(*runs, told=[BACKWARDS], before=files, after=made) == ["M17 command-otherwise"]
    runs = (silent, (COPY.command, "(no output)"))
    assert judged(*runs, told=[COPY], before=files, after=made) == ["M17 command-undone"]
    runs = (silent, (COPY.command, REFUSED))
    assert judged(*runs, told=[COPY], before=files, after=made) == []


STOP = ToldCommand("echo 1201; touch 7.txt; sleep 50; echo 1202", {}, {"7.txt": ""}, "1201\n", stopped=True)


@pytest.mark.parametrize(
    ("result", "left", "losses", "found"),
    [
        ("1201\nstopped after 1 s", True, (), []),
        ("1201\n1202\n", True, (), []),
        ("Error: stopped after 1 s", True, (), ["M17 stopped-output"]),
        ("Error: stopped after 1 s", True, (Drop(what="stopped_output"),), []),
        (REFUSED, False, (), []),
    ],
)
def test_what_a_command_has_printed_is_shown_though_it_is_stopped(result, left, losses, found):
    after = {"7.txt": ""} if left else {}
    assert judged((STOP.command, result), told=[STOP], before={}, after=after, losses=losses) == found


def test_what_a_command_leaves_is_held_against_the_disk_and_against_what_is_read_behind_it():
    before = {"a.md": FIRST, "b.md": SECOND}
    told = [ToldCommand(COPY.command, {"a.md": FIRST, "b.md": SECOND}, {"b.md": FIRST})]
    done, wrong = {"a.md": FIRST, "b.md": FIRST}, {"a.md": FIRST, "b.md": FIRST.upper()}
    run = (COPY.command, "")
    assert judged(run, ("b.md", FIRST), told=told, before=before, after=done) == []
    assert judged(run, ("b.md", SECOND), told=told, before=before, after=done) == ["M20 file-stale"]
    assert judged(run, told=told, before=before, after=wrong) == ["M17 command-left-otherwise"]
    assert judged(run, ("b.md", SECOND), told=told, before=before, after=before) == [], "it may have been refused"


@pytest.mark.parametrize(
    ("result", "found"),
    [("done", ["M17 command-undone"]), ("b.md is made; a.md cannot be changed", []), (REFUSED, ["M17 command-undone"])],
)
def test_of_a_patch_of_several_files_all_is_done_or_it_is_said_which_is_not(result, found):
    patch = "*** Begin Patch\n*** Add File: b.md\n+x\n*** Update File: a.md\n@@\n…\n*** End Patch"
    before, told = {"a.md": FIRST}, ToldCommand(patch, {"a.md": FIRST, "b.md": None}, {"a.md": SECOND, "b.md": "x\n"})
    assert judged((patch, result), told=[told], before=before, after={"a.md": SECOND, "b.md": "x\n"}) == []
    assert judged((patch, result), told=[told], before=before, after={**before, "b.md": "x\n"}) == found
    assert judged((patch, REFUSED), told=[told], before=before, after=before) == []


def test_of_equal_commands_each_has_its_own_effect_and_other_files_tell_nothing():
    first, second = (ToldCommand("cat *.md", {"a.md": text}, prints=text) for text in (FIRST, SECOND))
    over = ToldCommand("cp b.md a.md", {"a.md": FIRST, "b.md": SECOND}, {"a.md": SECOND})
    before = {"a.md": FIRST, "b.md": SECOND}
    after = {"a.md": SECOND, "b.md": SECOND}
    told = [first, over, second]
    runs = ((first.command, FIRST), (over.command, ""), (second.command, SECOND))
    assert judged(*runs, told=told, before=before, after=after) == []
    stale = (*runs[:2], (second.command, FIRST))
    assert judged(*stale, told=told, before=before, after=after) == [], "nothing of it is shown"
    other = {"a.md": TACKED, "b.md": SECOND}
    assert judged(runs[0], told=told, before=other, after=other) == []


def test_a_result_has_nothing_of_what_another_command_of_the_reply_prints():
    told = [ToldCommand(f"echo {text}", prints=text) for text in ("the depot waits 1401", "the depot waits 1402")]
    for second, found in (
        ("the depot waits 1402", []),
        ("the depot waits 1401\nthe depot waits 1402", ["M17 output-foreign"]),
    ):
        runs = (told[0].command, told[0].prints), (told[1].command, second)
        assert judged(*runs, told=told, before={}, after={}, at_once=True) == found
        assert judged(*runs, told=told, before={}, after={}) == [], "a terminal may show what came before"


@pytest.mark.parametrize(
    ("result", "changed", "found"),
    [
        ("done: a.md, d.md; not changed: b.md, c.md", "ad", []),
        ("done: a.md, d.md; not changed: c.md", "ad", ["M17 patch-untold"]),
        ("nothing is changed: a part does not fit", "", []),
        ("error: does not fit b.md", "a", []),
        ("error: a part does not fit", "a", ["M17 command-undone"]),
        ("done: d.md; not changed: b.md, c.md", "d", ["M17 command-undone"]),
    ],
    ids=["names both", "names one", "refused as a whole", "ends there", "does not say where", "leaves out one before"],
)
def test_a_patch_that_is_done_in_part_names_each_file_that_it_leaves(result, changed, found):
    before = {"a.md": "old\n", "b.md": FIRST, "c.md": SECOND, "d.md": "old\n"}
    text = "*** Begin Patch a.md b.md c.md d.md"
    patch = ToldCommand(text, before, {"a.md": "new\n", "d.md": "new\n"}, misses=("b.md", "c.md"))
    after = {**before, **{f"{name}.md": "new\n" for name in changed}}
    assert judged((text, result), told=[patch], before=before, after=after) == found
