"""PicoClaw cancelled in mid turn, real and stand-in: all that the turn started ends, and nothing of it is remembered."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import sys
import time
from pathlib import Path

import pytest

from claw_adapter_picoclaw.adapter import PicoClaw
from claw_adapter_picoclaw.store import names

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
    say,
    session,
    standin,
    texts,
    until,
)

pytestmark = pytest.mark.timeout(120)
PAST = ["canary", "yes", "first", "one"]


@pytest.fixture
def picoclaw(request, tmp_path, monkeypatch) -> str:
    choose(request.param, tmp_path / "program", monkeypatch)
    return request.param


async def begun(conversation, ctx: SmallContext, server: TalkingEndpoint, work: str) -> asyncio.Task:
    """A turn under way whose tool does `work`."""
    server.script = in_turn(Reply(calls=(command(f"touch begun; {work}"),)), Reply("late"))
    turn = asyncio.create_task(conversation.send("second", 60))
    await until((ctx.workspace / "begun").exists)
    return turn


@both
async def test_a_cancelled_turn_ends_at_once_with_all_that_it_started(tmp_path, picoclaw):
    name = f"62{secrets.randbelow(10**9):09d}"
    with TalkingEndpoint(say("one")) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "canary", "yes"))
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("first", 60)
            turn = await begun(conversation, ctx, server, f"setsid sleep {name} & sleep {name}")
            assert processes(name)
            started = time.monotonic()
            await conversation.cancel()
            assert processes(name) == processes(str(ctx.state_dir)) == []
            cancelled = await turn
            assert time.monotonic() - started < 60
    assert (cancelled.error.kind, cancelled.text) == ("HarnessError", "")
    assert "cancelled" in cancelled.error.what
    assert [(event.kind, event.name) for event in cancelled.events] == [("tool_call", "exec")]
    assert cancelled.usage.output == 10, "the request that was answered"
    assert 0 <= cancelled.timing.own < cancelled.timing.total


@both
async def test_after_a_cancelled_turn_the_session_is_as_before_it_here_and_from_a_checkpoint(tmp_path, picoclaw):
    with TalkingEndpoint(say("one")) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "canary", "yes"))
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("first", 60)
            before = await conversation.checkpoint()
            turn = await begun(conversation, ctx, server, "sleep 60")
            await conversation.cancel()
            await turn
            after = await conversation.checkpoint()
            server.script = say("three")
            assert (await conversation.send("third", 60)).text == "three"
        assert after == before
        assert texts(server.requests[-1]) == [*PAST, "third"]
        assert (ctx.workspace / "begun").exists(), "what its tools did to files stays, as with any other turn"
        async with await PicoClaw().open(SmallContext(tmp_path / "b", server.url, ctx.main), after) as conversation:
            await conversation.send("second", 60)
    assert texts(server.requests[-1]) == [*PAST, "second"]


@both
@pytest.mark.parametrize("delay", [0, 0.01, 0.1, 0.4])
async def test_a_prompt_that_is_cancelled_early_never_comes_back(tmp_path, picoclaw, delay):
    def script(request):
        return Reply("late", stall=60) if "haunting" in texts(request)[-1] else Reply("here")

    with TalkingEndpoint(script) as server:
        async with await PicoClaw().open(SmallContext(tmp_path / "a", server.url)) as conversation:
            for number in range(3):
                turn = asyncio.create_task(conversation.send(f"haunting {number}", 60))
                await asyncio.sleep(delay)
                await asyncio.gather(conversation.cancel(), conversation.cancel())
                assert "cancelled" in (await asyncio.wait_for(turn, 60)).error.what
                assert (await conversation.send("and now?", 60)).text == "here"
                asked = [texts(request)[-1] for request in server.requests]
                assert asked.count("and now?") == number + 1
        server.stopping.set()
    assert texts(server.requests[-1]) == ["and now?", "here"] * 2 + ["and now?"]


@both
async def test_between_turns_there_is_nothing_to_cancel_and_a_failed_turn_stays_failed(tmp_path, picoclaw):
    with TalkingEndpoint(say("one")) as server:
        async with await PicoClaw().open(SmallContext(tmp_path / "a", server.url)) as conversation:
            await conversation.cancel()
            assert (await conversation.send("first", 60)).text == "one"
            server.script = lambda request: Reply("no", status=401)
            assert (await conversation.send("second", 60)).error.kind == "EndpointAuthError"
            await conversation.cancel()
            assert (await conversation.send("second", 60)).error.kind == "HarnessCrash"


@both
@pytest.mark.parametrize("ending", ["close", "task"])
async def test_closing_or_giving_up_a_turn_under_way_ends_it_too(tmp_path, picoclaw, ending):
    name = f"63{secrets.randbelow(10**9):09d}"
    with TalkingEndpoint(say("one")) as server:
        ctx = SmallContext(tmp_path / "a", server.url)
        async with await PicoClaw().open(ctx) as conversation:
            turn = await begun(conversation, ctx, server, f"setsid sleep {name} & sleep {name}")
            if ending == "close":
                await conversation.close()
                assert processes(name) == processes(str(ctx.state_dir)) == []
                assert "cancelled" in (await turn).error.what
            else:
                turn.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await turn
                assert processes(name) == processes(str(ctx.state_dir)) == []
                assert (await conversation.send("second", 60)).error.kind == "HarnessCrash", "its prompt is still there"


def torn(sessions: Path, outside: Path) -> None:
    with (sessions / names("main")[0]).open("a") as file:
        file.write('{"role": "assistant", "content": "hal')


def linked(sessions: Path, outside: Path) -> None:
    (sessions / names("main")[0]).unlink()
    (sessions / names("main")[0]).symlink_to(outside / "secret.jsonl")


def gone(sessions: Path, outside: Path) -> None:
    shutil.rmtree(sessions)


def elsewhere(sessions: Path, outside: Path) -> None:
    shutil.rmtree(sessions)
    sessions.symlink_to(outside)


def folders(sessions: Path, outside: Path) -> None:
    for name in names("main"):
        (sessions / name).unlink()
        (sessions / name / "deep").mkdir(parents=True)


@pytest.mark.parametrize("damage", [torn, linked, gone, elsewhere, folders])
async def test_whatever_the_cancelled_turn_made_of_the_session_it_is_put_back(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("CLAW_PICOCLAW", str(standin(tmp_path / "program")))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.jsonl").write_text("secret")
    with TalkingEndpoint(say("one")) as server:
        ctx = SmallContext(tmp_path / "a", server.url, session("main", "canary", "yes"))
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("first", 60)
            before = await conversation.checkpoint()
            turn = await begun(conversation, ctx, server, "sleep 60")
            damage(ctx.workspace / "sessions", outside)
            await conversation.cancel()
            assert "cancelled" in (await turn).error.what
            assert await conversation.checkpoint() == before
            server.script = say("three")
            assert (await conversation.send("third", 60)).text == "three"
    assert texts(server.requests[-1]) == [*PAST, "third"]
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"secret.jsonl": "secret"}


async def test_a_session_that_cannot_be_put_back_is_a_failure_of_the_harness_and_takes_no_prompt(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAW_PICOCLAW", str(standin(tmp_path / "program")))
    with TalkingEndpoint(say("one")) as server:
        ctx = SmallContext(tmp_path / "a", server.url)
        async with await PicoClaw().open(ctx) as conversation:
            turn = await begun(conversation, ctx, server, "sleep 60")
            monkeypatch.setattr("claw_adapter_picoclaw.state.names", lambda _: ("x" * 300, "y", "z"))
            await conversation.cancel()
            assert (await turn).error.kind == "HarnessProtocolError"
            monkeypatch.undo()
            assert (await conversation.send("second", 60)).error.kind == "HarnessCrash"
