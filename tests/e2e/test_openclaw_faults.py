"""The real OpenClaw when it cannot start; faults of the endpoint are in test_openclaw_acp.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter.errors import HarnessStartError
from claw_adapter_openclaw.adapter import OpenClaw

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_endpoint import TalkingEndpoint, say
from openclaw_context import Context, real

pytestmark = pytest.mark.timeout(600)


@real
async def test_a_gateway_that_cannot_start_says_why(tmp_path, monkeypatch):
    from claw_adapter_openclaw import adapter

    right = adapter.configuration
    monkeypatch.setattr(adapter, "configuration", lambda *args: {**right(*args), "gateway": {"mode": "nonsense"}})
    with TalkingEndpoint(say("x")) as server, pytest.raises(HarnessStartError, match="gateway"):
        await OpenClaw().open(Context(tmp_path / "t", server.url))
