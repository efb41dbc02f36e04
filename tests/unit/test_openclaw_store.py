"""OpenClaw's transcripts: what is written is read back, and what OpenClaw itself adds is understood."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given

from claw_adapter.errors import AdapterError, HarnessProtocolError
from claw_adapter.harness import Message, Session, ToolCall
from claw_adapter_openclaw.native import filler, message_of, natives
from claw_adapter_openclaw.steps import fresh
from claw_adapter_openclaw.store import OpenClawSessions, branch, refuse_collisions, session_id, session_key
from support.strategies import kept, messages, odd_names, sessions_of


@given(sessions_of(odd_names))
def test_what_is_written_is_read_back_in_order(written):
    assert kept(OpenClawSessions(), written) == written


@given(messages())
def test_in_the_running_openclaw_nothing_of_ours_is_stored_and_every_message_has_a_time(given):
    for native in natives(given, "m", marked=False):
        assert "claw" not in native["message"]
        assert isinstance(native["message"]["timestamp"], int)
        assert native["message"]["role"] in ("user", "assistant", "toolResult")


def event(native, parent=None):
    return {"type": "message", "parentId": parent, "timestamp": "2026-03-01T09:30:00.000Z", **native}


def test_an_update_of_a_file_replaces_the_session_and_leaves_the_others(tmp_path):
    store = OpenClawSessions()
    store.write([Session(id="a"), Session(id="b")], tmp_path)
    store.write([Session(id="b", title="new")], tmp_path)
    assert store.read(tmp_path) == [Session(id="b", title="new")]


def test_fillers_failed_replies_and_other_events_are_no_messages():
    (user,) = natives([Message(id="u", role="user", text="q")], "m")
    assert message_of(event(user)).text == "q"
    empty = filler(user, "m")
    assert empty["message"]["content"] == []
    assert message_of(event(empty)) is None
    failed = {"id": "x", "message": {"role": "assistant", "content": [], "stopReason": "error", "timestamp": 1}}
    assert message_of(event(failed)) is None
    assert message_of({"type": "leaf", "id": "l"}) is None
    assert message_of({"type": "custom_message", "id": "l", "content": "x"}) is None


def test_openclaws_own_messages_are_read_with_calls_results_and_time():
    reply = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "I look"},
            {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "a"}},
        ],
        "timestamp": 1_772_357_403_000,
        "stopReason": "toolUse",
    }
    message = message_of(event({"id": "a", "message": reply}))
    assert message.text == "I look"
    assert message.tool_calls == (ToolCall(id="call_1", name="read", arguments={"path": "a"}),)
    assert message.time == datetime(2026, 3, 1, 9, 30, 3, tzinfo=UTC)
    result = {"role": "toolResult", "toolCallId": "call_1", "content": [{"type": "text", "text": "x"}], "timestamp": 1}
    assert message_of(event({"id": "t", "message": result})).tool_call_id == "call_1"


def test_a_dropped_message_is_not_on_the_branch():
    events = [
        {"type": "session", "id": "s"},
        {"type": "message", "id": "1", "parentId": None},
        {"type": "message", "id": "dropped", "parentId": "1"},
        {"type": "leaf", "id": "2", "parentId": "1"},
        {"type": "message", "id": "3", "parentId": "2"},
    ]
    assert [item["id"] for item in branch(events)] == ["1", "2", "3"]
    assert branch([]) == branch(events[:1]) == []
    assert len(branch([{"type": "message", "id": "1", "parentId": "1"}])) <= 2, "a circle ends"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"type": "message"}', '{"type": "session", "version": 3, "id": "x"}'])
def test_what_is_no_transcript_is_refused_with_its_place(tmp_path, text):
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(HarnessProtocolError) as caught:
        OpenClawSessions().read(tmp_path)
    assert "x.jsonl" in str(caught.value)


def test_keys_are_in_lower_case_and_differ_where_names_do():
    assert session_key("ops_1") == "agent:main:ops_1"
    keys = [session_key(name) for name in ("Ops", "OPS", "ops")]
    assert [key for key in keys if key != key.lower()] == []
    assert len(set(keys)) == 3
    refuse_collisions(["Ops", "ops"])
    with pytest.raises(AdapterError, match="same key"):
        refuse_collisions(["Ops", session_key("Ops").rpartition(":")[2]])
    assert len({session_id(*one) for one in (("Ops", 0), ("ops", 0), ("ops", 1))}) == 3


def test_the_golden_transcript_of_openclaw_itself_is_understood():
    from pathlib import Path

    golden = Path(__file__).parents[2] / "frameworks" / "openclaw" / "golden"
    (session,) = OpenClawSessions().read(golden)
    assert [m.role for m in session.messages] == ["user", "assistant", "user", "assistant", "tool", "assistant"]
    assert session.messages[3].tool_calls[0].name == "read"
    assert session.messages[-1].text == "the answer"
    assert json.loads((golden / "session.jsonl").read_text().splitlines()[0])["version"] == 4


def said(name, *, calls=(), of=None):
    """An event: a reply that calls, a result, or what has neither."""
    role = "toolResult" if of else "assistant" if calls or name.startswith("a") else "user"
    content = [
        {"type": "text", "text": name},
        *({"type": "toolCall", "id": c, "name": "x", "arguments": {}} for c in calls),
    ]
    about = {"toolCallId": of, "toolName": "x"} if of else {}
    return {"type": "message", "id": name, "message": {"role": role, "content": content, "timestamp": 1, **about}}


OLD = [said("u0"), said("a0", calls="pq"), said("r0", of="p"), said("r1", of="q"), said("a1")]
NEW = [said("u1"), said("a2", calls="s"), said("r2", of="s")]
LATER = [said("a3", calls="t"), said("r3", of="t"), said("a4")]


def copies(*events):
    return [{**one, "id": f"copy of {one['id']}"} for one in events]


@pytest.mark.parametrize(
    ("events", "kept"),
    [
        ([*NEW, *LATER], [*NEW, *LATER]),
        ([*NEW, *copies(*OLD[2:], *NEW), *LATER], [*NEW, *LATER]),
        ([*NEW, *copies(*OLD[3:], *NEW), *LATER], [*NEW, *LATER]),
        ([NEW[0], *copies(*OLD[2:], NEW[0]), *NEW[1:], *LATER], [*NEW, *LATER]),
        ([*NEW, *copies(NEW[2]), *LATER], [*NEW, *LATER]),
        ([*NEW, *copies(*OLD[2:], *NEW)], NEW),
    ],
    ids=["none", "from the first", "from the second", "behind the prompt", "of this turn", "nothing behind"],
)
def test_what_openclaw_writes_anew_where_it_cuts_results_is_no_step_of_the_turn(events, kept):
    before = [message_of(one) for one in OLD]
    assert [one["id"] for one in fresh(events, before)] == [one["id"] for one in kept]
