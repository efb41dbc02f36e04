"""PicoClaw's session files: what goes in comes out, and what PicoClaw itself wrote is understood."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings

from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Message, Session, SessionChange, ToolCall
from claw_adapter_picoclaw.native import FILLER
from claw_adapter_picoclaw.store import PicoClawSessions, names, session_key
from support.sessions import user_session
from support.strategies import file_names, kept, session_of, sessions_of

ROOT = Path(__file__).parents[2]
GIVEN = ROOT.parent / "shared" / "goldens" / "picoclaw" / "session.jsonl"
OWN = ROOT / "frameworks" / "picoclaw" / "golden"
STORE = PicoClawSessions()


def native(folder: Path, name: str) -> list[dict]:
    return [json.loads(line) for line in (folder / names(name)[0]).read_text("utf-8").split("\n") if line]


@settings(max_examples=80)
@given(sessions_of(file_names))
def test_what_is_written_is_read_again_in_the_same_order(written):
    assert kept(STORE, written) == written


@settings(max_examples=50)
@given(session_of(file_names))
def test_every_line_is_one_that_picoclaw_can_read(session):
    """A line with a time that is not RFC 3339 is skipped by it without a word."""
    with tempfile.TemporaryDirectory() as folder:
        STORE.write([session], Path(folder))
        for line in native(Path(folder), session.id):
            assert line["role"] in ("user", "assistant", "tool")
            assert isinstance(line["content"], str)
            if "created_at" in line:
                assert line["created_at"].endswith("+00:00")
            assert all(isinstance(call["function"]["arguments"], str) for call in line.get("tool_calls", ()))


def test_a_session_that_picoclaw_wrote_is_read_with_its_tool_calls_and_results():
    if not GIVEN.is_file():
        pytest.skip("../shared/goldens/picoclaw is not there")
    (session,) = STORE.read(GIVEN)
    assert [message.role for message in session.messages] == ["user", *["assistant", "tool"] * 2, "assistant"]
    call = session.messages[1].tool_calls[0]
    assert (call.name, call.arguments) == ("read_file", {"path": "notes.txt"})
    assert session.messages[2].tool_call_id == call.id
    assert session.messages[0].time == datetime(2026, 11, 21, 20, 49, 50, 829383, tzinfo=UTC)
    assert session.messages[-1].text.endswith("\\bbox{A,C}")
    assert len({message.id for message in session.messages}) == 6


def test_what_picoclaw_wrote_survives_being_written_again(tmp_path):
    (session,) = STORE.read(OWN)
    assert session.id == "golden"
    assert (session.title, session.participants, session.messages[0].speaker) == ("A golden session", ("Ann",), "Ann")
    assert [message.role for message in session.messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    STORE.write([session], tmp_path)
    assert STORE.read(tmp_path) == [session]


def test_a_key_is_one_that_picoclaw_takes_for_a_session():
    assert session_key("x") == "agent:main:x"
    assert names("x") == ("agent_main_x.jsonl", "agent_main_x.meta.json", "agent_main_x.claw")


def test_no_file_of_ours_looks_like_a_session_of_an_older_version(tmp_path):
    """PicoClaw migrates every other ``.json`` file in its session folder."""
    STORE.write([user_session("s", "a")], tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"agent_main_s.jsonl", "agent_main_s.claw"}


def test_what_the_model_would_not_see_is_written_so_that_it_does(tmp_path):
    call = ToolCall(id="c", name="t")
    seed = [
        Message(id="0", role="assistant", text="first", tool_calls=(call,)),
        Message(id="1", role="tool", text="r", tool_call_id="c"),
        Message(id="2", role="assistant", text="", tool_calls=(call,)),
        Message(id="3", role="tool", text="r", tool_call_id="c"),
        Message(id="4", role="system", text="rule", speaker="Ann"),
        Message(id="5", role="assistant", text="said"),
        Message(id="6", role="assistant", text="", tool_calls=(call,)),
    ]
    session = Session(id="s", messages=tuple(seed))
    STORE.write([session], tmp_path)
    said = [(line["role"], line["content"]) for line in native(tmp_path, "s")]
    assert [index for index, (_, text) in enumerate(said) if text == FILLER] == [0, 7]
    assert said[5] == ("user", "[system] Ann: rule")
    assert STORE.read(tmp_path) == [session]


def test_lines_that_picoclaw_has_forgotten_are_not_in_the_session(tmp_path):
    STORE.write([user_session("s", "a", "b", "c")], tmp_path)
    (tmp_path / names("s")[1]).write_text(json.dumps({"key": "agent:main:s", "skip": 2, "summary": "of a and b"}))
    assert [message.text for message in STORE.read(tmp_path)[0].messages] == ["c"]


def test_messages_without_an_id_of_ours_get_one_that_nobody_has(tmp_path):
    STORE.write([user_session("s", "picoclaw-1", "x")], tmp_path)
    file = tmp_path / names("s")[0]
    lines = file.read_text().splitlines()
    live = json.dumps({"role": "assistant", "content": "live", "created_at": "2026-01-01T00:00:00.123456789Z"})
    file.write_text("\n".join([lines[0], live, lines[1]]) + "\n")
    (session,) = STORE.read(tmp_path)
    assert [message.id for message in session.messages] == ["picoclaw-1", "picoclaw-1'", "x"]
    assert session.messages[1].time == datetime(2026, 1, 1, 0, 0, 0, 123456, tzinfo=UTC)


def test_tool_arguments_that_are_no_object_are_kept_as_they_are(tmp_path):
    call = {"id": "c", "type": "function", "function": {"name": "t", "arguments": '{"half'}}
    (tmp_path / "sk_v1_x.jsonl").write_text(json.dumps({"role": "assistant", "content": "", "tool_calls": [call]}))
    (session,) = STORE.read(tmp_path)
    assert session.id == "sk_v1_x"
    assert session.messages[0].tool_calls[0].arguments == {"raw": '{"half'}


@pytest.mark.parametrize(
    "content",
    [
        "not JSON",
        "[1]",
        '{"content": "no role"}',
        '{"role": "tool", "content": "x"}',
        '{"role": "robot", "content": "x"}',
    ],
)
def test_a_file_that_is_no_session_is_refused_with_its_place(tmp_path, content):
    (tmp_path / "x.jsonl").write_text(content)
    with pytest.raises(HarnessProtocolError) as caught:
        STORE.read(tmp_path)
    assert "x.jsonl" in caught.value.where


def test_sessions_that_are_not_written_any_more_are_removed_and_other_files_are_not(tmp_path):
    STORE.write([user_session("a"), user_session("b")], tmp_path)
    (tmp_path / "minutes.md").write_text("the scenario's own")
    STORE.write([user_session("b")], tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {names("b")[0], names("b")[2], "minutes.md"}


def test_a_change_keeps_the_turns_that_came_since_and_the_summary(tmp_path):
    before, after = user_session("s", "a", "b"), user_session("s", "a", "new", "b")
    STORE.write([before], tmp_path)
    with (tmp_path / names("s")[0]).open("a") as file:
        file.write('{"role": "user", "content": "live"}\n')
    (tmp_path / names("s")[1]).write_text(
        json.dumps({"key": "agent:main:s", "skip": 0, "count": 3, "summary": "so far"})
    )
    STORE.append([SessionChange(session="s", action="insert", before=before, after=after)], tmp_path)
    assert [message.text for message in STORE.read(tmp_path)[0].messages] == ["a", "new", "b", "live"]
    assert json.loads((tmp_path / names("s")[1]).read_text())["summary"] == "so far"
    STORE.append([SessionChange(session="t", action="new", before=None, after=user_session("t", "x"))], tmp_path)
    assert [session.id for session in STORE.read(tmp_path)] == ["s", "t"]
