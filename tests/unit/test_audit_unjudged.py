"""Results of tools that are held against nothing are counted, by tool, and a verdict says so."""

import json
from types import SimpleNamespace

import pytest

from claw_adapter.audit import TrialAudit, Unjudged
from claw_adapter.audit.book import Book
from claw_adapter.audit.load import _verdicts
from claw_adapter.audit.reads import Files, Reads, Talks
from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.units import CALL, RESULT, RequestUnit
from claw_adapter.audit.writes import WrittenFiles, judge_writes
from claw_adapter.protocol import Capabilities

NOTES = "the harbour was moved 1201\nthe ledger is kept 1202\nthe depot waits 1203\n"
TEXT = "another ledger is kept 1301\n"


def step(tool, arguments, result, number):
    call = RequestUnit(CALL, f"{tool} {json.dumps(arguments)}", f"c{number}")
    return call, RequestUnit(RESULT, result, f"c{number}"), SimpleNamespace(number=number, tools=())


def judged(tool, arguments, result, *, after=None):
    """Whether a result counts as held against something."""
    before = {"notes.md": NOTES, "src/a.md": TEXT}
    after = before if after is None else {**before, **after}
    steps, renderer, book = [step(tool, arguments, result, 1)], Renderer(Capabilities()), Book()
    held = judge_writes(steps, WrittenFiles(before, after, "/t/workspace"), renderer, book, strict=False)
    held |= Reads(renderer, book, "/t/workspace").judge(steps, Files(before, after, {}), Talks({}, {}, ()))
    return held == {0}


@pytest.mark.parametrize(
    ("tool", "arguments", "result", "known"),
    [
        ("read_file", {"path": "notes.md"}, NOTES, True),
        ("read_file", {"path": "notes.md"}, "no", True),
        ("read_file", {"path": "notes.md", "start_line": 2, "end_line": 2}, NOTES.splitlines()[1], True),
        ("read_file", {"path": "notes.md", "byte_limit": "2k"}, NOTES[:20], False),
        ("read_file", {"path": "notes.md", "width": 9}, NOTES[:9], False),
        ("read_file", {"path": "else.md"}, "no", False),
        ("list_files", {"directory": "src"}, "src/a.md", True),
        ("remove_folder", {"directory": "src"}, "done", False),
        ("search_files", {"text": "harbour was"}, "notes.md:1", True),
        ("search_files", {"text": "h.*r"}, "notes.md:1", False),
        ("exec", {"command": "cat notes.md"}, NOTES, True),
        ("exec", {"command": "wc -l notes.md"}, "3 notes.md", False),
        ("web_fetch", {"url": "https://example.org"}, "a page", False),
    ],
)  # fmt: skip
def test_what_a_call_was_to_show_is_known_or_not(tool, arguments, result, known):
    assert judged(tool, arguments, result) is known


def test_lines_of_a_file_that_are_there_and_not_shown_are_a_reading_that_was_refused():
    book = Book()
    reads = Reads(Renderer(Capabilities()), book, "/t/workspace")
    asked = [(2, "(the file ends before line 2)"), (2, NOTES.splitlines()[1]), (9, "(the file ends before line 9)")]
    for at, (start, result) in enumerate(asked):
        steps = [step("read_file", {"path": "notes.md", "offset": start, "limit": 1}, result, at)]
        book.round = f"r{at}"
        reads.judge(steps, Files({"notes.md": NOTES}, {"notes.md": NOTES}, {}), Talks({}, {}, ()))
    reads.finish()
    assert [(one.place, one.rounds) for one in book.refusals()] == [("notes.md", ("r0",))]


def test_what_is_written_is_known():
    arguments = {"path": "new.md", "content": TEXT}
    assert judged("write_file", arguments, "written", after={"new.md": TEXT})
    assert not judged("keep_note", arguments, "kept")


def test_a_verdict_counts_them_over_trials_the_most_first():
    def left(**times):
        return tuple(Unjudged(tool=tool, what=f"{tool} → 'x'", rounds=("r1",), times=n) for tool, n in times.items())

    trials = [
        TrialAudit(trial="t--1", harness="h", requests=9, results=20, unjudged=left(exec=3, web=1)),
        TrialAudit(trial="t--2", harness="h", requests=9, results=20, unjudged=left(web=4, todo=1, note=1)),
    ]
    (one,) = _verdicts(trials)
    assert one.verdict == "nothing lost · not judged: 10 of 40 results (web 5, exec 3, todo 1, 1 others)"
    assert (one.results, one.unjudged[1].times) == (40, 5)
