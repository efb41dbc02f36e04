"""The real NanoBot when something fails: every failure has its class, and the conversation goes on from a checkpoint."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter_nanobot.adapter import NanoBot

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_context import SmallContext, real, session
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn

pytestmark = pytest.mark.timeout(120)

FAULTS = {
    "unauthorised": (Reply("invalid api key", status=401), "EndpointAuthError", 1),
    "forbidden": (Reply("no access", status=403), "EndpointAuthError", 1),
    "quota": (Reply("You exceeded your current quota, insufficient_quota", status=429), "EndpointQuotaError", 1),
    "unknown": (Reply("no such model", status=404), "EndpointError", 1),
    "too long": (Reply("This model's maximum context length is 8192 tokens.", status=400), "EndpointError", 1),
    "refused": (Reply("content_filter: the prompt was refused", status=400), "EndpointFilteredError", 1),
    "server error": (Reply("boom", status=500), "EndpointTransientError", 4),
    "overloaded": (Reply("try later", status=503), "EndpointTransientError", 4),
    "garbage": (Reply(raw=b"<html>not json</html>"), "EndpointMalformedError", 4),
    "bad json": (Reply(raw=b'data: {"choices": [{"delta"\n\n'), "EndpointMalformedError", None),
    "no choices": (Reply(empty=True), "EndpointMalformedError", 4),
    "cut stream": (Reply("half an ans", cut=True), "EndpointMalformedError", 1),
    "empty": (Reply(""), "EmptyAnswer", None),
    "filtered": (Reply("", finish="content_filter"), "EndpointFilteredError", None),
}
"""What fails, its class, and how many requests the bridge makes; tests/e2e/test_nanobot_modes.py goes through them all."""


@real
async def test_it_repeats_a_failed_request_as_often_as_it_is_told(tmp_path):
    with TalkingEndpoint(lambda request: Reply("boom", status=500)) as server:
        ctx = SmallContext(tmp_path, server.url)
        async with await NanoBot(retries=1, retry_pause=0).open(ctx) as conversation:
            turn = await conversation.send("one", 60)
    assert turn.error.kind == "EndpointTransientError"
    assert len(server.requests) == 2


@real
async def test_a_checkpoint_without_files_restores_sessions_histories_and_tool_calls(tmp_path):
    histories = [
        session("ops", "canary-ops", "b", title="Operations", channel="slack", kind="group", participants=("a", "b"))
    ]
    tools = in_turn(Reply(calls=(("list_dir", {"path": "."}),)), Reply("one"), Reply("two"))
    with TalkingEndpoint(tools) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "q", "a"), histories)
        async with await NanoBot().open(ctx) as conversation:
            await conversation.send("list", 60)
            checkpoint = await conversation.checkpoint()
            await conversation.send("next", 60)
        assert [s.id for s in checkpoint.sessions] == ["main", "ops"]
        assert checkpoint.sessions[1] == histories[0]
        assert [m.role for m in checkpoint.sessions[0].messages] == [
            "user",
            "assistant",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        key = NanoBot().session_key("ops")
        server.script = in_turn(Reply(calls=(("read_session", {"session_key": key}),)), Reply("x"))
        fresh = SmallContext(tmp_path / "b", server.url, ctx.main, ctx.histories, workspace=ctx.workspace)
        async with await NanoBot().open(fresh, checkpoint.model_copy(update={"files": {}})) as conversation:
            await conversation.send("next", 60)
            later = await conversation.checkpoint()
    assert server.requests[-2]["messages"] == server.requests[2]["messages"]
    assert "canary-ops" in server.requests[-1]["messages"][-1]["content"]
    assert later.sessions[1] == histories[0]


@real
async def test_a_reply_that_runs_into_the_length_limit_is_noted_and_put_together(tmp_path):
    with TalkingEndpoint(in_turn(Reply("first half", finish="length"), Reply(" second half"))) as server:
        async with await NanoBot().open(SmallContext(tmp_path, server.url)) as conversation:
            turn = await conversation.send("long", 60)
    assert "first half" in turn.text
    assert "second half" in turn.text
    assert any(event.kind == "note" and "length" in event.text for event in turn.events)
