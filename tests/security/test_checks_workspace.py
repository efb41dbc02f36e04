"""Whatever an agent plants in its workspace, core neither writes nor reads outside of it."""

# Names as bytes, and what the system itself says: pathlib has neither.
# ruff: noqa: PTH102, PTH118, PTH123, PTH208

from __future__ import annotations

import os

import pytest

from claw_adapter.protocol import Update, UpdateAction
from claw_adapter.runs.store import Store
from claw_adapter.workspace import Snapshotter, apply_update, plan_update


@pytest.fixture
def snapshots(tmp_path):
    return Snapshotter(Store(tmp_path / "store"))


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.md").write_text("secret\n")
    (folder / "secret.md").chmod(0o640)
    yield folder
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"secret.md": "secret\n"}
    assert (folder / "secret.md").stat().st_mode & 0o777 == 0o640


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def root(tmp_path):
    (tmp_path / "scenario" / "updates" / "u").mkdir(parents=True)
    (tmp_path / "scenario" / "updates" / "u" / "s").write_bytes(b"update\n")
    return tmp_path / "scenario"


ACTIONS = [
    UpdateAction(workspace="docs/secret.md", action="new", source="s"),
    UpdateAction(workspace="docs/secret.md", action="append", source="s"),
    UpdateAction(workspace="docs/secret.md", action="insert", source="s", after=0),
    UpdateAction(workspace="docs/secret.md", action="delete", ranges=((1, 1),)),
    UpdateAction(workspace="docs/secret.md", action="delete"),
    UpdateAction(workspace="docs/fresh.md", action="new", source="s"),
]


def plant(work, outside, how):
    if how == "folder, absolute":
        (work / "docs").symlink_to(outside)
    elif how == "folder, relative":
        (work / "docs").symlink_to("../outside")
    elif how == "folder, by a detour":
        (work / "in").mkdir()
        (work / "in" / "way").symlink_to("../..")
        (work / "docs").symlink_to("in/way/outside")
    elif how == "in circles":
        (work / "docs").symlink_to("sdoc")
        (work / "sdoc").symlink_to("docs")
    else:
        (work / "docs").mkdir()
        for name in ("secret.md", "fresh.md"):
            (work / "docs" / name).symlink_to(outside / name if how == "file, absolute" else f"../../outside/{name}")


PLANTED = [
    "folder, absolute",
    "folder, relative",
    "folder, by a detour",
    "in circles",
    "file, absolute",
    "file, relative",
]


@pytest.mark.parametrize("how", PLANTED)
@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: f"{action.action} {action.workspace}")
def test_an_update_never_follows_a_link_out(root, work, outside, snapshots, how, action):
    plant(work, outside, how)
    update = Update(id="u", actions=(action,))
    plan = plan_update(update, scenario_root=root, workspace=work)
    assert all(b"secret" not in (change.before or b"") + (change.after or b"") for change in plan)
    apply_update(update, scenario_root=root, workspace=work, snapshotter=snapshots)
    if action.action != "delete":
        target = work / action.workspace
        assert target.read_bytes() == b"update\n"
        assert target.resolve().is_relative_to(work.resolve())


@pytest.mark.parametrize("how", PLANTED)
def test_a_snapshot_never_reads_and_a_restore_never_writes_through_a_link(work, outside, snapshots, how):
    (work / "docs").mkdir()
    (work / "docs" / "secret.md").write_text("ours\n")
    clean = snapshots.take(work)
    (work / "docs" / "secret.md").unlink()
    (work / "docs").rmdir()
    plant(work, outside, how)
    planted = snapshots.take(work)
    kept = [snapshots.store.get(entry.sha) for entry in snapshots.tree(planted).values() if entry.kind == "file"]
    assert all(b"secret" not in data for data in kept)
    snapshots.restore(clean, work)
    assert snapshots.take(work) == clean
    snapshots.restore(planted, work)
    assert snapshots.take(work) == planted


def test_a_folder_swapped_for_a_link_while_it_is_read_leads_nowhere(work, outside, snapshots, monkeypatch):
    (work / "docs").mkdir()
    (work / "file.md").write_text("x")
    real = os.open

    def swapping(path, flags, mode=0o777, *, dir_fd=None):
        for name in ("docs", "file.md"):
            if path == name and not (work / name).is_symlink():
                (work / name).rename(work / f"was-{name}")
                (work / name).symlink_to(outside if name == "docs" else outside / "secret.md")
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", swapping)
    tree = snapshots.tree(snapshots.take(work))
    assert {entry.kind for entry in tree.values()} == {"unreadable"}


def test_a_hard_link_to_something_outside_is_not_changed_by_a_restore(work, outside, snapshots):
    (work / "file.md").write_text("secret\n")
    digest = snapshots.take(work)
    (work / "file.md").unlink()
    os.link(outside / "secret.md", work / "file.md")
    snapshots.restore(digest, work)
    (work / "file.md").write_text("scribbled")
    assert (outside / "secret.md").read_text() == "secret\n"


@pytest.mark.parametrize(
    "name", [b"..\\..\\x", b"-rf", b"a\nb", b"\xff\xfe", b"$(touch x)", b"'; rm -rf ~", b"...", b"~", b" "]
)
def test_odd_names_are_only_names(work, outside, snapshots, name, tmp_path):
    path = os.path.join(os.fsencode(work), name)
    os.mkdir(path)
    with open(os.path.join(path, name), "wb") as file:
        file.write(b"x")
    digest = snapshots.take(work)
    snapshots.materialise(digest, tmp_path / "copy")
    assert os.listdir(os.fsencode(tmp_path / "copy")) == [name]
    empty = snapshots.store.put_json({})
    snapshots.restore(empty, work)
    assert os.listdir(work) == []
    snapshots.restore(digest, work)
    assert snapshots.take(work) == digest


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "a//x", "./x", "a\\..\\x", "a\0b", ""])
def test_an_update_cannot_even_name_a_path_outside(path):
    with pytest.raises(ValueError, match="plain relative path"):
        UpdateAction(workspace=path, action="delete")
