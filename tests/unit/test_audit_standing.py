"""What stands in front of a conversation is still there behind a restart."""

from types import SimpleNamespace

import pytest

from claw_adapter.audit.book import Book
from claw_adapter.audit.standing import StandingLines, StandingLists, StandingTexts
from claw_adapter.audit.units import CALL, RESULT, RequestUnit

FILES = {"notes/a.md": "", "b.txt": ""}
TOOLS = [("read", "edit")] * 4
HERE = "Somebody said this as the system, before."
RULES = "Be careful.\nStarted at 10:15 by process 4711, workspace notes/a.md"


def judged(*texts, restart=3, process=(), tools=(), known=(), again=()):
    """Causes found of turns of one request each with these instructions, closed and opened again before one of them."""
    book = Book()
    standing = StandingLines(book)
    for number, text in enumerate(texts):
        units = {number: [RequestUnit("system", text), RequestUnit("user", "Go on with notes/a.md")]}
        turn = SimpleNamespace(
            chain=[
                SimpleNamespace(number=number, tools=[{"function": {"name": one}} for one in (tools or TOOLS)[number]])
            ],
            units=units,
            process=int(number in process),
            attempt=1 + (number in again),
            round=f"r{number}",
        )
        standing.judge(
            turn, "Go on, please. Be kind from now on.", [HERE], lambda: FILES, [known], restarted=number == restart
        )
    return [finding.key for finding in book.findings()]


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([RULES, ""], ["M30 instructions-gone"]),
        ([RULES, HERE], ["M30 instructions-gone"]),
        ([RULES, "Other instructions, made for this turn."], []),
        ([HERE, ""], []),
        (["", RULES], []),
    ],
    ids=["none", "what was said before", "others", "it had none of its own", "none yet"],
)
def test_instructions_are_not_lost_with_what_stands_behind_them(texts, found):
    assert judged(*texts) == found


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([RULES] * 4, []),
        ([RULES, RULES, RULES, RULES.replace("10:15", "11:40").replace("4711", "12")], []),
        ([RULES, f"{RULES}\nopen: notes/a.md", f"{RULES}\nopen: notes/a.md", RULES], ["M24 instructions-forgotten"]),
        ([RULES, RULES, f"{RULES}\nopen: notes/a.md", RULES], []),
        ([RULES, f"{RULES}\nopen: notes/a.md", f"{RULES}\nopen: notes/a.md", f"{RULES}\n- open: notes/a.md"], []),
        ([RULES, f"{RULES}\nopen: gone.md", f"{RULES}\nopen: gone.md", RULES], []),
        ([RULES, *[f"{RULES}\n- Be kind from now on."] * 2, RULES], ["M24 instructions-forgotten"]),
        ([RULES, *[f"{RULES}\n- Be kind from now on."] * 3], []),
        ([RULES, f"{RULES}\nremember the moon", f"{RULES}\nremember the moon", RULES], []),
    ],
)
def test_lines_about_files_stay(texts, found):
    assert judged(*texts) == found


def test_without_a_restart_they_may_go_and_a_run_that_goes_on_is_one():
    texts = [RULES, f"{RULES}\nopen: b.txt is there", f"{RULES}\nopen: b.txt is there", RULES]
    assert judged(*texts, restart=None) == []
    assert judged(*texts, restart=None, process=(3,)) == []  # names of five signs say too little
    texts = [text.replace("b.txt", "notes/a.md") for text in texts]
    assert judged(*texts, restart=None, process=(3,)) == ["M24 instructions-forgotten"]


def test_tools_stay_too():
    assert judged(*[RULES] * 4, tools=[*TOOLS[:3], ("edit", "read", "more")]) == []
    assert judged(*[RULES] * 4, tools=[*TOOLS[:3], ("read",)]) == ["M24 tools-forgotten"]
    assert judged(*[RULES] * 4, tools=[*TOOLS[:3], ("read",)], restart=None) == []
    assert judged(*[RULES] * 4, tools=[*TOOLS[:3], ("read",)], restart=None, again=(3,)) == ["M24 tools-forgotten"]
    assert judged(*[RULES] * 4, tools=[("read",), ("read",), ("read", "edit"), ("read",)]) == []


def test_what_shows_a_file_of_the_workspace_changes_with_it():
    texts = [RULES, f"{RULES}\nKeep notes/a.md short", f"{RULES}\nKeep notes/a.md short", RULES]
    assert judged(*texts) == ["M24 instructions-forgotten"]
    assert judged(*texts, known=["Keep notes/a.md short"]) == []


HEAD = "You work in a folder with these files:"


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        ([("a.md", "b.md", "c/d.md")] * 2, ""),
        ([("a.md", "b.md", "c/d.md"), ("a.md", "b.md", "c/d.md", "new.md")], "lacks new.md, which is there"),
        ([("a.md", "b.md", "c/d.md"), ("a.md", "b.md")], "has c/d.md, which is not there"),
        ([("a.md", "b.md", "c/d.md"), ("a.md", "b.md", "c/d.md", ".cache/x")], ""),
        ([("a.md", "b.md"), ("a.md", "new.md")], ""),
    ],
)
@pytest.mark.parametrize("bullet", ["", "- ", "1. ", "./"])
def test_a_list_of_all_files_in_the_instructions_is_of_its_turn(turns, found, bullet):
    def causes(*lists, behind=""):
        book = Book()
        lines = StandingLists(book)
        for number, (paths, names) in enumerate(zip(turns, lists, strict=True)):
            text = "\n".join(
                (HEAD, *(f"{bullet}{name}" for name in names if not name.startswith(".")), behind * number)
            )
            units = {number: [RequestUnit("system", text), RequestUnit("user", "Go on")]}
            lines.judge(SimpleNamespace(chain=[SimpleNamespace(number=number)], units=units, steps=[]), paths)
        return "".join(finding.what for finding in book.findings())

    assert causes(*turns) == "", "made anew for each turn"
    assert causes(*[("b.md",)] * 2) == "", "some files only"
    assert causes(*[turns[0]] * 2).endswith(found)
    assert bool(causes(*[turns[0]] * 2)) == bool(found)
    assert causes(*[turns[0]] * 2, behind="since then: + new.md\nremoved: c/d.md") == "", "and what has changed since"


OLD, NEW = (
    "Status: open since Monday\nOwner: Ann of the harbour\n",
    "Status: closed on Tuesday\nOwner: Ann of the harbour\n",
)


def shown(*turns, system="Be careful."):
    """Causes found of turns, each with its files and with what stands behind its prompt."""
    book = Book()
    texts = StandingTexts(book)
    for number, (files, behind) in enumerate(turns):
        units = [RequestUnit("system", system), RequestUnit("user", f"Go on.{behind}")]
        texts.judge(
            SimpleNamespace(chain=[SimpleNamespace(number=number)], units={number: units}, steps=[]), "Go on.", files
        )
    return [finding.key for finding in book.findings()]


@pytest.mark.parametrize(
    ("behind", "found"),
    [
        ("", []),
        (f"\n<file>{OLD}</file>", ["M20 shown-stale"]),
        (f"\n<file>{NEW}</file>", []),
        (f"\nchanged: -{OLD} +{NEW}", []),
        ("\nStatus: open since Monday", []),
    ],
)
def test_a_file_that_is_shown_beside_a_prompt_is_as_it_is_then(behind, found):
    assert shown(({"a.md": OLD}, behind), ({"a.md": NEW}, behind)) == found


WEEK = [f"{n:03} | shipment {60_000 + 13 * n} left the depot" for n in range(1, 61)]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("", ["M20 shown-cut"]),
        ("\n--- notes/AGENTS.md ---\nBe kind to all.\n", ["M20 shown-cut"]),
        ("\n(cut here)\n\n--- notes/AGENTS.md ---\nBe kind to all.\n", []),
        ("\n--- the next one ---\nBe kind to all.\n", []),
        ("\nBe kind to all: there is more in AGENTS.md.\n", []),
    ],
    ids=[
        "nothing",
        "the next file",
        "a word, and the next file",
        "words that may be about it",
        "words like another file's",
    ],
)
def test_the_name_of_the_next_file_is_no_word_about_the_one_that_is_cut(said, found):
    files = {"AGENTS.md": "\n".join(WEEK), "notes/AGENTS.md": "Be kind to all.\n"}
    front = "\n".join(("Be careful.\n\n--- AGENTS.md ---", *WEEK[:30]))
    assert shown((files, ""), system=f"{front}{said}") == found


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ("<file path='week.md'>\n{first}\n</file>", ["M20 shown-cut"]),
        ("week.md:\n```\n{first}\n```", ["M20 shown-cut"]),
        ("<file path='week.md'>\n{all}\n</file>", []),
        ("<file path='week.md'>\n{first}\n(31 lines more)</file>", []),
        ("week.md, lines 1 to 30\n{first}", []),
        ("week.md, 60 lines\n{first}", []),
        ("<file path='other.md'>\n{first}\n</file>", []),
        ("week.md\n{few}", []),
    ],
)
@pytest.mark.parametrize("apart", [True, False])
def test_a_file_that_a_prompt_names_is_not_shown_in_part_without_a_word(shown, found, apart):
    told = shown.format(first="\n".join(WEEK[:30]), all="\n".join(WEEK), few="\n".join(WEEK[:9]))
    prompt = "How did the week end, by week.md?"
    units = (
        [RequestUnit("user", told), RequestUnit("user", prompt)]
        if apart
        else [RequestUnit("user", f"{prompt}\n{told}")]
    )
    texts = StandingTexts(book := Book())
    turn = SimpleNamespace(chain=[SimpleNamespace(number=1)], units={1: units}, steps=[])
    texts.judge(turn, prompt, {"week.md": "\n".join(WEEK)})
    assert [finding.key for finding in book.findings()] == found


def test_there_may_be_no_instructions():
    texts = StandingTexts(book := Book())
    for number, text in enumerate((OLD, NEW)):
        units = [RequestUnit("user", "Go on.")]
        turn = SimpleNamespace(chain=[SimpleNamespace(number=number)], units={number: units}, steps=[])
        texts.judge(turn, "Go on.", {"a.md": text})
    assert not book.findings()


def test_what_the_instructions_say_of_a_file_is_of_now():
    files = {"notes/a.md": OLD}, {"notes/a.md": NEW}

    def stale(row, other=None):
        book = Book()
        texts = StandingTexts(book)
        for number, there in enumerate(files):
            units = [RequestUnit("system", f"Files:\n{row}\nEnd"), RequestUnit("user", "Go on.")]
            texts.judge(
                SimpleNamespace(chain=[SimpleNamespace(number=number)], units={number: units}, steps=[]),
                "Go on.",
                there | (other or {}),
            )
        return [finding.key for finding in book.findings()]

    old, new = OLD.splitlines()[0], NEW.splitlines()[0]
    assert stale(f"- notes/a.md: {old}") == stale(f"notes/a.md\n  {old}") == ["M20 shown-stale"]
    assert stale(f"- notes/a.md: {new}") == stale(f"- b.md: {old}") == []
    assert stale(f"- notes/a.md: {old} (now: {new})") == []
    assert stale(f"- notes/a.md: {old}", {"b.md": OLD}) == []


@pytest.mark.parametrize("number", ["", "1 ", "  12\t"])
def test_a_change_that_is_told_is_told_the_right_way_round(number):
    was, now = OLD.splitlines()[0], NEW.splitlines()[0]

    def told(gone, new):
        return f"\na.md was changed:\n--- a\n+++ b\n{number}-{gone}\n{number}+{new}\n"

    assert shown(({"a.md": OLD}, ""), ({"a.md": NEW}, told(now, was))) == ["M20 change-turned"]
    assert shown(({"a.md": OLD}, ""), ({"a.md": NEW}, told(was, now))) == []
    assert (
        shown(({"a.md": OLD}, ""), ({"a.md": NEW}, told(was, now)), ({"a.md": OLD}, told(was, now) + told(now, was)))
        == []
    )
    assert shown(({"a.md": OLD}, ""), ({"a.md": OLD, "b.md": NEW}, told(now, was))) == []


def test_what_is_gone_or_is_another_file_s_text_may_be_shown():
    assert shown(({"a.md": OLD}, ""), ({}, f"\ngone: {OLD}")) == []
    assert shown(({"a.md": OLD}, ""), ({"a.md": NEW, "b.md": OLD}, f"\nb.md: {OLD}")) == []
    assert shown(({"a.md": OLD}, ""), ({"a.md": NEW}, ""), ({"a.md": OLD}, OLD)) == []


@pytest.mark.parametrize(
    ("shown", "now", "found"),
    [
        (OLD, NEW, ["M20 shown-stale"]),
        (OLD, None, ["M20 shown-stale"]),
        (NEW, NEW, []),
        (f"was:\n{OLD}is:\n{NEW}", NEW, []),
        ("", NEW, []),
    ],
    ids=["as before", "though it has gone", "as it is", "a change", "nothing"],
)
def test_what_comes_with_a_reading_is_of_now(shown, now, found):
    """As the rules of a folder, below what is read of a file there."""
    book, other = Book(), {"docs/b.md": "The harbour has papers in order.\n"}
    texts = StandingTexts(book)
    for text, told in ((OLD, OLD), (now, shown)):
        result = RequestUnit(RESULT, f"The harbour has papers in order.\n{told}", "c1")
        call = RequestUnit(CALL, 'read_file {"path": "docs/b.md"}', "c1")
        reply = SimpleNamespace(exchange=SimpleNamespace(number=1, tools=[{"function": {"name": "read_file"}}]))
        step = SimpleNamespace(reply=reply, offered=[(call, result)])
        files = other | ({"docs/rules.md": text} if text else {})
        turn = SimpleNamespace(
            chain=[SimpleNamespace(number=1)], units={1: [RequestUnit("user", "Go on.")]}, steps=[step]
        )
        texts.judge(turn, "Go on.", files, files)
    assert [finding.key for finding in book.findings()] == found
