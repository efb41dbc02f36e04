"""Promise: a line child's answers, events, errors and end are told apart, whatever it writes."""

from __future__ import annotations

import asyncio
import sys
import textwrap

import pytest

from claw_adapter.drivers import PIPE, Command, LineChild, RemoteError, environment, start
from claw_adapter.errors import DeadlineExceeded, HarnessCrash, HarnessProtocolError

CHILD = """
    import json, os, subprocess, sys, threading, time
    lock = threading.Lock()
    def say(**record):
        with lock:
            sys.stdout.write(json.dumps(record) + chr(10)); sys.stdout.flush()
    def serve(number, method, params):
        if method == "echo":
            say(id=number, result=params)
        elif method == "events":
            for i in range(params["count"]):
                say(id=number, event={"i": i})
            say(id=number, result={})
        elif method == "sleep":
            time.sleep(params["seconds"]); say(id=number, result={"slept": True})
        elif method == "fail":
            say(id=number, error={"kind": "endpoint", "message": "no model"})
        elif method == "size":
            say(id=number, result={"size": len(params["text"])})
        elif method == "raw":
            sys.stderr.write("last words"); sys.stderr.flush()
            sys.stdout.write(params["text"]); sys.stdout.flush()
        elif method == "crash":
            sys.stderr.write("last words"); sys.stderr.flush(); os._exit(3)
        elif method == "crash holding the pipe":
            subprocess.Popen(["setsid", "sleep", "60"]); os._exit(4)
    for line in sys.stdin:
        call = json.loads(line)
        threading.Thread(target=serve, args=(call["id"], call["method"], call["params"]), daemon=True).start()
"""


@pytest.fixture
async def child():
    argv = (sys.executable, "-I", "-c", textwrap.dedent(CHILD))
    made = LineChild(await start(Command(argv, env=environment(), stdin=PIPE, lines=True)))
    yield made
    assert await made.close(0.4) == 0


async def test_calls_answers_and_events(child):
    events = []
    assert await child.call("echo", {"text": "é\n"}, 10) == {"text": "é\n"}
    assert await child.call("events", {"count": 50}, 10, events.append) == {}
    assert [event["i"] for event in events] == list(range(50))


async def test_a_prompt_and_an_answer_of_5_mb(child):
    text = "x" * 5_000_000
    assert await child.call("size", {"text": text}, 30) == {"size": len(text)}
    assert await child.call("echo", {"text": text}, 30) == {"text": text}


async def test_calls_under_way_at_once_do_not_mix(child):
    answers = await asyncio.gather(*(child.call("echo", {"n": n}, 20) for n in range(40)))
    assert [answer["n"] for answer in answers] == list(range(40))


async def test_the_childs_error_is_typed_and_leaves_it_usable(child):
    with pytest.raises(RemoteError, match="no model") as caught:
        await child.call("fail", {}, 10)
    assert caught.value.kind == "endpoint"
    assert await child.call("echo", {}, 10) == {}


@pytest.mark.parametrize("text", ["hello\n", "[1]\n", '{"id": 999, "result": {}}\n', '{"id": 1}\n', "{\n", "\xff\n"])
async def test_a_line_outside_the_protocol_is_typed_with_the_last_words(child, text):
    with pytest.raises(HarnessProtocolError, match="last words"):
        await child.call("raw", {"text": text}, 10)
    with pytest.raises(HarnessProtocolError):
        await child.call("echo", {}, 10)


async def test_a_crash_says_status_and_last_words(child):
    with pytest.raises(HarnessCrash, match=r"(?s)exit status 3.*last words"):
        await child.call("crash", {}, 10)


async def test_a_crash_is_seen_though_something_holds_the_pipe(child):
    with pytest.raises(HarnessCrash, match="exit status 4"):
        await child.call("crash holding the pipe", {}, 10)


async def test_a_deadline_makes_the_child_unusable(child):
    with pytest.raises(DeadlineExceeded):
        await child.call("sleep", {"seconds": 60}, 0.2)
    with pytest.raises(DeadlineExceeded):
        await child.call("echo", {}, 10)


async def test_a_cancelled_call_leaves_the_child_usable_and_its_late_answer_is_dropped(child):
    task = asyncio.create_task(child.call("sleep", {"seconds": 0.3}))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await child.call("sleep", {"seconds": 0.5}, 10) == {"slept": True}


async def test_what_an_event_callback_raises_reaches_its_caller_only(child):
    def refuse(_event):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await child.call("events", {"count": 3}, 10, refuse)
    assert await child.call("echo", {}, 10) == {}


async def test_a_call_to_a_closed_child_is_typed():
    argv = (sys.executable, "-I", "-c", textwrap.dedent(CHILD))
    child = LineChild(await start(Command(argv, env=environment(), stdin=PIPE, lines=True)))
    pending = asyncio.create_task(child.call("sleep", {"seconds": 60}))
    await asyncio.sleep(0.1)
    await child.close(0.2)
    with pytest.raises(HarnessCrash):
        await pending
    with pytest.raises(HarnessCrash):
        await child.call("echo", {}, 1)
