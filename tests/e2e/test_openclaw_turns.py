"""The real OpenClaw behind its adapter: what reaches the model, what comes back, what changes when, what bounds a turn.

A gateway takes ten seconds and more to start, so each test asks one conversation for all it can tell.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from claw_adapter.certify.watch import traces_outside
from claw_adapter.drivers import reaper
from claw_adapter.harness import Message, SessionChange, ToolCall
from claw_adapter_openclaw.adapter import OpenClaw
from claw_adapter_openclaw.gateway import Gateway

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn, say
from openclaw_context import KEY, Context, real, said, session

WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
FILES = ("AGENTS.md", "SOUL.md", "USER.md", "IDENTITY.md", "BOOTSTRAP.md", "MEMORY.md")
"""Files of the workspace that it puts into its system prompt."""
OTHERS = ("TOOLS.md", "HEARTBEAT.md")
MANY = 26
"""Calls, each with another outcome: more than it ever makes of the same."""
pytestmark = [pytest.mark.timeout(600), pytest.mark.slow(80)]


def results(request) -> list[str]:
    return [m["content"] for m in request["messages"] if m["role"] == "tool"]


def history(name: str, **more) -> tuple:
    return ("sessions_history", {"sessionKey": OpenClaw().session_key(name), **more})


def timed(monkeypatch) -> list[float]:
    """The seconds that our plugin inside the gateway works on every call from now on; it is made slower."""
    taken: list[float] = []
    call = Gateway.bridge

    async def bridge(gateway, *args, **more):
        said = await call(gateway, *args, **more)
        await asyncio.sleep(0.05)
        taken.append(said["milliseconds"] / 1000 + 0.05)
        return {**said, "milliseconds": said["milliseconds"] + 50}

    monkeypatch.setattr(Gateway, "bridge", bridge)
    return taken


def leftovers(ctx) -> list[Path]:
    """What this OpenClaw has outside its state directory: locks, named by a hash of the database they lock."""
    databases = ctx.state_dir.rglob("*.sqlite")
    digests = [hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8] for path in databases]
    return [path for digest in digests for path in Path("/tmp").glob(f"openclaw*/*{digest}*")]


@real
async def test_main_session_histories_tools_events_usage_updates_and_limits_in_one_conversation(
    tmp_path, monkeypatch, caplog
):
    began = time.time() - 1
    call = ToolCall(id="call-1_x", name="read", arguments={"path": "a.txt"})
    lost = ToolCall(id="call-2", name="read", arguments={"path": "gone.txt"})
    main = session("Demo_Main").with_messages(
        [
            Message(id="0", role="assistant", text="canary greeting", time=WHEN),
            Message(id="1", role="user", text="canary-q1 ü", time=WHEN, speaker="Ann"),
            Message(id="2", role="assistant", text="", tool_calls=(call,), time=WHEN),
            Message(id="3", role="tool", text="canary result", tool_call_id="call-1_x", time=WHEN),
            Message(id="4", role="assistant", text="canary-a1 你好", time=WHEN),
            Message(id="4a", role="user", text="canary question", time=WHEN),
            Message(id="4b", role="assistant", text="", tool_calls=(lost,), time=WHEN),
            Message(id="4c", role="user", text="canary again", time=WHEN),
            Message(id="4d", role="assistant", text="canary answer", time=WHEN),
            Message(id="5", role="user", text="canary still open", time=WHEN),
        ]
    )
    histories = [
        session(name, f"canary {name} alpha", "noted", f"canary {name} omega", title=f"Talk {name}", channel="slack")
        for name in ("ops", "Sales", "dm-ann")
    ]
    steps = (
        Reply("I look", calls=(("read", {"path": "notes.txt"}), ("read", {"path": "missing.txt"}))),
        Reply(calls=(("sessions_list", {}), *(history(h.id, includeTools=True) for h in histories))),
        Reply(calls=(("write", {"path": "answer.txt", "content": "A\n"}),)),
        Reply(calls=(("exec", {"command": "cat answer.txt; echo $HOME"}),)),
        Reply("the answer"),
    )
    with TalkingEndpoint(in_turn(*steps)) as server:
        ctx = Context(tmp_path / "t", server.url, main, histories)
        (ctx.workspace / "notes.txt").write_text("canary fact\n")
        async with await OpenClaw().open(ctx) as conversation:
            exports = timed(monkeypatch)
            turn = await conversation.send("now?", 120)
            assert 0 < sum(exports) <= turn.timing.own < turn.timing.total, "the export is asked for by us alone"
            assert leftovers(ctx), "without a /tmp of its own it does leave something there"
            _first_request(server)
            _tool_turn(server, turn, ctx, histories)
            await _updates(server, conversation, main, histories[0])
            await _prompts(server, conversation, ctx)
            files = {path.name for path in ctx.workspace.iterdir()}
            checkpoint = await conversation.checkpoint()
            await _limits(server, conversation, ctx)
        assert {path.name for path in (tmp_path / "t").iterdir()} == {"workspace", "state"}
        assert files == {"notes.txt", "answer.txt", *FILES, *OTHERS}
        assert reaper.find(ctx.children[0].marker) == []
    assert leftovers(ctx) == []
    assert traces_outside([str(tmp_path), KEY], began, [tmp_path]) == []
    kept = checkpoint.model_dump_json() + turn.model_dump_json() + caplog.text
    assert KEY not in kept + json.dumps([child.argv for child in ctx.children])
    assert not any(KEY.encode() in data for data in checkpoint.files.values())
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert {request["model"] for request in server.requests} == {"the-model"}


def _first_request(server) -> None:
    sent = said(server.requests[0])
    (missing,) = [text for _, text in sent if "missing tool result" in text]
    assert sent[1:] == [
        ("assistant", "canary greeting"),
        ("user", "Ann: canary-q1 ü"),
        ("assistant", ""),
        ("tool", "canary result"),
        ("assistant", "canary-a1 你好"),
        ("user", "canary question"),
        ("assistant", ""),
        ("tool", missing),
        ("user", "canary again"),
        ("assistant", "canary answer"),
        ("user", "canary still open"),
        ("user", "now?"),
    ], "before a reply that comes first it puts a user message of its own"
    calls = [call for m in server.requests[0]["messages"] for call in m.get("tool_calls", ())]
    assert [json.loads(call["function"]["arguments"]) for call in calls] == [{"path": "a.txt"}, {"path": "gone.txt"}]
    names = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert {"read", "write", "exec", "sessions_list", "sessions_history", "sessions_search"} <= names
    assert len(names) == 10
    whole = json.dumps(server.requests[0])
    assert "omega" not in whole, "histories are not in the prompt by themselves"
    assert "available_skills" not in whole


def _tool_turn(server, turn, ctx, histories) -> None:
    assert turn.error is None
    assert turn.text == "the answer"
    assert len(server.requests) == 5, "no requests of its own"
    listed, *read = results(server.requests[2])[-4:]
    for item, shown in zip(histories, read, strict=True):
        assert item.title in listed
        assert f"canary {item.id} alpha" in shown
        assert f"canary {item.id} omega" in shown
    kinds = [(event.kind, event.name) for event in turn.events]
    assert kinds[:5] == [
        ("text", ""),
        ("tool_call", "read"),
        ("tool_call", "read"),
        ("tool_result", "read"),
        ("tool_result", "read"),
    ]
    assert kinds[-2:] == [("tool_call", "exec"), ("tool_result", "exec")]
    assert [event.is_error for event in turn.events if event.kind == "tool_result"][:2] == [False, True]
    assert "canary fact" in turn.events[3].text
    assert [event.at for event in turn.events] == sorted(event.at for event in turn.events)
    assert str(ctx.state_dir) in turn.events[-1].text
    assert (ctx.workspace / "answer.txt").read_text() == "A\n"
    assert turn.usage.kind == "per_turn"
    assert (turn.usage.input, turn.usage.output) == (5000, 50)
    assert 0 <= turn.timing.own < turn.timing.total


async def _updates(server, conversation, main, ops) -> None:
    start = len(server.requests)
    server.script = in_turn(Reply(calls=(history("ops"), history("late"))), Reply("two"), Reply("three"))
    grown = main.with_messages([*main.messages, Message(id="u", role="user", text="zebra-main", time=WHEN)])
    kept = [ops.messages[0], Message(id="m", role="user", text="zebra-middle"), *ops.messages[2:]]
    changed = ops.with_messages([*kept, Message(id="e", role="user", text="zebra-end")])
    changes = [
        SessionChange(session=main.id, action="append", before=main, after=grown),
        SessionChange(session="ops", action="insert", before=ops, after=changed),
        SessionChange(session="late", action="new", before=None, after=session("late", "zebra-late", "b")),
    ]
    assert "zebra" not in json.dumps(server.requests)
    await conversation.sync(changes)
    assert (await conversation.send("second", 60)).text == "two"
    assert (await conversation.send("third", 60)).text == "three"
    texts = [text for _, text in said(server.requests[start])]
    assert [texts.count("zebra-main"), texts[-2:]] == [1, ["zebra-main", "second"]]
    assert "the answer" in texts
    shown, late = results(server.requests[start + 1])[-2:]
    assert [shown.count(f"zebra-{word}") for word in ("middle", "end")] == [1, 1]
    assert "alpha" in shown
    assert "noted" not in shown, "a deleted message is gone"
    assert "zebra-late" in late
    later = json.dumps(said(server.requests[start + 2]))
    assert [later.count(word) for word in ("zebra-main", "canary-q1", "canary still open", "now?")] == [1, 1, 1, 1]
    shorter = grown.with_messages([m for m in grown.messages if m.id != "5"])
    await conversation.sync([SessionChange(session=main.id, action="delete", before=grown, after=shorter)])
    assert (await conversation.send("fourth", 60)).text == "three"
    last = json.dumps(said(server.requests[-1]))
    assert "canary still open" not in last
    assert [last.count(word) for word in ("zebra-main", "canary-q1", "now?", "third", "fourth")] == [1] * 5


async def _prompts(server, conversation, ctx) -> None:
    for name in (*FILES, *OTHERS):
        (ctx.workspace / name).write_text(f"# {name}\nthe mark of {name}\n", "utf-8")
    odd = "\x1b[31mred\x1b[0m\n\t\u2028 ﷽ 👩‍👩‍👧 end"
    long = "0123456789abcde\n" * 16_384 + "é"
    server.script = say("ok ✓")
    for prompt in ("/new", "/stop", "/bin/ls shows what?", odd, long):
        turn = await conversation.send(prompt, 60)
        assert turn.text == "ok ✓", turn.error
        assert said(server.requests[-1])[-1] == ("user", prompt)
    assert "canary-q1" in json.dumps(said(server.requests[-1])), "the session was not emptied"
    system = str(server.requests[-1]["messages"][0])
    assert [name for name in (*FILES, *OTHERS) if f"the mark of {name}" in system] == list(FILES)
    (note,) = [note for note in OpenClaw().capabilities().notes if "go into the system prompt" in note]
    assert [name for name in FILES if name not in note] == []
    server.script = in_turn(Reply("half", finish="length"))
    assert (await conversation.send("long", 60)).text == "half", "without the sentence OpenClaw adds"


def calls_since(prompt: str, request) -> int:
    """Tool results since a prompt."""
    asked = max(i for i, m in enumerate(request["messages"]) if m["role"] == "user" and prompt in str(m["content"]))
    return sum(m["role"] == "tool" for m in request["messages"][asked:])


async def _limits(server, conversation, ctx) -> None:
    """Equal calls end a turn, different ones do not; what was said with calls is no answer."""
    for number in range(MANY):
        (ctx.workspace / f"{number}.txt").write_text(f"content {number}\n", "utf-8")
    (ctx.workspace / "same.txt").write_text("the same\n", "utf-8")

    def varied(request) -> Reply:
        done = calls_since("go on", request)
        return Reply("enough") if done >= MANY else Reply(calls=(("read", {"path": f"{done}.txt"}),))

    def same(request) -> Reply:
        done = calls_since("go round", request)
        return Reply("enough") if done >= 10 * MANY else Reply("I look", calls=(("read", {"path": "same.txt"}),))

    start, server.script = len(server.requests), varied
    turn = await conversation.send("go on, differently", 200)
    assert (turn.text, turn.error, len(server.requests) - start) == ("enough", None, MANY + 1)
    start, server.script = len(server.requests), same
    turn = await conversation.send("go round in circles", 200)
    assert (turn.text, turn.error.kind) == ("", "EmptyAnswer"), turn.error
    assert "loop_detection" in turn.error.remedy
    assert 20 <= len(server.requests) - start < MANY
