"""The fallback mode: NanoBot's command, once per turn. It ends with status 0 whatever happens; we must not believe it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter.drivers.command import ARGUMENT_BYTES
from claw_adapter.harness import Message, SessionChange
from claw_adapter_nanobot.adapter import NanoBot

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_context import SmallContext, real, session
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn, say

pytestmark = pytest.mark.timeout(180)


def texts(request) -> list[str]:
    return [m["content"] for m in request["messages"][1:]]


@real
@pytest.mark.slow(12)
async def test_turns_follow_each_other_over_seeded_sessions_and_updates(tmp_path):
    main = session("main", "canary", "yes")
    answer = "line one\n\n  indented ✓\n```\ncode\n```"
    script = in_turn(Reply("looking", calls=(("list_dir", {"path": "."}),)), Reply(answer), Reply("two"))
    with TalkingEndpoint(script) as server:
        ctx = SmallContext(tmp_path / "a", server.url, main)
        async with await NanoBot(mode="cli").open(ctx) as conversation:
            one = await conversation.send("first", 60)
            after = main.with_messages([*main.messages, Message(id="u", role="user", text="canary-update")])
            await conversation.sync([SessionChange(session="main", action="append", before=main, after=after)])
            two = await conversation.send("second", 60)
            checkpoint = await conversation.checkpoint()
        async with await NanoBot(mode="bridge").open(SmallContext(tmp_path / "b", server.url), checkpoint) as other:
            await other.send("third", 60)
        left = {path.relative_to(ctx.workspace).as_posix() for path in ctx.workspace.rglob("*") if path.is_file()}
    assert one.text == answer
    assert one.usage.input == 2000
    assert two.text == "two"
    assert texts(server.requests[0])[:3] == ["canary", "yes", "first"]
    assert "canary-update" in texts(server.requests[2])[-1]
    assert [m.text for m in checkpoint.sessions[0].messages][-1] == "two"
    assert texts(server.requests[-1])[-2:] == ["two", "third"], "another mode goes on"
    globs = NanoBot(mode="cli").capabilities().memory_files
    assert all(any(_matches(path, glob) for glob in globs) for path in left), left


def _matches(path: str, glob: str) -> bool:
    return path.startswith(glob[:-2]) if glob.endswith("/**") else path == glob


@real
@pytest.mark.slow(15)
async def test_status_0_without_an_answer_is_an_error(tmp_path):
    """With what is told and with nothing; the other classes, found in the same place, are in test_nanobot_modes.py."""
    failing = {
        "EndpointAuthError": Reply("invalid api key", status=401),
        "EmptyAnswer": Reply(""),
    }
    turns = {}
    with TalkingEndpoint(say("never")) as server:
        ctx = SmallContext(tmp_path, server.url)
        async with await NanoBot(mode="cli", retry_pause=0.05).open(ctx) as conversation:
            for kind, reply in failing.items():
                server.script = lambda request, reply=reply: reply
                turns[kind] = await conversation.send("hello", 60)
    assert {kind: turn.error.kind for kind, turn in turns.items()} == {kind: kind for kind in turns}
    assert {turn.text for turn in turns.values()} == {""}


@real
async def test_a_deadline_ends_the_command(tmp_path):
    with TalkingEndpoint(lambda request: Reply("late", stall=60)) as server:
        async with await NanoBot(mode="cli").open(SmallContext(tmp_path, server.url)) as conversation:
            turn = await conversation.send("hello", 4.0)
        server.stopping.set()
    assert turn.error.kind == "DeadlineExceeded"


@real
async def test_what_a_command_line_cannot_carry_is_refused_and_names_the_bridge(tmp_path):
    with TalkingEndpoint(say("never")) as server:
        async with await NanoBot(mode="cli").open(SmallContext(tmp_path, server.url)) as conversation:
            for prompt in ("x" * (ARGUMENT_BYTES + 1), "/new", " ", "a\0b"):
                turn = await conversation.send(prompt, 60)
                assert turn.error.kind == "AdapterError", prompt[:9]
                assert "bridge" in turn.error.remedy, prompt[:9]
    assert server.requests == []
