"""Workspace updates: all or nothing, detectable when repeated, and applied whatever an agent did to the files."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.errors import HarnessError, JournalError, ScenarioError
from claw_adapter.protocol import Update, UpdateAction
from claw_adapter.runner import world
from claw_adapter.runs.store import Store
from claw_adapter.workspace import (
    FileChange,
    Snapshotter,
    WorkspaceChanged,
    apply_update,
    commit,
    is_applied,
    plan_update,
)


@pytest.fixture
def snapshots(tmp_path):
    return Snapshotter(Store(tmp_path / "store"))


@pytest.fixture
def work(tmp_path):
    (tmp_path / "work" / "docs").mkdir(parents=True)
    return tmp_path / "work"


class Bench:
    """Writes sources, applies actions, reads results."""

    def __init__(self, tmp_path, work, snapshots):
        self.root, self.work, self.snapshots = tmp_path / "scenario", work, snapshots
        (self.root / "updates" / "u1").mkdir(parents=True)

    def update(self, *actions):
        made = []
        for number, (path, action, content, more) in enumerate(actions):
            source = None
            if content is not None:
                source = f"s{number}"
                (self.root / "updates" / "u1" / source).write_bytes(content)
            made.append(UpdateAction(workspace=path, action=action, source=source, **more))
        return Update(id="u1", actions=tuple(made))

    def plan(self, *actions):
        return plan_update(self.update(*actions), scenario_root=self.root, workspace=self.work)

    def apply(self, *actions):
        update = self.update(*actions)
        return apply_update(update, scenario_root=self.root, workspace=self.work, snapshotter=self.snapshots)


@pytest.fixture
def bench(tmp_path, work, snapshots):
    return Bench(tmp_path, work, snapshots)


def new(path, content):
    return (path, "new", content, {})


@pytest.mark.parametrize(
    ("before", "action", "source", "more", "after"),
    [
        (b"old\n", "new", b"new", {}, b"new"),
        (b"old\n", None, b"new", {}, b"new"),
        (b"a\n", "append", b"b\n", {}, b"a\nb\n"),
        (b"a", "append", b"b", {}, b"a\nb"),
        (b"", "append", b"b", {}, b"b"),
        (None, "append", b"b", {}, b"b"),
        (b"a\r\nb\r\n", "append", b"c\n", {}, b"a\r\nb\r\nc\n"),
        (b"\xff\xfe\n", "append", b"\x80", {}, b"\xff\xfe\n\x80"),
        (b"a\r\nb\r\n", "insert", b"x\r\n", {"after": 1}, b"a\r\nx\r\nb\r\n"),
        (b"a\nb", "insert", b"x\n", {"after": 0}, b"x\na\nb"),
        (b"a\n", "insert", b"x\n", {"after": 9}, b"a\nx\n"),
        (None, "insert", b"x\n", {"after": 3}, b"x\n"),
        (b"a\nb\nc\n", "delete", None, {"ranges": ((2, 2),)}, b"a\nc\n"),
        (b"a\nb\n", "delete", None, {"ranges": ((2, 9), (12, 13))}, b"a\n"),
        (b"a\x0bb\x0cc\xc2\x85d\ne\n", "delete", None, {"ranges": ((2, 2),)}, b"a\x0bb\x0cc\xc2\x85d\n"),
        (b"a\n", "delete", None, {}, None),
        (None, "delete", None, {}, None),
        (None, "delete", None, {"ranges": ((1, 1),)}, None),
    ],
)
def test_what_each_action_makes_of_a_file(bench, before, action, source, more, after):
    path = bench.work / "docs" / "f.txt"
    if before is not None:
        path.write_bytes(before)
    bench.apply(("docs/f.txt", action, source, more))
    assert (path.read_bytes() if path.exists() else None) == after


def test_several_actions_on_one_file_are_one_change(bench):
    (bench.work / "f").write_bytes(b"1\n")
    plan = bench.plan(
        ("f", "append", b"2\n", {}), ("f", "append", b"3\n", {}), ("f", "delete", None, {"ranges": ((1, 1),)})
    )
    assert plan == [FileChange("f", b"1\n", b"2\n3\n")]


def test_planning_changes_nothing(bench):
    (bench.work / "f").write_bytes(b"1\n")
    before = bench.snapshots.take(bench.work)
    bench.plan(("f", "append", b"2\n", {}), new("new/deep/g", b"x"), ("f", "delete", None, {}))
    assert bench.snapshots.take(bench.work) == before


def test_session_actions_are_not_ours(bench):
    update = Update(id="u1", actions=(UpdateAction(session="s", source="nowhere.jsonl"),))
    assert plan_update(update, scenario_root=bench.root, workspace=bench.work) == []


def test_the_same_plan_twice_is_noticed_and_changes_nothing(bench):
    (bench.work / "f").write_bytes(b"1\n")
    plan = bench.plan(("f", "append", b"2\n", {}))
    assert not is_applied(plan, bench.work)
    commit(plan, bench.work, bench.snapshots)
    assert is_applied(plan, bench.work)
    with pytest.raises(JournalError, match="applied already"):
        commit(plan, bench.work, bench.snapshots)
    assert (bench.work / "f").read_bytes() == b"1\n2\n"


def test_a_file_changed_after_planning_is_noticed_and_nothing_written(bench):
    plan = bench.plan(new("a", b"a"), ("f", "append", b"2\n", {}))
    (bench.work / "f").write_bytes(b"meanwhile")
    with pytest.raises(JournalError, match="changed since"):
        commit(plan, bench.work, bench.snapshots)
    assert not (bench.work / "a").exists()


def test_what_changes_files_while_they_are_written_is_told_apart_and_nothing_is_written(bench, monkeypatch):
    (bench.work / "a").write_bytes(b"1")
    with pytest.raises(WorkspaceChanged):
        commit([FileChange("a", b"other", b"3")], bench.work, bench.snapshots)

    def swapped(root, change):
        raise OSError(errno.ELOOP, "a link stands there")

    monkeypatch.setattr("claw_adapter.workspace.update.write_change", swapped)
    with pytest.raises(WorkspaceChanged):
        bench.apply(new("a", b"2"))
    assert (bench.work / "a").read_bytes() == b"1"


@pytest.mark.parametrize(("times", "error"), [(2, None), (99, HarnessError)])
def test_an_update_is_planned_again_where_something_that_was_left_running_meddles(
    bench, snapshots, monkeypatch, times, error
):
    left = [times]

    def meddled(plan, workspace, snapshotter):
        left[0] -= 1
        if left[0] >= 0:
            raise WorkspaceChanged("it changed")

    monkeypatch.setattr(world, "commit", meddled)
    monkeypatch.setattr(world, "AGAIN", 0)
    scenario = SimpleNamespace(
        sessions=(), histories=(), root=bench.root, expand=lambda ids: [bench.update(new("a", b"2"))]
    )
    monkeypatch.setattr(world, "session_changes", lambda *_: [])
    made = world.TrialWorld(scenario, bench.work, snapshots, "none")
    with pytest.raises(error, match="goes on changing") if error else nullcontext():
        made.apply(("u1",))


@pytest.mark.skipif(sys.platform != "linux", reason="leases are Linux's")
def test_a_file_that_a_process_has_a_lease_on_is_one_that_cannot_be_read(bench):
    (bench.work / "held").write_bytes(b"1")
    before = signal.signal(signal.SIGIO, signal.SIG_IGN)
    holder = os.open(bench.work / "held", os.O_RDWR)
    try:
        fcntl.fcntl(holder, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        tree = bench.snapshots.tree(bench.snapshots.take(bench.work))
        assert tree["held"].kind == "unreadable"
        bench.apply(new("held", b"2"))
        assert (bench.work / "held").read_bytes() == b"2"
    finally:
        os.close(holder)
        signal.signal(signal.SIGIO, before)


def test_a_missing_source_is_the_scenario_s_fault_and_nothing_is_written(bench):
    update = Update(
        id="u1",
        actions=(
            bench.update(new("a", b"a")).actions[0],
            UpdateAction(workspace="b", action="new", source="missing.md"),
        ),
    )
    with pytest.raises(ScenarioError, match=r"missing\.md"):
        apply_update(update, scenario_root=bench.root, workspace=bench.work, snapshotter=bench.snapshots)
    assert not (bench.work / "a").exists()


def test_a_target_that_is_a_folder_of_another_is_refused(bench):
    with pytest.raises(ScenarioError, match="both a file and a folder"):
        bench.plan(new("a", b"a"), new("a/b", b"b"))


ACTIONS = (
    new("docs/a.md", b"changed\n"),
    ("docs/b.md", "append", b"more\n", {}),
    new("brand/new/c.md", b"c"),
    ("gone.md", "delete", None, {}),
    new("taken/d.md", b"d"),
)
STEPS = ("replace", "rename", "unlink", "mkdir", "fchmod", "open")


def prepare(work):
    (work / "docs" / "a.md").write_bytes(b"a\n")
    (work / "docs" / "b.md").write_bytes(b"b\n")
    (work / "docs" / "a.md").chmod(0o755)
    (work / "gone.md").write_bytes(b"g")
    (work / "taken").write_bytes(b"the agent's file in a folder's place")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["disk", "interrupt"]
)
def test_a_failure_at_any_step_leaves_the_workspace_as_it_was(bench, monkeypatch, step, error):
    prepare(bench.work)
    before = bench.snapshots.take(bench.work)
    plan = bench.plan(*ACTIONS)
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else JournalError
    failures = 0
    for failing in range(200):
        armed, calls = [False], [0]
        real = getattr(os, step)

        def failing_call(*args, _real=real, _calls=calls, _failing=failing, _armed=armed, **options):
            if _armed[0]:
                _calls[0] += 1
                if _calls[0] == _failing + 1:
                    raise error
            return _real(*args, **options)

        take = bench.snapshots.take

        def take_then_arm(folder, _take=take, _armed=armed):
            digest = _take(folder)
            _armed[0] = True
            return digest

        with monkeypatch.context() as patch:
            patch.setattr(os, step, failing_call)
            patch.setattr(bench.snapshots, "take", take_then_arm)
            try:
                commit(plan, bench.work, bench.snapshots)
            except expected:
                failures += 1
            else:
                break
        assert bench.snapshots.take(bench.work) == before
    assert failures >= 1
    assert (bench.work / "docs" / "a.md").read_bytes() == b"changed\n"
    assert (bench.work / "taken.displaced").read_bytes() == b"the agent's file in a folder's place"
    assert not [path for path in bench.work.rglob("*") if path.name.startswith(".claw-")]


def test_rights_are_kept_and_new_scripts_stay_executable(bench):
    (bench.work / "old.sh").write_bytes(b"old")
    (bench.work / "old.sh").chmod(0o755)
    update = bench.update(new("old.sh", b"new"), new("new.sh", b"new"), new("plain", b"x"))
    (bench.root / "updates" / "u1" / "s1").chmod(0o755)
    apply_update(update, scenario_root=bench.root, workspace=bench.work, snapshotter=bench.snapshots)
    assert [os.access(bench.work / name, os.X_OK) for name in ("old.sh", "new.sh", "plain")] == [True, True, False]


def test_links_inside_the_workspace_are_followed(bench):
    (bench.work / "alias").symlink_to("docs")
    (bench.work / "docs" / "f").write_bytes(b"1\n")
    (bench.work / "docs" / "up").symlink_to("../docs/f")
    plan = bench.apply(("alias/f", "append", b"2\n", {}), ("docs/up", "append", b"3\n", {}))
    assert [change.path for change in plan] == ["docs/f"]
    assert (bench.work / "docs" / "f").read_bytes() == b"1\n2\n3\n"
    assert (bench.work / "alias").is_symlink()


@pytest.mark.parametrize("obstacle", ["folder", "pipe", "sparse"])
def test_what_stands_in_the_way_is_moved_aside(bench, obstacle):
    target = bench.work / "report.md"
    if obstacle == "folder":
        target.mkdir()
        (target / "work.md").write_text("the agent's work")
    elif obstacle == "pipe":
        os.mkfifo(target)
    else:
        with target.open("wb") as file:
            file.truncate(10**12)
    (bench.work / "report.md.displaced").write_text("taken")
    bench.apply(("report.md", "append", b"news\n", {}))
    assert target.read_bytes() == b"news\n"
    assert (bench.work / "report.md.displaced-2").exists()
    if obstacle == "folder":
        assert (bench.work / "report.md.displaced-2" / "work.md").read_text() == "the agent's work"


def test_a_hard_link_is_not_written_through(bench, tmp_path):
    outside = tmp_path / "outside"
    outside.write_bytes(b"1\n")
    os.link(outside, bench.work / "f")
    bench.apply(("f", "append", b"2\n", {}))
    assert outside.read_bytes() == b"1\n"
    assert (bench.work / "f").read_bytes() == b"1\n2\n"


def test_a_read_only_folder_does_not_keep_an_update_out(bench):
    (bench.work / "docs").chmod(0o500)
    bench.apply(new("docs/sub/x.md", b"x"))
    assert (bench.work / "docs" / "sub" / "x.md").read_bytes() == b"x"
    assert Path(bench.work / "docs").stat().st_mode & 0o700 == 0o700
