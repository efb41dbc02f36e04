"""Any tree survives a snapshot, and a restore turns any tree into any other without touching what lies beside it."""

# Names as bytes, and what the system itself says: pathlib has neither.
# ruff: noqa: PTH101, PTH102, PTH115, PTH118, PTH123, PTH208, PTH211

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.runs.store import Store
from claw_adapter.workspace import Snapshotter
from claw_adapter.workspace.tree import read_tree, write_tree

NAME = st.one_of(
    st.sampled_from([b"a", b"b", b"a b", b".hidden", b"caf\xe9", b"new\nline", b"*", b"-rf", b"x" * 200]),
    st.binary(min_size=1, max_size=6).filter(
        lambda name: b"/" not in name and b"\0" not in name and name not in (b".", b"..")
    ),
)
LEAF = st.one_of(
    st.tuples(st.just("file"), st.binary(max_size=40), st.booleans()),
    st.tuples(st.just("link"), st.sampled_from([b"a", b"../outside", b"/etc", b"..", b"a/b", b"\xff", b"../../.."])),
)
TREE = st.recursive(LEAF, lambda below: st.dictionaries(NAME, below, max_size=4), max_leaves=12).filter(
    lambda t: isinstance(t, dict)
)


def build(folder: bytes, tree):
    for name, node in tree.items():
        path = os.path.join(folder, name)
        if isinstance(node, dict):
            os.mkdir(path)
            build(path, node)
        elif node[0] == "link":
            os.symlink(node[1], path)
        else:
            with open(path, "wb") as file:
                file.write(node[1])
            os.chmod(path, 0o755 if node[2] else 0o644)


def actual(folder: bytes):
    """The tree as the system shows it, in the same terms as the strategy."""
    found = {}
    for entry in os.scandir(folder):
        if entry.is_symlink():
            found[entry.name] = ("link", os.readlink(entry.path))
        elif entry.is_dir():
            found[entry.name] = actual(entry.path)
        else:
            with open(entry.path, "rb") as file:
                found[entry.name] = ("file", file.read(), bool(entry.stat().st_mode & 0o100))
    return found


@contextmanager
def place():
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "outside").mkdir()
        (root / "outside" / "precious").write_text("precious")
        (root / "work").mkdir()
        yield root, Snapshotter(Store(root / "store"))
        assert actual(os.fsencode(root / "outside")) == {b"precious": ("file", b"precious", False)}
        assert sorted(os.listdir(root)) == sorted(
            {"outside", "work", "store", *(["copy"] if (root / "copy").exists() else [])}
        )


@settings(max_examples=60, deadline=None)
@given(TREE)
def test_a_copy_of_a_snapshot_is_the_tree(tree):
    with place() as (root, snapshots):
        build(os.fsencode(root / "work"), tree)
        digest = snapshots.take(root / "work")
        snapshots.materialise(digest, root / "copy")
        assert actual(os.fsencode(root / "copy")) == tree
        assert snapshots.take(root / "copy") == digest


@settings(max_examples=80, deadline=None)
@given(TREE, TREE)
def test_restore_turns_any_tree_into_the_recorded_one(wanted, found):
    with place() as (root, snapshots):
        build(os.fsencode(root / "work"), wanted)
        digest = snapshots.take(root / "work")
        with tempfile.TemporaryDirectory() as other:
            build(os.fsencode(other), found)
            other_digest = snapshots.take(Path(other))
        snapshots.restore(other_digest, root / "work")
        assert actual(os.fsencode(root / "work")) == found
        snapshots.restore(digest, root / "work")
        assert actual(os.fsencode(root / "work")) == wanted
        assert bool(snapshots.diff(digest, other_digest)) == (wanted != found)


@settings(max_examples=60, deadline=None)
@given(TREE)
def test_a_manifest_reads_back(tree):
    with place() as (root, snapshots):
        build(os.fsencode(root / "work"), tree)
        digest = snapshots.take(root / "work")
        assert write_tree(snapshots.store, read_tree(snapshots.store, digest)) == digest
        snapshots.store.get(digest).decode("utf-8")
