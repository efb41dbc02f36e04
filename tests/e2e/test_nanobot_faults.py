"""The real NanoBot when something fails: every failure has its class, and the conversation goes on from a checkpoint."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter.harness import Message, SessionChange
from claw_adapter_nanobot.adapter import NanoBot

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_context import SmallContext, real, session
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn, say

pytestmark = pytest.mark.timeout(120)

FAULTS = {
    "unauthorised": (Reply("invalid api key", status=401), "EndpointAuthError", 1),
    "forbidden": (Reply("no access", status=403), "EndpointAuthError", 1),
    "quota": (Reply("You exceeded your current quota, insufficient_quota", status=429), "EndpointQuotaError", 1),
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
ONLY_HERE = ("forbidden", "bad json", "no choices")
"""Those that the certification has not: the bridge's others are in tests/certification/test_real_harnesses.py."""


@real
@pytest.mark.parametrize("fault", ONLY_HERE)
async def test_a_fault_of_the_endpoint_is_classified_and_the_next_turn_works_after_reopening(tmp_path, fault):
    reply, kind, requests = FAULTS[fault]
    with TalkingEndpoint(say("first answer")) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "canary", "yes"))
        async with await NanoBot(retry_pause=0.01).open(ctx) as conversation:
            await conversation.send("one", 60)
            checkpoint = await conversation.checkpoint()
            server.script = lambda request: reply
            turn = await conversation.send("two", 60)
        if requests is not None:
            assert len(server.requests) == 1 + requests
        assert turn.text == ""
        assert turn.error.kind == kind
        server.script = say("second answer")
        async with await NanoBot().open(SmallContext(tmp_path / "b", server.url, ctx.main), checkpoint) as conversation:
            again = await conversation.send("two", 60)
    assert again.text == "second answer"
    texts = [m["content"] for m in server.requests[-1]["messages"][1:]]
    assert texts == ["canary", "yes", "one", "first answer", "two"], "nothing of the failed turn is left"


@real
@pytest.mark.parametrize("retries", [0, 2])
async def test_it_repeats_a_failed_request_as_often_as_it_is_told(tmp_path, retries):
    with TalkingEndpoint(lambda request: Reply("boom", status=500)) as server:
        ctx = SmallContext(tmp_path, server.url)
        async with await NanoBot(retries=retries, retry_pause=0).open(ctx) as conversation:
            turn = await conversation.send("one", 60)
    assert turn.error.kind == "EndpointTransientError"
    assert len(server.requests) == 1 + retries


@real
async def test_a_checkpoint_restores_sessions_histories_and_tool_calls_in_a_fresh_state_directory(tmp_path):
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
        for name, saved in (("b", checkpoint), ("c", checkpoint.model_copy(update={"files": {}}))):
            server.script = in_turn(Reply(calls=(("read_session", {"session_key": key}),)), Reply("x"))
            fresh = SmallContext(tmp_path / name, server.url, ctx.main, ctx.histories, workspace=ctx.workspace)
            async with await NanoBot().open(fresh, saved) as conversation:
                await conversation.send("next", 60)
                later = await conversation.checkpoint()
            original, restored = server.requests[2]["messages"], server.requests[-2]["messages"]
            assert restored == original
            assert "canary-ops" in server.requests[-1]["messages"][-1]["content"]
            assert later.sessions[1] == histories[0]


@real
async def test_a_change_made_after_reopening_is_seen_like_any_other(tmp_path):
    ops = session("ops", "old")
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "q", "a"), [ops])
        async with await NanoBot().open(ctx) as conversation:
            await conversation.send("one", 60)
            checkpoint = await conversation.checkpoint()
        new = session("late", "canary-late", "b")
        grown = ops.with_messages([*ops.messages, Message(id="n", role="user", text="canary-grown")])
        calls = [("read_session", {"session_key": NanoBot().session_key(name)}) for name in ("ops", "late")]
        server.script = in_turn(Reply(calls=tuple(calls)), Reply("x"))
        fresh = SmallContext(tmp_path / "b", server.url, ctx.main, ctx.histories)
        async with await NanoBot().open(fresh, checkpoint) as conversation:
            await conversation.sync(
                [
                    SessionChange(session="ops", action="append", before=ops, after=grown),
                    SessionChange(session="late", action="new", before=None, after=new),
                ]
            )
            await conversation.send("two", 60)
            saved = await conversation.checkpoint()
    read = [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool"]
    assert "canary-grown" in read[0]
    assert "canary-late" in read[1]
    assert [s.id for s in saved.sessions] == ["main", "ops", "late"]


@real
async def test_a_reply_that_runs_into_the_length_limit_is_noted_and_put_together(tmp_path):
    with TalkingEndpoint(in_turn(Reply("first half", finish="length"), Reply(" second half"))) as server:
        async with await NanoBot().open(SmallContext(tmp_path, server.url)) as conversation:
            turn = await conversation.send("long", 60)
    assert "first half" in turn.text
    assert "second half" in turn.text
    assert any(event.kind == "note" and "length" in event.text for event in turn.events)


@real
async def test_broken_tool_arguments_are_an_error_result_not_a_crash(tmp_path):
    with TalkingEndpoint(in_turn(Reply(calls=(("write_file", '{"path": "a.txt", "cont'),)), Reply("ok"))) as server:
        async with await NanoBot().open(SmallContext(tmp_path, server.url)) as conversation:
            turn = await conversation.send("write", 60)
            checkpoint = await conversation.checkpoint()
    assert turn.text == "ok"
    assert [event.kind for event in turn.events] == ["tool_call", "tool_result"]
    assert len(checkpoint.sessions[0].messages) == 4
