"""Claude Code's own session files, published ones included, are understood; what is none is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Message, Session, SessionChange, ToolCall
from claw_adapter_claude_code.native import native_lines, session_uuid
from claw_adapter_claude_code.store import ClaudeSessions

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "frameworks" / "claude-code" / "golden"
PUBLISHED = ROOT.parent / "shared" / "clawarena" / "claude-code" / "state" / "projects"


def native(kind: str, content, **more) -> dict:
    line = {"type": kind, "uuid": "u1", "timestamp": "2026-03-01T09:30:00.000Z", "message": {"content": content}}
    return {**line, **more}


def read(tmp_path: Path, *lines: dict) -> tuple[Message, ...]:
    file = tmp_path / "s.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (session,) = ClaudeSessions().read(file)
    return session.messages


def test_the_golden_session_of_claude_code_itself_is_understood():
    (session,) = ClaudeSessions().read(GOLDEN)
    roles = ["user", "assistant", "user", "assistant", "tool", "tool", "assistant", "user"]
    assert [m.role for m in session.messages] == roles, "its own notice of a failure is no answer"
    reply = session.messages[3]
    assert reply.text == "I look"
    assert [call.arguments["file_path"] for call in reply.tool_calls] == ["notes.txt", "missing.txt"]
    assert {m.tool_call_id for m in session.messages[4:6]} == {call.id for call in reply.tool_calls}
    assert session.messages[6].text == "the answer"


def test_the_golden_session_is_small_and_names_nothing_of_a_machine():
    (file,) = GOLDEN.iterdir()
    text = file.read_text("utf-8")
    assert len(text) < 20_000
    assert "127.0.0.1" not in text
    assert {json.loads(line).get("cwd", "/trial/workspace") for line in text.splitlines()} == {"/", "/trial/workspace"}


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="../shared/clawarena is not there")
def test_published_sessions_are_read_and_written_without_loss(tmp_path):
    files = sorted(PUBLISHED.rglob("*.jsonl"))
    assert files
    for file in files:
        (session,) = ClaudeSessions().read(file)
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        said = [line for line in lines if line["type"] in ("user", "assistant")]
        assert len(session.messages) >= len({line["message"].get("id") or line["uuid"] for line in said})
        assert session.id == file.stem == session_uuid(session.id)
        ClaudeSessions().write([session], tmp_path)
        assert ClaudeSessions().read(tmp_path) == [session]


def test_a_reply_in_several_lines_is_one_message_before_the_results_of_its_calls(tmp_path):
    reply = {"id": "msg_1", "model": "m"}
    found = read(
        tmp_path,
        native("user", "go", uuid="p"),
        native("assistant", None, uuid="a", message={**reply, "content": [{"type": "thinking", "thinking": "hm"}]}),
        native("assistant", None, uuid="b", message={**reply, "content": [{"type": "text", "text": "I look"}]}),
        native("assistant", None, uuid="c", message={**reply, "content": [call("1")]}),
        native("user", [result("1", "one")], uuid="d"),
        native("assistant", None, uuid="e", message={**reply, "content": [call("2")]}),
        native("user", [result("2", [{"type": "text", "text": "two"}, {"type": "image"}])], uuid="f"),
    )
    assert [(m.id, m.role, m.text) for m in found] == [
        ("p", "user", "go"),
        ("a", "assistant", "I look"),
        ("d", "tool", "one"),
        ("f", "tool", "two\n[image]"),
    ]
    assert found[1].tool_calls == (ToolCall(id="1", name="Read", arguments={}), ToolCall(id="2", name="Read"))


def call(number: str) -> dict:
    return {"type": "tool_use", "id": number, "name": "Read", "input": {}}


def result(number: str, content) -> dict:
    return {"type": "tool_result", "tool_use_id": number, "content": content}


def test_several_results_and_a_text_in_one_line_are_several_messages(tmp_path):
    content = [result("1", "one"), result("2", "two"), {"type": "text", "text": "and go on"}]
    found = read(tmp_path, native("user", content))
    assert [(m.id, m.role, m.text) for m in found] == [
        ("u1", "tool", "one"),
        ("u1-1", "tool", "two"),
        ("u1-text", "user", "and go on"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "attachment", "uuid": "x", "attachment": {}},
        {"type": "cost-state"},
        native("user", "a reminder", isMeta=True),
        native("user", "of a sub-agent", isSidechain=True),
        native("user", "a summary", isCompactSummary=True),
        native("assistant", None, message={"model": "<synthetic>", "content": [{"type": "text", "text": "No."}]}),
        native("assistant", [{"type": "text", "text": "API Error"}], isApiErrorMessage=True),
    ],
)
def test_what_nobody_said_is_no_message(tmp_path, line):
    assert read(tmp_path, line) == ()


def test_a_prompt_that_went_in_pieces_comes_back_whole(tmp_path):
    pieces = [{"type": "text", "text": "/"}, {"type": "text", "text": "compact"}]
    assert [m.text for m in read(tmp_path, native("user", pieces))] == ["/compact"]


def test_an_update_keeps_turns_and_only_appends_what_is_new(tmp_path):
    store, main = ClaudeSessions(), Session(id="main", messages=(Message(id="1", role="user", text="q"),))
    store.write([main, Session(id="other")], tmp_path)
    file = tmp_path / f"{session_uuid('main')}.jsonl"
    own = {**native("user", "own turn", uuid="own"), "thinking": "kept"}
    file.write_text(file.read_text() + json.dumps(own) + "\n")
    grown = main.with_messages([*main.messages, Message(id="2", role="user", text="late")])
    store.append([SessionChange(session="main", action="append", before=main, after=grown)], tmp_path)
    first, second = store.read(tmp_path)
    assert [m.text for m in first.messages] == ["q", "own turn", "late"]
    assert second == Session(id="other")
    title, _, kept, late = (json.loads(line) for line in file.read_text().splitlines())
    assert (title["type"], title["customTitle"]) == ("custom-title", "main"), "else a model is asked for one"
    assert (kept["thinking"], late["parentUuid"]) == ("kept", "own")


def test_equal_sessions_are_written_equally():
    given = [Message(id="1", role="user", text="q"), Message(id="2", role="assistant", text="a")]
    assert list(native_lines("main", given)) == list(native_lines("main", given))


@pytest.mark.parametrize("text", ["{", "[]", '{"no": "type"}', '{"type": "user"}', '{"type": "user", "message": {}}'])
def test_what_is_no_session_is_refused_with_its_place(tmp_path, text):
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(HarnessProtocolError) as caught:
        ClaudeSessions().read(tmp_path)
    assert "x.jsonl" in str(caught.value)


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_mark_of_ours_that_is_damaged_is_refused(tmp_path, text):
    ClaudeSessions().write([Session(id="main")], tmp_path)
    (tmp_path / f"{session_uuid('main')}.claw").write_text(text)
    with pytest.raises(HarnessProtocolError):
        ClaudeSessions().read(tmp_path)
