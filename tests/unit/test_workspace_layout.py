"""Laying out: the base tree as it is, and sessions as files in which every literal line is found again."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest

from claw_adapter.errors import JournalError, ScenarioError
from claw_adapter.protocol import Message, Session, ToolCall
from claw_adapter.runs.store import Store
from claw_adapter.workspace import Snapshotter, commit, history_path, lay_out, plan_histories, render_history


@pytest.fixture
def base(tmp_path):
    folder = tmp_path / "base"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a.md").write_text("alpha")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("docs/a.md")
    return folder


def test_the_base_tree_is_copied_as_it_is(base, tmp_path):
    lay_out(base, tmp_path / "work")
    snapshots = Snapshotter(Store(tmp_path / "store"))
    assert snapshots.take(tmp_path / "work") == snapshots.take(base)


def test_a_scenario_installed_read_only_gives_a_writable_workspace(base, tmp_path):
    (base / "docs" / "a.md").chmod(0o444)
    (base / "docs").chmod(0o555)
    lay_out(base, tmp_path / "work")
    (base / "docs").chmod(0o755)
    assert (tmp_path / "work" / "docs").stat().st_mode & 0o700 == 0o700
    assert (tmp_path / "work" / "docs" / "a.md").stat().st_mode & 0o600 == 0o600


@pytest.mark.parametrize("target", ["/etc/passwd", "../../outside", ".."])
def test_a_link_that_leads_out_of_the_base_tree_is_refused(base, tmp_path, target):
    (base / "docs" / "out").symlink_to(target if target != ".." else "../..")
    with pytest.raises(ScenarioError, match="leads out"):
        lay_out(base, tmp_path / "work")


def test_a_pipe_in_the_base_tree_is_refused(base, tmp_path):
    os.mkfifo(base / "pipe")
    with pytest.raises(ScenarioError, match="pipe"):
        lay_out(base, tmp_path / "work")


def test_a_workspace_in_use_is_not_laid_out_again(base, tmp_path):
    lay_out(base, tmp_path / "work")
    with pytest.raises(JournalError, match="not empty"):
        lay_out(base, tmp_path / "work")


def test_no_base_tree_is_an_empty_workspace(tmp_path):
    lay_out(tmp_path / "nowhere", tmp_path / "work")
    assert list((tmp_path / "work").iterdir()) == []


SESSION = Session(
    id="diego_telegram",
    kind="group",
    channel="telegram",
    title="Deployment",
    participants=("Diego", "Sana"),
    messages=(
        Message(
            id="m1",
            role="user",
            speaker="Diego",
            text="first\n    indented  line\n# not a title",
            time=datetime(2026, 3, 2, 14, 15, tzinfo=UTC),
        ),
        Message(
            id="m2",
            role="assistant",
            text="looking",
            tool_calls=(ToolCall(id="c1", name="read", arguments={"path": "ü.md", "limit": 3}),),
        ),
        Message(id="m3", role="tool", tool_call_id="c1", text="```\ncode\n  ````\nend"),
        Message(id="m4", role="assistant", text=""),
    ),
)


def test_a_log_says_who_when_where_and_what():
    text = render_history(SESSION)
    assert text.startswith(
        "# Message log: Deployment\n\n- Session: diego_telegram\n- Channel: telegram (group)\n- Participants: Diego, Sana\n"
    )
    assert "**Diego** (user) · 2026-03-02T14:15:00+00:00\n\nfirst\n" in text
    assert '"path": "ü.md"' in text
    assert "**Tool result** of `read` (c1)" in text
    assert text.endswith("\n")
    assert text == render_history(Session.model_validate_json(SESSION.model_dump_json()))


def test_a_fence_is_longer_than_any_in_the_content():
    lines = render_history(SESSION).splitlines()
    start = lines.index("`````text")
    assert lines[start + 1 : start + 6] == ["```", "code", "  ````", "end", "`````"]


def test_every_line_of_every_message_stands_by_itself():
    lines = render_history(SESSION).split("\n")
    for message in SESSION.messages:
        for line in message.text.split("\n"):
            assert line in lines


def test_a_growing_session_only_adds_to_its_log():
    shorter = render_history(SESSION.with_messages(SESSION.messages[:2]))
    assert render_history(SESSION).startswith(shorter.rstrip("\n"))


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a\n"])
def test_a_session_id_that_is_no_file_name_is_refused(name):
    with pytest.raises(ScenarioError, match="cannot be a file name"):
        history_path(name)


def test_logs_are_written_by_plan_and_never_through_a_link(tmp_path):
    work, outside = tmp_path / "work", tmp_path / "outside"
    (work / "message_logs").mkdir(parents=True)
    outside.write_text("outside")
    (work / "message_logs" / "diego_telegram.md").symlink_to(outside)
    snapshots = Snapshotter(Store(tmp_path / "store"))
    commit(plan_histories([SESSION], work), work, snapshots)
    log = work / history_path("diego_telegram")
    assert not log.is_symlink()
    assert log.read_text("utf-8") == render_history(SESSION)
    assert outside.read_text() == "outside"
    commit(plan_histories([SESSION], work), work, snapshots)
