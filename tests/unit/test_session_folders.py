"""A session that grew by a turn is read as it stands, and only its new lines are looked at."""

from __future__ import annotations

import json

import pytest

from claw_adapter.command import folder as module
from claw_adapter.harness import Message, Session
from claw_adapter.reference.agent import Agent
from claw_adapter_claude_code.store import ClaudeSessions, Essential
from claw_adapter_nanobot.store import NanoBotSessions
from claw_adapter_openclaw.store import OpenClawSessions
from claw_adapter_picoclaw.store import PicoClawSessions


def said(number: int) -> tuple[Message, Message]:
    return (
        Message(id=f"q{number}", role="user", text=f"question {number}"),
        Message(id=f"a{number}", role="assistant", text=f"answer {number}"),
    )


@pytest.mark.parametrize("kind", [NanoBotSessions, PicoClawSessions, ClaudeSessions, OpenClawSessions])
def test_a_line_is_read_once(kind, tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(module, "parse_json", lambda text: read.append(text) or json.loads(text))
    store, writer, messages = kind(), kind(), []
    for number in range(20):
        messages += said(number)
        writer.write([Session(id="main", messages=tuple(messages))], tmp_path)
        read.clear()
        (session,) = store.read(tmp_path)
        assert [message.text for message in session.messages] == [message.text for message in messages]
        assert len(read) <= 2 + 3, "two messages, and what says how many there are"


@pytest.mark.parametrize("kind", [NanoBotSessions, PicoClawSessions, ClaudeSessions])
def test_a_message_that_stands_is_the_same_object(kind, tmp_path):
    """So that a checkpoint is compared with the one before it in no time."""
    store = kind()
    store.write([Session(id="main", messages=said(0))], tmp_path)
    (first,) = store.read(tmp_path)
    kind().write([Session(id="main", messages=(*said(0), *said(1)))], tmp_path)
    (second,) = store.read(tmp_path)
    assert [a is b for a, b in zip(first.messages, second.messages, strict=False)] == [True, True]


def test_a_line_that_was_changed_is_read_again(tmp_path):
    store = NanoBotSessions()
    store.write([Session(id="main", messages=(*said(0), *said(1)))], tmp_path)
    store.read(tmp_path)
    NanoBotSessions().write([Session(id="main", messages=(*said(2), *said(1)))], tmp_path)
    (session,) = store.read(tmp_path)
    assert session.messages == (*said(2), *said(1))


def test_of_claude_code_s_file_what_is_no_bookkeeping_is_kept():
    lines, essential = (
        [b'{"type": "custom-title"}', b'{"uuid": "1"}', b'{"type": "copy"}', b'{"uuid": "2"}'],
        Essential(),
    )
    for count in range(1, 5):
        found = essential.of(b"\n".join(lines[:count]) + b"\n")
        assert found.splitlines() == [line for line in lines[:count] if b"copy" not in line]


def test_the_reference_agent_tells_its_sessions_piece_by_piece(tmp_path):
    agent = Agent(tmp_path, "http://localhost/v1", "k", "m", lambda _: (0, ""))
    main, other = {"id": "main", "messages": [1, 2]}, {"id": "slack", "messages": [3]}
    agent.sessions = [main, other]
    assert [(told["kept"], told["messages"]) for told in agent.news()] == [(0, [1, 2]), (0, [3])]
    main["messages"].append(4)
    assert [(told["kept"], told["messages"]) for told in agent.news()] == [(2, [4]), (1, [])]
    agent.replace([{"id": "slack", "messages": [5]}])
    assert [(told["kept"], told["messages"]) for told in agent.news()] == [(3, []), (0, [5])]
