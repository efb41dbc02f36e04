"""A list of a folder, held against the files that are there."""

import pytest

from claw_adapter.audit.course import Passage
from claw_adapter.audit.listings import folder_in, judge_listing, judge_nowhere
from claw_adapter.audit.results import Failed

PATHS = {"a.md": "", "notes/b.md": "", "notes/c.md": "", "notes/old/d.md": "", "notes/.e": ""}


@pytest.mark.parametrize(
    ("arguments", "folder"),
    [
        ({"path": "notes"}, "notes"),
        ({"path": "./notes/", "recursive": True}, "notes"),
        ({"directory": "/agent/workspace/notes"}, "notes"),
        ({"directory": "/agent/workspace"}, ""),
        ({"path": "/x/t/workspace/"}, ""),
        ({"path": "."}, ""),
        ({"path": "notes", "pattern": "b"}, None),
        ({"path": "elsewhere"}, None),
        ({"path": "/etc"}, None),
        ({}, None),
    ],
)
def test_the_folder_that_a_call_is_about(arguments, folder):
    assert folder_in(arguments, PATHS, "/t/workspace") == folder


def causes(flat, folder="notes", there=(), gone=()):
    failed = Failed()
    files = {path: Passage(now=("text",)) for path in PATHS} | dict(there)
    judge_listing(folder, flat, files, set(gone), failed, 1)
    return [cause for cause, _ in failed.found]


CROWD = [f"crowd/{number:03}-crate.txt" for number in range(120)]


@pytest.mark.parametrize(
    ("flat", "found"),
    [
        ("\n".join(CROWD), []),
        ("\n".join(CROWD[:100]), ["listing-wrong"]),
        ("\n".join([*CROWD[:100], "(20 more)"]), []),
        ("\n".join(["120 entries, the first 100:", *CROWD[:100]]), []),
        ("\n".join([*CROWD[:100], "… truncated"]), []),
        (" ".join(CROWD[:100]), []),
        ("\n".join(CROWD[:20]), []),
        ("\n".join([*CROWD, "crowd/gone.txt"]), ["listing-wrong"]),
    ],
    ids=["whole", "silent", "more", "first", "truncated", "one line", "few", "deleted"],
)
def test_a_long_list_has_all_or_says_that_there_is_more(flat, found):
    there = {path: Passage(now=("text",)) for path in CROWD}
    assert causes(flat, "crowd", there, ["crowd/gone.txt"]) == found


@pytest.mark.parametrize(
    ("flat", "more", "found"),
    [
        ("b.md\nc.md\nold/", {}, []),
        ("notes/b.md notes/c.md notes/old/d.md", {}, []),
        ('["b.md", "c.md"]', {"gone": ["notes/x.md"]}, []),
        ("b.md", {}, ["listing-wrong"]),
        ("b.md\nabc.md", {}, ["listing-wrong"]),
        ("error: a folder", {}, []),
        ("b.md\nc.md\nx.md", {"gone": ["notes/x.md"]}, ["listing-wrong"]),
        ("b.md\nc.md\nold/x.md", {"gone": ["x.md"]}, []),
        ("b.md\nc.md", {"there": {"notes/new.md": Passage([""], [None, "new"])}}, []),
        ("b.md\nc.md", {"there": {"notes/new.md": Passage([None], ["new"])}}, ["listing-wrong"]),
        ("b.md\nc.md\nold/d.md", {"there": {"notes/old/e.md": Passage(now=("text",))}}, ["listing-wrong"]),
        ("b.md\nc.md\nold/d.md", {"there": {"notes/old/b.md": Passage(now=("text",))}}, []),
        ("b.md\nc.md\nold/d.md\nold/x.md", {"gone": ["notes/old/x.md"]}, ["listing-wrong"]),
        ("b.md\nc.md\nold/", {"there": {"notes/old/e.md": Passage(now=("text",))}}, []),
        ("b.md\nc.md\nold/d.md", {"there": {"notes/old/.f.md": Passage(now=("text",))}}, []),
    ],
)
def test_what_it_lacks_or_has_too_much(flat, more, found):
    assert causes(flat, **more) == found


def test_the_name_of_another_file_may_have_the_name_within():
    there = {"\\notes\\sensor.sql": Passage(now=("text",)), "notes/sensor.sql": Passage(now=("text",))}
    top = [path for path in (*PATHS, *there) if "/" not in path]
    assert causes("\n".join([*top, "notes/"]), "", there) == []
    assert causes("\n".join([*top, "notes/sensor.sql"]), "", there) == ["listing-wrong"]


def test_the_name_of_a_file_that_goes_in_the_turn_and_lies_elsewhere_as_well_tells_nothing():
    files = {path: Passage(now=("text",)) for path in ("a/x.md", "a/b/x.md", "a/b/y.md")}
    shown = "a/b\na/x.md\n"
    assert causes(shown, "a", files | {"a/x.md": Passage()}) == []
    assert causes(f"{shown}a/b/y.md\n", "a", {"a/b/y.md": Passage(now=("",)), "a/b/z.md": Passage(now=("",))}) == [
        "listing-wrong"
    ]


def test_a_list_of_folders_below_may_name_a_file_called_as_one_that_is_gone():
    files = {"a/b/x.md": Passage(now=("",)), "a/y.md": Passage(now=("",))}
    for flat, found in (("a/b/x.md\na/y.md", {}), ("a/y.md", {})):
        failed = Failed()
        judge_listing("a", flat, files, {"a/x.md"}, failed, 1)
        assert failed.found == found


@pytest.mark.parametrize(("flat", "known", "found"), [
    ("(no files)", False, []), ("(no files)", True, ["listing-empty"]), ("b.yml", True, []), ("c/", True, []),
])  # fmt: skip
def test_words_are_no_list_where_the_tool_names_what_is_in_other_folders(flat, known, found):
    failed = Failed()
    files = {path: Passage(now=("",)) for path in (".github/workflows/b.yml", ".github/workflows/c/d.yml")}
    named = judge_listing(".github/workflows", flat, files, set(), failed, 1, lists=known)
    assert ([cause for cause, _ in failed.found], named) == (found, not flat.startswith("("))


@pytest.mark.parametrize("shown", [r'"\"x-1\".md"', """'"x-1".md'""", '"x-1".md'], ids=["JSON", "shell", "as it is"])
def test_a_folder_of_one_file_whose_name_is_quoted_is_not_empty(shown):
    failed, files = Failed(), {'n/"x-1".md': Passage(now=("",)), "n/y.md": Passage()}
    assert judge_listing("n", shown, files, set(), failed, 1, lists=True)
    assert failed.found == {}


def test_a_list_of_a_folder_that_has_files_is_not_empty():
    assert causes("") == causes("[]\n") == ["listing-empty"]
    assert causes("", "a", {"a/.hidden": Passage(now=("",))}) == []
    assert causes("", "a", {"a/b.md": Passage()}) == [], "it may not be there yet"
    assert causes("", "a", {"a/b.md": Passage(now=("text", None))}) == [], "or not any more"
    assert causes("", "a", {"a/build/b.md": Passage(now=("",))}) == [], "some folders are left out by their names"
    assert causes("error: not found") == []
    failed = Failed()
    judge_listing("a", "", {"a/b.md": Passage(now=("",))}, set(), failed, 1, looks=False)
    assert not failed.found


@pytest.mark.parametrize(
    ("flat", "found"),
    [
        ("a.md\nnotes/", ["listing-wrong"]),
        ("- notes/b.md\n- notes/old/d.md", ["listing-wrong"]),
        ("There is no such folder.", []),
        ("No such folder; beside it are:\na.md\nnotes/", []),
        ("elsewhere", []),
        ("", []),
        ("(empty)", []),
    ],
)
def test_a_list_of_what_is_not_there_is_none_of_another_folder(flat, found):
    failed = Failed()
    judge_nowhere({"path": "elsewhere"}, flat, PATHS, "/t/workspace", failed, 1)
    judge_nowhere({"path": "notes"}, flat, PATHS, "/t/workspace", failed, 1)
    judge_nowhere({"path": "a.md"}, "a.md", PATHS, "/t/workspace", failed, 1)
    assert [cause for cause, _ in failed.found] == found
