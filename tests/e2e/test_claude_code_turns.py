"""The real Claude Code behind its adapter: what reaches the model, what comes back, what changes when."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.harness import Message, SessionChange, ToolCall
from claw_adapter.protocol import ModelSpec
from claw_adapter.sandbox import IsolationLevel, detect
from claw_adapter_claude_code.adapter import ClaudeCode
from claw_adapter_claude_code.native import session_uuid
from claw_adapter_claude_code.stream import Turn

sys.path.insert(0, str(Path(__file__).parent))
from claude_code_context import KEY, Context, Reply, TalkingEndpoint, in_turn, real, said, say, session, talk

WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
LATER = datetime(2031, 3, 1, 9, 30, tzinfo=UTC)
NOT_ROOT = """
import asyncio, sys, tempfile
from pathlib import Path
sys.path.insert(0, {folder!r})
from claude_code_context import *
script = in_turn(Reply(calls=(("Bash", {{"command": "id -u"}}),)), Reply("fine"))
async def main():
    with tempfile.TemporaryDirectory() as folder, TalkingEndpoint(script) as server:
        (turn,) = await talk(Context(Path(folder) / "t", server.url), "go")
        print(turn.text, turn.error, turn.events[-1].text)
asyncio.run(main())
"""
pytestmark = pytest.mark.timeout(120)


def bash(command: str) -> tuple:
    return ("Bash", {"command": command})


@real
async def test_what_we_need_to_read_its_records_counts_as_the_adapter_s_own_time(tmp_path, monkeypatch):
    taken: list[float] = []

    def slowly(turn, record):
        taken.append(0.05)
        time.sleep(0.05)
        return original(turn, record)

    original = Turn.take
    monkeypatch.setattr(Turn, "take", slowly)
    with TalkingEndpoint(in_turn(Reply("the answer"))) as server:
        async with await ClaudeCode().open(Context(tmp_path / "t", server.url)) as conversation:
            turn = await conversation.send("now?", 60)
    assert turn.text == "the answer"
    assert sum(taken) <= turn.timing.own < turn.timing.total


@real
async def test_main_session_tools_events_usage_and_updates_in_one_conversation(tmp_path):
    """In a process per turn; what is the same in one that lives on, the certification shows."""
    calls = tuple(ToolCall(id=f"call-{n}_x", name="Read", arguments={"file_path": f"{n}.txt"}) for n in (1, 2))
    main = session("Demo_Main").with_messages(
        [
            Message(id="s", role="system", text="canary rule", time=WHEN),
            Message(id="0", role="assistant", text="canary greeting", time=LATER),
            Message(id="1", role="user", text="canary-q1 ü", time=WHEN, speaker="Ann"),
            Message(id="2", role="assistant", text="", tool_calls=calls, time=WHEN),
            Message(id="3", role="tool", text="canary result", tool_call_id="call-1_x", time=WHEN),
            Message(id="4", role="tool", text="canary other", tool_call_id="call-2_x", time=WHEN),
            Message(id="5", role="assistant", text="canary-a1 你好", time=WHEN),
        ]
    )
    steps = (
        Reply("I look", calls=(("Read", {"file_path": "notes.txt"}), ("Read", {"file_path": "missing.txt"}))),
        Reply(calls=(("Write", {"file_path": "answer.txt", "content": "A\n"}),)),
        Reply(calls=(bash("cat answer.txt; pwd; echo $HOME; env | grep -c sk-trial"),)),
        Reply("\n the\x1b[31m answer \n"),
    )
    with TalkingEndpoint(in_turn(*steps)) as server:
        ctx = Context(tmp_path / "t", server.url, main)
        (ctx.workspace / "notes.txt").write_text("canary fact\n")
        (ctx.workspace / "CLAUDE.md").write_text("canary instructions\n")
        async with await ClaudeCode(mode="turn").open(ctx) as conversation:
            turn = await conversation.send("now?", 60)
            _first_request(server)
            _tool_turn(server, turn, ctx)
            assert (await conversation.checkpoint()).sessions[0].messages[:7] == main.messages
            await _updates(server, conversation, main)
            await _prompts(server, conversation, ctx)
        assert {path.name for path in (tmp_path / "t").iterdir()} == {"workspace", "state"}
        assert {path.name for path in ctx.workspace.iterdir()} == {"notes.txt", "answer.txt", "CLAUDE.md"}
        assert all(reaper.find(child.marker) == [] for child in ctx.children)
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert {request["model"] for request in server.requests} == {"the-model"}
    assert set(server.paths) == {"/v1/messages?beta=true"}, "no requests of its own"


def _first_request(server) -> None:
    sent = said(server.requests[0])
    assert sent == [
        ("user", "[system] canary rule"),
        ("assistant", "canary greeting"),
        ("user", "Ann: canary-q1 ü"),
        ("user", "canary result\ncanary other"),
        ("assistant", "canary-a1 你好"),
        ("user", "now?"),
    ]
    blocks = [b for m in server.requests[0]["messages"] if m["role"] == "assistant" for b in m["content"]]
    assert [b["input"] for b in blocks if b["type"] == "tool_use"] == [{"file_path": f"{n}.txt"} for n in (1, 2)]
    names = {tool["name"] for tool in server.requests[0]["tools"]}
    assert names == {"Bash", "Edit", "Glob", "Grep", "Read", "Write"}
    assert "canary instructions" in json.dumps(server.requests[0])


def _tool_turn(server, turn, ctx) -> None:
    assert turn.error is None
    assert turn.text == "\n the\x1b[31m answer \n", "exactly what the model said last"
    assert len(server.requests) == 4, "no requests of its own"
    kinds = [(event.kind, event.name) for event in turn.events]
    assert sorted(kinds[:5]) == sorted([("text", ""), *[("tool_call", "Read"), ("tool_result", "Read")] * 2])
    assert kinds[5:] == [
        ("tool_call", "Write"),
        ("tool_result", "Write"),
        ("tool_call", "Bash"),
        ("tool_result", "Bash"),
    ]
    results = [event for event in turn.events if event.kind == "tool_result"]
    assert sorted(event.is_error for event in results[:2]) == [False, True]
    assert "canary fact" in next(event.text for event in results[:2] if not event.is_error)
    assert [event.at for event in turn.events] == sorted(event.at for event in turn.events)
    assert turn.events[-1].text.split("\n") == ["A", str(ctx.workspace), str(ctx.state_dir), "0"], "and no key there"
    assert (ctx.workspace / "answer.txt").read_text() == "A\n"
    assert (turn.usage.kind, turn.usage.input, turn.usage.output) == ("per_turn", 4000, 40)
    assert 0 <= turn.timing.own < turn.timing.total


async def _updates(server, conversation, main) -> None:
    start = len(server.requests)
    server.script = in_turn(Reply("two"), Reply("three"))
    grown = main.with_messages([*main.messages, Message(id="u", role="user", text="zebra-main", time=WHEN)])
    assert "zebra" not in json.dumps(server.requests)
    await conversation.sync([SessionChange(session=main.id, action="append", before=main, after=grown)])
    assert (await conversation.send("second", 60)).text == "two"
    assert (await conversation.send("third", 60)).text == "three"
    texts = [text for _, text in said(server.requests[start])]
    assert [texts.count("zebra-main"), texts[-3:]] == [1, ["zebra-main", "No response requested.", "second"]]
    assert "\n the\x1b[31m answer \n" in texts
    later = [text for _, text in said(server.requests[start + 1])]
    assert [later.count(word) for word in ("zebra-main", "Ann: canary-q1 ü", "now?", "second", "third")] == [1] * 5
    shorter = grown.with_messages([m for m in grown.messages if m.id != "5"])
    await conversation.sync([SessionChange(session=main.id, action="delete", before=grown, after=shorter)])
    assert (await conversation.send("fourth", 60)).text == "three"
    last = json.dumps([text for _, text in said(server.requests[-1])], ensure_ascii=False)
    assert "canary-a1" not in last
    assert [last.count(word) for word in ("zebra-main", "canary-q1", "now?", "third", "fourth")] == [1] * 5


async def _prompts(server, conversation, ctx) -> None:
    """What other programs take for commands, or cut."""
    odd = " \x1b[31mred\x1b[0m\n\t\u2028 ﷽ 👩‍👩‍👧 end \n"
    long = "0123456789abcde\n" * 65_536 + "é"
    server.script = say("ok ✓")
    for prompt in ("/compact", "/clear now", "/", "/bin/ls shows what?", "/nonsense", "!ls", "#remember", odd, long):
        turn = await conversation.send(prompt, 60)
        assert turn.text == "ok ✓", turn.error
        last = server.requests[-1]["messages"][-1]
        blocks = [last["content"]] if isinstance(last["content"], str) else [b["text"] for b in last["content"]]
        assert "".join(text for text in blocks if not text.startswith("<system-reminder>")) == prompt
    assert "canary-q1" in json.dumps(said(server.requests[-1])), "the session was not emptied"


@real
@pytest.mark.skipif(detect().level < IsolationLevel.NAMESPACE, reason="there are no namespaces here")
async def test_in_a_namespace_it_reaches_nothing_but_the_endpoint(tmp_path):
    (tmp_path / "hidden").write_text("gold")
    deep = tmp_path / ("deep" * 30) / ("deeper" * 20)
    deep.mkdir(parents=True)
    async with await ModelEndpoint.start(tmp_path / "endpoint") as endpoint:
        port = endpoint.url.rpartition(":")[2]
        probe = f"ls /tmp | wc -l; cat {tmp_path}/hidden; bash -c 'echo > /dev/tcp/127.0.0.1/{port}'; echo end"
        steps = ({"tools": [{"name": "Bash", "arguments": {"command": probe}}]}, {"text": "done"})
        model = ModelSpec(name="the-model", kind="scripted", script=steps)
        key = await endpoint.open_trial("t", model, tmp_path / "transcript.jsonl")
        ctx = Context(deep / "t", endpoint.url, isolation=2, socket=endpoint.socket, key=key)
        async with await ClaudeCode().open(ctx) as conversation:
            await endpoint.begin_round("t", "r1")
            turn = await conversation.send("go", 60)
            meter = await endpoint.end_round("t")
            checkpoint = await conversation.checkpoint()
        await endpoint.close_trial("t")
    assert turn.text == "done", turn.error
    (shell,) = [event.text for event in turn.events if event.kind == "tool_result"]
    assert "No such file" in shell
    assert "Connection refused" in shell
    assert [event.name for event in meter.events if event.kind == "tool_call"] == ["Bash"]
    assert [m.text for m in checkpoint.sessions[0].messages][-1] == "done", "however long the workspace's path is"
    assert reaper.find(ctx.children[0].marker) == []


@real
@pytest.mark.parametrize("mode", ["dontAsk", "acceptEdits"])
async def test_what_it_is_not_permitted_is_said_and_does_not_look_like_success(tmp_path, mode):
    outside = str(tmp_path / "outside.txt")
    steps = (Reply(calls=(("Write", {"file_path": outside, "content": "x"}),)), Reply("done"))
    with TalkingEndpoint(in_turn(*steps)) as server:
        (turn,) = await talk(Context(tmp_path / "t", server.url), "go", permission_mode=mode)
    assert turn.text == "done", "its own report says success"
    (denied,) = [event for event in turn.events if event.name == "permission-denied"]
    assert (denied.kind, denied.text, denied.arguments["file_path"]) == ("note", "Write", outside)
    assert not Path(outside).exists()


@real
@pytest.mark.skipif(os.geteuid() != 0, reason="everything else here has run without being root")
def test_it_works_for_a_user_that_is_not_root(tmp_path):
    """The other tests run it as root here, which it refuses by default."""
    script = NOT_ROOT.format(folder=str(Path(__file__).parent))
    argv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c", script]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env={**os.environ, "HOME": "/nonexistent"})
    if "Permission denied" in done.stderr and "fine" not in done.stdout:
        pytest.skip(f"another user may not read this checkout: {done.stderr[-200:]}")
    assert done.stdout.split() == ["fine", "None", "65534"], done.stderr


@real
async def test_its_own_memory_is_empty_at_first_travels_with_checkpoints_and_can_be_off(tmp_path):
    with TalkingEndpoint(say("ok")) as server:
        ctx = Context(tmp_path / "a", server.url)
        note = ("Write", {"file_path": str(ctx.state_dir / "memory" / "MEMORY.md"), "content": "- canary memory\n"})
        async with await ClaudeCode().open(ctx) as conversation:
            assert list((ctx.state_dir / "memory").iterdir()) == []
            server.script = in_turn(Reply(calls=(note,)), Reply("noted"))
            assert (await conversation.send("remember", 60)).text == "noted"
            checkpoint = await conversation.checkpoint()
        assert checkpoint.files["memory/MEMORY.md"] == b"- canary memory\n"
        assert str(ctx.state_dir / "memory") in json.dumps(server.requests[0]["system"])
        async with await ClaudeCode().open(Context(tmp_path / "b", server.url), checkpoint) as conversation:
            await conversation.send("and now?", 60)
        assert "canary memory" in json.dumps(server.requests[-1])
        await talk(Context(tmp_path / "c", server.url), "hello", memory=False)
        assert "persistent" not in json.dumps(server.requests[-1]["system"])


async def test_a_session_is_known_by_a_uuid(tmp_path):
    fixed = "37ae4622-d823-4cf3-8430-7171bb7db393"
    assert ClaudeCode().session_key(fixed) == fixed
    assert ClaudeCode().session_key("main") == session_uuid("main") != session_uuid("Main")
