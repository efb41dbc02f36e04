"""Harness and provider may speak different dialects: text, tool calls, images, counts and errors survive either way."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.errors import EndpointError
from claw_adapter.protocol import ModelSpec
from support.wires import DIALECTS, ask, follow_up, post, streamed, whole

CALLS = [{"name": "read_file", "arguments": {"path": "ü.md"}}, {"name": "read_file", "arguments": {"path": "b"}}]
KINDS = {"openai-chat": "openai", "openai-responses": "openai-responses", "anthropic-messages": "anthropic"}
FINISH = {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "content_filter": "content_filter"}
IMAGE = "data:image/png;base64," + base64.b64encode(b"a picture").decode()


@pytest.fixture
async def endpoint(tmp_path: Path) -> AsyncIterator[EndpointServer]:
    async with EndpointServer(tmp_path, grace=0.5) as server:
        yield server


@pytest.fixture
async def provider(tmp_path: Path) -> AsyncIterator[EndpointServer]:
    """Another endpoint, with a scripted model, stands for a provider of any dialect."""
    (tmp_path / "provider").mkdir()
    async with EndpointServer(tmp_path / "provider", grace=0.5) as server:
        yield server


def at(url: str, dialect: str, **more) -> ModelSpec:
    base = url if dialect == "anthropic-messages" else f"{url}/v1"
    options = more.pop("options", {})
    fields = {"name": "m", "kind": KINDS[dialect], "base_url": base, "model": "real", "key_env": "PROVIDER_KEY"}
    return ModelSpec(**{**fields, "timeout": 5, "options": options, **more})


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("behind", DIALECTS)
@pytest.mark.parametrize("before", DIALECTS)
@pytest.mark.parametrize(
    "item",
    [
        {"text": "long " * 30 + "😀"}, {"text": "I look.", "tools": CALLS}, {"tools": CALLS[:1]},
        {"text": "cut", "finish": "length"}, {"text": "", "finish": "content_filter"},
    ],
)  # fmt: skip
async def test_a_reply_is_the_same_through_every_pair_of_dialects(
    endpoint, provider, tmp_path: Path, monkeypatch, before: str, behind: str, item: dict, stream: bool
):
    key = await provider.open_trial("p", ModelSpec(name="real", kind="scripted", script=(item,)), tmp_path / "p.jsonl")
    monkeypatch.setenv("PROVIDER_KEY", key)
    mine = await endpoint.open_trial("t", at(provider.url, behind), tmp_path / "t.jsonl")
    own = await endpoint.open_trial("o", ModelSpec(name="m", kind="scripted", script=(item,)), tmp_path / "o.jsonl")
    await endpoint.begin_round("t", "q")
    more = {"stream_options": {"include_usage": True}} if before == "openai-chat" and stream else {}
    said = []
    for trial in (mine, own):
        status, text, _ = await post(endpoint.url, trial, before, ask(before, stream=stream, tool="read_file", **more))
        assert status == 200, text
        said.append((streamed if stream else whole)(before, text))
    through, direct = said
    assert (through.text, through.stop) == (direct.text, direct.stop)
    assert [(c["name"], json.loads(c["arguments"])) for c in through.calls] == [
        (c["name"], json.loads(c["arguments"])) for c in direct.calls
    ]
    assert all(call["id"] for call in through.calls)
    assert through.usage == direct.usage, "the provider's counts, which are ours here, come through"
    meter = (await endpoint.end_round("t")).metered
    assert (meter.upstream_input, meter.upstream_output) == (through.usage["input"], through.usage["output"])


@pytest.mark.parametrize("behind", DIALECTS)
@pytest.mark.parametrize("before", DIALECTS)
async def test_a_conversation_with_tools_reaches_the_provider_as_it_was(
    endpoint, provider, tmp_path: Path, monkeypatch, before: str, behind: str
):
    from claw_adapter.runs.transcript import read_transcript

    script = ({"text": "I look.", "tools": CALLS}, "done")
    key = await provider.open_trial("p", ModelSpec(name="real", kind="scripted", script=script), tmp_path / "p.jsonl")
    monkeypatch.setenv("PROVIDER_KEY", key)
    mine = await endpoint.open_trial("t", at(provider.url, behind), tmp_path / "t.jsonl")
    body = ask(before, "Look!", tool="read_file")
    body |= {"openai-responses": {"instructions": "Be brief."}, "anthropic-messages": {"system": "Be brief."}}.get(
        before, {}
    )
    if before == "openai-chat":
        body["messages"].insert(0, {"role": "system", "content": "Be brief."})
    _, text, _ = await post(endpoint.url, mine, before, body)
    said = whole(before, text)
    _, text, _ = await post(endpoint.url, mine, before, follow_up(before, body, said, ["one", "two"]))
    assert whole(before, text).text == "done"
    sent, got = (list(read_transcript(tmp_path / f"{name}.jsonl")) for name in "tp")
    for ours, theirs in zip(sent, got, strict=True):
        assert theirs.asked == "real"
        assert theirs.messages == ours.messages
        assert [t["function"]["name"] for t in theirs.tools] == ["read_file"]
        assert [t["function"]["parameters"] for t in theirs.tools] == [t["function"]["parameters"] for t in ours.tools]
    assert [m["role"] for m in got[1].messages] == ["system", "user", "assistant", "tool", "tool"]
    assert got[1].params.get("temperature") == 0, "the run's sampling"


def picture(dialect: str) -> dict:
    body = ask(dialect, "See:")
    if dialect == "openai-chat":
        parts = [{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {"url": IMAGE}}]
        body["messages"][0]["content"] = parts
    elif dialect == "openai-responses":
        body["input"][0]["content"] = [
            {"type": "input_text", "text": "See:"}, {"type": "input_image", "image_url": IMAGE},
        ]  # fmt: skip
    else:
        source = {"type": "base64", "media_type": "image/png", "data": IMAGE.partition(",")[2]}
        body["messages"][0]["content"] = [{"type": "text", "text": "See:"}, {"type": "image", "source": source}]
    return body


@pytest.mark.parametrize("behind", DIALECTS)
@pytest.mark.parametrize("before", DIALECTS)
async def test_an_image_reaches_the_provider(endpoint, provider, tmp_path: Path, monkeypatch, before: str, behind: str):
    from claw_adapter.runs.transcript import read_transcript

    key = await provider.open_trial("p", ModelSpec(name="r", kind="scripted", script=("ok",)), tmp_path / "p.jsonl")
    monkeypatch.setenv("PROVIDER_KEY", key)
    mine = await endpoint.open_trial("t", at(provider.url, behind), tmp_path / "t.jsonl")
    status, text, _ = await post(endpoint.url, mine, before, picture(before))
    assert status == 200, text
    (exchange,) = read_transcript(tmp_path / "p.jsonl")
    image = {"type": "image_url", "image_url": {"url": IMAGE}}
    assert exchange.messages[-1]["content"] == [{"type": "text", "text": "See:"}, image]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("behind", DIALECTS)
@pytest.mark.parametrize("before", DIALECTS)
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("refused", "EndpointTransientError"), ("context", "EndpointError"), ("401", "EndpointAuthError"),
        ("429", "EndpointQuotaError"), ("529", "EndpointTransientError"), ("filter", "EndpointFilteredError"),
        ("cut", "EndpointTransientError"), ("garbage", "EndpointMalformedError"),
    ],
)  # fmt: skip
async def test_a_providers_failure_keeps_its_class(
    endpoint, provider, tmp_path: Path, monkeypatch, before: str, behind: str, kind: str, expected: str, stream: bool
):
    faults = {"faults": [{"at": "every 1", "kind": kind, "retry_after": 4}]}
    spec = ModelSpec(name="r", kind="scripted", script=("ok",), options=faults)
    key = await provider.open_trial("p", spec, tmp_path / "p.jsonl")
    monkeypatch.setenv("PROVIDER_KEY", key)
    mine = await endpoint.open_trial("t", at(provider.url, behind), tmp_path / "t.jsonl")
    await endpoint.begin_round("t", "q")
    status, _, headers = await post(endpoint.url, mine, before, ask(before, stream=stream))
    assert status == {"context": 400, "401": 401, "429": 429, "529": 529, "filter": 400}.get(kind, status)
    assert headers.get("Retry-After") == ("4" if kind in ("429", "529") else None)
    failure = (await endpoint.end_round("t")).failure
    assert failure is not None
    assert failure.kind == expected
    assert key not in failure.what


class Vendor:
    """A provider whose answers were written by hand, after the vendors' documentation."""

    def __init__(self) -> None:
        self.replies: list[object] = []
        self.requests: list[tuple[str, dict, dict]] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append((request.path_qs, dict(request.headers), await request.json()))
        reply = self.replies.pop(0)
        if isinstance(reply, dict):
            return web.json_response(reply)
        assert isinstance(reply, list)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in reply:
            await response.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        return response


@pytest.fixture
async def vendor() -> AsyncIterator[tuple[Vendor, str]]:
    made = Vendor()
    app = web.Application()
    app.router.add_post("/{path:.*}", made.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield made, f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


def block(index: int, start: dict, *deltas: dict) -> list[dict]:
    pieces = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [
        {"type": "content_block_start", "index": index, "content_block": start}, *pieces,
        {"type": "content_block_stop", "index": index},
    ]  # fmt: skip


MESSAGE = [
    {"type": "message_start", "message": {"type": "message", "usage": {
        "input_tokens": 5, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 1}}},
    {"type": "ping"},
    *block(0, {"type": "thinking", "thinking": "", "signature": ""},
           {"type": "thinking_delta", "thinking": "hm"}, {"type": "signature_delta", "signature": "sig"}),
    *block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": "I "}, {"type": "text_delta", "text": "look."}),
    *block(2, {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}},
           {"type": "input_json_delta", "partial_json": ""}, {"type": "input_json_delta", "partial_json": '{"path": '},
           {"type": "input_json_delta", "partial_json": '"a"}'}),
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 42}},
    {"type": "message_stop"},
]  # fmt: skip


@pytest.mark.parametrize("before", DIALECTS)
async def test_a_vendors_stream_is_read(endpoint, vendor, tmp_path: Path, monkeypatch, before: str):
    made, url = vendor
    made.replies.append(MESSAGE)
    monkeypatch.setenv("PROVIDER_KEY", "sk-ant")
    mine = await endpoint.open_trial("t", at(url, "anthropic-messages"), tmp_path / "t.jsonl")
    await endpoint.begin_round("t", "q")
    _, text, _ = await post(endpoint.url, mine, before, ask(before, stream=True, tool="read_file"))
    said = streamed(before, text)
    assert (said.text, [(c["id"], c["arguments"]) for c in said.calls]) == ("I look.", [("toolu_1", '{"path": "a"}')])
    meter = (await endpoint.end_round("t")).metered
    assert (meter.upstream_input, meter.upstream_output) == (115, 42)
    if before == "anthropic-messages":
        assert '"signature": "sig"' in text
        assert '"thinking": "hm"' in text


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        (MESSAGE[:-1], "EndpointMalformedError"), (MESSAGE[:5], "EndpointMalformedError"),
        ([*MESSAGE[:9], {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}],
         "EndpointTransientError"),
        ([{"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}], "EndpointQuotaError"),
    ],
)  # fmt: skip
async def test_a_vendors_stream_that_breaks_has_a_class(endpoint, vendor, tmp_path, monkeypatch, events, kind):
    made, url = vendor
    made.replies.append(events)
    monkeypatch.setenv("PROVIDER_KEY", "sk-ant")
    mine = await endpoint.open_trial("t", at(url, "anthropic-messages"), tmp_path / "t.jsonl")
    await endpoint.begin_round("t", "q")
    _, text, _ = await post(endpoint.url, mine, "anthropic-messages", ask("anthropic-messages", stream=True))
    assert "message_stop" not in text
    failure = (await endpoint.end_round("t")).failure
    assert failure is not None
    assert failure.kind == kind


REPLY = {
    "type": "message", "role": "assistant", "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 1},
}  # fmt: skip
BETAS = {"anthropic-beta": "context-management-2025-06-27", "anthropic-version": "2023-06-01"}


async def test_the_same_dialect_is_passed_on_as_it_came_but_for_model_and_sampling(
    endpoint, vendor, tmp_path, monkeypatch
):
    made, url = vendor
    monkeypatch.setenv("PROVIDER_KEY", "sk-ant")
    body = {
        "model": "asked", "max_tokens": 100, "temperature": 1, "thinking": {"type": "adaptive"}, "metadata": {"user_id": "u"},
        "output_config": {"effort": "high", "format": {"type": "json_schema"}},
        "context_management": {"edits": [{"type": "clear_thinking_20251015"}, {"type": "clear_tool_uses_20250919"}]},
        "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"type": "web_search_20250305", "name": "web_search"}],
        "messages": [
            {"role": "user", "content": "u"}, {"role": "system", "content": "in the middle"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}]},
            {"role": "user", "content": "go"},
        ],
    }  # fmt: skip
    kept = ("system", "tools", "messages", "metadata", "max_tokens")
    for sampling in ("pin", "pass"):
        made.replies.append(REPLY)
        spec = at(url, "anthropic-messages", sampling=sampling, params={"top_k": 1})
        mine = await endpoint.open_trial("t", spec, tmp_path / "t.jsonl")
        status, text, _ = await post(endpoint.url, mine, "anthropic-messages", body, "/v1/messages?beta=true", **BETAS)
        assert status == 200, text
    (path, headers, pinned), (_, _, passed) = made.requests
    assert path == "/v1/messages"
    assert (headers["x-api-key"], headers["anthropic-version"], headers["anthropic-beta"]) == (
        "sk-ant", "2023-06-01", "context-management-2025-06-27",
    )  # fmt: skip
    assert "Authorization" not in headers
    for sent in (pinned, passed):
        assert {name: sent[name] for name in kept} == {name: body[name] for name in kept}
        assert (sent["model"], sent["top_k"]) == ("real", 1)
    assert not {"temperature", "thinking"} & pinned.keys()
    assert pinned["output_config"] == {"format": {"type": "json_schema"}}
    assert pinned["context_management"] == {"edits": [{"type": "clear_tool_uses_20250919"}]}
    assert {name: passed[name] for name in ("thinking", "temperature", "output_config", "context_management")} == {
        name: body[name] for name in ("thinking", "temperature", "output_config", "context_management")
    }


async def test_a_chat_request_as_anthropic_expects_it(endpoint, vendor, tmp_path, monkeypatch):
    made, url = vendor
    made.replies.append(REPLY)
    monkeypatch.setenv("PROVIDER_KEY", "sk-ant")
    mine = await endpoint.open_trial("t", at(url, "anthropic-messages"), tmp_path / "t.jsonl")
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    body = {
        "messages": [
            {"role": "system", "content": "one"}, {"role": "developer", "content": "two"},
            {"role": "user", "content": "hi"}, {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "r"}, {"role": "user", "content": "and"},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]},
        ],
        "tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "required", "stop": "END",
        "parallel_tool_calls": False, "frequency_penalty": 1, "user": "u",
    }  # fmt: skip
    await post(endpoint.url, mine, "openai-chat", body)
    sent = made.requests[0][2]
    assert sent == {
        "model": "real", "stream": False, "max_tokens": 8192, "temperature": 0, "stop_sequences": ["END"],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True}, "system": "one\n\ntwo",
        "tools": [{"name": "f", "description": "", "input_schema": {"type": "object", "properties": {}}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "r"}]},
                {"type": "text", "text": "and"}, {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}}]},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"options": {"dialect": "gopher"}}, "gopher"),
        ({"base_url": ""}, "base_url"),
        ({"options": {"credential": "handshake"}}, "handshake"),
    ],
)
async def test_what_cannot_be_an_upstream_is_refused_when_the_trial_is_opened(endpoint, tmp_path, change, word):
    spec = at("http://127.0.0.1:9", "anthropic-messages", **change)
    with pytest.raises(EndpointError, match=word):
        await endpoint.open_trial("t", spec, tmp_path / "t.jsonl")
