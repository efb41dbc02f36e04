"""An update changes exactly what it says, byte for byte, and a log keeps every line of every message."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.protocol import Message, Session, Update, UpdateAction
from claw_adapter.runs.store import Store
from claw_adapter.workspace import Snapshotter, apply_update, is_applied, render_history

CONTENT = st.one_of(
    st.none(),
    st.binary(max_size=60),
    st.lists(st.sampled_from([b"a", b"b\r", b"", b"\xff"]), max_size=6).map(b"\n".join),
)
TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=80)


@settings(max_examples=80, deadline=None)
@given(CONTENT, st.binary(max_size=30), st.integers(0, 9), st.sampled_from(["new", "append", "insert"]))
def test_nothing_but_the_added_bytes_is_new(before, added, after, action):
    with tempfile.TemporaryDirectory() as name:
        root, work = Path(name) / "scenario", Path(name) / "work"
        (root / "updates" / "u").mkdir(parents=True)
        (root / "updates" / "u" / "s").write_bytes(added)
        work.mkdir()
        (work / "other").write_bytes(b"other")
        if before is not None:
            (work / "f").write_bytes(before)
        position = after if action == "insert" else None
        update = Update(id="u", actions=(UpdateAction(workspace="f", action=action, source="s", after=position),))
        plan = apply_update(
            update, scenario_root=root, workspace=work, snapshotter=Snapshotter(Store(Path(name) / "store"))
        )
        result = (work / "f").read_bytes() if (work / "f").exists() else b""
        assert is_applied(plan, work)
        assert (work / "other").read_bytes() == b"other"
        old = b"" if action == "new" else before or b""
        assert sorted(result.replace(b"\n", b"")) == sorted((old + added).replace(b"\n", b""))
        if action == "append":
            assert result.startswith(old)
            assert result.endswith(added)


@settings(max_examples=80, deadline=None)
@given(st.lists(TEXT, max_size=5))
def test_every_line_is_found_again(texts):
    messages = tuple(Message(id=f"m{number}", role="user", text=text) for number, text in enumerate(texts))
    log = render_history(Session(id="s", messages=messages)).split("\n")
    for text in texts:
        assert all(line in log for line in text.split("\n") if line)
