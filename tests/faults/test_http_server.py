"""Promise: whatever a harness's server does, the call ends in time, with one typed error, and nothing leaves this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
import sys
import time
from pathlib import Path

import pytest

from claw_adapter.drivers import Command, environment, reaper, start
from claw_adapter.drivers.http import HttpChild, ServerFailed, ServerRefused
from claw_adapter.drivers.ports import free_port, listens
from claw_adapter.errors import (
    AdapterError,
    DeadlineExceeded,
    HarnessCrash,
    HarnessProtocolError,
    HarnessStartError,
    Owner,
)
from support.processes import HANG

SERVER = Path(__file__).parent / "http_server.py"


@pytest.fixture
def marker():
    """A marker of this test alone; whatever the test did, nothing that carries it is left behind."""
    value = f"test-{secrets.token_hex(6)}"
    yield value
    reaper.sweep(value, 2)


@contextlib.asynccontextmanager
async def serving(marker, *, delay=0.0, port=0, ready=True, **more):
    """The misbehaving server and a client of it."""
    port = port or free_port()
    argv = (sys.executable, "-I", "-B", str(SERVER), str(port), str(delay))
    async with await start(Command(argv, env=environment(), marker=marker)) as process:
        async with HttpChild(f"http://127.0.0.1:{port}", process=process, **more) as client:
            if ready:
                await client.wait_ready("/echo", 20)
            yield client
        await process.stop(0)


async def test_json_goes_there_and_back(marker):
    body = {"text": "ä\u2028\x00", "n": [1, 2.5, None]}
    async with serving(marker, headers={"Authorization": "Bearer t"}) as client:
        answer = await client.request("POST", "/echo/a?b=%2F&c=d", body, deadline=10)
        assert answer["body"] == body
        assert answer["path"] == "/echo/a?b=%2F&c=d"
        assert "Authorization: Bearer t" in answer["head"]
        assert await client.request("GET", "/empty", deadline=10) is None


FAULTS = {
    "/die": (HarnessCrash, r"(?s)the server ended: exit status 3.*last words of the server"),
    "/die_but_held": (HarnessCrash, "the server ended: exit status 3"),
    "/stall": (DeadlineExceeded, "no complete answer"),
    "/half": (DeadlineExceeded, "no complete answer"),
    "/cut": (HarnessProtocolError, "the server broke off"),
    "/garbage": (HarnessProtocolError, "not JSON: '<html>"),
    "/no_http": (HarnessProtocolError, "the server broke off"),
    "/endless": (HarnessProtocolError, "more than 1000000 bytes"),
    "/status/302": (HarnessProtocolError, "neither an answer nor an error"),
    "/status/500": (ServerFailed, "status 500 Some Reason: .*this is 500"),
    "/status/503": (ServerFailed, "status 503"),
    "/status/429": (ServerFailed, "status 429"),
    "/status/401": (ServerRefused, "status 401"),
    "/status/403": (ServerRefused, "status 403"),
    "/status/404": (ServerRefused, "status 404"),
    "/status/422": (ServerRefused, "status 422"),
}


@pytest.mark.parametrize(("path", "expected"), FAULTS.items(), ids=FAULTS)
async def test_every_fault_is_typed_located_and_in_time(marker, path, expected):
    kind, words = expected
    async with serving(marker, max_body=1_000_000) as client:
        with pytest.raises(kind, match=words) as caught:
            await client.request("POST", path, {}, deadline=2 if kind is DeadlineExceeded else 60)
        assert type(caught.value) is kind
        assert caught.value.where == f"POST {path}"
        assert caught.value.owner is (Owner.ADAPTER if kind is ServerRefused else Owner.HARNESS)


async def test_the_status_and_what_the_server_asked_for_are_kept(marker):
    async with serving(marker) as client:
        with pytest.raises(ServerFailed) as caught:
            await client.request("GET", "/status/429", deadline=5)
        assert (caught.value.status, caught.value.retry_after) == (429, 7.0)
        with pytest.raises(ServerRefused) as refused:
            await client.request("GET", "/status/401", deadline=5)
        assert refused.value.status == 401


async def test_after_a_fault_the_same_client_goes_on(marker):
    async with serving(marker) as client:
        for path in ("/cut", "/garbage", "/status/500"):
            with pytest.raises((HarnessProtocolError, ServerFailed)):
                await client.request("GET", path, deadline=5)
        with pytest.raises(DeadlineExceeded):
            await client.request("GET", "/stall", deadline=0.2)
        assert (await client.request("GET", "/echo", deadline=5))["path"] == "/echo"


async def events_of(client, path, deadline=10.0):
    found = []
    try:
        async with client.stream("POST", path, {}, deadline=deadline) as events:
            async for event in events:
                found.append(event)
    except Exception as error:  # what came before the fault is part of the promise
        return found, error
    return found, None


async def test_events_come_whole_however_they_are_cut(marker):
    async with serving(marker) as client:
        found, error = await events_of(client, "/sse")
    assert error is None
    assert [(e.event, e.data, e.id) for e in found] == [
        ("message", "one", ""),
        ("two", "a\nb", "7"),
        ("message", "three", "7"),
    ]


STREAM_FAULTS = {
    "/sse_cut": (HarnessProtocolError, "cut inside an event"),
    "/sse_chunked_cut": (HarnessProtocolError, "the server broke off"),
    "/sse_stall": (DeadlineExceeded, "no complete answer"),
    "/sse_die": (HarnessCrash, "exit status 3"),
    "/sse_long": (HarnessProtocolError, "more than 100000 bytes"),
}


@pytest.mark.parametrize(("path", "expected"), STREAM_FAULTS.items(), ids=STREAM_FAULTS)
async def test_a_stream_that_fails_gives_what_was_whole_and_then_the_error(marker, path, expected):
    kind, words = expected
    async with serving(marker, max_line=100_000) as client:
        found, error = await events_of(client, path, deadline=5 if kind is DeadlineExceeded else 60)
    assert [event.data for event in found] == ["one"]
    assert isinstance(error, kind)
    assert words in str(error)


@pytest.mark.parametrize(("path", "kind"), [("/echo", HarnessProtocolError), ("/status/500", ServerFailed)])
async def test_what_is_no_event_stream_is_an_error_before_the_first_event(marker, path, kind):
    async with serving(marker) as client:
        found, error = await events_of(client, path)
    assert found == []
    assert isinstance(error, kind)


async def test_leaving_a_stream_early_closes_it(marker):
    async with serving(marker) as client:
        async with client.stream("GET", "/sse_stall", deadline=60) as events:
            async for event in events:
                assert event.data == "one"
                break
        assert (await client.request("GET", "/echo", deadline=5))["path"] == "/echo"


async def test_cancelling_ends_the_call_at_once(marker):
    async with serving(marker) as client:
        task = asyncio.create_task(client.request("GET", "/stall", deadline=60))
        await asyncio.sleep(0.2)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - began < HANG


async def test_a_slow_start_is_waited_for(marker):
    async with serving(marker, delay=1.5, ready=False) as client:
        began = time.monotonic()
        await client.wait_ready("/echo", 30)
        assert time.monotonic() - began > 1
        assert (await client.request("GET", "/echo", deadline=5))["path"] == "/echo"


async def test_a_server_that_never_comes_up_is_given_up_in_time(marker):
    async with serving(marker, delay=60, ready=False) as client:
        began = time.monotonic()
        with pytest.raises(HarnessStartError, match=r"not ready within 0\.7 s: .*onnect"):
            await client.wait_ready("/echo", 0.7)
        assert time.monotonic() - began < HANG


@pytest.mark.parametrize(("path", "words"), [("/status/503", "status 503"), ("/stall", "no answer within")])
async def test_a_server_that_is_up_but_not_ready_is_told_from_one_that_is_not_there(marker, path, words):
    async with serving(marker) as client:
        with pytest.raises(HarnessStartError, match=words):
            await client.wait_ready(path, 0.7)


async def test_a_port_that_is_taken_is_not_taken_for_our_server(marker):
    """Somebody else answers on the port: our server dies of it, and its last words are the reason."""
    async with serving(marker + "-other") as other:
        port = other._url.port
        with pytest.raises(
            HarnessStartError, match=r"(?s)ended before it was ready: exit status 1.*address already in use"
        ):
            async with serving(marker, port=port, delay=0.5):
                pass
    reaper.sweep(marker + "-other", 2)


@pytest.mark.parametrize("marked", [True, False], ids=["marked", "just started"])
async def test_a_server_that_is_up_on_another_port_is_never_ready(marker, monkeypatch, marked):
    """Just after its start a process shows no environment, hence no marker: that must not make another one's port ours."""
    async with (
        serving(marker + "-other") as other,
        serving(marker) as ours,
        HttpChild(str(other._url), process=ours._process) as wrong,
    ):
        if not marked:
            monkeypatch.setattr(reaper, "carries", lambda pid, marker: False)
        with pytest.raises(HarnessStartError, match="another process listens on this port"):
            await wrong.wait_ready("/echo", 0.5)
        monkeypatch.undo()
    reaper.sweep(marker + "-other", 2)


async def test_the_system_is_asked_who_listens():
    port = free_port()
    assert listens([1], port) is None
    with socket.create_server(("127.0.0.1", port)):
        assert listens([os.getpid()], port) in (True, None)


async def test_a_unix_socket(marker, tmp_path):
    path = tmp_path / "s"
    argv = (sys.executable, "-I", "-B", str(SERVER), str(path))
    async with (
        await start(Command(argv, env=environment(), marker=marker)) as process,
        HttpChild("http://localhost", process=process, socket=path) as client,
    ):
        await client.wait_ready("/echo", 20)
        assert (await client.request("POST", "/echo", [1], deadline=5))["body"] == [1]
        with pytest.raises(HarnessCrash, match="exit status 3"):
            await client.request("GET", "/die", deadline=5)
    with pytest.raises(AdapterError, match="more than 107 bytes"):
        HttpChild("http://localhost", socket=tmp_path / ("x" * 120))


async def test_a_server_without_a_process_of_ours(marker):
    async with HttpChild(f"http://localhost:{free_port()}") as client:
        with pytest.raises(HarnessCrash, match="cannot be reached"):
            await client.request("GET", "/", deadline=5)


@pytest.mark.parametrize(
    "url",
    ["http://example.org", "http://192.0.2.1:80", "http://0.0.0.0:80", "http://127.0.0.1@example.org", "https://127.0.0.1",
     "http://localhost.example.org", "http://[::2]:80", "http://10.0.0.1", "ftp://127.0.0.1", "127.0.0.1:80", "",
     "http://127.0.0.1/path", "http://2130706433.example", "http://user@127.0.0.1"],
)  # fmt: skip
async def test_any_other_host_is_refused_before_anything_is_sent(url):
    with pytest.raises(AdapterError, match="must be on this machine") as caught:
        HttpChild(url)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "path", ["//example.org/x", "http://example.org/", "@example.org", "x", "", "/a b", "/a\r\nX: y", "/ä"]
)
async def test_a_path_leads_nowhere_else(path):
    async with HttpChild("http://127.0.0.1:9") as client:
        with pytest.raises(AdapterError, match="not a path on this server"):
            await client.request("GET", path, deadline=5)


async def test_no_proxy_is_used_and_localhost_is_not_looked_up(marker, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://192.0.2.1:3128")
    async with serving(marker) as client:

        async def refuse(*_args, **_kwargs):
            raise AssertionError("a name was looked up")

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", refuse)
        async with HttpChild(f"http://localhost:{client._url.port}") as other:
            assert (await other.request("GET", "/echo", deadline=5))["path"] == "/echo"


async def test_many_requests_leave_no_descriptor_behind(marker):
    async with serving(marker) as client:
        await client.request("GET", "/echo", deadline=5)
        before = len([*Path("/proc/self/fd").iterdir()])
        for _ in range(5):
            calls = [client.request("POST", "/echo", {"n": n}, deadline=20) for n in range(10)]
            answers = await asyncio.gather(*calls)
            assert [json.loads(json.dumps(a["body"])) for a in answers] == [{"n": n} for n in range(10)]
        await asyncio.sleep(0.1)
        assert len([*Path("/proc/self/fd").iterdir()]) <= before
