"""Snapshots: cheap when nothing changed, complete about whatever an agent leaves, exact when restored."""

# Names as bytes, and what the system itself says: pathlib has neither.
# ruff: noqa: PTH115, PTH208, PTH211

from __future__ import annotations

import os
import socket
import stat
import sys
import time

import pytest

from claw_adapter import folders as folders_module
from claw_adapter.errors import JournalError
from claw_adapter.runs.store import Store
from claw_adapter.workspace import Diff, Entry, Snapshotter
from claw_adapter.workspace import snapshot as snapshot_module


@pytest.fixture
def snapshots(tmp_path):
    return Snapshotter(Store(tmp_path / "store"))


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a.md").write_text("alpha\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("docs/a.md")
    (folder / "empty").mkdir()
    return folder


def age(folder):
    """Let the snapshotter trust time stamps: they must be older than the granularity it allows for."""
    time.sleep(0.05)


def test_a_snapshot_lists_files_links_rights_and_empty_folders(snapshots, work):
    tree = snapshots.tree(snapshots.take(work))
    assert {path: entry.kind for path, entry in tree.items()} == {
        "docs/a.md": "file",
        "run.sh": "file",
        "link": "link",
        "empty": "folder",
    }
    assert tree["run.sh"].executable
    assert not tree["docs/a.md"].executable
    assert tree["docs/a.md"].size == 6
    assert snapshots.store.get(tree["docs/a.md"].sha) == b"alpha\n"
    assert tree["link"].target == "docs/a.md"


def test_an_unchanged_folder_is_not_read_again(snapshots, work, monkeypatch):
    age(work)
    first = snapshots.take(work)
    monkeypatch.setattr(snapshots.store, "put_stream", lambda *_: pytest.fail("a file was read again"))
    monkeypatch.setattr(snapshots.store, "put_json", lambda *_: pytest.fail("the manifest was written again"))
    assert snapshots.take(work) == first


@pytest.mark.parametrize("forged", [False, True], ids=["plain", "with an old modification time"])
def test_a_file_changed_within_the_clock_s_granularity_is_seen(snapshots, work, monkeypatch, forged):
    """The racy-git problem: same size, same inode, and time stamps that did not move."""
    monkeypatch.setattr(snapshot_module, "_token", lambda found: (found.st_dev, found.st_ino, found.st_size, 0, 0))
    monkeypatch.setattr(snapshot_module, "RACY_NS", 10**12)  # a busy machine may need long from one step to the next
    path = work / "docs" / "a.md"
    for number in range(3):
        with path.open("r+") as file:
            file.write(f"{number:05d}")
        if forged:
            os.utime(path, (1, 1))
        tree = snapshots.tree(snapshots.take(work))
        assert snapshots.store.get(tree["docs/a.md"].sha) == f"{number:05d}\n".encode()


def test_a_forged_modification_time_does_not_hide_a_change(snapshots, work):
    age(work)
    path = work / "docs" / "a.md"
    before, first = path.stat(), snapshots.take(work)
    path.write_text("ALPHA\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert snapshots.diff(first, snapshots.take(work)) == Diff(changed=("docs/a.md",))


def test_a_changed_right_is_a_change(snapshots, work):
    age(work)
    first = snapshots.take(work)
    (work / "run.sh").chmod(0o644)
    assert snapshots.diff(first, snapshots.take(work)) == Diff(changed=("run.sh",))


def test_diff_names_added_removed_and_changed(snapshots, work):
    first = snapshots.take(work)
    (work / "new.md").write_text("n")
    (work / "run.sh").unlink()
    (work / "link").unlink()
    (work / "link").write_text("a file now")
    diff = snapshots.diff(first, snapshots.take(work))
    assert diff == Diff(added=("new.md",), removed=("run.sh",), changed=("link",))
    assert diff
    assert not snapshots.diff(first, first)


def test_special_files_are_listed_and_do_not_block(snapshots, work):
    os.mkfifo(work / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(work / "socket"))
        tree = snapshots.tree(snapshots.take(work))
    assert tree["pipe"] == Entry("skipped", reason="pipe")
    assert tree["socket"] == Entry("skipped", reason="socket")


def test_a_file_over_the_limit_is_listed_and_not_read(tmp_path, work):
    with (work / "sparse").open("wb") as file:
        file.truncate(10**12)
    tree = (snapshots := Snapshotter(Store(tmp_path / "s"), max_file=1000)).tree(snapshots.take(work))
    assert tree["sparse"].kind == "skipped"
    assert "larger" in tree["sparse"].reason


def test_what_cannot_be_read_is_listed(snapshots, work, monkeypatch):
    if os.geteuid() == 0:  # root reads everything, so the refusal is acted out
        real = os.open

        def refusing(path, flags, mode=0o777, *, dir_fd=None):
            if path in ("docs", "run.sh"):
                raise PermissionError(13, "Permission denied", path)
            return real(path, flags, mode, dir_fd=dir_fd)

        monkeypatch.setattr(folders_module.os, "open", refusing)
    (work / "docs").chmod(0)
    (work / "run.sh").chmod(0)
    tree = snapshots.tree(snapshots.take(work))
    (work / "docs").chmod(0o755)
    assert tree["docs"] == Entry("unreadable", reason="folder")
    assert tree["run.sh"] == Entry("unreadable", reason="file")
    assert tree["link"].kind == "link"


def test_folders_nested_without_end_are_cut_and_removed(snapshots, work):
    first = snapshots.take(work)
    here = os.open(work, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    tree = snapshots.tree(snapshots.take(work))
    assert [entry.kind for path, entry in tree.items() if path.startswith("d/")] == ["skipped"]
    snapshots.restore(first, work)
    assert snapshots.take(work) == first
    assert sorted(os.listdir(work)) == ["docs", "empty", "link", "run.sh"]


def test_many_folders(snapshots, work):
    for number in range(3000):
        (work / f"f{number:04d}").mkdir()
    digest = snapshots.take(work)
    assert sum(entry.kind == "folder" for entry in snapshots.tree(digest).values()) == 3001


def test_names_that_are_not_utf8(snapshots, work, tmp_path):
    (work / os.fsdecode(b"caf\xe9 \n\\x")).write_text("x")
    os.symlink(os.fsdecode(b"to\xff"), work / "odd")
    digest = snapshots.take(work)
    snapshots.materialise(digest, tmp_path / "copy")
    assert b"caf\xe9 \n\\x" in os.listdir(os.fsencode(tmp_path / "copy"))
    assert os.fsencode(os.readlink(tmp_path / "copy" / "odd")) == b"to\xff"
    assert snapshots.take(tmp_path / "copy") == digest


def test_excluded_paths_are_neither_kept_nor_touched(snapshots, work):
    (work / ".git" / "objects").mkdir(parents=True)
    (work / ".git" / "objects" / "o").write_text("o")
    (work / "docs" / "a.pyc").write_text("c")
    (work / "state").mkdir()
    (work / "state" / "keep.db").write_text("db")
    exclude = (".git", "*.pyc", "state/keep.*")
    digest = snapshots.take(work, exclude)
    assert set(snapshots.tree(digest)) == {"docs/a.md", "run.sh", "link", "empty", "state"}
    (work / "docs" / "a.md").write_text("changed")
    (work / "state" / "other").write_text("other")
    snapshots.restore(digest, work, exclude)
    assert (work / ".git" / "objects" / "o").read_text() == "o"
    assert (work / "docs" / "a.pyc").read_text() == "c"
    assert os.listdir(work / "state") == ["keep.db"]
    assert (work / "docs" / "a.md").read_text() == "alpha\n"


def test_restore_undoes_everything_an_agent_may_do(snapshots, work):
    digest = snapshots.take(work)
    (work / "docs" / "a.md").unlink()
    (work / "docs").rmdir()
    (work / "docs").write_text("a file in a folder's place")
    (work / "run.sh").unlink()
    (work / "run.sh").mkdir()
    (work / "run.sh" / "inner").write_text("x")
    (work / "link").unlink()
    os.mkfifo(work / "link")
    (work / "empty" / "no longer").write_text("x")
    (work / "new" / "deep").mkdir(parents=True)
    (work / "new" / "deep" / "f").write_text("x")
    (work / "new" / "deep").chmod(0)
    (work / "empty").chmod(0o500)
    snapshots.restore(digest, work)
    assert snapshots.take(work) == digest


def test_restore_resets_rights_so_that_the_next_round_can_write(snapshots, work):
    digest = snapshots.take(work)
    (work / "docs" / "a.md").chmod(0o400)
    (work / "docs").chmod(0o500)
    snapshots.restore(digest, work)
    assert stat.S_IMODE((work / "docs" / "a.md").stat().st_mode) & 0o700 == 0o600
    assert stat.S_IMODE((work / "docs").stat().st_mode) & 0o700 == 0o700


@pytest.mark.skipif(sys.platform != "linux", reason="attributes are Linux's")
def test_restore_leaves_nothing_behind_in_rights_times_and_attributes(snapshots, work):
    (work / "inner").mkdir()
    (work / "inner/a.txt").write_text("a")
    digest = snapshots.take(work)
    places = [work, work / "inner", work / "inner/a.txt"]
    for place in places:
        try:
            os.setxattr(place, "user.note", b"told")
        except OSError:
            pytest.skip("this file system keeps no attributes")
        place.chmod(0o741)
        os.utime(place, ns=(1234567890, 987654321))
    snapshots.restore(digest, work)
    assert [os.listxattr(place) for place in places] == [[], [], []]
    assert [oct(place.stat().st_mode & 0o777) for place in places] == ["0o755", "0o755", "0o644"]
    assert not [place for place in places if place.stat().st_mtime < 10 or place.stat().st_atime < 10]


def test_restore_gives_back_rights_and_times_as_they_were(snapshots, work):
    (work / "inner").mkdir()
    (work / "inner/key").write_text("secret")
    (work / "inner/key").chmod(0o600)
    (work / "inner").chmod(0o700)
    for place in (work / "inner/key", work / "inner"):
        os.utime(place, ns=(10**18, 10**18))
    digest = snapshots.take(work)
    (work / "inner/key").write_text("other")
    (work / "inner").chmod(0o755)
    snapshots.take(work, passing=True)
    snapshots.restore(digest, work)
    found = [(work / name).stat() for name in ("inner/key", "inner")]
    assert [(oct(one.st_mode & 0o777), one.st_mtime_ns) for one in found] == [("0o600", 10**18), ("0o700", 10**18)]


def test_restore_leaves_equal_files_alone(snapshots, work):
    digest = snapshots.take(work)
    before = (work / "docs" / "a.md").stat()
    (work / "run.sh").write_text("changed")
    snapshots.restore(digest, work)
    assert (work / "docs" / "a.md").stat().st_ino == before.st_ino


@pytest.mark.parametrize("instead", ["nothing", "file", "link"])
def test_a_workspace_that_is_gone_is_empty_and_comes_back(snapshots, work, tmp_path, instead):
    digest = snapshots.take(work)
    work.rename(tmp_path / "gone")
    other = tmp_path / "other"
    other.mkdir()
    (other / "file").write_text("not ours")
    {"nothing": lambda: None, "file": lambda: work.write_text("x"), "link": lambda: work.symlink_to(other)}[instead]()
    assert snapshots.tree(snapshots.take(work)) == {}
    snapshots.restore(digest, work)
    assert snapshots.take(work) == digest
    assert not work.is_symlink()
    assert [path.name for path in other.iterdir()] == ["file"]


def test_a_copy_can_be_scribbled_on_without_harm(snapshots, work, tmp_path):
    digest = snapshots.take(work)
    snapshots.materialise(digest, tmp_path / "copy")
    with (tmp_path / "copy" / "docs" / "a.md").open("r+") as file:
        file.write("scribbled")
    assert (work / "docs" / "a.md").read_text() == "alpha\n"
    snapshots.materialise(digest, tmp_path / "second")
    assert (tmp_path / "second" / "docs" / "a.md").read_text() == "alpha\n"


def test_a_copy_needs_an_empty_place(snapshots, work):
    with pytest.raises(FileExistsError):
        snapshots.materialise(snapshots.take(work), work)


def test_a_damaged_snapshot_is_named(snapshots, work, tmp_path):
    digest = snapshots.take(work)
    sha = snapshots.tree(digest)["docs/a.md"].sha
    snapshots.store.path(sha).unlink()
    with pytest.raises(JournalError, match=sha):
        snapshots.materialise(digest, tmp_path / "copy")


@pytest.mark.parametrize("path", ["../out", "/etc/x", "a//b", "a/../../b", "", "."])
def test_a_manifest_that_leads_out_is_refused(snapshots, path):
    digest = snapshots.store.put_json({path: {"kind": "link", "target": "x"}})
    with pytest.raises(JournalError, match="manifest"):
        snapshots.tree(digest)


@pytest.mark.parametrize("value", [[], 3, {"a": 1}, {"a": {"kind": "what"}}, {"a": {"kind": "file"}}])
def test_what_is_no_manifest_is_refused(snapshots, value):
    with pytest.raises(JournalError, match="manifest"):
        snapshots.tree(snapshots.store.put_json(value))
