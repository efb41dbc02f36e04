"""What bounds a turn of the real OpenClaw, and what it makes of an old tool call that never got its result."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter.harness import Message, ToolCall
from claw_adapter_openclaw.adapter import OpenClaw

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_endpoint import Reply, TalkingEndpoint
from openclaw_context import Context, real, said, session

pytestmark = [pytest.mark.timeout(600), pytest.mark.slow(40)]
FILES = ("AGENTS.md", "SOUL.md", "USER.md", "IDENTITY.md", "BOOTSTRAP.md", "MEMORY.md")
MANY = 26
"""Calls, each with another outcome: more than it ever makes of the same."""


def calls(request) -> int:
    """Tool results since the last prompt."""
    asked = max(i for i, m in enumerate(request["messages"]) if m["role"] == "user" and "go" in str(m["content"]))
    return sum(m["role"] == "tool" for m in request["messages"][asked:])


@real
async def test_equal_calls_end_a_turn_different_ones_do_not_and_a_call_without_a_result_gets_one(tmp_path):
    call = ToolCall(id="call-1", name="read", arguments={"path": "gone.txt"})
    main = session("main").with_messages(
        [
            Message(id="1", role="user", text="canary question"),
            Message(id="2", role="assistant", text="", tool_calls=(call,)),
            Message(id="3", role="user", text="canary again"),
            Message(id="4", role="assistant", text="canary answer"),
        ]
    )
    varied = True

    def script(request) -> Reply:
        done = calls(request)
        if done >= 10 * MANY or (varied and done >= MANY):
            return Reply("the answer")
        return Reply(calls=(("read", {"path": f"{done}.txt" if varied else "same.txt"}),))

    with TalkingEndpoint(script) as server:
        ctx = Context(tmp_path / "t", server.url, main)
        for name in (*FILES, "TOOLS.md", "HEARTBEAT.md"):
            (ctx.workspace / name).write_text(f"# {name}\nthe mark of {name}\n", "utf-8")
        for number in range(MANY):
            (ctx.workspace / f"{number}.txt").write_text(f"content {number}\n", "utf-8")
        (ctx.workspace / "same.txt").write_text("the same\n", "utf-8")
        async with await OpenClaw().open(ctx) as conversation:
            one = await conversation.send("go on, differently", 200)
            first, number = server.requests[0], len(server.requests)
            varied = False
            two = await conversation.send("go round in circles", 200)
    assert (one.text, one.error, number) == ("the answer", None, MANY + 1)
    assert two.error.kind == "EmptyAnswer", two.error
    assert "loop_detection" in two.error.remedy
    assert 20 <= len(server.requests) - number < MANY
    system = first["messages"][0]["content"]
    assert [name for name in (*FILES, "TOOLS.md", "HEARTBEAT.md") if f"the mark of {name}" in str(system)] == list(
        FILES
    )
    (note,) = [note for note in OpenClaw().capabilities().notes if "go into the system prompt" in note]
    assert [name for name in FILES if name not in note] == []
    roles = [role for role, _ in said(first)]
    assert roles[:5] == ["user", "assistant", "tool", "user", "assistant"]
    assert "missing tool result" in said(first)[2][1]
    assert "canary answer" in said(first)[4][1]
