"""The ACP driver against a scripted agent: whatever it does, a turn ends in time, with its reply or the right error."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import sys
import time
from pathlib import Path

import pytest

from claw_adapter.drivers import PIPE, Command, environment, reaper, start
from claw_adapter.drivers.acp import REMEDY, AcpChild
from claw_adapter.drivers.acp_pipe import MESSAGE_BYTES, NOISE_LINES
from claw_adapter.drivers.acp_turn import EVENTS
from claw_adapter.errors import AdapterError, HarnessStartError
from support.packages import needs_acp

AGENT = Path(__file__).with_name("acp_agent.py")
pytestmark = needs_acp


async def process(*words: str):
    argv = (sys.executable, "-I", str(AGENT), *words)
    marker = f"test-{secrets.token_hex(4)}"
    return await start(Command(argv, env=environment(), stdin=PIPE, lines=True, marker=marker))


@contextlib.asynccontextmanager
async def agent(**options):
    """A connected agent with a session, and its process; nothing of it is left afterwards."""
    child_process = await process()
    child = await AcpChild.connect(child_process, **options)
    try:
        yield child, await child.new_session(Path("/")), child_process
    finally:
        await child.close(0)
    assert reaper.find(child_process.marker) == []


async def turn(text: str, deadline: float = 20, **options):
    async with agent(**options) as (child, session, _):
        return await child.prompt(session, text, deadline)


async def test_tool_calls_come_in_order_and_the_text_is_that_of_the_final_reply_only():
    said = await turn("tools")
    assert (said.text, said.stop, said.error) == ("the answer ✓", "end_turn", None)
    kinds = [(event.kind, event.name, event.id) for event in said.events]
    assert kinds[:5] == [
        ("text", "", ""),
        ("tool_call", "read", "1"),
        ("tool_result", "read", "1"),
        ("tool_call", "exec", "2"),
        ("tool_result", "exec", "2"),
    ]
    assert said.events[0].text == "first I look"
    assert said.events[1].arguments == {"path": "a.txt"}
    assert said.events[3].arguments == {"raw": ["ls"]}, "input of another shape is kept too"
    assert [(e.text, e.is_error) for e in said.events if e.kind == "tool_result"] == [("alpha", False), ("boom", True)]
    assert kinds[5:] == [("note", "unknown update", "")], "thoughts are no text, and what we do not know is said"
    assert [event.at for event in said.events] == sorted(event.at for event in said.events)
    assert (said.usage.kind, said.usage.input) == ("last_request", 777), "an occupancy is no sum"


async def test_a_new_message_id_begins_a_new_reply():
    said = await turn("messages")
    assert said.text == "but this"
    assert [event.text for event in said.events] == ["not this"]


async def test_usage_that_means_nothing_is_not_taken():
    for text in ("usage", "tools"):
        assert (await turn(text, meaning="none")).usage is None


@pytest.mark.parametrize("meaning", ["per_turn", "cumulative", "last_request"])
async def test_usage_of_an_answer_carries_the_meaning_it_was_told(meaning):
    said = await turn("usage", meaning=meaning)
    assert said.usage.model_dump() == {"kind": meaning, "input": 5, "output": 2, "cached": 1}
    assert said.meta == {"k": "v"}


async def test_exact_texts_and_prompts_of_a_megabyte_go_both_ways():
    odd = "\x1b[31mred\x1b[0m\n\t ﷽ 👩‍👩‍👧 " + "0123456789abcdef" * 65_536
    assert (await turn(f"echo {odd}")).text == odd


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("empty", "EmptyAnswer", "without an answer"),
        ("stop cancelled", "HarnessError", "cancelled"),
        ("stop refusal", "EndpointFilteredError", "so far"),
        ("stop max_turn_requests", "EmptyAnswer", "after the last request allowed"),
        ("error", "AcpRefusal", "no credit"),
        ("wrong", "HarnessProtocolError", "against the protocol"),
        ("nothing", "HarnessProtocolError", "neither result nor error"),
        ("die", "HarnessCrash", "last words"),
        (f"noise {NOISE_LINES + 5}", "HarnessProtocolError", "not messages"),
        (f"huge {MESSAGE_BYTES + (2 << 20)}", "LineTooLong", "67108864"),
    ],
)
async def test_each_way_a_turn_can_fail_has_its_class(text, kind, words):
    said = await turn(text)
    assert type(said.error).__name__ == kind, said.error
    assert words in str(said.error)


async def test_a_reply_that_reached_the_length_limit_is_a_reply():
    assert (await turn("stop max_tokens")).error is None


async def test_after_an_error_of_its_own_the_agent_goes_on():
    async with agent() as (child, session, _):
        for text in ("error", "empty", "stop refusal"):
            assert (await child.prompt(session, text, 20)).error is not None
        assert (await child.prompt(session, "echo well", 20)).text == "well"


async def test_a_few_lines_that_are_no_messages_are_put_aside_and_logged_once(caplog):
    with caplog.at_level(logging.WARNING):
        said = await turn("noise 3")
    assert said.text == "after it"
    assert [record.name for record in caplog.records] == ["claw_adapter.drivers.acp_pipe"] * 4


async def test_a_message_just_below_the_limit_is_read():
    assert (await turn(f"huge {MESSAGE_BYTES - (2 << 20)}", 60)).text == "after it"


async def test_a_flood_of_steps_is_bounded_and_says_how_many_are_missing():
    said = await turn(f"flood {EVENTS}", 60)
    assert len(said.events) <= EVENTS + 1
    assert said.events[-1].kind == "note"
    assert "more steps not kept" in said.events[-1].text
    assert said.text == "dry"


async def test_a_passed_deadline_keeps_what_was_seen_and_nothing_of_the_agent_is_left():
    async with agent() as (child, session, _):
        began = time.monotonic()
        said = await child.prompt(session, "hang", 0.5)
        assert time.monotonic() - began < 60
        assert type(said.error).__name__ == "DeadlineExceeded"
        again = await child.prompt(session, "echo no", 5)
        assert again.error is said.error, "it is unusable from then on"


async def test_cancelling_ends_the_turn_and_the_session_goes_on():
    async with agent() as (child, session, _):
        waiting = asyncio.create_task(child.prompt(session, "cancel", 20))
        await asyncio.sleep(0.2)
        await child.cancel(session)
        said = await waiting
        assert said.stop == "cancelled"
        assert "cancelled" in str(said.error)
        assert (await child.prompt(session, "echo still", 20)).text == "still"


async def test_two_turns_at_once_in_one_session_are_refused():
    async with agent() as (child, session, _):
        waiting = asyncio.create_task(child.prompt(session, "cancel", 20))
        await asyncio.sleep(0.1)
        with pytest.raises(AdapterError, match="under way"):
            await child.prompt(session, "echo", 1)
        await child.cancel(session)
        await waiting


@pytest.mark.parametrize(
    ("policy", "outcomes", "notes"),
    [
        ("allow", ["id-allow_once", None], ["allow_once", "cancelled"]),
        ("deny", ["id-reject_once", "id-x"], ["reject_once", "reject_always"]),
    ],
)
async def test_permission_is_answered_by_the_policy_with_the_narrowest_option(policy, outcomes, notes):
    said = await turn("permission", permission=policy)
    assert [outcome.get("optionId") for outcome in json.loads(said.text)] == outcomes
    assert [event.text for event in said.events] == [f"{note}: rm -rf everything" for note in notes]


async def test_an_agent_gets_nothing_of_us_but_answers_about_permission(caplog):
    said = await turn("unasked")
    assert said.text == "-32601"
    assert caplog.records == []


async def test_what_is_replayed_when_a_session_is_loaded_belongs_to_no_turn():
    async with agent() as (child, session, _):
        assert child.agent.loads
        assert (child.agent.name, child.agent.version) == ("scripted", "9")
        await child.load_session(session, Path("/"))
        assert (await child.prompt(session, "echo only this", 20)).text == "only this"


@pytest.mark.parametrize(
    ("word", "deadline", "match"),
    [("gone", 20, "no licence"), ("silent", 0.5, "no answer within"), ("other", 20, "version 7")],
)
async def test_what_is_no_agent_is_said_at_the_start_and_ended(word, deadline, match):
    started = await process(word)
    with pytest.raises(HarnessStartError, match=match):
        await AcpChild.connect(started, deadline=deadline)
    assert reaper.find(started.marker) == []


async def test_a_killed_agent_is_noticed_at_once():
    async with agent() as (child, session, running):
        waiting = asyncio.create_task(child.prompt(session, "hang", 60))
        await asyncio.sleep(0.2)
        began = time.monotonic()
        reaper.send(reaper.find(running.marker), 9)
        said = await waiting
        assert type(said.error).__name__ == "HarnessCrash"
        assert time.monotonic() - began < 55


async def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("claw_adapter.drivers.acp.PACKAGE", "no_such_package_at_all")
    started = await process()
    with pytest.raises(AdapterError) as caught:
        await AcpChild.connect(started)
    assert caught.value.remedy == REMEDY
    assert reaper.find(started.marker) == []
