"""NanoBot's session files: what goes in comes out, and what NanoBot itself wrote is understood."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Message, Session, SessionChange
from claw_adapter.merge import merged
from claw_adapter_nanobot.store import NanoBotSessions, file_name, session_key
from support.sessions import user_messages, user_session
from support.strategies import file_names, kept, sessions_of

ROOT = Path(__file__).parents[2]
GIVEN = ROOT.parent / "shared" / "goldens" / "nanobot" / "session.jsonl"
OWN = ROOT / "frameworks" / "nanobot" / "golden" / "session.jsonl"
STORE = NanoBotSessions()


def change(before: Session | None, after: Session) -> SessionChange:
    return SessionChange(session=after.id, action="append", before=before, after=after)


@settings(max_examples=80)
@given(sessions_of(file_names))
def test_what_is_written_is_read_again_in_the_same_order(written):
    assert kept(STORE, written) == written


def test_a_session_that_nanobot_wrote_is_read_with_its_tool_calls_and_results():
    if not GIVEN.is_file():
        pytest.skip("../shared/goldens/nanobot is not there")
    (session,) = STORE.read(GIVEN)
    assert session.id == "s1"
    assert len(session.messages) == 30
    call = session.messages[1].tool_calls[0]
    assert (call.name, call.arguments) == ("read_file", {"path": "notes.txt"})
    assert session.messages[2].tool_call_id == call.id
    assert session.messages[0].time == datetime(2026, 11, 21, 20, 34, 41, 763297, tzinfo=UTC)
    assert len({message.id for message in session.messages}) == 30


def test_our_own_golden_session_is_read_and_survives_being_written_again(tmp_path):
    (session,) = STORE.read(OWN)
    assert [message.role for message in session.messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert session.messages[0].speaker == "Ann"
    STORE.write([session], tmp_path)
    assert STORE.read(tmp_path) == [session]


def test_a_speaker_stands_before_the_text_because_the_model_sees_nothing_else(tmp_path):
    message = Message(id="1", role="user", text="hello", speaker="Ann", time=datetime(2026, 1, 1, tzinfo=UTC))
    STORE.write([Session(id="s", messages=(message,))], tmp_path)
    record = json.loads((tmp_path / file_name("s")).read_text().splitlines()[1])
    assert record["content"] == "Ann: hello"
    assert record["timestamp"] == "2026-01-01T00:00:00+00:00"


def test_files_are_written_alike_whenever_they_are_written(tmp_path):
    session = user_session("s", "a", "b")
    STORE.write([session], tmp_path / "1")
    STORE.write([session], tmp_path / "2")
    assert (tmp_path / "1" / file_name("s")).read_bytes() == (tmp_path / "2" / file_name("s")).read_bytes()


def test_sessions_that_are_not_written_any_more_are_removed_and_other_files_are_not(tmp_path):
    STORE.write([user_session("a"), user_session("b")], tmp_path)
    (tmp_path / "my notes.jsonl").write_text("{}")
    STORE.write([user_session("b")], tmp_path)
    assert [session.id for session in STORE.read(tmp_path)] == ["b"]
    assert (tmp_path / "my notes.jsonl").exists()


def test_messages_without_an_id_of_ours_get_one_that_nobody_has(tmp_path):
    STORE.write([user_session("s", "nanobot-1", "x")], tmp_path)
    file = tmp_path / file_name("s")
    lines = file.read_text().splitlines()
    native = json.dumps({"role": "assistant", "content": "live", "timestamp": "2026-01-01T00:00:00"})
    file.write_text("\n".join([lines[0], lines[1], native, lines[2]]) + "\n")
    (session,) = STORE.read(tmp_path)
    assert [message.id for message in session.messages] == ["nanobot-1", "nanobot-1'", "x"]
    assert session.messages[1].time.tzinfo is UTC


def test_an_unfinished_turn_is_recognised_and_a_rewrite_forgets_it(tmp_path):
    session = user_session("s", "a")
    STORE.write([session], tmp_path)
    file = tmp_path / file_name("s")
    head, *rest = file.read_text().splitlines()
    record = json.loads(head)
    record["metadata"] |= {"pending_user_turn": True, "session_handle": "peti"}
    file.write_text("\n".join([json.dumps(record), *rest]) + "\n")
    assert not NanoBotSessions().finished(file)
    STORE.append([change(session, user_session("s", "a", "b"))], tmp_path)
    assert NanoBotSessions().finished(file)
    assert json.loads(file.read_text().splitlines()[0])["metadata"]["session_handle"] == "peti"


def test_the_last_turn_is_the_answer_and_its_usage(tmp_path):
    session = Session(
        id="s", messages=(Message(id="1", role="user", text="q"), Message(id="2", role="assistant", text="a"))
    )
    STORE.write([session], tmp_path)
    assert NanoBotSessions().last_turn(tmp_path, "s") == ("a", None)
    STORE.write([user_session("s", "q")], tmp_path)
    assert NanoBotSessions().last_turn(tmp_path, "s") == ("", None)


@pytest.mark.parametrize(
    "content", ["", "not json\n", "[]\n", '{"role": "user"}\n', '{"_type": "metadata"}\n{"role": "x"}\n']
)
def test_a_file_that_is_no_session_is_named(tmp_path, content):
    file = tmp_path / file_name("s")
    file.write_text(content)
    with pytest.raises(HarnessProtocolError, match="not a session") as caught:
        STORE.read(tmp_path)
    assert str(file) in str(caught.value)


def test_arguments_that_are_no_object_are_kept_as_text(tmp_path):
    calls = [{"id": "1", "function": {"name": "t", "arguments": text}} for text in ('{"a": 1', "[1]")]
    lines = [{"_type": "metadata", "key": session_key("s")}, {"role": "assistant", "content": "", "tool_calls": calls}]
    (tmp_path / file_name("s")).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (session,) = STORE.read(tmp_path)
    assert [call.arguments for call in session.messages[0].tool_calls] == [{"raw": '{"a": 1'}, {"raw": "[1]"}]


class TestMerging:
    """An update of the scenario's session must not cost the turns that the conversation has added since."""

    BEFORE = user_session("s", "a", "b", "c")
    THERE = user_session("s", "a", "b", "c", "live-1", "live-2")

    def texts(self, after: Session, there: Session | None = None) -> list[str]:
        return [message.text for message in merged(self.BEFORE, after, there or self.THERE).messages]

    def test_what_is_appended_comes_after_the_turns_that_were_before_it(self):
        assert self.texts(user_session("s", "a", "b", "c", "new")) == ["a", "b", "c", "live-1", "live-2", "new"]

    def test_what_is_inserted_stays_beside_its_neighbour(self):
        assert self.texts(user_session("s", "x", "a", "y", "z", "b", "c")) == [
            "x",
            "a",
            "y",
            "z",
            "b",
            "c",
            "live-1",
            "live-2",
        ]

    def test_what_is_deleted_goes_and_nothing_else(self):
        assert self.texts(user_session("s", "a", "c")) == ["a", "c", "live-1", "live-2"]

    def test_what_is_rewritten_is_replaced_in_place(self):
        new = user_session("s", "a", "b", "c").with_messages(
            [*user_messages("a"), Message(id="b", role="user", text="B"), *user_messages("c")]
        )
        assert self.texts(new) == ["a", "B", "c", "live-1", "live-2"]

    def test_a_text_that_was_filled_in_at_the_start_is_not_undone(self):
        there = self.THERE.with_messages([Message(id="a", role="user", text="a, filled in"), *self.THERE.messages[1:]])
        assert self.texts(user_session("s", "a", "b", "c", "new"), there)[0] == "a, filled in"

    def test_a_new_session_is_as_it_is(self):
        assert merged(None, self.BEFORE, None) == self.BEFORE

    @given(
        st.lists(st.sampled_from("abcdefgh"), unique=True),
        st.lists(st.sampled_from("abcdefgh"), unique=True),
        st.integers(0, 3),
    )
    def test_for_any_change_the_new_messages_are_all_there_and_so_are_the_live_ones(self, old, new, count):
        live = [f"live-{number}" for number in range(count)]
        result = merged(user_session("s", *old), user_session("s", *new), user_session("s", *old, *live)).messages
        found = [message.id for message in result]
        assert sorted(found) == sorted([*new, *live])
        assert [name for name in found if name in live] == live
