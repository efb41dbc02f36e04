"""Recorded calls are repeated inside the workspace and nowhere else; what cannot be repeated is said."""

from __future__ import annotations

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter.sandbox import IsolationLevel
from claw_adapter_clawarena.patch import parse_patch
from claw_adapter_clawarena.replay import Replay
from claw_adapter_clawarena.results import RecordedCall, RecordedRound

HOME = "/bench/work/s1"


def recorded(tmp_path, *calls: RecordedCall) -> RecordedRound:
    return RecordedRound(
        scenario="s1", round="q1", path=tmp_path, layout="openclaw", type="exec_check", question="", text="", status="success",
        passed=True, selected=None, workspace=HOME, calls=calls,
    )  # fmt: skip


def done(name: str, output: str | None = None, *, failed: bool = False, **arguments) -> RecordedCall:
    return RecordedCall(name, arguments, failed, output)


async def replay(tmp_path, *calls: RecordedCall) -> Replay:
    workspace = tmp_path / "workspace"
    workspace.mkdir(exist_ok=True)
    again = Replay(workspace, IsolationLevel.PROCESS)
    await again.round(recorded(tmp_path, *calls))
    return again


async def test_writes_and_edits_are_repeated_and_verified(tmp_path):
    again = await replay(
        tmp_path,
        done("write", path="a/b.txt", content="one two one"),
        done(
            "edit",
            path=f"{HOME}/a/b.txt",
            edits=[{"oldText": "one", "newText": "1"}, {"oldText": "two", "newText": "2"}],
        ),
        done("read", "1 2 one\n\n[3 more lines in file.]", path="a/b.txt"),
    )
    assert (tmp_path / "workspace/a/b.txt").read_text() == "1 2 one"
    assert (again.log.verified, again.log.missing, again.log.notes, again.log.reads) == (1, [], [], [True])


async def test_a_command_that_the_harness_refused_is_not_run(tmp_path):
    again = await replay(
        tmp_path, RecordedCall("exec", {"command": "touch x", "workdir": HOME}, False, "refused", True)
    )
    assert not (tmp_path / "workspace/x").exists()
    assert not again.log.calls


async def test_what_is_not_as_recorded_is_said(tmp_path):
    again = await replay(
        tmp_path,
        done("write", path="a", content="x"),
        done("write", path="a/b", content="y"),  # a folder now stands where the file was
        done("read", "something else", path="a/b"),
        done("read", "y", path="nowhere"),
    )
    again.finish("s1")
    assert again.log.missing == ["s1/q1: a", "s1, at the end: a"]
    assert (again.log.verified, again.log.kept, again.log.reads) == (1, 1, [False, False])


async def test_what_an_update_changed_is_no_longer_expected(tmp_path):
    again = await replay(tmp_path, done("write", path="a", content="x"))
    (tmp_path / "workspace/a").write_text("updated")
    again.forget(["a"])
    again.finish("s1")
    assert (again.log.kept, again.log.missing) == (0, [])


async def test_calls_that_failed_change_nothing(tmp_path):
    again = await replay(tmp_path, done("write", failed=True, path="a", content="x"))
    assert not (tmp_path / "workspace/a").exists()
    assert not again.log.calls


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "/bench/work/s10/x", "", "."])
async def test_nothing_outside_the_workspace_is_touched(tmp_path, path):
    again = await replay(tmp_path, done("write", path=path, content="x"))
    assert len(again.log.notes) == 1
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["workspace"]


async def test_a_link_out_of_the_workspace_is_not_followed(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace/link").symlink_to(tmp_path / "outside")
    await replay(tmp_path, done("write", path="link/x", content="x"))
    assert list((tmp_path / "outside").iterdir()) == []


async def test_an_edit_that_does_not_fit_is_said(tmp_path):
    again = await replay(
        tmp_path, done("write", path="a", content="x"), done("edit", path="a", oldText="y", newText="z")
    )
    assert again.log.notes == ["s1/q1: edit: the text to replace is not in 'a'"]


async def test_patches_add_change_move_and_delete(tmp_path):
    text = """*** Begin Patch
*** Add File: new.txt
+first
+second
*** Update File: old.txt
*** Move to: sub/moved.txt
@@ def f
 keep
-gone
+here
*** Delete File: bad.txt
*** End Patch"""
    again = await replay(
        tmp_path,
        done("write", path="old.txt", content="gone\ndef f\nkeep\ngone\n"),
        done("write", path="bad.txt", content="x"),
        done("apply_patch", input=text),
    )
    workspace = tmp_path / "workspace"
    assert (workspace / "new.txt").read_text() == "first\nsecond\n"
    assert (workspace / "sub/moved.txt").read_text() == "gone\ndef f\nkeep\nhere\n"
    assert sorted(p.name for p in workspace.iterdir()) == ["new.txt", "sub"]
    assert (again.log.notes, again.log.missing) == ([], [])


@pytest.mark.parametrize(
    "text", ["", "x", "*** Begin Patch\nx\n*** End Patch", "*** Begin Patch\n*** Update File: a\n?x\n*** End Patch"]
)
def test_what_is_no_patch_is_refused(text):
    with pytest.raises(ScenarioError):
        parse_patch(text)


async def test_commands_run_in_the_workspace_and_their_effects_stay(tmp_path):
    again = await replay(
        tmp_path,
        done("write", path="a", content="x"),
        done("write", path="b", content="x"),
        done("exec", "hello", command=f"echo hello; echo changed > {HOME}/a; mkdir sub; pwd > sub/here", workdir=HOME),
    )
    workspace = tmp_path / "workspace"
    assert (workspace / "sub/here").read_text().strip() == str(workspace)
    assert (workspace / "a").read_text() == "changed\n"
    assert again.log.outputs == [True]
    assert (again.log.verified, again.log.missing) == (1, [])  # a is no longer what was written, b is


async def test_a_command_outside_the_workspace_is_not_run(tmp_path):
    again = await replay(tmp_path, done("exec", "", command="touch x", workdir="/"))
    assert len(again.log.notes) == 1
