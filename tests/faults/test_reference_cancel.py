"""Promise: a turn of the reference harness that is cancelled ends, at whatever moment, and says no more to the model."""

import asyncio
import http.client
import io
import json
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from claw_adapter.harness import Endpoint, Session
from claw_adapter.reference import agent, serve
from claw_adapter.reference.adapter import _InProcess

LINES = [{"id": 2, "method": "send", "params": {"prompt": "x"}}, {"id": 3, "method": "cancel"}]
ACP = [
    {"id": 2, "method": "session/prompt", "params": {"sessionId": "main", "prompt": [{"type": "text", "text": "x"}]}},
    {"method": "session/cancel", "params": {"sessionId": "main"}},
]


@pytest.fixture
def silent():
    """A model that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def url_of(server: socket.socket) -> str:
    return f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def asked(server: socket.socket) -> bytes:
    """What a model was asked; empty when nobody came, or said nothing."""
    try:
        connection, _ = server.accept()
    except BlockingIOError:
        return b""
    with connection:
        connection.settimeout(5)
        return connection.recv(1000)


@pytest.mark.parametrize(("kind", "requests"), [(serve.Lines, LINES), (serve.Acp, ACP)])
def test_a_cancel_that_comes_before_the_thread_of_its_turn_has_begun_is_kept(
    kind, requests, silent, tmp_path, monkeypatch
):
    go_on, answered, answers = threading.Event(), threading.Event(), []

    class Late(kind):
        """Its second thread gets no time until everything has been read."""

        def _work(self) -> None:
            go_on.wait()
            super()._work()

        def say(self, record) -> None:
            answers.append(record)
            if record.get("id") == 2:
                answered.set()

    monkeypatch.setenv("CLAW_KEY", "key")
    text = "".join(json.dumps(request) + "\n" for request in requests)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    server = Late(agent)
    server.make(tmp_path, url_of(silent), "model", [{"id": "main", "messages": []}])
    server.run()
    go_on.set()
    assert answered.wait(5), "the cancelled turn goes on"
    result = next(record for record in answers if record.get("id") == 2)["result"]
    assert result.get("stopReason") == "cancelled" or result["failure"]["status"] == agent.CANCELLED
    assert asked(silent) == b""
    assert server.agent.main["messages"] == []


async def test_a_cancel_that_comes_while_all_threads_are_busy_is_kept(silent, tmp_path):
    endpoint = Endpoint(url=url_of(silent), key="key", model="model")
    conversation = _InProcess(SimpleNamespace(workspace=tmp_path, endpoint=endpoint), [Session(id="main")])
    free = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(free.wait)
        asyncio.get_running_loop().set_default_executor(pool)
        sending = asyncio.create_task(conversation.send("x", 5.0))
        await asyncio.sleep(0)
        await conversation.cancel()
        free.set()
        turn = await sending
    assert turn.error.kind == "HarnessError"
    assert "cancelled" in turn.error.what
    assert asked(silent) == b""


def test_a_cancel_that_comes_while_the_model_is_being_called_is_kept(silent, tmp_path, monkeypatch):
    made = agent.Agent(tmp_path, url_of(silent), "key", "model", lambda _command: (0, ""), timeout=5)
    made.sessions = [{"id": "main", "messages": []}]
    connect = http.client.HTTPConnection.connect
    monkeypatch.setattr(http.client.HTTPConnection, "connect", lambda self: (made.cancel(), connect(self)))
    with pytest.raises(agent.ModelFailure) as caught:
        made.turn("x", lambda _event: None)
    assert caught.value.status == agent.CANCELLED
    assert asked(silent) == b""


def test_the_turn_after_a_cancelled_one_is_not_cancelled(silent, tmp_path):
    made = agent.Agent(tmp_path, url_of(silent), "key", "model", lambda _command: (0, ""), timeout=0.05)
    made.sessions = [{"id": "main", "messages": []}]
    number = made.accept()
    made.cancel()
    following = made.accept()
    for turn, status in ((number, agent.CANCELLED), (following, 0)):
        with pytest.raises(agent.ModelFailure) as caught:
            made.turn("x", lambda _event: None, turn)
        assert caught.value.status == status
