"""The real OpenClaw when a turn does not end, or it cannot start; faults of the endpoint are in test_openclaw_acp.py."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.errors import HarnessStartError, Owner
from claw_adapter_openclaw.adapter import OpenClaw

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_endpoint import Reply, ScriptedEndpoint, say
from openclaw_context import Context, real

pytestmark = pytest.mark.timeout(600)


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
async def test_a_gateway_that_cannot_start_says_why(tmp_path, monkeypatch):
    from claw_adapter_openclaw import adapter

    right = adapter.configuration
    monkeypatch.setattr(adapter, "configuration", lambda *args: {**right(*args), "gateway": {"mode": "nonsense"}})
    with ScriptedEndpoint(say("x")) as server, pytest.raises(HarnessStartError, match="gateway"):
        await OpenClaw().open(Context(tmp_path / "t", server.url))
