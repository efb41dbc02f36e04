"""PicoClaw in ordinary turns, real and stand-in: sessions, events, usage, updates, what arrives and what is left behind."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from claw_adapter.harness import Message, SessionChange, ToolCall
from claw_adapter_picoclaw.adapter import MEMORY, PicoClaw
from claw_adapter_picoclaw.store import names

sys.path.insert(0, str(Path(__file__).parent))
from picoclaw_context import (
    Reply,
    SmallContext,
    TalkingEndpoint,
    both,
    choose,
    command,
    in_turn,
    real,
    say,
    session,
    talk,
    texts,
)

pytestmark = pytest.mark.timeout(120)
WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
ODD = "\x1b[31mred\x1b[0m\r\n\t\u2028 ﷽ 👩‍👩‍👧 \u202e \x07 🦞 end\n "


@pytest.fixture
def picoclaw(request, tmp_path, monkeypatch) -> str:
    choose(request.param, tmp_path / "program", monkeypatch)
    return request.param


@both
async def test_the_seeded_session_and_every_turn_so_far_are_in_the_next_request(tmp_path, picoclaw):
    main = session("main", "canary", "yes")
    with TalkingEndpoint(in_turn(Reply("one"), Reply("two"))) as server:
        turns = await talk(SmallContext(tmp_path / "t", server.url, main), "first", "second")
    assert [turn.text for turn in turns] == ["one", "two"]
    assert texts(server.requests[0]) == ["canary", "yes", "first"]
    assert texts(server.requests[1]) == ["canary", "yes", "first", "one", "second"]
    assert server.keys == ["Bearer sk-trial-only"] * 2
    assert {request["model"] for request in server.requests} == {"the-model"}


@both
async def test_everything_in_a_seeded_session_reaches_the_model_in_order(tmp_path, picoclaw):
    """System lines and a tool call behind another text of the assistant: the real one would leave them out."""
    call = ToolCall(id="c1", name="list_dir", arguments={"path": "."})
    seed = [
        Message(id="0", role="system", text="be brief", time=WHEN),
        Message(id="1", role="user", text="hello", speaker="Ann", time=WHEN.replace(tzinfo=None)),
        Message(id="2", role="assistant", text="let me see"),
        Message(id="3", role="assistant", text="", tool_calls=(call,)),
        Message(id="4", role="tool", text="two files", tool_call_id="c1"),
        Message(id="5", role="assistant", text="two"),
    ]
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "t", server.url, session("main").with_messages(seed))
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("now", 60)
            checkpoint = await conversation.checkpoint()
    sent = texts(server.requests[0])
    assert sent == ["[system] be brief", "Ann: hello", "let me see", "(continued)", "", "two files", "two", "now"]
    assert checkpoint.sessions[0].messages[:6] == tuple(seed)
    assert [message.text for message in checkpoint.sessions[0].messages[6:]] == ["now", "ok"]


@both
async def test_a_tool_turn_yields_its_events_in_order_and_its_usage_summed(tmp_path, picoclaw):
    script = in_turn(
        Reply("I look", calls=(("read_file", {"path": "notes.txt"}), ("no_such_tool", {"x": 1}))),
        Reply(calls=(("write_file", {"path": "answer.txt", "content": "A\n"}),)),
        Reply(calls=(command("cat answer.txt"),)),
        Reply("the answer"),
    )
    with TalkingEndpoint(script) as server:
        ctx = SmallContext(tmp_path / "t", server.url)
        (ctx.workspace / "notes.txt").write_text("canary fact\n")
        (turn,) = await talk(ctx, "go")
    assert turn.error is None
    assert turn.text == "the answer"
    tools = ("read_file", "no_such_tool", "write_file", "exec")
    steps = [(event.kind, event.name) for event in turn.events]
    assert steps == [("text", ""), *((kind, tool) for tool in tools for kind in ("tool_call", "tool_result"))]
    calls = [call["id"] for r in server.requests[3]["messages"] for call in r.get("tool_calls", ())]
    assert [event.id for event in turn.events[1:]] == [number for number in calls for _ in range(2)]
    results = {event.name: event for event in turn.events if event.kind == "tool_result"}
    assert "canary fact" in results["read_file"].text
    assert results["no_such_tool"].is_error
    assert results["exec"].text.strip() == "A"
    assert not results["exec"].is_error
    assert turn.events[1].arguments == {"path": "notes.txt"}
    assert [event.at for event in turn.events] == sorted(event.at for event in turn.events)
    assert 0 < turn.events[-1].at < turn.timing.total
    assert (turn.usage.kind, turn.usage.input, turn.usage.output) == ("per_turn", 4000, 40)
    assert 0 <= turn.timing.own < turn.timing.total


@both
@pytest.mark.parametrize("text", ["plain", "a\n\n  b  \n", "🦞 x\n🦞 y", "\x1b[31m✓\u2028 end", "Error: not one"])
async def test_the_answer_is_the_models_text_character_for_character(tmp_path, picoclaw, text):
    with TalkingEndpoint(say(text)) as server:
        (turn,) = await talk(SmallContext(tmp_path / "t", server.url), "go")
    assert turn.error is None
    assert turn.text == text


@both
async def test_an_answer_that_is_longer_than_what_is_captured_is_whole(tmp_path, picoclaw):
    text = "line of text ✓\n" * 60_000 + "end"
    with TalkingEndpoint(say(text)) as server:
        (turn,) = await talk(SmallContext(tmp_path / "t", server.url), "go")
    assert turn.error is None
    assert turn.text == text


@both
@pytest.mark.parametrize(
    "prompt",
    [ODD, "-x --help", "/bin/ls shows what?", "/new here", "@a $b", "x" * 102_400],
    ids=lambda p: p[:8].encode("ascii", "replace").decode(),
)
async def test_a_prompt_arrives_whole_and_unchanged(tmp_path, picoclaw, prompt):
    with TalkingEndpoint(say("ok")) as server:
        (turn,) = await talk(SmallContext(tmp_path / "t", server.url), prompt)
    assert turn.error is None
    assert texts(server.requests[0]) == [prompt]


@both
@pytest.mark.parametrize(
    "prompt", ["x" * 102_401, "é" * 51_201, "/clear", " !HELP me", "/list@bot", " ", "a\0b", "\ud800"]
)
async def test_what_would_not_arrive_whole_is_refused_and_harms_nothing(tmp_path, picoclaw, prompt):
    with TalkingEndpoint(say("ok")) as server:
        refused, then = await talk(SmallContext(tmp_path / "t", server.url, session("main", "q", "a")), prompt, "next")
    assert refused.error.kind == "AdapterError"
    assert then.text == "ok"
    assert texts(server.requests[0]) == ["q", "a", "next"]
    assert len(server.requests) == 1


@both
async def test_updates_are_visible_in_the_next_turn_not_before_and_once(tmp_path, picoclaw):
    main = session("main", "q0", "a0")
    with TalkingEndpoint(in_turn(Reply("one"), Reply("two"), Reply("three"))) as server:
        ctx = SmallContext(tmp_path / "t", server.url, main)
        (ctx.workspace / "AGENT.md").write_text("rule-one")
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("first", 60)
            after = main.with_messages([*main.messages, Message(id="u", role="user", text="canary", time=WHEN)])
            await conversation.sync([SessionChange(session="main", action="append", before=main, after=after)])
            (ctx.workspace / "AGENT.md").write_text("rule-two")
            await conversation.send("second", 60)
            await conversation.send("third", 60)
    assert texts(server.requests[0]) == ["q0", "a0", "first"]
    assert texts(server.requests[1]) == ["q0", "a0", "first", "one", "canary", "second"]
    assert texts(server.requests[2]).count("canary") == 1
    if picoclaw == "real":
        assert ["rule-one" in server.texts(i) for i in range(3)] == [True, False, False]
        assert ["rule-two" in server.texts(i) for i in range(3)] == [False, True, True]


@both
async def test_only_its_own_files_are_left_in_the_workspace_and_nothing_anywhere_else(tmp_path, picoclaw):
    with TalkingEndpoint(in_turn(Reply(calls=(command("pwd"),)), Reply("ok"))) as server:
        ctx = SmallContext(tmp_path / "t" / "trial", server.url)
        (turn,) = await talk(ctx, "go")
    assert turn.text == "ok"
    assert {path.name for path in (tmp_path / "t").iterdir()} == {"trial"}
    assert {path.name for path in (tmp_path / "t" / "trial").iterdir()} == {"workspace", "state"}
    left = {path.relative_to(ctx.workspace).as_posix() for path in ctx.workspace.rglob("*")}
    assert all(any(f"{path}/".startswith(glob[:-2]) for glob in MEMORY) for path in left), left
    assert {f"sessions/{name}" for name in names("main")} <= left
    configured = ctx.state_dir / "config.json"
    assert configured.stat().st_mode & 0o077 == 0, "the key is in it"
    others = [p for p in (*ctx.state_dir.rglob("*"), *ctx.workspace.rglob("*")) if p.is_file() and p != configured]
    assert not [path for path in others if b"sk-trial-only" in path.read_bytes()]


@both
async def test_two_conversations_at_once_do_not_mix(tmp_path, picoclaw):
    def echo(request):
        return Reply("re: " + request["messages"][-1]["content"], stall=0.3)

    with TalkingEndpoint(echo) as server:
        contexts = [SmallContext(tmp_path / n, server.url, session("main", f"canary-{n}", "a")) for n in ("x", "y")]
        turns = await asyncio.gather(*(talk(ctx, f"ask-{ctx.trial}") for ctx in contexts))
    assert [turn[0].text for turn in turns] == ["re: ask-x", "re: ask-y"]
    for request in server.requests:
        assert ("canary-x" in texts(request)) != ("canary-y" in texts(request))


@both
@pytest.mark.parametrize("name", ["main", "Mixed.Case-1_x", "cron", "direct"])
async def test_any_session_id_is_a_session_of_its_own(tmp_path, picoclaw, name):
    """Keys that do not begin with ``agent:`` all share one session; and its aliases must not catch ours."""
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "t", server.url, session(name, "canary", "yes"))
        await talk(ctx, "one", "two")
    assert texts(server.requests[1]) == ["canary", "yes", "one", "ok", "two"]
    assert [path.name for path in (ctx.workspace / "sessions").glob("*.jsonl")] == [names(name)[0]]


@both
async def test_a_time_zone_in_the_environment_does_not_get_into_the_answer(tmp_path, picoclaw, monkeypatch):
    monkeypatch.setitem(os.environ, "TZ", "UTC")
    with TalkingEndpoint(say("ok")) as server:
        (turn,) = await talk(SmallContext(tmp_path / "t", server.url), "go")
    assert turn.text == "ok"


@both
async def test_the_probe_names_the_version_and_writes_nothing(tmp_path, picoclaw, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.rglob("*"))
    probe = PicoClaw().probe()
    assert probe.ready
    assert "cf67dd385" in probe.versions["picoclaw"] or picoclaw == "real"
    assert set(tmp_path.rglob("*")) == before


@real
async def test_long_sessions_are_not_summarised_and_nothing_hidden_is_asked(tmp_path, picoclaw):
    words = ["canary " + "word " * 2000, *(f"message {number}" for number in range(119))]
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "t", server.url, session("main", *words))
        turns = await talk(ctx, *(f"question {number}" for number in range(5)))
    assert [turn.text for turn in turns] == ["ok"] * 5
    assert len(server.requests) == 5
    assert texts(server.requests[-1])[:120] == words
    assert not [event for turn in turns for event in turn.events]


@both
@pytest.mark.parametrize("name", ["ollama/llama:8b", "litellm/openai/gpt-5", "org/Model-1", "gpt-5.1"])
@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic-messages"])
async def test_the_models_name_arrives_whole(tmp_path, picoclaw, name, dialect):
    """Of some providers' names it takes the beginning away."""
    if picoclaw == "standin" and dialect != "openai-chat":
        pytest.skip("the stand-in speaks one dialect")
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "t", server.url)
        ctx.endpoint = replace(ctx.endpoint, model=name)
        (turn,) = await talk(ctx, "go", dialect=dialect)
    assert turn.text == "ok"
    assert [request["model"] for request in server.requests] == [name]


@real
async def test_it_speaks_the_anthropic_dialect_too(tmp_path, picoclaw):
    with TalkingEndpoint(say("bonjour")) as server:
        ctx = SmallContext(tmp_path / "t", server.url, session("main", "canary", "yes"))
        (turn,) = await talk(ctx, "now", dialect="anthropic-messages")
    assert turn.text == "bonjour"
    assert server.paths == ["/v1/messages"]
    assert "canary" in json.dumps(server.requests[0]["messages"])


@both
async def test_sessions_are_written_as_the_golden_files_have_them(tmp_path, picoclaw):
    from picoclaw_golden import GOLDEN, produced

    def shape(text: str) -> list:
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            if "claw" not in line:
                assert datetime.fromisoformat(line.pop("created_at")).tzinfo is not None
            line.pop("tool_call_id", None)
            for call in line.get("tool_calls", ()):
                call.pop("id")
                call.pop("extra_content", None)
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        return lines

    lines, meta, ours = names("golden")
    made = await produced(tmp_path)
    assert shape(made[lines]) == shape((GOLDEN / lines).read_text("utf-8"))
    assert made[ours] == (GOLDEN / ours).read_text("utf-8")
    written, golden = json.loads(made[meta]), json.loads((GOLDEN / meta).read_text("utf-8"))
    assert all(written[key] == golden[key] for key in ("key", "summary", "skip", "count"))
    if picoclaw == "real":
        assert sorted(written) == sorted(golden)
        assert written["aliases"] == golden["aliases"]
