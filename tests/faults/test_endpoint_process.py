"""Scripted faults look on the wire as named, and the endpoint's process never outlives its runner."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

import claw_adapter
from claw_adapter.endpoint import ModelEndpoint, client
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.errors import EndpointError
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import read_transcript
from support.processes import until

SOURCE = str(Path(claw_adapter.__file__).parents[1])


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EndpointServer]:
    async with EndpointServer(tmp_path, grace=0.2) as running:
        yield running


async def ask(
    server: EndpointServer | ModelEndpoint, key: str, *, stream: bool, timeout: float = 5.0
) -> tuple[int, str]:
    body = {"messages": [{"role": "user", "content": "x"}], "stream": stream}
    limits = aiohttp.ClientTimeout(total=timeout)
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {key}"}, timeout=limits) as session,
        session.post(f"{server.url}/v1/chat/completions", json=body) as answer,
    ):
        return answer.status, await answer.text()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("500", "EndpointTransientError"), ("401", "EndpointAuthError"), ("429", "EndpointQuotaError"),
        ("drop", "EndpointTransientError"), ("stall", "EndpointTransientError"),
        ("garbage", "EndpointMalformedError"), ("empty", "EndpointMalformedError"),
    ],
)  # fmt: skip
async def test_a_scripted_fault_happens_and_is_classified(
    server: EndpointServer, tmp_path: Path, fault: str, kind: str, stream: bool
):
    spec = ModelSpec(name="m", kind="scripted", script=({"fault": fault}, "fine again"))
    key = await server.open_trial("t", spec, tmp_path / "t.jsonl")
    await server.begin_round("t", "q")
    if fault in ("drop", "stall"):
        with pytest.raises((aiohttp.ClientError, TimeoutError)):
            await ask(server, key, stream=stream, timeout=2 if fault == "stall" else 60)
        await until(lambda: not server._trials["t"]._turn.tasks)
    else:
        status, text = await ask(server, key, stream=stream)
        assert status == (int(fault) if fault.isdigit() else 200)
        if fault == "garbage":
            with pytest.raises(ValueError):  # noqa: PT011  # any JSON error
                json.loads(text.removeprefix("data: "))
        if fault == "empty":
            assert json.loads(text.removeprefix("data: ").splitlines()[0])["choices"] == []
    found = (await server.end_round("t")).failure
    assert found is not None
    assert (found.owner, found.kind) == ("endpoint", kind)
    assert (await ask(server, key, stream=stream))[0] == 200
    assert len(list(read_transcript(tmp_path / "t.jsonl"))) == 2


STARTER = """
import asyncio, sys
from pathlib import Path
from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.protocol import ModelSpec
async def main():
    endpoint = await ModelEndpoint.start(Path(sys.argv[1]), marker="run-x/endpoint")
    spec = ModelSpec(name="m", kind="scripted", script=({"fault": "stall"},))
    key = await endpoint.open_trial("t", spec, Path(sys.argv[1]) / "t.jsonl")
    print(endpoint._process.pid, endpoint.url, key, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until_gone(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def test_killing_the_starter_ends_the_endpoint_and_removes_its_sockets(tmp_path: Path):
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(tmp_path)], stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": SOURCE}
    )
    assert starter.stdout is not None
    name, url, key = starter.stdout.readline().split()
    pid = int(name)
    stalled = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    body = json.dumps({"messages": [{"role": "user", "content": "x"}]})
    stalled.request("POST", "/v1/chat/completions", body, {"Authorization": f"Bearer {key}"})
    assert alive(pid)
    assert b"CLAW_TRIAL=run-x/endpoint" in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    assert {"data.sock", "control.sock"} <= {path.name for path in tmp_path.iterdir()}
    starter.kill()
    starter.wait()
    starter.stdout.close()
    assert wait_until_gone(pid, 30)
    stalled.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["endpoint.log", "t.jsonl"]


async def test_an_endpoint_that_is_stopped_leaves_a_whole_transcript_and_no_sockets(tmp_path: Path):
    spec = ModelSpec(name="m", kind="scripted", script=("first", "second"))
    async with await ModelEndpoint.start(tmp_path) as endpoint:
        key = await endpoint.open_trial("t", spec, tmp_path / "t.jsonl")
        assert (await ask(endpoint, key, stream=True, timeout=30))[0] == 200
    assert endpoint._process.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["endpoint.log", "t.jsonl"]
    assert [exchange.status for exchange in read_transcript(tmp_path / "t.jsonl")] == [200]
    assert (tmp_path / "endpoint.log").read_text() == ""


@pytest.mark.parametrize("wish", ["", "1"])
def test_modules_of_the_endpoint_are_kept_compiled_unless_the_user_wants_none(monkeypatch, wish):
    """Compiling them anew takes longer than everything else at its start."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    if wish:
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", wish)
    assert client._environment("").get("PYTHONDONTWRITEBYTECODE", "") == wish


async def test_a_killed_endpoint_is_an_endpoint_error_not_a_hang(tmp_path: Path):
    async with await ModelEndpoint.start(tmp_path) as endpoint:
        os.kill(endpoint._process.pid, signal.SIGKILL)
        for _ in range(3):
            with pytest.raises(EndpointError, match="has stopped"):
                await endpoint.begin_round("t", "q")


async def test_an_endpoint_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "data.sock").mkdir()
    with pytest.raises(EndpointError, match="did not start"):
        await ModelEndpoint.start(tmp_path)
    assert "data.sock" in (tmp_path / "endpoint.log").read_text()


async def test_a_client_without_the_token_gets_nothing(tmp_path: Path):
    async with await ModelEndpoint.start(tmp_path):
        for hello in (b'{"token": "wrong"}\n', b"{}\n", b"[]\n", b"x\n", b'{"token": 3}\n'):
            reader, writer = await asyncio.open_unix_connection(tmp_path / "control.sock")
            writer.write(hello + b'{"id": 1, "op": "close_trial", "trial": "t"}\n')
            assert await reader.read() == b""
            writer.close()
            await writer.wait_closed()


async def test_a_mid_turn_disconnect_is_no_failure_of_the_endpoint(server: EndpointServer, tmp_path: Path):
    from claw_adapter.model import Model

    began = asyncio.Event()

    class Slow(Model):
        async def answer(self, request):
            began.set()
            await asyncio.sleep(60)
            yield None

    key = await server.open_trial("t", ModelSpec(name="m", kind="scripted", script=("x",)), tmp_path / "t.jsonl")
    server._trials["t"].model = Slow()
    await server.begin_round("t", "q")
    client = asyncio.create_task(ask(server, key, stream=False, timeout=60))
    await began.wait()
    client.cancel()
    await asyncio.gather(client, return_exceptions=True)
    await until(lambda: not server._trials["t"]._turn.tasks)
    assert (await server.end_round("t")).failure is None
    assert [e.status for e in read_transcript(tmp_path / "t.jsonl")] == [499]


async def test_a_fault_of_ours_is_ours(server: EndpointServer, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    from claw_adapter.model import Model

    class Broken(Model):
        async def answer(self, request):
            raise KeyError("bug")
            yield None

    key = await server.open_trial("t", ModelSpec(name="m", kind="scripted", script=("x",)), tmp_path / "t.jsonl")
    server._trials["t"].model = Broken()
    await server.begin_round("t", "q")
    assert (await ask(server, key, stream=True))[0] == 500
    found = (await server.end_round("t")).failure
    assert found is not None
    assert found.owner == "internal"
    assert "internal error" in caplog.text
