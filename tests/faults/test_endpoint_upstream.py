"""Passing requests on: what comes back is passed back, and every way to fail has a class, an owner and a status."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import read_transcript

KEY = "sk-provider-5b1c0ffee"
Reply = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Upstream:
    """A small OpenAI-compatible server that does what it is told."""

    def __init__(self) -> None:
        self.reply: Reply = self.echo
        self.bodies: list[dict] = []
        self.headers: list[dict] = []
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        return await self.reply(request)

    async def echo(self, request: web.Request) -> web.StreamResponse:
        body = self.bodies[-1]
        text = f"echo {body['messages'][-1]['content']}"
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        if not body.get("stream"):
            message = {"role": "assistant", "content": text, "reasoning_content": "because"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            return web.json_response({"id": "x", "model": "real", "choices": [choice], "usage": usage})
        return await self.stream(
            request,
            {"choices": [{"delta": {"role": "assistant", "reasoning_content": "because"}}]},
            {"choices": [{"delta": {"content": text[:4]}}]},
            {"choices": [{"delta": {"content": text[4:]}, "finish_reason": None}]},
            {"choices": [{"delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": usage},
            "[DONE]",
        )

    async def stream(self, request: web.Request, *events: dict | str | float) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            if isinstance(event, float):
                await asyncio.sleep(event)
                continue
            data = event if isinstance(event, str) else json.dumps(event)
            await response.write(f": ping\r\n\r\ndata: {data}\r\n\r\n".encode())
        return response


@pytest.fixture
async def upstream() -> AsyncIterator[Upstream]:
    server = Upstream()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", server.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield server
    await runner.cleanup()


@pytest.fixture
async def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[EndpointServer]:
    monkeypatch.setenv("PROVIDER_KEY", KEY)
    async with EndpointServer(tmp_path, key_envs=["PROVIDER_KEY"], grace=0.3) as server:
        yield server


class Client:
    def __init__(self, endpoint: EndpointServer, key: str, path: Path) -> None:
        self.endpoint, self.key, self.path = endpoint, key, path

    async def ask(self, text: str = "hi", **more) -> tuple[int, str]:
        body = {"model": "asked", "messages": [{"role": "user", "content": text}], **more}
        async with (
            aiohttp.ClientSession(headers={"Authorization": f"Bearer {self.key}"}) as session,
            session.post(f"{self.endpoint.url}/v1/chat/completions", json=body) as answer,
        ):
            return answer.status, await answer.text()


async def client(endpoint: EndpointServer, tmp_path: Path, url: str, **more) -> Client:
    spec = ModelSpec(name="m", base_url=url, model="real", key_env="PROVIDER_KEY", **{"timeout": 5, **more})
    key = await endpoint.open_trial("t", spec, tmp_path / "t.jsonl")
    await endpoint.begin_round("t", "q")
    return Client(endpoint, key, tmp_path / "t.jsonl")


async def failure(endpoint: EndpointServer):
    result = (await endpoint.end_round("t")).failure
    assert result is not None
    return result


async def test_a_reply_comes_back_whole_or_in_pieces(endpoint: EndpointServer, upstream: Upstream, tmp_path: Path):
    me = await client(endpoint, tmp_path, upstream.url)
    _, text = await me.ask("one")
    whole = json.loads(text)
    assert whole["choices"][0]["message"]["content"] == "echo one"
    assert whole["choices"][0]["message"]["reasoning_content"] == "because"
    assert (whole["model"], whole["usage"]["total_tokens"]) == ("m", 10)
    _, text = await me.ask("two", stream=True)
    assert text.endswith("data: [DONE]\n\n")
    chunks = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    assert "".join(c["choices"][0]["delta"].get("content", "") for c in chunks) == "echo two"
    assert "usage" not in text, "the harness did not ask for it"
    meter = await endpoint.end_round("t")
    assert (meter.metered.upstream_input, meter.metered.upstream_output) == (14, 6)
    assert meter.metered.input > 0
    assert meter.failure is None


async def test_pieces_are_passed_on_as_they_come(endpoint: EndpointServer, upstream: Upstream, tmp_path: Path):
    me = await client(endpoint, tmp_path, upstream.url)
    # what may be the beginning of a key waits for the next piece: the dots are in none
    first, last = {"choices": [{"delta": {"content": "early…"}}]}, {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    gate = asyncio.Event()

    async def reply(request: web.Request) -> web.StreamResponse:
        response = await upstream.stream(request, first)
        await gate.wait()
        await response.write(f"data: {json.dumps(last)}\n\n".encode())
        return response

    upstream.reply = reply
    body = {"messages": [{"role": "user", "content": "x"}], "stream": True}
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {me.key}"}) as session,
        session.post(f"{endpoint.url}/v1/chat/completions", json=body) as answer,
    ):
        assert b"early" in await answer.content.readline()
        gate.set()
        assert b"[DONE]" in await answer.read()


async def test_model_and_sampling_are_the_runs(endpoint: EndpointServer, upstream: Upstream, tmp_path: Path):
    asked = {
        "temperature": 0.9,
        "top_p": 0.5,
        "seed": 3,
        "max_tokens": 5,
        "tool_choice": "auto",
        "reasoning_effort": "high",
    }
    me = await client(endpoint, tmp_path, upstream.url, params={"temperature": 0, "top_k": 1})
    await me.ask(**asked)
    sent = upstream.bodies[-1]
    assert {k: sent.get(k) for k in (*asked, "top_k", "model")} == {
        "temperature": 0, "top_p": None, "seed": None, "max_tokens": 5, "tool_choice": "auto", "reasoning_effort": None,
        "top_k": 1, "model": "real",
    }  # fmt: skip
    meter = await endpoint.end_round("t")
    assert meter.metered.asked == {"model": "asked", **{k: v for k, v in asked.items() if k != "tool_choice"}}
    me = await client(endpoint, tmp_path, upstream.url, params={"max_completion_tokens": 9})
    await me.ask(**asked)
    assert "max_tokens" not in upstream.bodies[-1]
    me = await client(endpoint, tmp_path, upstream.url, sampling="pass")
    await me.ask(**asked)
    assert upstream.bodies[-1]["temperature"] == 0.9


async def test_the_key_comes_from_the_environment_at_request_time(
    endpoint: EndpointServer, upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    me = await client(endpoint, tmp_path, upstream.url)
    await me.ask()
    assert upstream.headers[-1]["Authorization"] == f"Bearer {KEY}"
    monkeypatch.setenv("PROVIDER_KEY", "another")
    await me.ask()
    assert upstream.headers[-1]["Authorization"] == "Bearer another"
    monkeypatch.delenv("PROVIDER_KEY")
    status, text = await me.ask()
    assert (status, len(upstream.headers)) == (401, 2)
    assert "PROVIDER_KEY" in text
    assert (await failure(endpoint)).kind == "EndpointAuthError"


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (500, "boom", "EndpointTransientError"), (503, "later", "EndpointTransientError"),
        (529, "overloaded", "EndpointTransientError"), (401, "bad key", "EndpointAuthError"),
        (403, "no access", "EndpointAuthError"), (429, "slow down", "EndpointQuotaError"),
        (402, "pay", "EndpointQuotaError"), (400, "unknown field", "EndpointError"), (404, "no model", "EndpointError"),
        (400, "maximum context length is 8192 tokens", "EndpointError"),
        (400, "blocked by the content filter", "EndpointFilteredError"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("stream", [False, True])
async def test_an_error_keeps_its_status_and_gets_its_class(
    endpoint: EndpointServer, upstream: Upstream, tmp_path: Path, status: int, error: str, kind: str, stream: bool
):
    async def reply(_: web.Request) -> web.Response:
        body = {"error": {"message": f"{error} ({KEY})", "code": "c1"}}
        return web.json_response(body, status=status, headers={"Retry-After": "7"})

    upstream.reply = reply
    me = await client(endpoint, tmp_path, upstream.url)
    got, text = await me.ask(stream=stream)
    assert got == status
    assert error in json.loads(text)["error"]["message"]
    assert KEY not in text
    found = await failure(endpoint)
    assert (found.owner, found.kind) == ("endpoint", kind)
    assert KEY not in found.what
    if "context" in error:
        assert "no longer fits" in found.what
    (exchange,) = read_transcript(me.path)
    assert (exchange.status, exchange.reply) == (status, None)


async def drop(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


BROKEN: dict[str, object] = {
    "no json": "<html>busy</html>",
    "empty choices": {"choices": []},
    "no choices": {"id": "x"},
    "a list": [1],
}


@pytest.mark.parametrize("name", BROKEN)
async def test_an_unreadable_reply_is_malformed(
    endpoint: EndpointServer, upstream: Upstream, tmp_path: Path, name: str
):
    async def reply(_: web.Request) -> web.Response:
        value = BROKEN[name]
        return web.Response(text=value if isinstance(value, str) else json.dumps(value))

    upstream.reply = reply
    me = await client(endpoint, tmp_path, upstream.url)
    assert (await me.ask())[0] == 502
    assert (await failure(endpoint)).kind == "EndpointMalformedError"


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        (('{"choices": [{"delta": {"content": "be"}}]}', "{not json"), "EndpointMalformedError"),
        (('{"choices": [{"delta": {"content": "begun"}}]}',), "EndpointMalformedError"),
        (("[DONE]",), "EndpointMalformedError"),
        (
            ('{"choices": [{"delta": {"content": "be"}}]}', '{"error": {"message": "slow", "code": 429}}'),
            "EndpointQuotaError",
        ),
        (('{"error": {"message": "overloaded"}}',), "EndpointTransientError"),
    ],
)
async def test_a_stream_that_breaks_ends_in_an_error_not_in_done(
    endpoint: EndpointServer, upstream: Upstream, tmp_path: Path, events: tuple[str, ...], kind: str
):
    upstream.reply = lambda request: upstream.stream(request, *events)
    me = await client(endpoint, tmp_path, upstream.url)
    _, text = await me.ask(stream=True)
    assert "[DONE]" not in text
    assert '"error"' in text
    assert (await failure(endpoint)).kind == kind


async def test_no_connection_a_dropped_one_and_a_slow_one_are_transient(
    endpoint: EndpointServer, upstream: Upstream, tmp_path: Path
):
    me = await client(endpoint, tmp_path, "http://127.0.0.1:9/v1")
    assert (await me.ask())[0] == 502
    assert (await failure(endpoint)).kind == "EndpointTransientError"
    upstream.reply = drop
    me = await client(endpoint, tmp_path, upstream.url)
    assert (await me.ask())[0] == 502
    assert (await failure(endpoint)).kind == "EndpointTransientError"
    upstream.reply = lambda request: upstream.stream(request, 5.0)
    me = await client(endpoint, tmp_path, upstream.url, timeout=0.3)
    status, text = await me.ask(stream=True)
    assert (status, "did not answer within 0.3 s" in text) == (504, True)
    assert (await failure(endpoint)).kind == "EndpointTransientError"


async def test_only_the_last_request_decides_about_failure(
    endpoint: EndpointServer, upstream: Upstream, tmp_path: Path
):
    me = await client(endpoint, tmp_path, upstream.url)
    upstream.reply = drop
    await me.ask()
    upstream.reply = upstream.echo
    await me.ask()
    meter = await endpoint.end_round("t")
    assert (meter.failure, meter.metered.requests) == (None, 2)


async def test_small_differences_of_upstreams_are_evened_out(
    endpoint: EndpointServer, upstream: Upstream, tmp_path: Path
):
    call = {"function": {"name": "f", "arguments": {"a": 1}}}

    async def as_json(_: web.Request) -> web.Response:
        return web.json_response({"choices": [{"message": {"content": None, "tool_calls": [call, call]}}]})

    upstream.reply = as_json
    me = await client(endpoint, tmp_path, upstream.url)
    for stream in (False, True):  # this upstream never streams
        status, text = await me.ask(stream=stream)
        assert status == 200
        assert text.count('"call_') == 2, "calls without id get one each"
        assert '{\\"a\\": 1}' in text
    (first, _) = read_transcript(me.path)
    assert first.reply is not None
    assert len(first.reply["tool_calls"]) == 2


async def test_a_filtered_answer_is_passed_on_and_noted(endpoint: EndpointServer, upstream: Upstream, tmp_path: Path):
    async def reply(_: web.Request) -> web.Response:
        return web.json_response({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]})

    upstream.reply = reply
    me = await client(endpoint, tmp_path, upstream.url)
    assert (await me.ask())[0] == 200
    assert (await failure(endpoint)).kind == "EndpointFilteredError"


async def test_ending_a_round_waits_for_requests_and_then_cancels_them(
    endpoint: EndpointServer, upstream: Upstream, tmp_path: Path
):
    me = await client(endpoint, tmp_path, upstream.url)
    asked = asyncio.Event()

    async def reply(request: web.Request) -> web.StreamResponse:
        asked.set()
        return await upstream.stream(request, 30.0)

    upstream.reply = reply
    slow = asyncio.create_task(me.ask())
    await asked.wait()
    meter = await endpoint.end_round("t")
    assert meter.metered.requests == 1
    with pytest.raises(aiohttp.ClientError):
        await slow
    upstream.reply = upstream.echo
    await endpoint.begin_round("t", "q2")
    assert (await me.ask())[0] == 200
    assert [(e.round, e.status) for e in read_transcript(me.path)] == [("q", 499), ("q2", 200)]
