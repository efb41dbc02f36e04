"""A round that the reader cannot do with a harness's tools says nothing about the harness: unscored, the endpoint's affair."""

from __future__ import annotations

from claw_adapter.errors import Owner
from claw_adapter.protocol.answer_key import NO_WAY
from claw_adapter.reference import agent
from support.running import experiment, run_sync


def test_without_tools_for_files_such_rounds_are_unscored_and_not_tried_again(tmp_path, monkeypatch):
    kept = [
        tool for tool in agent.TOOLS if tool["function"]["name"] in ("list_files", "sessions_list", "session_history")
    ]
    monkeypatch.setattr(agent, "TOOLS", kept)
    (records,) = run_sync(tmp_path / "run", experiment("demo")).values()
    unscored = [record for record in records if record.score.value is None]
    assert {record.type for record in unscored} >= {"exec_check", "multi_choice"}
    for record in unscored:
        assert (record.score.cause.owner, record.score.cause.kind) == (Owner.ENDPOINT, NO_WAY)
        assert not record.score.cause.passing
        assert record.attempts == 1
        assert record.evidence.no_way
    assert [record.round for record in records if record.score.value == 0] == []


def test_where_no_tool_shows_the_past_by_its_key_what_hangs_on_it_is_unscored(tmp_path, monkeypatch):
    """There may be one behind an action of another tool, which the reader does not know for one."""
    known = ("read_file", "write_file")
    monkeypatch.setattr(agent, "TOOLS", [tool for tool in agent.TOOLS if tool["function"]["name"] in known])
    (records,) = run_sync(tmp_path / "run", experiment("demo")).values()
    unscored = [record.score.cause.kind for record in records if record.score.value is None]
    assert set(unscored) == {NO_WAY}
    assert [record.round for record in records if record.score.value == 0] == []


def test_a_file_that_only_the_agent_shows_as_written_counts_against_nobody(tmp_path, monkeypatch):
    """It may lie in a buffer until another tool saves it."""
    read, buffer = agent.Agent.tool_read_file, {}
    monkeypatch.setattr(
        agent.Agent, "tool_write_file", lambda _, path, content: buffer.update({path: content}) or "Kept."
    )
    monkeypatch.setattr(agent.Agent, "tool_read_file", lambda self, path: buffer.get(path) or read(self, path))
    asked = experiment("demo", harnesses=[{"name": "reference", "options": {"mode": "in-process"}}])
    (records,) = run_sync(tmp_path / "run", asked).values()
    assert {record.score.value for record in records} == {1, None}
    causes = [record.score.cause.what for record in records if record.type == "exec_check"]
    assert causes
    assert all("writing reports/" in cause for cause in causes)
