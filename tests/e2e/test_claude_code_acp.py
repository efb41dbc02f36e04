"""The real Claude Code behind its ACP server: the same turns, tool calls, updates and failures another way."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from claw_adapter.drivers import acp, reaper
from claw_adapter.harness import Message, SessionChange
from claw_adapter_claude_code.adapter import ClaudeCode

sys.path.insert(0, str(Path(__file__).parent))
from claude_code_context import Context, Reply, TalkingEndpoint, in_turn, real, said, say, session, talk

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(not acp.available(), reason="needs the extra claw-adapter[acp]"),
]
FAULTS = {
    "unauthorised": (Reply("invalid api key", status=401), "EndpointAuthError"),
    "server error": (Reply("boom", status=500), "EndpointTransientError"),
    "refusal": (Reply("no", finish="refusal"), "EndpointFilteredError"),
}


@real
async def test_tools_updates_and_checkpoints_over_acp(tmp_path):
    main = session("main", "canary", "yes")
    steps = (Reply("I look", calls=(("Bash", {"command": "pwd; env | grep -c sk-trial"}),)), Reply("the answer"))
    with TalkingEndpoint(in_turn(*steps)) as server:
        ctx = Context(tmp_path / "a", server.url, main)
        async with await ClaudeCode(mode="acp").open(ctx) as conversation:
            turn = await conversation.send("a prompt of some length", 120)
            assert (turn.text, turn.error) == ("the answer", None)
            assert len(server.requests) == 2, "no requests of its own"
            calls = [event for event in turn.events if event.kind == "tool_call"]
            (result,) = [event for event in turn.events if event.kind == "tool_result"]
            assert [call.arguments["command"] for call in calls] == ["pwd; env | grep -c sk-trial"]
            assert result.text.split() == [str(ctx.workspace), "0"]
            assert (turn.usage.kind, turn.usage.input) == ("per_turn", 2000)
            grown = main.with_messages([*main.messages, Message(id="u", role="user", text="zebra")])
            await conversation.sync([SessionChange(session="main", action="append", before=main, after=grown)])
            server.script = say("two")
            assert (await conversation.send("second prompt here", 120)).text == "two"
            checkpoint = await conversation.checkpoint()
            server.script = lambda request: Reply(calls=(("Bash", {"command": "touch begun; sleep 60"}),))
            hanging = asyncio.create_task(conversation.send("third prompt here", 120))
            while not (ctx.workspace / "begun").exists():  # noqa: ASYNC110  # there is no event to wait for
                await asyncio.sleep(0.05)
            os.kill(ctx.children[-1].pid, signal.SIGKILL)
            died = await hanging
        server.script = say("three")
        fresh = Context(tmp_path / "b", server.url, main, workspace=ctx.workspace)
        async with await ClaudeCode(mode="acp").open(fresh, checkpoint) as conversation:
            again = await conversation.send("third prompt here", 120)
    assert died.error.kind == "HarnessCrash", died.error
    assert again.text == "three", again.error
    texts = [text for _, text in said(server.requests[-1])]
    assert [*texts[:3], texts[-1]] == ["canary", "yes", "a prompt of some length", "third prompt here"]
    assert [json.dumps(texts).count(word) for word in ("zebra", "the answer", "second prompt")] == [1, 1, 1]
    assert all(reaper.find(child.marker) == [] for child in (*ctx.children, *fresh.children))


@real
async def test_a_prompt_that_begins_with_a_stroke_is_no_command_over_acp(tmp_path):
    prompts = ["/compact", "/context and what it is", "//", "/mcp:one:two three"]
    with TalkingEndpoint(say("ok")) as server:
        async with await ClaudeCode(mode="acp").open(Context(tmp_path / "a", server.url)) as conversation:
            answers = [(await conversation.send(prompt, 120)).text for prompt in prompts]
    assert answers == ["ok"] * len(prompts)
    last = max(map(said, server.requests), key=len)  # one of its own asks for a title
    assert [text for _, text in last][::2] == prompts


@real
async def test_a_session_that_the_server_began_is_kept_under_our_name(tmp_path):
    with TalkingEndpoint(say("ok")) as server:
        async with await ClaudeCode(mode="acp").open(Context(tmp_path / "a", server.url)) as conversation:
            assert (await conversation.send("one", 120)).text == "ok"
            checkpoint = await conversation.checkpoint()
        async with await ClaudeCode(mode="acp").open(Context(tmp_path / "b", server.url), checkpoint) as conversation:
            assert (await conversation.send("two", 120)).text == "ok"
    assert [m.text for m in checkpoint.sessions[0].messages] == ["one", "ok"]
    assert [text for _, text in said(server.requests[-1])] == ["one", "ok", "two"]


@real
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_the_endpoint_has_its_class_over_acp(tmp_path, fault):
    reply, kind = FAULTS[fault]
    with TalkingEndpoint(lambda request: reply) as server:
        ctx = Context(tmp_path / "t", server.url, session("main", "canary", "yes"))
        (turn,) = await talk(ctx, "a prompt of some length", mode="acp", retries=1)
    assert (turn.text, turn.error.kind) == ("", kind), turn.error
    assert len(server.requests) <= 6, "it gives up"


@real
async def test_running_out_of_requests_means_the_same_over_acp(tmp_path):
    with TalkingEndpoint(lambda request: Reply(calls=(("Glob", {"pattern": "*"}),))) as server:
        (turn,) = await talk(
            Context(tmp_path / "t", server.url, session("main", "q", "a")), "go", mode="acp", max_requests=3
        )
    assert turn.error.kind == "EmptyAnswer", turn.error
    assert "max_requests" in turn.error.remedy
    assert len(server.requests) == 3


@real
async def test_what_it_is_not_permitted_is_said_over_acp(tmp_path):
    steps = (Reply(calls=(("Write", {"file_path": str(tmp_path / "x"), "content": "x"}),)), Reply("done"))
    with TalkingEndpoint(in_turn(*steps)) as server:
        ctx = Context(tmp_path / "t", server.url, session("main", "canary", "yes"))
        (turn,) = await talk(ctx, "a prompt of some length", mode="acp", permission_mode="default")
    assert turn.text == "done"
    assert [event.text.partition(":")[0] for event in turn.events if event.name == "permission"] == ["reject_once"]
    assert not (tmp_path / "x").exists()
