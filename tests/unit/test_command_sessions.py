"""CommandHarness: sessions in a store, or in files that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claw_adapter import command as c
from claw_adapter.harness import Message, Session, SessionChange, ToolCall
from claw_adapter.testing import FolderContext
from support.described import SESSION, harness, turns

CALL = ToolCall(id="c1", name="read", arguments={"path": "ä"})
PAST = Session(
    id="main",
    messages=(
        Message(id="m1", role="user", text="Look.", speaker="Ann"),
        Message(id="m2", role="assistant", tool_calls=(CALL,)),
        Message(id="m3", role="tool", text="found", tool_call_id="c1"),
        Message(id="m4", role="assistant", text="Seen."),
    ),
)
ANSWERS = """read prompt
python3 - "$HOME/session.json" "$prompt" <<'END'
import json, sys
path, prompt = sys.argv[1:]
session = json.load(open(path))
call = {"id": "n", "function": {"name": "ls", "arguments": "{}"}}
session["messages"] += [{"role": "user", "content": prompt}, {"role": "assistant", "content": "", "tool_calls": [call]},
    {"role": "tool", "tool_call_id": "n", "content": "a b"}, {"role": "assistant", "content": "done"}]
session["turns"] += 1
json.dump(session, open(path, "w"))
END"""


def changed(before: Session, after: Session) -> SessionChange:
    return SessionChange(session=after.id, action="append", before=before, after=after)


def stored(tmp_path: Path, **more) -> c.CommandHarness:
    store = c.JsonStore(SESSION, fresh={"turns": 0})
    return harness(tmp_path / "x", ANSWERS, store=store, answer=c.Stored(), **more)


async def test_a_store_gives_a_past_events_updates_and_checkpoints(tmp_path):
    made = stored(tmp_path)
    ctx = FolderContext(tmp_path / "trial", main=PAST)
    async with await made.open(ctx) as conversation:
        turn = await conversation.send("go", 20)
        kept = await conversation.checkpoint()
        longer = PAST.with_messages([*PAST.messages, Message(id="m5", role="user", text="News.")])
        await conversation.sync([changed(PAST, longer)])
        synced = await conversation.checkpoint()
    assert turn.text == "done"
    assert [(event.kind, event.name, event.text) for event in turn.events] == [
        ("tool_call", "ls", ""),
        ("tool_result", "ls", "a b"),
    ]
    assert kept.sessions[0].messages[:4] == PAST.messages
    assert [message.id for message in kept.sessions[0].messages[4:]] == ["made-0", "made-1", "made-2", "made-3"]
    assert [message.text for message in synced.sessions[0].messages[4:]] == ["go", "", "a b", "done", "News."]
    native = json.loads(kept.files["session.json"])
    assert (native["turns"], native["messages"][0]["content"]) == (1, "Ann: Look.")
    assert json.loads(native["messages"][1]["tool_calls"][0]["function"]["arguments"]) == {"path": "ä"}
    again = FolderContext(tmp_path / "again")
    async with await made.open(again, kept) as conversation:
        assert await conversation.checkpoint() == kept
        await conversation.send("more", 20)
        assert len((await conversation.checkpoint()).sessions[0].messages) == 12


async def test_a_session_that_the_program_rewrites_is_read_as_it_is(tmp_path):
    session = '{"messages": [{"role": "assistant", "content": [{"type": "text", "text": "sum"}]}]}'
    made = harness(tmp_path / "x", f"echo '{session}' > $HOME/session.json; echo ok", store=c.JsonStore(SESSION))
    async with await made.open(FolderContext(tmp_path / "trial", main=PAST)) as conversation:
        await conversation.send("go", 20)
        (session,) = (await conversation.checkpoint()).sessions
    assert [message.text for message in session.messages] == ["sum"]


@pytest.mark.parametrize(
    "left", ["echo x >", "rm", "ln -sf /etc/passwd", "echo '[]' >", """echo '{"messages": [1]}' >"""]
)
async def test_a_session_that_is_spoiled_is_a_failure_of_the_harness(tmp_path, left):
    made = harness(tmp_path / "x", f"{left} $HOME/session.json; echo ok", store=c.JsonStore(SESSION))
    (turn,) = await turns(made, tmp_path, "go", main=PAST)
    assert turn.error.kind == "HarnessProtocolError"


async def test_other_fields_and_lines_are_named_in_the_store(tmp_path):
    store = c.JsonStore(
        "{state}/s/{session}.jsonl", lines=True, role="who", text="body.text", roles={"assistant": "model"}, calls="",
        time="at", message={"v": 1},
    )  # fmt: skip
    made = harness(tmp_path / "x", 'cat > /dev/null; cat "$HOME/s/main.jsonl"', store=store, histories="native")
    other = Session(id="dm", messages=(Message(id="x", role="user", text="hi"),))
    ctx = FolderContext(tmp_path / "trial", main=PAST, histories=[other])
    async with await made.open(ctx) as conversation:
        turn = await conversation.send("go", 20)
        longer = other.with_messages([*other.messages, Message(id="y", role="user", text="oh")])
        await conversation.sync([changed(other, longer)])
        assert (ctx.state_dir / "s/dm.jsonl").read_text().count("\n") == 2
        assert (await conversation.checkpoint()).sessions == (PAST.with_messages(PAST.messages[::3]), longer)
    lines = [json.loads(line) for line in turn.text.split("\n")]
    assert lines == [
        {"v": 1, "who": "user", "body": {"text": "Ann: Look."}},
        {"v": 1, "who": "model", "body": {"text": "Seen."}},
    ]


async def test_without_a_store_kept_files_carry_the_conversation_over(tmp_path):
    made = harness(tmp_path / "x", "cat >> $HOME/log; echo >> $HOME/log; cat $HOME/log", keep=("log",))
    async with await made.open(FolderContext(tmp_path / "one")) as conversation:
        await conversation.send("first", 20)
        kept = await conversation.checkpoint()
    assert [message.text for message in kept.sessions[0].messages] == ["first", "first"]
    async with await made.open(FolderContext(tmp_path / "two"), kept) as conversation:
        assert (await conversation.send("second", 20)).text == "first\nsecond"


async def test_a_message_that_the_store_does_not_describe_is_named_with_the_way_out(tmp_path):
    session = '{"messages": [{"role": "user", "content": "go"}, {"role": "exit", "content": "bye"}]}'
    script = f"echo '{session}' > $HOME/session.json; echo ok"
    (turn,) = await turns(harness(tmp_path / "x", script, store=c.JsonStore(SESSION)), tmp_path, "go")
    assert (turn.error.kind, turn.error.owner) == ("AdapterError", "adapter")
    assert turn.error.what == "the role 'exit' is none of system, user, assistant, tool"
    assert turn.error.where.endswith("session.json, message 2")
    assert 'skip=("…",)' in turn.error.remedy
    made = harness(tmp_path / "y", script, store=c.JsonStore(SESSION, skip=("exit",)))
    async with await made.open(FolderContext(tmp_path / "skipped")) as conversation:
        assert (await conversation.send("go", 20)).text == "ok"
        assert [message.text for message in (await conversation.checkpoint()).sessions[0].messages] == ["go"]
