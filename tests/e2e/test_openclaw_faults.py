"""The real OpenClaw when something fails: every failure has its class, and the conversation goes on from a checkpoint."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.errors import HarnessStartError, Owner
from claw_adapter_openclaw.adapter import OpenClaw
from support.ports import closed_port
from support.processes import until

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_endpoint import Reply, ScriptedEndpoint, say
from openclaw_context import Context, real, said, session

FAULTS = {
    "unauthorised": (Reply("invalid api key", status=401), "EndpointAuthError", 1),
    "server error": (Reply("boom", status=500), "EndpointTransientError", None),
    "garbage": (Reply(raw=b"<html>not json</html>"), "EndpointMalformedError", None),
    "empty": (Reply(""), "EmptyAnswer", None),
}
"""How the others look was seen too, and is tried without OpenClaw in tests/unit/test_openclaw_adapter.py."""
pytestmark = pytest.mark.timeout(600)


@real
@pytest.mark.slow
@pytest.mark.timeout(900)  # five gateways are started one after the other
async def test_each_fault_of_the_endpoint_has_its_class_and_the_next_turn_works_after_reopening(tmp_path):
    """One conversation opened again and again, because each failure ends its gateway."""
    expected = ["canary", "yes", "one", "first answer"]
    with ScriptedEndpoint(say("first answer")) as server:
        async with await OpenClaw().open(
            Context(tmp_path / "0", server.url, session("main", "canary", "yes"))
        ) as first:
            assert (await first.send("one", 120)).text == "first answer"
            checkpoint = await first.checkpoint()
        for name, (reply, kind, requests) in FAULTS.items():
            ctx = Context(tmp_path / name.replace(" ", "-"), server.url)
            async with await OpenClaw().open(ctx, checkpoint) as conversation:
                server.script = say(f"before {name}")
                turn = await conversation.send("two", 120)
                assert turn.text == f"before {name}", turn.error
                sent = [text for _, text in said(server.requests[-1])]
                assert sent == [*expected, "two"], f"nothing is left of the failure before {name}"
                start = len(server.requests)
                server.script = lambda request, reply=reply: reply
                turn = await conversation.send("three", 120)
                assert (turn.text, turn.error.kind) == ("", kind), turn.error
                assert requests is None or len(server.requests) - start == requests
                assert len(server.requests) - start <= 5, "it gives up"
                after = await conversation.send("four", 5)
            assert after.error.kind == "HarnessCrash", "nothing is ever sent into a session that failed"
            assert reaper.find(ctx.children[0].marker) == []


@real
async def test_an_endpoint_that_is_down_is_a_transient_error_of_the_endpoint(tmp_path):
    with closed_port() as url:
        async with await OpenClaw().open(Context(tmp_path / "t", url)) as conversation:
            turn = await conversation.send("hello", 120)
    assert turn.error.kind == "EndpointTransientError", turn.error
    assert turn.error.owner is Owner.ENDPOINT
    assert turn.error.passing


@real
async def test_a_passed_deadline_ends_openclaw_and_everything_that_was_started(tmp_path):
    """The first turn warms up, so that the second one is cut off in the middle of its tool."""
    shell = ("exec", {"command": "setsid sleep 600 & sleep 500", "yieldMs": 400_000})
    with ScriptedEndpoint(say("warm")) as server:
        ctx = Context(tmp_path / "t", server.url)
        async with await OpenClaw().open(ctx) as conversation:
            assert (await conversation.send("warm up", 120)).text == "warm"
            server.script = lambda request: Reply(calls=(shell,))
            started = time.monotonic()
            turn = await conversation.send("hang", 4.0)
            seconds = time.monotonic() - started
    assert turn.error.kind == "DeadlineExceeded"
    assert turn.error.owner is Owner.HARNESS
    assert 4.0 <= seconds < 60
    assert reaper.find(ctx.children[0].marker) == []


@real
async def test_killed_in_mid_turn_it_goes_on_from_the_checkpoint_as_if_nothing_had_been(tmp_path):
    hang = Reply(calls=(("write", {"path": "half.txt", "content": "x"}), ("exec", {"command": "sleep 60"})))
    histories = [session("ops", "canary-ops", "b", title="Operations", channel="slack", participants=("a", "b"))]
    with ScriptedEndpoint(say("first answer")) as server:
        ctx = Context(tmp_path / "a", server.url, session("main", "canary", "yes"), histories)
        async with await OpenClaw().open(ctx) as conversation:
            await conversation.send("one", 120)
            checkpoint = await conversation.checkpoint()
            server.script = lambda request: hang
            turn = asyncio.create_task(conversation.send("two", 120))
            await until((ctx.workspace / "half.txt").exists)
            os.kill(ctx.children[0].pid, signal.SIGKILL)
            died = await turn
        assert checkpoint.sessions[1] == histories[0]
        server.script = say("second answer")
        fresh = Context(tmp_path / "b", server.url)
        async with await OpenClaw().open(fresh, checkpoint) as conversation:
            before = len(server.requests)
            again = await conversation.send("two", 120)
            later = await conversation.checkpoint()
    assert died.error.kind == "HarnessCrash", died.error
    assert died.error.passing
    assert again.text == "second answer"
    assert len(server.requests) == before + 1, "it resumed nothing by itself"
    assert [text for _, text in said(server.requests[-1])] == ["canary", "yes", "one", "first answer", "two"]
    assert later.sessions[1] == histories[0]
    assert [m.text for m in later.sessions[0].messages][-2:] == ["two", "second answer"]
    assert reaper.find(ctx.children[0].marker) == []


@real
async def test_a_gateway_that_cannot_start_says_why(tmp_path, monkeypatch):
    from claw_adapter_openclaw import adapter

    right = adapter.configuration
    monkeypatch.setattr(adapter, "configuration", lambda *args: {**right(*args), "gateway": {"mode": "nonsense"}})
    with ScriptedEndpoint(say("x")) as server, pytest.raises(HarnessStartError, match="gateway"):
        await OpenClaw().open(Context(tmp_path / "t", server.url))
