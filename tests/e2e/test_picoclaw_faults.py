"""PicoClaw when something fails, real and stand-in: every failure has its class, and a checkpoint leads on."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import sys
import time
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.errors import HarnessProtocolError, Owner
from claw_adapter.harness import Checkpoint, Message, SessionChange
from claw_adapter_picoclaw.adapter import PicoClaw
from claw_adapter_picoclaw.store import PicoClawSessions, names

sys.path.insert(0, str(Path(__file__).parent))
from picoclaw_context import (
    Reply,
    SmallContext,
    TalkingEndpoint,
    both,
    choose,
    command,
    in_turn,
    processes,
    real,
    say,
    session,
    standin,
    talk,
    texts,
    until,
)

from support.ports import closed_port

pytestmark = pytest.mark.timeout(120)

FAULTS = {
    "unauthorised": (Reply("invalid api key", status=401), "EndpointAuthError", 1),
    "forbidden": (Reply("no access", status=403), "EndpointAuthError", 1),
    "quota": (Reply("You exceeded your current quota", status=429), "EndpointQuotaError", 2),
    "server error": (Reply("boom", status=500), "EndpointTransientError", 2),
    "overloaded": (Reply("try later", status=503), "EndpointTransientError", 2),
    "bad request": (Reply("no such thing", status=400), "EndpointError", 1),
    "filtered request": (Reply("content_filter triggered", status=400), "EndpointFilteredError", 1),
    "bad json": (Reply(raw=b'{"choices": [{"delta"'), "EndpointMalformedError", 2),
    "no choices": (Reply(empty=True), "EmptyAnswer", 1),
    "empty": (Reply(""), "EmptyAnswer", 1),
    "filtered": (Reply("", finish="content_filter"), "EndpointFilteredError", 1),
}
HOOK_KILLER = """for d in /proc/[0-9]*; do
  if tr '\\0' ' ' <$d/cmdline | grep -q claw_adapter_picoclaw/hook.py &&
    tr '\\0' '\\n' <$d/environ | grep -qx "CLAW_TURN_FILE=$CLAW_TURN_FILE"; then kill -9 ${d#/proc/}; fi
done 2>/dev/null
"""


@pytest.fixture
def picoclaw(request, tmp_path, monkeypatch) -> str:
    choose(request.param, tmp_path / "program", monkeypatch)
    return request.param


@pytest.fixture
def faulty(tmp_path, monkeypatch):
    """Have the adapter use a stand-in with a fault."""
    return lambda fault: monkeypatch.setenv("CLAW_PICOCLAW", str(standin(tmp_path / fault, fault)))


@both
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_the_endpoint_is_classified_and_the_next_turn_works_after_reopening(tmp_path, picoclaw, fault):
    reply, kind, requests = FAULTS[fault]
    with TalkingEndpoint(say("first answer")) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "canary", "yes"))
        async with await PicoClaw(retries=1).open(ctx) as conversation:
            await conversation.send("one", 60)
            checkpoint = await conversation.checkpoint()
            server.script = lambda request: reply
            turn = await conversation.send("two", 60)
            again = await conversation.send("two", 60)
        assert len(server.requests) == 1 + requests
        assert turn.text == ""
        assert turn.error.kind == kind
        assert again.error.kind == "HarnessCrash", "never a second prompt into a session that failed"
        server.script = say("second answer")
        fresh = SmallContext(tmp_path / "b", server.url, ctx.main, workspace=ctx.workspace)
        async with await PicoClaw().open(fresh, checkpoint) as conversation:
            after = await conversation.send("two", 60)
    assert after.text == "second answer"
    assert texts(server.requests[-1]) == ["canary", "yes", "one", "first answer", "two"], "no two user lines in a row"


@both
async def test_an_endpoint_that_is_down_is_a_transient_error_of_the_endpoint(tmp_path, picoclaw):
    with closed_port() as url:
        (turn,) = await talk(SmallContext(tmp_path / "t", url), "hello", retries=1)
    assert turn.error.kind == "EndpointTransientError"
    assert turn.error.owner is Owner.ENDPOINT
    assert turn.error.passing
    assert [event.name for event in turn.events] == ["agent.llm.retry"]


@both
async def test_running_out_of_requests_is_no_answer(tmp_path, picoclaw):
    with TalkingEndpoint(lambda request: Reply(calls=(("list_dir", {"path": "."}),))) as server:
        (turn,) = await talk(SmallContext(tmp_path / "t", server.url), "go", max_iterations=2)
    assert turn.error.kind == "EmptyAnswer"
    assert "max_iterations" in turn.error.remedy
    assert [event.kind for event in turn.events] == ["tool_call", "tool_result"] * 2
    assert turn.usage.input == 2000


@both
async def test_broken_tool_arguments_do_not_end_the_turn(tmp_path, picoclaw):
    with TalkingEndpoint(in_turn(Reply(calls=(("read_file", '{"path": "no'),)), Reply("went on"))) as server:
        (turn,) = await talk(SmallContext(tmp_path / "t", server.url), "go")
    assert turn.text == "went on"
    assert any(event.is_error for event in turn.events)


@both
async def test_token_counts_are_not_reported_when_the_hook_has_not_seen_the_whole_turn(tmp_path, picoclaw):
    with TalkingEndpoint(in_turn(Reply(calls=(command("sh killer.sh"),)), Reply("went on"))) as server:
        ctx = SmallContext(tmp_path / "t", server.url)
        (ctx.workspace / "killer.sh").write_text(HOOK_KILLER)
        (turn,) = await talk(ctx, "go")
    assert turn.text == "went on"
    assert turn.usage is None
    assert turn.events[-1].name == "hook-lost"


@both
async def test_a_passed_deadline_ends_the_turn_and_everything_that_was_started(tmp_path, picoclaw):
    name = f"61{secrets.randbelow(10**9):09d}"
    script = in_turn(Reply(calls=(command(f"setsid sleep {name} & sleep {name}"),)), Reply("late"))
    with TalkingEndpoint(script) as server:
        ctx = SmallContext(tmp_path / "t", server.url)
        async with await PicoClaw().open(ctx) as conversation:
            started = time.monotonic()
            turn = await conversation.send("hang", 10.0)
            seconds = time.monotonic() - started
    assert turn.error.kind == "DeadlineExceeded"
    assert turn.error.owner is Owner.HARNESS
    assert 10.0 <= seconds < 60
    assert [event.name for event in turn.events] == ["exec"]
    assert processes(name) == []
    assert processes(str(ctx.state_dir)) == []


@both
async def test_an_endpoint_that_stalls_does_not_outlast_the_deadline(tmp_path, picoclaw):
    with TalkingEndpoint(lambda request: Reply("late", stall=60)) as server:
        async with await PicoClaw().open(SmallContext(tmp_path / "t", server.url)) as conversation:
            started = time.monotonic()
            turn = await conversation.send("hang", 2.0)
            assert time.monotonic() - started < 60
        server.stopping.set()
    assert turn.error.kind == "DeadlineExceeded"


@both
async def test_killed_in_mid_turn_it_goes_on_from_the_checkpoint_as_if_nothing_had_been(tmp_path, picoclaw):
    hang = Reply(calls=(("write_file", {"path": "half.txt", "content": "x"}), command("sleep 60")))
    prompt = f"two is here, in {tmp_path}"  # the same test may run beside this one
    with TalkingEndpoint(say("first answer")) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "canary", "yes"))
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("one", 60)
            checkpoint = await conversation.checkpoint()
            server.script = lambda request: hang
            turn = asyncio.create_task(conversation.send(prompt, 60))
            await until((ctx.workspace / "half.txt").exists)
            for number in processes(prompt):
                os.kill(number, signal.SIGKILL)
            died = await turn
        server.script = say("second answer")
        fresh = SmallContext(tmp_path / "b", server.url, ctx.main, workspace=ctx.workspace)
        async with await PicoClaw().open(fresh, checkpoint) as conversation:
            again = await conversation.send("two", 60)
    assert died.error.kind == "HarnessCrash"
    assert died.error.passing
    assert again.text == "second answer"
    assert texts(server.requests[-1]) == ["canary", "yes", "one", "first answer", "two"]


@both
async def test_a_checkpoint_restores_the_session_in_a_fresh_workspace_with_its_tool_calls(tmp_path, picoclaw):
    script = in_turn(Reply(calls=(("list_dir", {"path": "."}),)), Reply("one"), Reply("two"))
    with TalkingEndpoint(script) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "q", "a", title="T", channel="ops"))
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("list", 60)
            checkpoint = await conversation.checkpoint()
            await conversation.send("next", 60)
        assert [m.role for m in checkpoint.sessions[0].messages] == [
            "user",
            "assistant",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert (checkpoint.sessions[0].title, checkpoint.sessions[0].channel) == ("T", "ops")
        for name, saved in (("b", checkpoint), ("c", checkpoint.model_copy(update={"files": {}}))):
            server.script = say("two")
            fresh = SmallContext(tmp_path / name, server.url, ctx.main)
            async with await PicoClaw().open(fresh, saved) as conversation:
                await conversation.send("next", 60)
                later = await conversation.checkpoint()
            assert texts(server.requests[-1]) == texts(server.requests[2])
            assert later.sessions[0].messages[:6] == checkpoint.sessions[0].messages


@both
async def test_a_change_made_after_reopening_is_seen_like_any_other(tmp_path, picoclaw):
    main = session("main", "q", "a")
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "a", server.url, main)
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("one", 60)
            checkpoint = await conversation.checkpoint()
        grown = main.with_messages(
            [main.messages[0], Message(id="n", role="assistant", text="new"), *main.messages[1:]]
        )
        async with await PicoClaw().open(SmallContext(tmp_path / "b", server.url, main), checkpoint) as conversation:
            await conversation.sync([SessionChange(session="main", action="insert", before=main, after=grown)])
            await conversation.send("two", 60)
    assert texts(server.requests[-1]) == ["q", "new", "a", "one", "ok", "two"]


@real
async def test_history_that_it_drops_by_itself_is_noted_and_the_checkpoint_says_what_is_left(tmp_path, picoclaw):
    """It drops half of the session when the provider says the context is too long."""
    words = [f"word {number}" for number in range(12)]
    with TalkingEndpoint(in_turn(Reply("context_length_exceeded", status=400), Reply("short"))) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", *words))
        async with await PicoClaw().open(ctx) as conversation:
            turn = await conversation.send("go", 60)
            checkpoint = await conversation.checkpoint()
        server.script = say("later")
        async with await PicoClaw().open(
            SmallContext(tmp_path / "b", server.url, ctx.main), checkpoint
        ) as conversation:
            await conversation.send("next", 60)
    assert turn.text == "short"
    assert [event.name for event in turn.events if event.kind == "note"] == [
        "agent.llm.retry",
        "agent.context.compress",
    ]
    left = [message.text for message in checkpoint.sessions[0].messages]
    assert "word 0" not in left
    assert left[-2:] == ["go", "short"]
    assert texts(server.requests[-1]) == [*left, "next"]
    assert "Emergency compression" in server.texts(-1), "its own note of that travels with the checkpoint"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("crash", "HarnessCrash"),
        ("silent", "HarnessProtocolError"),
        ("no-mark", "HarnessProtocolError"),
        ("hang", "DeadlineExceeded"),
    ],
)
async def test_a_program_that_misbehaves_is_a_failure_of_the_harness(tmp_path, faulty, fault, kind):
    faulty(fault)
    with TalkingEndpoint(in_turn(Reply(calls=(("list_dir", {"path": "."}),)), Reply("ok"))) as server:
        async with await PicoClaw().open(SmallContext(tmp_path / "t", server.url)) as conversation:
            turn = await conversation.send("go", 3.0 if fault == "hang" else 60)
    assert turn.error.kind == kind
    assert turn.error.owner is Owner.HARNESS
    assert turn.text == ""


async def test_a_session_that_is_damaged_is_not_checkpointed(tmp_path, faulty):
    faulty("bad-session")
    with TalkingEndpoint(say("ok")) as server:
        async with await PicoClaw().open(SmallContext(tmp_path / "t", server.url)) as conversation:
            await conversation.send("go", 60)
            with pytest.raises(HarnessProtocolError, match="not a session of PicoClaw"):
                await conversation.checkpoint()


async def test_what_the_program_leaves_running_is_ended_with_the_turn(tmp_path, faulty):
    faulty("leave-child")
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "t", server.url)
        (turn,) = await talk(ctx, "go")
    assert turn.text == "ok"
    assert not [pid for pid in processes("sleep\x00600") if reaper.entry(pid) and _in(ctx, pid)]


def _in(ctx: SmallContext, pid: int) -> bool:
    try:
        return str(ctx.workspace) == str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return False


async def test_a_program_that_is_not_picoclaw_is_not_ready(tmp_path, faulty):
    faulty("no-version")
    probe = PicoClaw().probe()
    assert not probe.ready
    assert "does not answer as PicoClaw" in probe.reason


async def test_what_an_earlier_attempt_left_in_the_workspace_is_replaced_and_other_files_stay(tmp_path, faulty):
    faulty("")
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "t", server.url, session("main", "canary", "yes"))
        old = ctx.workspace / "sessions"
        old.mkdir()
        (old / names("main")[0]).write_text('{"role": "user", "content": "half a turn"}\n')
        (old / names("main")[1]).write_text('{"key": "agent:main:main", "skip": 1, "summary": "of half a turn"}')
        (old / "minutes.md").write_text("the scenario's own")
        await talk(ctx, "one")
    assert texts(server.requests[0]) == ["canary", "yes", "one"]
    assert (old / "minutes.md").read_text() == "the scenario's own"


async def test_links_that_an_agent_left_are_not_followed_out_of_its_confinement(tmp_path, faulty):
    faulty("")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.jsonl").write_text('{"role": "user", "content": "secret"}\n')
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "t", server.url)
        (ctx.workspace / "sessions").symlink_to(outside)
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("one", 60)
            file = ctx.workspace / "sessions" / names("main")[0]
            file.unlink()
            file.symlink_to(outside / "secret.jsonl")
            with pytest.raises(HarnessProtocolError, match="holds a link"):
                await conversation.checkpoint()
    assert [path.name for path in outside.iterdir()] == ["secret.jsonl"]


async def test_a_checkpoint_whose_session_was_changed_wins_over_its_files(tmp_path, faulty):
    faulty("")
    with TalkingEndpoint(say("ok")) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "q", "a"))
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("one", 60)
            saved = await conversation.checkpoint()
        changed = session("main", "changed", "past")
        fresh = SmallContext(tmp_path / "b", server.url, ctx.main)
        async with await PicoClaw().open(fresh, Checkpoint(sessions=(changed,), files=saved.files)) as conversation:
            assert (await conversation.checkpoint()).sessions == (changed,)
    assert PicoClawSessions().read(fresh.workspace / "sessions") == [changed]
