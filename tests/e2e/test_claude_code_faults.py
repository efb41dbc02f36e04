"""The real Claude Code when something fails: every failure has its class, and the conversation goes on from a checkpoint."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.errors import HarnessProtocolError, Owner
from claw_adapter.harness import Checkpoint
from claw_adapter_claude_code.adapter import ClaudeCode
from claw_adapter_claude_code.native import session_uuid
from support.processes import until

sys.path.insert(0, str(Path(__file__).parent))
from claude_code_context import Context, Reply, TalkingEndpoint, in_turn, real, said, say, session, talk

FAULTS = {
    "refusal": (Reply("no", finish="refusal"), "EndpointFilteredError"),
    "filtered": (Reply("content_filter: the prompt was refused", status=400), "EndpointFilteredError"),
    "server error": (Reply("boom", status=500), "EndpointTransientError"),
    "too long an answer": (Reply("half", finish="max_tokens"), "EndpointError"),
}
"""Others are the certification's (tests/certification/test_real_harnesses.py), in the mode that is the default."""
pytestmark = pytest.mark.timeout(120)


@real
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_known_by_claude_code_itself_and_nothing_of_it_is_left_after_reopening(tmp_path, fault):
    reply, kind = FAULTS[fault]
    with TalkingEndpoint(say("first answer")) as server:
        ctx = Context(tmp_path / "a", server.url, session("main", "canary", "yes"))
        async with await ClaudeCode(retries=1).open(ctx) as conversation:
            await conversation.send("one", 60)
            checkpoint = await conversation.checkpoint()
            start = len(server.requests)
            server.script = lambda request: reply
            turn = await conversation.send("two", 60)
            assert len(server.requests) - start <= 6, "it gives up"
            again = await conversation.send("two", 60)
        assert (turn.text, turn.error.kind) == ("", kind), turn.error
        assert again.error.kind == "HarnessCrash", "never a second prompt into a session that failed"
        assert reaper.find(ctx.children[0].marker) == []
        server.script = say("second answer")
        fresh = Context(tmp_path / "b", server.url, ctx.main, workspace=ctx.workspace)
        async with await ClaudeCode().open(fresh, checkpoint) as conversation:
            after = await conversation.send("two", 60)
    assert after.text == "second answer"
    assert [text for _, text in said(server.requests[-1])] == ["canary", "yes", "one", "first answer", "two"]


@real
async def test_running_out_of_requests_is_no_answer(tmp_path):
    with TalkingEndpoint(lambda request: Reply(calls=(("Glob", {"pattern": "*"}),))) as server:
        (turn,) = await talk(Context(tmp_path / "t", server.url), "go", max_requests=3)
    assert turn.error.kind == "EmptyAnswer"
    assert "max_requests" in turn.error.remedy
    assert [event.kind for event in turn.events] == ["tool_call", "tool_result"] * 3
    assert turn.usage.input == 3000
    assert len(server.requests) == 3


@real
async def test_a_passed_deadline_ends_a_process_per_turn_and_everything_that_was_started(tmp_path):
    shell = Reply(calls=(("Bash", {"command": "touch begun; setsid sleep 600 & sleep 500"}),))
    with TalkingEndpoint(lambda request: shell) as server:
        ctx = Context(tmp_path / "t", server.url)
        async with await ClaudeCode(mode="turn").open(ctx) as conversation:
            turn = await conversation.send("hang", 15.0)
    assert (turn.error.kind, turn.error.owner) == ("DeadlineExceeded", Owner.HARNESS)
    assert (ctx.workspace / "begun").exists()
    assert [event.name for event in turn.events] == ["Bash"]
    assert reaper.find(ctx.children[0].marker) == []


@real
async def test_killed_in_mid_turn_it_goes_on_from_the_checkpoint_as_if_nothing_had_been(tmp_path):
    """In a process per turn; the one that lives on is killed by the certification."""
    mode = "turn"
    write = ("Write", {"file_path": "half.txt", "content": "x"})
    hang = Reply(calls=(write, ("Bash", {"command": "sleep 60"})))
    main = session("main", "canary", "yes", title="T", channel="ops", participants=("a", "b"))
    look = Reply("I look", calls=(("Glob", {"pattern": "*"}), ("Glob", {"pattern": "*.md"})))
    with TalkingEndpoint(in_turn(look, Reply("first answer"))) as server:
        ctx = Context(tmp_path / "a", server.url, main)
        async with await ClaudeCode(mode=mode).open(ctx) as conversation:
            await conversation.send("one", 60)
            checkpoint = await conversation.checkpoint()
            server.script = lambda request: hang
            turn = asyncio.create_task(conversation.send("two", 60))
            await until((ctx.workspace / "half.txt").exists)
            os.kill(ctx.children[-1].pid, signal.SIGKILL)
            died = await turn
        server.script = say("second answer")
        undisturbed = []
        for name, saved in (("b", checkpoint), ("c", checkpoint.model_copy(update={"files": {}}))):
            fresh = Context(tmp_path / name, server.url, main, workspace=ctx.workspace)
            async with await ClaudeCode(mode=mode).open(fresh, saved) as conversation:
                assert (await conversation.checkpoint()).sessions == checkpoint.sessions
                again = await conversation.send("two", 60)
                later = await conversation.checkpoint()
            assert again.text == "second answer"
            assert later.sessions[0].messages[:-2] == checkpoint.sessions[0].messages
            undisturbed.append([text for _, text in said(server.requests[-1])])
    assert died.error.kind == "HarnessCrash", died.error
    assert died.error.passing
    assert undisturbed[0] == undisturbed[1]
    assert [undisturbed[0][:3], undisturbed[0][-2:]] == [["canary", "yes", "one"], ["first answer", "two"]]
    assert [m.role for m in checkpoint.sessions[0].messages[2:]] == ["user", "assistant", "tool", "tool", "assistant"]
    assert (checkpoint.sessions[0].title, checkpoint.sessions[0].channel) == ("T", "ops")
    assert reaper.find(ctx.children[-1].marker) == []


@real
async def test_a_conversation_without_a_past_can_be_reopened_too(tmp_path):
    """Claude Code resumes no session without a message."""
    empty = session("main", title="Nothing yet")
    with TalkingEndpoint(say("ok")) as server:
        async with await ClaudeCode(mode="turn").open(Context(tmp_path / "a", server.url, empty)) as conversation:
            before = await conversation.checkpoint()
            await conversation.send("one", 60)
            await conversation.send("two", 60)
            after = await conversation.checkpoint()
        assert before == Checkpoint(sessions=(empty,))
        assert [m.text for m in after.sessions[0].messages] == ["one", "ok", "two", "ok"]
        assert after.sessions[0].title == "Nothing yet"
        for name, checkpoint, texts in (("b", before, ["3"]), ("c", after, ["one", "ok", "two", "ok", "3"])):
            async with await ClaudeCode().open(Context(tmp_path / name, server.url), checkpoint) as conversation:
                await conversation.send("3", 60)
            assert [text for _, text in said(server.requests[-1])] == texts


@real
async def test_a_checkpoint_whose_session_was_changed_wins_over_its_files(tmp_path):
    with TalkingEndpoint(say("ok")) as server:
        ctx = Context(tmp_path / "a", server.url, session("main", "q", "a"))
        async with await ClaudeCode(mode="turn").open(ctx) as conversation:
            await conversation.send("one", 60)
            saved = await conversation.checkpoint()
        changed = Checkpoint(sessions=(session("main", "changed", "past"),), files=saved.files)
        async with await ClaudeCode(mode="turn").open(Context(tmp_path / "b", server.url), changed) as conversation:
            assert (await conversation.checkpoint()).sessions == changed.sessions


@real
async def test_links_that_an_agent_left_are_not_followed_out_of_its_confinement(tmp_path):
    outside = tmp_path / "secret.jsonl"
    outside.write_text('{"type": "user", "uuid": "x", "message": {"role": "user", "content": "secret"}}\n')
    with TalkingEndpoint(say("ok")) as server:
        ctx = Context(tmp_path / "t", server.url, session("main", "q", "a"))
        async with await ClaudeCode(mode="turn").open(ctx) as conversation:
            await conversation.send("one", 60)
            (ctx.state_dir / "memory" / "stolen.md").symlink_to(outside)
            assert not [name for name in (await conversation.checkpoint()).files if name.startswith("memory")]
            file = next(ctx.state_dir.glob(f"claude/projects/*/{session_uuid('main')}.jsonl"))
            file.unlink()
            file.symlink_to(outside)
            with pytest.raises(HarnessProtocolError, match="holds a link"):
                await conversation.checkpoint()
