"""The reference harness means the same in each of its modes: past, updates, checkpoints, tools, usage, failures, the end."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.errors import AdapterError
from claw_adapter.harness import SessionChange
from claw_adapter.reference.adapter import ReferenceHarness, _Exported
from claw_adapter.testing import FolderContext, ScriptedEndpoint
from support.processes import HANG
from support.sessions import session

MODES = ("child", "acp", "in-process")
TOOLS = [{"name": "session_history", "arguments": {"session_key": "ops"}}]


@pytest.fixture(params=MODES)
def harness(request):
    if request.param == "acp":
        pytest.importorskip("acp", reason="the extra 'acp' is not installed")
    return ReferenceHarness(mode=request.param)


async def talk(endpoint, conversation, prompt, round_id="r", deadline=20.0):
    """One turn with what the endpoint saw of it."""
    await endpoint.begin_round(round_id)
    turn = await conversation.send(prompt, deadline)
    return turn, await endpoint.end_round()


def exchanges(folder: Path) -> str:
    return (folder / "transcript.jsonl").read_text("utf-8")


async def test_past_tools_events_usage_updates_and_a_checkpoint(tmp_path, harness):
    steps = (
        {"text": "I look", "tools": [*TOOLS, {"name": "read_file", "arguments": {"path": "no.txt"}}]},
        {"text": "the answer ✓"},
        {"tools": TOOLS},
        "later",
    )
    async with ScriptedEndpoint(tmp_path, *steps) as endpoint:
        ops = session("ops", "canary-ops ü", "noted")
        ctx = FolderContext(tmp_path / "a", endpoint, main=session("main", "canary-main", "yes"), histories=[ops])
        async with await harness.open(ctx) as conversation:
            turn, meter = await talk(endpoint, conversation, "what is there?")
            assert (turn.text, turn.error) == ("the answer ✓", None)
            kinds = [(event.kind, event.name, event.is_error) for event in turn.events]
            assert kinds == [
                ("tool_call", "session_history", False),
                ("tool_result", "session_history", False),
                ("tool_call", "read_file", False),
                ("tool_result", "read_file", True),
            ]
            assert "canary-ops ü" in turn.events[1].text
            assert turn.events[0].arguments == {"session_key": "ops"}
            assert turn.usage.kind == "per_turn"
            assert turn.usage.input == meter.metered.input, "what it reports is what was metered"
            assert 0 <= turn.timing.own <= turn.timing.total
            assert "canary-main" in exchanges(tmp_path)
            grown = ops.with_messages([*ops.messages, *session("x", "zebra-new").messages])
            assert "zebra" not in exchanges(tmp_path)
            await conversation.sync([SessionChange(session="ops", action="append", before=ops, after=grown)])
            checkpoint = await conversation.checkpoint()
        assert [s.id for s in checkpoint.sessions] == ["main", "ops"]
        assert [m.text for m in checkpoint.sessions[0].messages][:3] == ["canary-main", "yes", "what is there?"]
        async with await harness.open(FolderContext(tmp_path / "b", endpoint), checkpoint) as again:
            turn, _ = await talk(endpoint, again, "and now?")
            assert turn.text == "later"
            assert turn.events[1].text.count("zebra-new") == 1
            assert (await again.checkpoint()).sessions[1] == grown


FAULTS = {
    "401": "EndpointAuthError",
    "429": "EndpointQuotaError",
    "500": "EndpointTransientError",
    "garbage": "EndpointMalformedError",
}


async def test_each_failed_turn_has_its_class_leaves_nothing_and_the_next_one_works(tmp_path, harness):
    rules = [{"at": "every 1", "round": kind, "kind": kind} for kind in FAULTS]
    script = ({"match": "say nothing", "reply": {"text": ""}}, "fine")
    async with (
        ScriptedEndpoint(tmp_path, *script, faults=rules) as endpoint,
        await harness.open(FolderContext(tmp_path / "a", endpoint)) as conversation,
    ):
        for fault, kind in FAULTS.items():
            failed, _ = await talk(endpoint, conversation, "first", fault)
            assert (failed.text, failed.error.kind) == ("", kind), failed.error
        turn, _ = await talk(endpoint, conversation, "second", "good")
        assert turn.text == "fine"
        assert [m.text for m in (await conversation.checkpoint()).sessions[0].messages] == ["second", "fine"]
        nothing, _ = await talk(endpoint, conversation, "say nothing", "empty")
        assert nothing.error.kind == "EmptyAnswer"


async def hang(ctx, conversation, deadline=20.0):
    """A turn that waits in a shell command with a grandchild; the turn, under way."""
    waiting = asyncio.create_task(conversation.send("wait", deadline))
    while not (ctx.workspace / "started").exists():  # noqa: ASYNC110  # there is no event to wait for
        await asyncio.sleep(0.02)
    return waiting


SLEEP = {"tools": [{"name": "exec", "arguments": {"command": "sleep 600 & touch started; sleep 500"}}]}


async def test_cancelling_ends_the_command_under_way_and_the_conversation_goes_on(tmp_path, harness):
    async with ScriptedEndpoint(tmp_path, SLEEP, "back again") as endpoint:
        ctx = FolderContext(tmp_path / "a", endpoint, main=session("main", "canary", "yes"))
        async with await harness.open(ctx) as conversation:
            waiting = await hang(ctx, conversation)
            await conversation.cancel()
            turn = await asyncio.wait_for(waiting, HANG)
            assert turn.error is not None
            assert "cancelled" in turn.error.what
            assert turn.error.owner == "harness"
            assert (await conversation.checkpoint()).sessions[0] == ctx.main, "nothing of it is left in the session"
            assert (await conversation.send("once more", 20)).text == "back again"


async def test_cancelling_ends_a_request_to_a_model_that_says_nothing(tmp_path, harness):
    rules = [{"at": [1], "kind": "stall"}]
    async with (
        ScriptedEndpoint(tmp_path, "fine", faults=rules) as endpoint,
        await harness.open(FolderContext(tmp_path / "a", endpoint)) as conversation,
    ):
        await endpoint.begin_round("r")
        waiting = asyncio.create_task(conversation.send("hello", 20))
        await asyncio.sleep(0.5)
        await conversation.cancel()
        assert "cancelled" in (await asyncio.wait_for(waiting, HANG)).error.what
        await endpoint.end_round()


async def test_a_passed_deadline_ends_everything_that_was_started(tmp_path, harness):
    async with ScriptedEndpoint(tmp_path, SLEEP) as endpoint:
        ctx = FolderContext(tmp_path / "a", endpoint)
        async with await harness.open(ctx) as conversation:
            turn = await asyncio.wait_for(conversation.send("wait", 1.0), HANG)
            assert turn.error.kind == "DeadlineExceeded"
            await asyncio.sleep(0.2)
            assert [reaper.find(child.marker) for child in ctx.children if child.marker] == [[]] * len(ctx.children)


async def test_a_killed_child_is_a_crash_that_passes(tmp_path, harness):
    if harness.runs_inside:
        pytest.skip("it is no process of its own")
    async with ScriptedEndpoint(tmp_path, SLEEP) as endpoint:
        ctx = FolderContext(tmp_path / "a", endpoint)
        async with await harness.open(ctx) as conversation:
            waiting = await hang(ctx, conversation)
            reaper.send(reaper.find(ctx.children[0].marker), 9)
            turn = await waiting
    assert (turn.error.kind, turn.error.passing) == ("HarnessCrash", True)


def test_what_is_exported_again_is_not_read_again_and_no_id_comes_twice():
    exported, first = _Exported(), session("main", "a", "b").model_dump(mode="json")
    (before,) = exported.take([{**first, "kept": 0}]).sessions
    (same,) = exported.take([{**first, "kept": 2, "messages": []}]).sessions
    assert same is before
    new = session("x", "c").model_dump(mode="json")["messages"]
    (after,) = exported.take([{**first, "kept": 2, "messages": new}]).sessions
    assert [message.text for message in after.messages] == ["a", "b", "c"]
    assert all(one is other for one, other in zip(before.messages, after.messages, strict=False))
    with pytest.raises(ValueError, match="message id 'x-0' occurs twice"):
        exported.take([{**first, "kept": 3, "messages": new}])


def test_no_key_is_on_a_command_line_and_an_unknown_mode_is_refused():
    from claw_adapter.reference.child import child_command

    assert "key" not in json.dumps(child_command("acp")[0])
    with pytest.raises(AdapterError, match="'acp'"):
        ReferenceHarness(mode="telepathy")
