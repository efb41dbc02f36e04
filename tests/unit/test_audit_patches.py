"""What patches do to a file, and numbers before lines."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from claw_adapter.audit.course import effect_of
from claw_adapter.audit.patched import Patched, patched_by

UPDATE = "*** Begin Patch\n*** Update File: a.md\n@@ a part\n one\n-two\n+three\n four\n@@\n-six\n+five\n+six\n*** End Patch\n"

DIFF = "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@ a part\n one\n-two\n+three\n four\n@@ -6 +6,2 @@\n-six\n+five\n+six\n"


@pytest.mark.parametrize(
    ("patch", "found"),
    [
        (UPDATE, Patched("a.md", changes=(("one\ntwo\nfour", "one\nthree\nfour"), ("six", "five\nsix")))),
        ("*** Begin Patch\n*** Add File: n/b.md\n+one\n+\n+two\n*** End Patch", Patched("n/b.md", "one\n\ntwo\n")),
        (
            "*** Begin Patch\n*** Update File: a.md\n@@\n one\n\n+two\n*** End of File\n*** End Patch",
            Patched("a.md", changes=(("one\n", "one\n\ntwo"),)),
        ),
        ("*** Begin Patch\n*** Update File: a.md\n@@\n+only new\n*** End Patch", None),
        ("*** Begin Patch\n*** Delete File: a.md\n*** End Patch", None),
        (UPDATE.replace("*** End", "*** Update File: b.md\n@@\n-a\n+b\n*** End"), None),
        ("one\ntwo", None),
    ],
    ids=["replaced", "made", "an empty line, and its end", "no place", "deleted", "two files", "no patch"],
)
def test_a_patch_of_one_file_is_read(patch, found):
    assert patched_by({"patch": patch}) == found


@pytest.mark.parametrize(
    ("diff", "found"),
    [
        (DIFF, patched_by({"patch": UPDATE})),
        (f"diff --git a/a.md b/a.md\n{DIFF}", patched_by({"patch": UPDATE})),
        (
            "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n--- one\n+++ two\n x\n",
            Patched("a.md", changes=(("-- one\nx", "++ two\nx"),)),
        ),
        (
            "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+two\n",
            Patched("a.md", changes=(("one", "two"),)),
        ),
        ("--- /dev/null\n+++ b/n/b.md\n@@ -0,0 +1,2 @@\n+one\n+two\n", Patched("n/b.md", "one\ntwo\n")),
        ("--- a/a.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", None),
        (f"{DIFF}--- a/b.md\n+++ b/b.md\n@@ -1 +1 @@\n-one\n+two\n", None),
        (DIFF.replace("-6 +6,2", "-6,9 +6,9"), patched_by({"patch": UPDATE})),
        (DIFF.replace("-6 +6,2", "-6 +6"), None),
    ],
    ids=[
        "replaced",
        "of git",
        "like a head",
        "no end",
        "made",
        "removed",
        "two files",
        "counts too many",
        "counts too few",
    ],
)
def test_a_diff_of_one_file_is_read_as_a_patch_of_it_is(diff, found):
    assert patched_by({"diff": diff}) == found


@pytest.mark.parametrize(
    ("before", "ended", "after"),
    [
        ("one\ntwo\nfour\nsix\n", False, "one\nthree\nfour\nfive\nsix\n"),
        ("one\ntwo\nfour\nsix", False, "one\nthree\nfour\nfive\nsix"),
        ("one\ntwo\nfour\nsix", True, "one\nthree\nfour\nfive\nsix\n"),
        ("one\ntwo\nfour\nsix\nsix\n", False, None),
        ("one\ntwo\nfour\nfifty-six\nsix\n", False, "one\nthree\nfour\nfifty-six\nfive\nsix\n"),
    ],
)
def test_a_patched_file_has_the_new_lines_and_may_get_an_end(before, ended, after):
    effect = effect_of("apply_patch", {"patch": UPDATE}, (), "t/workspace", {})
    assert effect is not None
    assert replace(effect, ended=ended).on(before, strict=True) == after


INSERTS = {
    "type": "function",
    "function": {
        "name": "editor",
        "description": "Views and changes files.",
        "parameters": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "enum": ["view", "str_replace", "insert"]},
                "path": {"type": "string"},
                "old_str": {"type": "string"},
                "new_str": {"type": "string"},
                "insert_line": {"type": "integer", "description": "new_str comes AFTER this line"},
            },
            "required": ["command", "path"],
        },
    },
}


@pytest.mark.parametrize(
    ("before", "line", "new", "after"),
    [
        ("a\nb\n", 1, "x", {"a\nx\nb\n"}),
        ("a\nb\n", 0, "x\ny", {"x\ny\na\nb\n"}),
        ("a\nb\n", 2, "x", {"a\nb\nx\n"}),
        ("a\nb", 2, "x", {"a\nb\nx", "a\nb\nx\n"}),
        ("", 0, "x", {"x", "x\n"}),
        ("a\n", 2, "x", {None}),
        ("a\r\nb\r\n", 1, "x", {None}),
        ("a\nb\n", 1, "x\n", {None}),
        (None, 0, "x", {None}),
    ],
    ids=[
        "within",
        "before all",
        "behind all",
        "no end",
        "empty",
        "no such line",
        "CR LF",
        "an end too many",
        "no file",
    ],
)
def test_a_text_that_is_put_behind_a_line_has_lines_of_its_own(before, line, new, after):
    arguments = {"command": "insert", "path": "a.md", "insert_line": line, "new_str": new}
    effect = effect_of("editor", arguments, (INSERTS,), "t/workspace", {})
    assert effect is not None
    assert {replace(effect, ended=ended).on(before, strict=True) for ended in (False, True)} == after


def test_where_a_number_does_not_say_that_the_text_comes_behind_it_nobody_knows_what_is_put_where():
    unsaid = json.loads(json.dumps(INSERTS).replace("AFTER", "at"))
    arguments = {"command": "insert", "path": "a.md", "insert_line": 1, "new_str": "x"}
    assert effect_of("editor", arguments, (unsaid,), "t/workspace", {}) is None
