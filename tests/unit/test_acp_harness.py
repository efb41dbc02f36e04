"""Any ACP agent as a harness: what it is told of the past, what a checkpoint keeps, and what its options refuse."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter import plugins
from claw_adapter.drivers import acp_turn
from claw_adapter.drivers.acp_turn import TurnRecord
from claw_adapter.errors import AdapterError, HarnessNotFound, HarnessProtocolError, HarnessStartError
from claw_adapter.harness import Message, SessionChange
from claw_adapter.reference.acp_harness import AcpHarness
from claw_adapter.testing import FolderContext
from support.packages import needs_acp
from support.sessions import session

AGENT = Path(__file__).parents[1] / "faults" / "acp_agent.py"
COMMAND = [sys.executable, "-I", str(AGENT)]
pytestmark = needs_acp


async def test_the_past_is_told_once_with_the_first_prompt_and_news_with_the_next(tmp_path):
    main = session("main", "canary-main", "yes")
    ctx = FolderContext(tmp_path / "a", main=main)
    async with await AcpHarness(COMMAND).open(ctx) as conversation:
        first = await conversation.send("what now?", 20)
        assert first.text.count("canary-main") == 1, "the agent says what it was told"
        assert first.text.endswith("what now?")
        second = await conversation.send("and then?", 20)
        assert second.text == "and then?"
        grown = main.with_messages([*main.messages, Message(id="u", role="user", text="zebra")])
        await conversation.sync([SessionChange(session="main", action="append", before=main, after=grown)])
        third = await conversation.send("third", 20)
        assert "zebra" in third.text
        assert "canary-main" not in third.text
        assert (await conversation.send("tools", 20)).text == "the answer ✓"
        checkpoint = await conversation.checkpoint()
    kept = [(m.role, m.text) for m in checkpoint.sessions[0].messages]
    assert kept[:4] == [("user", "canary-main"), ("assistant", "yes"), ("user", "what now?"), ("assistant", first.text)]
    assert kept[-6:] == [
        ("user", "tools"),
        ("assistant", "first I look"),
        ("tool", "alpha"),
        ("assistant", ""),
        ("tool", "boom"),
        ("assistant", "the answer ✓"),
    ]
    async with await AcpHarness(COMMAND).open(FolderContext(tmp_path / "b", main=main), checkpoint) as again:
        told = (await again.send("go on", 20)).text
    assert all(word in told for word in ("canary-main", "what now?", "zebra", "alpha"))


def test_a_result_of_another_shape_is_kept_with_its_characters_as_they_are():
    from acp.schema import ToolCallProgress

    turn, result = TurnRecord(), {"Städte": ["Zürich", "東京"]}
    ended = {"tool_call_id": "1", "title": "look", "status": "completed", "raw_output": result}
    turn.call(ToolCallProgress(session_update="tool_call_update", **ended))
    assert [event.text for event in turn.events() if event.kind == "tool_result"] == ['{"Städte": ["Zürich", "東京"]}']


STOPPED = "Claude stopped this tool call before it ran."


@pytest.mark.parametrize(
    "ends",
    [{"status": "failed"}, {"status": "failed", "raw_output": STOPPED}, {}],
    ids=["it failed", "it failed, in words", "nothing more"],
)
@pytest.mark.parametrize("others", [0, 1], ids=["the only call", "another behind it"])
def test_an_answer_stays_one_and_a_call_that_was_given_up_is_none_whatever_is_told_of_it_behind_the_answer(
    others, ends
):
    from acp.schema import AgentMessageChunk, TextContentBlock, ToolCallProgress, ToolCallStart

    def said(text):
        turn.say(
            AgentMessageChunk(session_update="agent_message_chunk", content=TextContentBlock(type="text", text=text))
        )

    turn = TurnRecord()
    for number in range(1 + others):
        turn.call(ToolCallStart(session_update="tool_call", tool_call_id=str(number), title="look"))
    for number in range(1, 1 + others):
        ended = {"tool_call_id": str(number), "status": "completed"}
        turn.call(ToolCallProgress(session_update="tool_call_update", **ended))
    said("the ")
    turn.note("unknown update", "mode")
    if ends:
        turn.call(ToolCallProgress(session_update="tool_call_update", tool_call_id="0", **ends))
    said("answer")
    assert turn.reply == "the answer"
    assert [event.kind for event in turn.events()] == ["tool_call", "tool_result"] * others + ["note"]
    assert [event.id for event in turn.events() if event.id] == ["1"] * 2 * others


def test_a_call_without_arguments_that_fails_before_anything_else_is_said_is_one():
    from acp.schema import ToolCallProgress, ToolCallStart

    turn = TurnRecord()
    turn.call(ToolCallStart(session_update="tool_call", tool_call_id="0", title="sessions"))
    ended = {"tool_call_id": "0", "status": "failed", "raw_output": "there is no store"}
    turn.call(ToolCallProgress(session_update="tool_call_update", **ended))
    assert [(event.kind, event.text) for event in turn.events()] == [
        ("tool_call", ""),
        ("tool_result", "there is no store"),
    ]


def test_calls_count_to_what_a_turn_may_say_with_what_is_kept_of_them(monkeypatch):
    from acp.schema import ToolCallStart

    monkeypatch.setattr(acp_turn, "TURN_CHARACTERS", 10_000)

    def call(number):
        given = {"title": "write", "raw_input": {"text": "x" * 3000}}
        return ToolCallStart(session_update="tool_call", tool_call_id=str(number), **given)

    turn = TurnRecord()
    for number in (1, 2, 3, 3, 3, 3):  # told again, it is kept once
        turn.call(call(number))
    with pytest.raises(HarnessProtocolError, match="more than 10000 characters"):
        turn.call(call(4))


async def test_what_cannot_be_told_as_news_begins_another_session(tmp_path):
    main = session("main", "zero", "one", "two")
    async with await AcpHarness(COMMAND).open(FolderContext(tmp_path / "a", main=main)) as conversation:
        for text in ("hello", "tools"):  # the first one has the past in front of it
            assert (await conversation.send(text, 20)).error is None
        assert conversation.versions == {"scripted": "9"}
        (now, *_) = (await conversation.checkpoint()).sessions
        shorter = now.with_messages([message for message in now.messages if message.text not in ("one", "alpha")])
        await conversation.sync([SessionChange(session="main", action="delete", before=now, after=shorter)])
        told = (await conversation.send("go on", 20)).text
        assert all(word in told for word in ("zero", "two", "boom", "the answer ✓"))
        assert "alpha" not in told
        assert (await conversation.send("tools", 20)).error is None
        ids = [message.id for message in (await conversation.checkpoint()).sessions[0].messages]
        assert len(set(ids)) == len(ids)


async def test_a_failed_turn_is_not_remembered_and_a_broken_agent_is_ended(tmp_path):
    ctx = FolderContext(tmp_path / "a")
    async with await AcpHarness(COMMAND).open(ctx) as conversation:
        assert (await conversation.send("empty", 20)).error.kind == "EmptyAnswer"
        assert (await conversation.checkpoint()).sessions[0].messages == ()
        assert (await conversation.send("hang", 0.5)).error.kind == "DeadlineExceeded"
        assert ctx.children[0].exit is not None
        assert (await conversation.send("echo", 5)).error is not None


async def test_places_are_filled_in_and_the_key_reaches_the_environment_only(tmp_path):
    made = AcpHarness(
        [*COMMAND, "{workspace}"],
        env={"A_KEY": "{key}", "A_URL": "{openai}", "B_URL": "{anthropic}", "MODEL": "{model}"},
    )
    ctx = FolderContext(tmp_path / "a", key="sk-canary")
    with pytest.raises(HarnessStartError):
        await made.open(ctx)  # an argument that the scripted agent takes for a way not to begin
    assert str(ctx.workspace) in ctx.children[0].argv
    assert "sk-canary" not in str(ctx.children[0].argv)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"command": "agent --acp"}, "list of words"),
        ({"command": ["agent", "--key={key}"]}, "without a key"),
        ({"permission": "perhaps"}, "allow, deny"),
        ({"usage": "some"}, "none, per_turn, cumulative, last_request"),
    ],
)
def test_options_that_cannot_be_are_refused(options, match):
    with pytest.raises(AdapterError, match=match):
        AcpHarness(**options)


async def test_what_is_missing_is_said_with_the_way_out(tmp_path, monkeypatch):
    for made, reason in ((AcpHarness(), "no command"), (AcpHarness(["no-such-program"]), "no program")):
        assert reason in made.probe().reason
        with pytest.raises(HarnessNotFound) as caught:
            await made.open(FolderContext(tmp_path / reason.replace(" ", "-")))
        assert caught.value.remedy
    monkeypatch.setattr("claw_adapter.drivers.acp.PACKAGE", "no_such_package_at_all")
    assert "claw-adapter[acp]" in AcpHarness(COMMAND).probe().remedy


def test_it_is_found_as_a_plugin():
    assert isinstance(plugins.create("harness", "acp", {"command": COMMAND}), AcpHarness)
