"""What a search finds, held against the files that are there."""

import pytest

from claw_adapter.audit.course import Passage
from claw_adapter.audit.results import Failed
from claw_adapter.audit.searches import Search, Searches, SearchWorld, search_in
from claw_adapter.protocol.limits import Clip

FILES = {
    "a.md": "The crate 141734 is blue.\nNothing else is known of it.\n",
    "notes/b.md": "The blue crate was sent.\nThe ferry took 141734 at noon.\n",
    "notes/c.csv": "141734,crate\n",
    "notes/d.md": "Nobody knows of any ferry.\n",
}
END = "/t/workspace"


@pytest.mark.parametrize(
    ("arguments", "search"),
    [
        ({"pattern": "141734"}, Search("141734", "", False, False)),
        ({"query": "blue crate", "path": "notes/"}, Search("blue crate", "notes", False, False)),
        ({"pattern": "Übersicht", "path": "/agent/workspace"}, Search("Übersicht", "", False, False)),
        ({"pattern": "141734", "head_limit": 3}, Search("141734", "", False, True)),
        ({"pattern": "141734", "context": 2}, Search("141734", "", False, True, around=2)),
        ({"pattern": "141734", "-C": 2}, Search("141734", "", False, True, around=2)),
        ({"pattern": "FERRY", "ignore_case": True}, Search("FERRY", "", False, False, any_case=True)),
        ({"pattern": "FERRY", "caseSensitive": False}, Search("FERRY", "", False, False, any_case=True)),
        ({"pattern": "FERRY", "caseSensitive": True}, Search("FERRY", "", False, True)),
        ({"pattern": "**/b.md", "path": "."}, Search("b.md", "", True, False)),
        ({"pattern": "**/*.csv"}, Search("*.csv", "", True, False)),
        ({"pattern": "notes/*.md"}, Search("*.md", "notes", True, False, right=True)),
        ({"pattern": "*.md", "path": "notes"}, None),
        ({"pattern": "elsewhere/*.md"}, None),
        ({"pattern": "--blue crate"}, Search("--blue crate", "", False, False)),
        ({"pattern": "14.*34"}, None),
        ({"pattern": "of"}, None),
        ({"pattern": "ferry", "glob": "*.md"}, Search("ferry", "", False, False, suffixes=("md",))),
        ({"pattern": "ferry", "include": "**/*.{md,csv}"}, Search("ferry", "", False, False, suffixes=("md", "csv"))),
        ({"pattern": "*.md", "include": "*.csv"}, None),
        ({"pattern": "**/*.md", "include": "*.csv"}, None),
        ({"pattern": "ferry", "glob": "b*.md"}, None),
        ({"pattern": "ferry", "path": "elsewhere"}, None),
        ({"pattern": "ferry", "type": "py"}, None),
        ({"path": "notes"}, None),
    ],
)
def test_what_is_looked_for(arguments, search):
    assert search_in(arguments, FILES, END, patterns=None) == search


@pytest.mark.parametrize(
    ("sought", "patterns", "text"),
    [
        ("$4,50 (net)", False, "$4,50 (net)"),
        (r"\$4,50 \(net\)", True, "$4,50 (net)"),
        ("$4,50 (net)", True, None),
        (r"draft|final.", True, None),
        (r"14\d+", True, None),
        ("$4,50 (net)", None, None),
        ("two\nlines", False, None),
        ("ferry", None, "ferry"),
    ],
)
def test_signs_are_looked_for_as_the_tool_takes_them(sought, patterns, text):
    search = search_in({"query": sought}, FILES, END, patterns=patterns)
    assert search == (Search(text, "", False, False) if text else None)


@pytest.mark.parametrize("sought", ["draft|final", "1417[0-9]+", "draft|1417[0-9]+"])
def test_a_pattern_of_plain_alternatives_is_looked_for_where_patterns_are_taken(sought):
    assert search_in({"query": sought}, FILES, END, patterns=True) == Search(sought, "", False, False, regular=True)
    assert search_in({"query": sought}, FILES, END, patterns=None) is None


def test_an_alternative_that_is_not_found():
    either = Search("elsewhere|1417[0-9]+", "", False, False, regular=True)
    assert causes(LINES, search=either) == []
    assert causes(LINES, "(nothing found)", search=either) == ["search-missing"]
    assert causes(PATHS, "a.md", search=either) == ["search-missing"]
    older = {"notes/d.md": {"The crate 141799 was red."}}
    assert causes(f"{LINES}\nnotes/d.md:1: The crate 141799 was red.", search=either, older=older) == ["search-stale"]


NUMBER = Search("141734", "", False, False)


def causes(*results, search=NUMBER, older=None, files=None, losses=(), others=()):
    """Of what one tool has found, call by call."""
    searches, failed = Searches(losses), Failed()
    there = {path: Passage(now=(text,)) for path, text in FILES.items()} | dict(files or {})
    for number, flat in enumerate(results):
        world = SearchWorld(there, others, older or {}, END)
        searches.judge("grep", search, flat, world, failed, number)
    return sorted({cause for cause, _ in (*failed.found, *failed.decided().found)})


LINES = "a.md:1: The crate 141734 is blue.\nnotes/b.md:2: The ferry took 141734 at noon.\nnotes/c.csv:1: 141734,crate"
PATHS = "/x/t/workspace/a.md\n/x/t/workspace/notes/b.md\n/x/t/workspace/notes/c.csv"


def test_capitals_are_small_letters_where_that_is_said():
    search = Search("THE CRATE", "", False, False, any_case=True)
    files = {"b.md": Passage(now=("Of the crate nobody knows.\n",)), "a.md": Passage(now=("The crate is blue.\n",))}
    both = "a.md:1: The crate is blue.\nb.md:1: Of the crate nobody knows."
    assert causes(both, search=search, files=files) == []
    assert causes(both, "(nothing found)", search=search, files=files) == ["search-missing"]


def test_lines_around_what_is_found_are_all_shown_or_none():
    lines = [f"Row {at} of the long list" for at in range(20)]
    lines[6], lines[8] = "Row 6 has 141734", "Row 8 has 141734"
    files = {"list.md": Passage(now=("\n".join(lines),))}
    search = Search("141734", "list.md", False, True, around=3)

    def shown(*numbers):
        flat = "\n".join(f"{at + 1}: {lines[at]}" for at in numbers)
        return causes(flat, search=search, files=files)

    assert shown(*range(3, 12)) == []
    assert shown(6, 8) == []
    assert shown(*range(3, 10)) == ["search-missing"]


SHELVES = [f"Shelf {at} has 141734, and it is full" for at in range(20)]


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ([f"list.md:{at + 1}: {line}" for at, line in enumerate(SHELVES)], []),
        ([f"list.md:{at + 1}: {line}" for at, line in enumerate(SHELVES[:15])], ["search-missing"]),
        (["list.md", *SHELVES[:15]], ["search-missing"]),
        ([*SHELVES[:15], "[15 of 20]"], []),
        (["list.md (15 of 20)", *SHELVES[:15]], []),
        ([*SHELVES[:15], "list.md:16: Shelf 15 has 141734, and…"], []),
        (["list.md"], []),
    ],
    ids=["all", "some", "some below a name", "says so", "says so in a headline", "a line cut", "names"],
)
def test_in_an_ordinary_run_the_lines_of_a_file_are_all_shown_or_something_is_said(shown, found):
    searches, failed = Searches((), strict=False), Failed()
    world = SearchWorld({"list.md": Passage(now=("\n".join(SHELVES),))}, (), {}, END)
    searches.judge("grep", NUMBER, "\n".join(shown), world, failed, 1)
    assert sorted({cause for cause, _ in failed.found}) == found


def test_what_stands_above_every_result_does_not_say_that_there_are_more():
    few = Passage(now=("\n".join(SHELVES[:3]),))
    rows = [f"list.md:{at + 1}: {line}" for at, line in enumerate(SHELVES)]

    def found(head, before):
        searches, failed = Searches((), strict=False), Failed()
        for number, (passage, shown) in enumerate(((few, rows[:3]), (Passage(now=("\n".join(SHELVES),)), rows[:12]))):
            flat = "\n".join((head.format(len(shown)) if number else before, *shown))
            searches.judge("grep", NUMBER, flat, SearchWorld({"list.md": passage}, (), {}, END), failed, number)
        return [cause for cause, _ in failed.decided().found]

    assert found("Found {} lines", "Found 3 lines") == ["search-missing"]
    assert found("Found {} of 20 lines", "Found 3 of 3 lines") == []
    assert found("Found {} lines (cut)", "Found 3 lines") == []


@pytest.mark.parametrize(
    "results",
    [
        (LINES,),
        (PATHS,),
        ("3 files\n" + PATHS,),
        ("a.md\nb.md\nc.csv",),
        ("(nothing found)",),
        ("error: no ripgrep",),
        (LINES.replace("notes/c.csv:1: 141734,crate", ""),),
        ("a.md\n",),
        ("a.md: 1\nb.md: 1\nc.csv: 1",),
    ],
    ids=["lines", "paths", "counted", "names", "looks at names", "refuses", "never csv", "never notes", "counts"],
)
def test_a_search_that_is_right(results):
    assert causes(*results) == []


def test_a_file_is_missing_where_its_like_were_found():
    assert causes(PATHS, "/x/t/workspace/a.md\n/x/t/workspace/notes/c.csv") == ["search-missing"]
    assert causes("", PATHS) == ["search-missing"], "also when it is found later"
    assert causes(LINES, "(nothing found)", search=Search("141734", "", False, True)) == []


def test_a_line_is_missing_beside_others():
    files = {"a.md": Passage(now=("The crate 141734 is blue.\nThe other crate, 141734, is red.\n",))}
    assert causes(LINES, files=files) == ["search-missing"]
    assert causes(f"{LINES}\na.md:2: The other crate, 141734, is red.", files=files) == []
    assert causes(PATHS, files=files) == []


def test_what_is_no_plain_text_is_missing_for_no_one():
    files = {"notes/e.md": Passage(now=("141734\0 and more",)), ".f.md": Passage(now=("141734",))}
    assert causes(LINES, files=files) == []
    assert causes(LINES, files={"notes/e.md": Passage(now=(None, "141734"))}) == []


def test_what_is_not_there_any_more():
    older = {"notes/d.md": {"The crate 141734 was red."}, "gone.md": {"The crate 141734 is gone."}}
    assert causes(f"{LINES}\nnotes/d.md:1: The crate 141734 was red.", older=older) == ["search-stale"]
    assert causes(f"{PATHS}\n/x/t/workspace/notes/d.md", older=older) == ["search-stale"]
    assert causes(f"{PATHS}\ngone.md", older=older) == ["search-stale"]
    assert causes(f"{LINES}\nsee notes/d.md", older=older) == []
    older = {"notes/d.md": {"The crate 141734 is blue."}}
    assert causes(LINES, older=older) == [], "another file has it now"


def test_what_one_reply_changes_may_be_found_or_not():
    files = {"notes/d.md": Passage(before=("The crate 141734 was red.",), now=("The crate 141734 was red.", "Red."))}
    assert causes(f"{LINES}\nnotes/d.md:1: The crate 141734 was red.", files=files) == []
    assert causes(LINES, files=files) == []


def test_a_search_that_looks_only_at_files_whose_names_end_so():
    search = Search("141734", "", False, False, suffixes=("md",))
    assert (
        causes(LINES, "a.md:1: The crate 141734 is blue.\nnotes/b.md:2: The ferry took 141734 at noon.", search=search)
        == []
    )
    assert causes(LINES, "(nothing found)", search=search) == ["search-missing"]
    assert causes(LINES, "(nothing found)", search=Search("141734", "", False, False, suffixes=("txt",))) == []


def test_a_file_that_a_refusal_names_was_not_found():
    searches, failed = Searches(), Failed()
    world = SearchWorld({path: Passage(now=(text,)) for path, text in FILES.items()}, (), {}, END)
    alone = Search("141734", "notes/b.md", False, False)
    every = (NUMBER, "no ripgrep"), (alone, "notes/b.md is no folder"), (NUMBER, "no ripgrep")
    for number, (search, flat) in enumerate(every):
        searches.judge("glob", search, flat, world, failed, number)
    assert not (*failed.found, *failed.decided().found)


def test_names():
    search = Search("*.md", "notes", True, False)
    assert causes("notes/b.md\nnotes/d.md", search=search) == []
    assert causes("notes/b.md", search=search) == ["search-missing"]
    assert causes("notes/b.md\nnotes/d.md\nnotes/x.md", search=search, older={"notes/x.md": set()}) == ["search-stale"]


def test_names_right_in_a_folder():
    search, files = Search("*.md", "notes", True, False, right=True), {"notes/old/e.md": Passage(now=("Old.\n",))}
    assert causes("notes/b.md\nnotes/d.md", search=search, files=files) == []
    assert causes("notes/b.md\nnotes/d.md\nnotes/old/e.md", search=search, files=files) == []
    assert causes("notes/b.md", search=search, files=files) == ["search-missing"]


def test_a_line_that_is_long_is_found_as_well():
    files = {"notes/e.md": Passage(now=(f"Long {'=' * 3000} 141734.\n",))}
    assert causes(f"{LINES}\nnotes/e.md:1: [long line]", files=files) == []
    assert causes(LINES, files=files) == ["search-missing"]


def test_a_declared_cut_may_leave_something_out():
    assert causes(PATHS, PATHS[:40], losses=(Clip(of="result", characters=60),)) == []


def test_a_file_that_is_no_text_is_nobodys():
    assert causes(f"{PATHS}\n/x/t/workspace/image.bin", others=("image.bin",)) == []


CROWD = {f"logs/x{at:03}.txt": Passage(now=("141734\n",)) for at in range(120)}


MANY = Search("141734", "logs", False, False)


@pytest.mark.parametrize(
    ("form", "search"),
    [
        ("{}:1:141734", MANY),
        ("{}", MANY),
        ("/x/t/workspace/{}\n> 1| 141734\n", MANY),
        ("{}", Search("*.txt", "logs", True, False)),
    ],
)
def test_a_search_of_many_says_where_it_ends(form, search):
    lines = [form.format(path) for path in CROWD]

    def shown(*more, till=100):
        return causes("\n".join([*lines[:till], *more]), files=CROWD, search=search)

    assert shown(till=120) == []
    assert shown() == ["search-missing"]
    assert shown("(more)") == shown("...") == shown("and 20 others") == shown(f"{lines[100]} … [truncated]") == []
    assert causes("\n".join(["120 found", *lines[:100]]), files=CROWD, search=search) == []
    assert causes(", ".join(lines[:100]), files=CROWD, search=search) == []
    assert causes("(nothing found)", files=CROWD, search=search) == []


LONG = "".join(f"The ferry {number} left at noon.\n" for number in range(12))
HITS = [f"The blue crate 141734 is in store {number}." for number in range(4)]
STORE = f"{LONG}{HITS[0]}\n{HITS[1]}\n{HITS[2]}\n\n\n{HITS[3]}\n"


def stored(*numbers, form="s.md:{}: {}"):
    files = {"s.md": Passage(now=(STORE,))}
    shown = "\n".join(form.format(*one) for one in zip(numbers, HITS, strict=True))
    return causes(f"{LINES}\n{shown}", files=files)


def test_a_number_that_a_tool_says_is_the_place_of_the_line():
    assert stored(13, 14, 15, 18) == []
    assert stored(13, 14, 15, 16) == ["search-number"]
    assert stored(12, 13, 14, 17) == [], "counted from 0"
    assert stored(1, 2, 3, 4) == [], "a rank"
    assert stored(13, 14, 15, 16, form="s.md {}\t{}") == ["search-number"]


def test_a_line_that_stands_within_another_one_is_not_that_one():
    talk = f"{STORE}[Ann, {'-' * 190} 08:04 +00:00] {HITS[0]}\n"
    shown = [f"s.md:{at}: {hit}" for at, hit in zip((13, 14, 15, 18), HITS, strict=True)]
    shown.append(f"s.md:19: {talk.splitlines()[-1]}")
    assert causes(f"{LINES}\n" + "\n".join(shown), files={"s.md": Passage(now=(talk,))}) == []


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("no match for '141734' in notes/b.md", ["search-missing"]),
        ("", []),
        ("notes/b.md is a file: name a folder", []),
        ("2: The ferry took 141734 at noon.", []),
        ("notes/b.md", []),
    ],
)
def test_one_file_alone(said, found):
    searches, failed = Searches(), Failed()
    world = SearchWorld({path: Passage(now=(text,)) for path, text in FILES.items()}, (), {}, END)
    asked = {"pattern": "141734", "path": "/agent/workspace/notes/b.md"}, {"pattern": "99887", "path": "notes"}
    alone, nowhere = (search_in(one, FILES, END, patterns=None) for one in asked)
    assert alone.folder == "notes/b.md"
    said = said.replace("notes/b.md", asked[0]["path"])
    every = (NUMBER, LINES), (alone, said), (nowhere, "no match for '99887' in notes")
    for number, (search, flat) in enumerate(every):
        searches.judge("grep", search, flat, world, failed, number)
    assert sorted({cause for cause, _ in (*failed.found, *failed.decided().found)}) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [("no match", ["search-missing"]), ("regex parse error: unclosed group", []), ("c.md:1:up to (141734 of them", [])],
)
def test_what_is_no_regular_expression_is_refused_or_looked_for_as_it_is(said, found):
    searches, failed = Searches(), Failed()
    world = SearchWorld({"c.md": Passage(now=("up to (141734 of them\n",))}, (), {}, END)
    broken, nowhere = (search_in({"pattern": one}, ["c.md"], END, patterns=True) for one in ("(141734", "99887"))
    assert broken.broken
    assert search_in({"pattern": "(141734"}, ["c.md"], END, patterns=None) is None
    for number, (search, flat) in enumerate(((broken, said), (nowhere, "no match"))):
        searches.judge("grep", search, flat, world, failed, number)
    assert [cause for cause, _ in failed.decided().found] == found


def test_a_hidden_file_is_found_by_whoever_says_its_name_or_its_folder():
    hidden = {path: Passage(now=(text,)) for path, text in {"notes/.env.md": "x\n", ".room/e.md": "y\n"}.items()}
    assert search_in({"pattern": "**/.env.md"}, {*FILES, *hidden}, END, patterns=None) == Search(
        ".env.md", "", True, False
    )
    world = SearchWorld({path: Passage(now=(text,)) for path, text in FILES.items()} | hidden, (), {}, END)

    def lost(*searches):
        made, failed = Searches(), Failed()
        made.judge("glob", Search("b.md", "", True, False), "notes/b.md", world, failed, 1)
        made.judge("glob", Search("e.md", ".room", True, False), ".room/e.md", world, failed, 2)
        for search in searches:
            made.judge("glob", search, "No files", world, failed, 3)
        return [cause for cause, _ in failed.decided().found]

    assert lost(Search(".env.md", "", True, False)) == ["search-missing"]
    assert lost(Search("e.md", ".room", True, False)) == ["search-missing"]
    assert lost(Search("e.md", "", True, False)) == []
