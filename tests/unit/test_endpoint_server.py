"""The endpoint's web side: one dialect, one key per trial, meters and transcripts that agree with what was sent."""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.endpoint.metering import union
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.errors import EndpointError, InternalError
from claw_adapter.protocol import FirstRequest, ModelSpec
from claw_adapter.protocol.answer_key import AnswerKey, Locator
from claw_adapter.protocol.gold import OptionEvidence, RoundEvidence
from claw_adapter.runs.transcript import read_transcript
from claw_adapter.tokens.chatml import count_messages
from claw_adapter.tokens.cl100k import count
from claw_adapter.tokens.meter import count_request

CALL = {"name": "read_file", "arguments": {"path": "a b.md"}}
TOOLS = [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object", "properties": {}}}}]


def scripted(*script, **more) -> ModelSpec:
    return ModelSpec(name="fixed", kind="scripted", script=script, **more)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EndpointServer]:
    async with EndpointServer(tmp_path, grace=1.0) as running:
        yield running


async def post(url: str, key: str, body: object, session: aiohttp.ClientSession | None = None):
    own = session or aiohttp.ClientSession()
    data = io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
    headers = {"Authorization": f"Bearer {key}"}
    try:
        async with own.post(f"{url}/v1/chat/completions", data=data, headers=headers) as answer:
            text = await answer.text()
            return answer.status, text
    finally:
        if session is None:
            await own.close()


def say(text: str, **more) -> dict:
    return {"model": "gpt-x", "messages": [{"role": "user", "content": text}], **more}


def assemble(text: str) -> dict:
    """A streamed reply put together by other means than our own: as a client would."""
    assert text.endswith("data: [DONE]\n\n")
    chunks = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    message: dict = {"content": "", "calls": {}}
    result: dict = {"usage": None, "models": {c["model"] for c in chunks}}
    for chunk in chunks:
        result["usage"] = chunk.get("usage") or result["usage"]
        for choice in chunk["choices"]:
            delta = choice["delta"]
            message["content"] += delta.get("content") or ""
            for call in delta.get("tool_calls", []):
                known = message["calls"].setdefault(call["index"], {"id": "", "name": "", "arguments": ""})
                known["id"] += call.get("id", "")
                known["name"] += call["function"].get("name", "")
                known["arguments"] += call["function"]["arguments"]
            result["finish"] = choice["finish_reason"] or result.get("finish")
    return {**result, **message}


@pytest.mark.parametrize(
    "item",
    [
        "plain", "long " * 50 + "ü 😀", "", {"text": "both", "tools": [CALL, CALL]}, {"tools": [CALL]},
        {"text": "cut", "finish": "length"}, {"tools": [{"name": "x", "arguments": "{not json"}]},
    ],
)  # fmt: skip
async def test_streamed_and_whole_replies_say_the_same(server: EndpointServer, tmp_path: Path, item):
    key = await server.open_trial("t", scripted(item), tmp_path / "t.jsonl")
    status, text = await post(server.url, key, say("hi"))
    whole = json.loads(text)
    streamed_status, text = await post(server.url, key, say("hi", stream=True, stream_options={"include_usage": True}))
    streamed = assemble(text)
    assert (status, streamed_status) == (200, 200)
    choice = whole["choices"][0]
    assert streamed["content"] == (choice["message"]["content"] or "")
    calls = [call["function"] for call in choice["message"].get("tool_calls", [])]
    assert [{k: c[k] for k in ("name", "arguments")} for c in streamed["calls"].values()] == calls
    assert streamed["finish"] == choice["finish_reason"]
    details = "prompt_tokens_details"  # the second request is the first again
    assert {**streamed["usage"], details: 0} == {**whole["usage"], details: 0}
    assert streamed["usage"][details]["cached_tokens"] == whole["usage"]["prompt_tokens"]
    assert streamed["models"] == {"fixed"} == {whole["model"]}
    _, text = await post(server.url, key, say("hi", stream=True))
    assert assemble(text)["usage"] is None


async def test_a_tool_call_goes_round_and_appears_once_among_the_events(server: EndpointServer, tmp_path: Path):
    key = await server.open_trial("t", scripted({"tools": [CALL]}, {"tools": [CALL]}, "done"), tmp_path / "t.jsonl")
    await server.begin_round("t", "q1")
    messages = say("go")["messages"]
    for _ in range(3):
        _, text = await post(server.url, key, {"messages": messages, "tools": TOOLS})
        message = json.loads(text)["choices"][0]["message"]
        messages.append(message)
        for call in message.get("tool_calls", []):
            messages.append(
                {"role": "tool", "tool_call_id": call["id"], "content": [{"type": "text", "text": "result"}]}
            )
    meter = await server.end_round("t")
    assert [(e.kind, e.name, e.text) for e in meter.events] == [
        ("tool_call", "read_file", ""), ("tool_result", "read_file", "result"),
        ("tool_call", "read_file", ""), ("tool_result", "read_file", "result"),
    ]  # fmt: skip
    assert meter.events[0].arguments == {"path": "a b.md"}
    assert meter.events[0].id == meter.events[1].id != meter.events[2].id
    await server.begin_round("t", "q2")
    await post(server.url, key, {"messages": [*messages, *say("next")["messages"]]})
    assert (await server.end_round("t")).events == ()


async def test_results_under_renamed_ids_are_matched_by_position(server: EndpointServer, tmp_path: Path):
    key = await server.open_trial("t", scripted({"tools": [CALL]}, "done"), tmp_path / "t.jsonl")
    await server.begin_round("t", "q1")
    await post(server.url, key, say("go"))
    call = {"id": "renamed", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "renamed", "content": "text"}, {"role": "user", "content": "(internal)"},
    ]  # fmt: skip
    await post(server.url, key, {"messages": history})
    assert [e.text for e in (await server.end_round("t")).events] == ["", "text"]


async def test_meters_agree_with_the_token_rooms(server: EndpointServer, tmp_path: Path):
    key = await server.open_trial("t", scripted("the reply", "the second reply"), tmp_path / "t.jsonl")
    await post(server.url, key, say("outside"))
    began = time.monotonic()
    await server.begin_round("t", "q1")
    first = say("hello world", tools=TOOLS, temperature=0.7, max_tokens=9)
    second = say("hello again", temperature=0.1)
    await post(server.url, key, first)
    await post(server.url, key, second)
    meter = await server.end_round("t")
    sizes = [count_request(body["messages"], body.get("tools")) for body in (first, second)]
    assert meter.metered.requests == 2
    assert meter.metered.input == sum(size.text + size.tools for size in sizes)
    assert meter.metered.output == count("the second reply") * 2
    assert meter.rendered == count_messages([("user", "hello again"), ("assistant", "the second reply")])
    assert meter.metered.upstream_input is None
    assert meter.metered.asked == {"model": "gpt-x", "temperature": [0.7, 0.1], "max_tokens": 9}
    assert 0 < meter.metered.seconds <= time.monotonic() - began
    assert meter.outside.requests == 1
    assert meter.failure is None
    await server.begin_round("t", "q2")
    assert (await server.end_round("t")).metered.requests == 0


async def test_the_first_request_that_offers_tools_is_what_a_turn_begins_with(server: EndpointServer, tmp_path: Path):
    key = await server.open_trial("t", scripted("x"), tmp_path / "t.jsonl")

    async def began(*bodies: dict) -> FirstRequest | None:
        await server.begin_round("t", "q")
        for body in bodies:
            await post(server.url, key, body)
        return (await server.end_round("t")).first

    title = {"model": "m", "messages": [{"role": "system", "content": "Make a title."}]}
    parts = [{"type": "text", "text": "1234"}, {"type": "text", "text": "567"}]
    rules = [{"role": "system", "content": "12345"}, {"role": "user", "content": "hi"}]
    turn = {"model": "m", "messages": [*rules, {"role": "developer", "content": parts}], "tools": TOOLS}
    later = {**turn, "tools": [*TOOLS, *TOOLS]}
    assert await began(title, turn, later) == FirstRequest(system=5 + len("1234\n567"), tools=len(TOOLS))
    assert await began(title, say("hi")) == FirstRequest(system=len("Make a title."), tools=0)
    assert await began() is None


async def test_a_turn_without_requests_renders_nothing(server: EndpointServer, tmp_path: Path):
    await server.open_trial("t", scripted("x"), tmp_path / "t.jsonl")
    await server.begin_round("t", "q1")
    meter = await server.end_round("t")
    assert (meter.rendered, meter.seen, meter.metered.requests) == (None, None, 0)


def test_overlapping_requests_count_their_time_once():
    assert union([(0, 2), (1, 3), (5, 6), (5.5, 5.7)]) == 4
    assert union([]) == 0


async def test_unknown_keys_are_refused_and_closed_trials_lose_theirs(server: EndpointServer, tmp_path: Path):
    key = await server.open_trial("t", scripted("x"), tmp_path / "t.jsonl")
    for wrong in ("", "claw-nothing", key[:-1]):
        status, text = await post(server.url, wrong, say("hi"))
        assert status == 401
        assert json.loads(text)["error"]["code"] == "invalid_api_key"
    await server.close_trial("t")
    assert (await post(server.url, key, say("hi")))[0] == 401
    async with aiohttp.ClientSession() as session, session.get(f"{server.url}/v1/models") as answer:
        assert answer.status == 401


async def test_the_only_model_is_the_runs(server: EndpointServer, tmp_path: Path):
    key = await server.open_trial("t", scripted("x"), tmp_path / "t.jsonl")
    headers = {"x-api-key": key}
    async with aiohttp.ClientSession() as session, session.get(f"{server.url}/v1/models", headers=headers) as answer:
        assert [model["id"] for model in (await answer.json())["data"]] == ["fixed"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"messages": 3}',
        b'{"messages": []}',
        b'{"messages": ["x"]}',
        b"\xff",
        b'{"messages": [{"role": "robot", "content": "x"}]}',
    ],
)
async def test_a_malformed_request_is_the_harnesss_fault(server: EndpointServer, tmp_path: Path, body: bytes):
    key = await server.open_trial("t", scripted("x"), tmp_path / "t.jsonl")
    await server.begin_round("t", "q1")
    status, text = await post(server.url, key, body)
    assert status == 400
    assert "message" in json.loads(text)["error"]
    failure = (await server.end_round("t")).failure
    assert failure is not None
    assert (failure.owner, failure.kind) == ("harness", "HarnessProtocolError")


async def test_an_unknown_path_says_what_is_supported(server: EndpointServer):
    async with aiohttp.ClientSession() as session, session.post(f"{server.url}/v1/nothing") as answer:
        assert answer.status == 404
        assert "/v1/chat/completions" in (await answer.json())["error"]["message"]


async def test_a_large_body_is_taken(server: EndpointServer, tmp_path: Path):
    key = await server.open_trial("t", scripted("x"), tmp_path / "t.jsonl")
    body = say("hi", metadata={"padding": "x" * (5 * 1024 * 1024)})
    assert (await post(server.url, key, body))[0] == 200


async def test_the_unix_socket_serves_the_same_below_a_very_long_path(tmp_path: Path):
    folder = tmp_path / ("d" * 120)
    folder.mkdir()
    async with EndpointServer(folder) as server:
        key = await server.open_trial("t", scripted("over unix"), tmp_path / "t.jsonl")
        from claw_adapter.unix_sockets import address

        with address(server.socket) as short:
            async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(short)) as session:
                status, text = await post("http://endpoint", key, say("hi"), session)
        assert (status, json.loads(text)["choices"][0]["message"]["content"]) == (200, "over unix")
        assert server.socket.stat().st_mode & 0o077 == 0
    assert not (folder / "data.sock").exists()


async def test_forty_trials_at_once_do_not_mix(server: EndpointServer, tmp_path: Path):
    async def one(number: int) -> None:
        trial, canary = f"t{number}", f"canary-{number:03d}-{number * 7919}"
        spec = scripted({"tools": [{"name": "f", "arguments": {"c": canary}}]}, f"answer {canary}")
        key = await server.open_trial(trial, spec, tmp_path / f"{trial}.jsonl")
        for turn in range(3):
            await server.begin_round(trial, f"q{turn}")
            messages = say(f"ask {canary}")["messages"]
            for stream in (False, True):
                _, text = await post(server.url, key, {"messages": messages, "stream": stream})
                assert canary in text
                assert text.count("canary-") == text.count(canary)
            meter = await server.end_round(trial)
            assert meter.metered.requests == 2
            assert all(canary in json.dumps(e.arguments) for e in meter.events)
        await server.close_trial(trial)
        recorded = (tmp_path / f"{trial}.jsonl").read_text()
        assert recorded.count("canary-") == recorded.count(canary) > 0

    await asyncio.gather(*(one(number) for number in range(40)))


async def test_a_match_answers_by_the_question_and_its_tools_are_called_once(server: EndpointServer, tmp_path: Path):
    rule = {"match": "w[ai]tch", "reply": {"tools": [CALL]}}
    key = await server.open_trial("t", scripted("one", rule, "two"), tmp_path / "t.jsonl")

    async def ask(*messages: dict) -> str:
        return (await post(server.url, key, {"messages": list(messages)}))[1]

    user, result = say("please watch")["messages"][0], {"role": "tool", "tool_call_id": "1", "content": "r"}
    assert "read_file" in await ask(user)
    assert '"one"' in await ask(user, result)
    assert '"two"' in await ask(say("other")["messages"][0])
    assert '"two"' in await ask(say("other")["messages"][0])


async def test_the_reader_is_told_by_brief_and_reports_what_it_saw(server: EndpointServer, tmp_path: Path):
    key = await server.open_trial("t", ModelSpec(name="r", kind="reader"), tmp_path / "t.jsonl")
    options = {"A": OptionEvidence(supports=(("f",),), hasty=False)}
    told = AnswerKey(
        round="q1", type="multi_choice", letters=("A",), evidence=RoundEvidence(options=options),
        fragments=(Locator(id="f", text="the crucial line", path="a.md"),),
    )  # fmt: skip
    await server.begin_round("t", "q1", told)
    _, text = await post(server.url, key, say("12| the   crucial line"))
    assert r"\bbox{A}" in json.loads(text)["choices"][0]["message"]["content"]
    meter = await server.end_round("t")
    assert meter.seen is not None
    assert meter.seen.seen == ("f",)
    _, text = await post(server.url, key, say("the crucial line"))
    assert json.loads(text)["choices"][0]["message"]["content"] == "Noted."


async def test_errors_of_use_name_the_way_out(server: EndpointServer, tmp_path: Path):
    with pytest.raises(InternalError, match="no trial 'x'"):
        await server.begin_round("x", "q")
    with pytest.raises(EndpointError, match="no model of kind"):
        await server.open_trial("t", ModelSpec(name="m", kind="vllm"), tmp_path / "t.jsonl")
    with pytest.raises(EndpointError, match="script item"):
        await server.open_trial("t", scripted({"nonsense": 1}), tmp_path / "t.jsonl")


async def test_the_process_does_the_same_over_control(tmp_path: Path):
    folder = tmp_path / ("long" * 30)
    async with await ModelEndpoint.start(folder) as endpoint:
        assert (folder / "control.sock").stat().st_mode & 0o777 == 0o600
        key = await endpoint.open_trial("t", scripted({"tools": [CALL]}), tmp_path / "t.jsonl")
        await endpoint.begin_round("t", "q1", AnswerKey(round="q1", type="x", oracle={"big": "x" * 300_000}), attempt=2)
        assert (await post(endpoint.url, key, say("hi")))[0] == 200
        meter = await endpoint.end_round("t")
        assert meter.metered.requests == 1
        assert meter.events[0].name == "read_file"
        with pytest.raises(InternalError, match="no trial 'x'"):
            await endpoint.end_round("x")
        with pytest.raises(EndpointError, match="no model of kind"):
            await endpoint.open_trial("u", ModelSpec(name="m", kind="vllm"), tmp_path / "u.jsonl")
        await endpoint.close_trial("t")
        assert (await post(endpoint.url, key, say("hi")))[0] == 401
    assert sorted(path.name for path in folder.iterdir()) == ["endpoint.log"]
    assert [e.attempt for e in read_transcript(tmp_path / "t.jsonl")] == [2]
    with pytest.raises(EndpointError, match="has stopped"):
        await endpoint.begin_round("t", "q2")
