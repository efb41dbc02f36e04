"""Three dialects, one neutral form: what a harness sends reaches the model alike, and replies say the same in each."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.endpoint.dialects import DIALECTS as ALL
from claw_adapter.endpoint.dialects import Head
from claw_adapter.endpoint.neutral import Collector
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.model import CallDelta, Delta
from claw_adapter.protocol import ModelSpec
from claw_adapter.protocol.answer_key import AnswerKey, Locator
from claw_adapter.protocol.gold import OptionEvidence, RoundEvidence
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.runs.transcript import read_transcript
from support.wires import DIALECTS, Said, ask, follow_up, post, streamed, whole

BY_NAME = {dialect.name: dialect for dialect in ALL}
CALL = {"name": "read_file", "arguments": {"path": "a b.md"}}
STOPS = {
    "openai-chat": {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "content_filter": "content_filter"},
    "openai-responses": {
        "stop": "completed", "tool_calls": "completed", "length": "incomplete", "content_filter": "incomplete",
    },
    "anthropic-messages": {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"},
}  # fmt: skip
USAGE = {"openai-chat": {"stream_options": {"include_usage": True}}}


def scripted(*script, **more) -> ModelSpec:
    return ModelSpec(name="fixed", kind="scripted", script=script, **more)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EndpointServer]:
    async with EndpointServer(tmp_path, grace=1.0) as running:
        yield running


async def say(server: EndpointServer, key: str, dialect: str, body: dict) -> Said:
    more = USAGE.get(dialect, {}) if body.get("stream") else {}
    status, text, _ = await post(server.url, key, dialect, {**body, **more})
    assert status == 200, text
    return streamed(dialect, text) if body.get("stream") else whole(dialect, text)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("item", "finish"),
    [
        ("plain", "stop"), ("long " * 50 + "ü 😀", "stop"), ("", "stop"),
        ({"text": "both", "tools": [CALL, CALL]}, "tool_calls"), ({"tools": [CALL]}, "tool_calls"),
        ({"text": "cut", "finish": "length"}, "length"), ({"text": "", "finish": "content_filter"}, "content_filter"),
    ],
)  # fmt: skip
async def test_streamed_and_whole_replies_say_the_same(server, tmp_path: Path, dialect: str, item, finish: str):
    key = await server.open_trial("t", scripted(item), tmp_path / "t.jsonl")
    one = await say(server, key, dialect, ask(dialect))
    two = await say(server, key, dialect, ask(dialect, stream=True))
    assert (one.text, one.stop, one.usage, one.model) == (two.text, two.stop, two.usage, two.model)
    expected = {"text": item} if isinstance(item, str) else item
    assert one.text == expected.get("text", "")
    assert one.stop == STOPS[dialect][finish]
    assert one.model == "fixed"
    assert one.usage["input"] > 0
    assert (one.usage["output"] > 0) == bool(item != "" and finish != "content_filter")
    for said in (one, two):
        assert [(c["name"], json.loads(c["arguments"])) for c in said.calls] == [
            (c["name"], c["arguments"]) for c in expected.get("tools", [])
        ]
        assert len({c["id"] for c in said.calls}) == len(said.calls)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_the_reader_works_through_every_dialect(server, tmp_path: Path, dialect: str, stream: bool):
    key = await server.open_trial("t", ModelSpec(name="r", kind="reader"), tmp_path / "t.jsonl")
    evidence = RoundEvidence(
        options={"A": OptionEvidence(supports=[["f"]], hasty=False), "B": OptionEvidence(refutes=[["f"]], hasty=True)}
    )
    fragment = Locator(id="f", text="the pump failed at noon", path="log.md")
    answer_key = AnswerKey(round="q", type="multi_choice", letters=("A", "B"), evidence=evidence, fragments=(fragment,))
    await server.begin_round("t", "q", answer_key)
    body = ask(dialect, "Which?", stream=stream, tool="read_file")
    said = await say(server, key, dialect, body)
    assert [(c["name"], json.loads(c["arguments"])) for c in said.calls] == [("read_file", {"path": "log.md"})]
    answer = await say(server, key, dialect, follow_up(dialect, body, said, ["1| the pump failed at noon"]))
    assert answer.text.endswith("\\bbox{A}")
    meter = await server.end_round("t")
    assert meter.seen is not None
    assert meter.seen.seen == ("f",)
    assert [(e.kind, e.name) for e in meter.events] == [("tool_call", "read_file"), ("tool_result", "read_file")]


async def test_the_same_conversation_is_the_same_request_in_every_dialect(server, tmp_path: Path):
    recorded = {}
    for dialect in DIALECTS:
        path = tmp_path / f"{dialect}.jsonl"
        key = await server.open_trial("t", scripted({"tools": [CALL]}, "done"), path)
        body = ask(dialect, "hello", tool="read_file")
        body |= {"openai-responses": {"instructions": "Be brief."}, "anthropic-messages": {"system": "Be brief."}}.get(
            dialect, {}
        )
        if dialect == "openai-chat":
            body["messages"].insert(0, {"role": "system", "content": "Be brief."})
        said = await say(server, key, dialect, body)
        said.calls[0]["arguments"] = json.dumps(CALL["arguments"])
        await say(server, key, dialect, follow_up(dialect, body, said, ["contents"]))
        recorded[dialect] = [(e.messages, e.tools, e.usage["input"]) for e in read_transcript(path)]
    assert recorded["openai-chat"] == recorded["openai-responses"] == recorded["anthropic-messages"]
    assert [m["role"] for m in recorded["openai-chat"][1][0]] == ["system", "user", "assistant", "tool"]


CLAUDE = {
    "model": "claude-x", "max_tokens": 32000, "stream": True, "metadata": {"user_id": "u"},
    "system": [
        {"type": "text", "text": "You are an agent.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Rules."},
    ],
    "thinking": {"type": "adaptive"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "output_config": {"effort": "medium"},
    "tool_choice": {"type": "any", "disable_parallel_tool_use": True}, "stop_sequences": ["END"],
    "tools": [
        {"name": "Read", "description": "Reads", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
        {"type": "web_search_20250305", "name": "web_search"},
    ],
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "<reminder>", "cache_control": {"type": "ephemeral"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}]},
        {"role": "system", "content": "a system message inside the list"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "I read."},
            {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/a"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": False, "content": [
                {"type": "text", "text": "line"},
                {"type": "image", "source": {"type": "url", "url": "http://x/y.png"}}]},
            {"type": "text", "text": "go on"}]},
    ],
}  # fmt: skip


async def test_what_claude_code_sends_is_accepted_and_recorded(server, tmp_path: Path):
    key = await server.open_trial("t", scripted("ok"), tmp_path / "t.jsonl")
    await server.begin_round("t", "q")
    headers = {
        "anthropic-beta": "claude-code-20250219,context-management-2025-06-27",
        "anthropic-version": "2023-06-01",
    }
    path = "/v1/messages?beta=true"
    status, text, _ = await post(server.url, key, "anthropic-messages", CLAUDE, path, **headers)
    assert (status, streamed("anthropic-messages", text).text) == (200, "ok")
    (exchange,) = read_transcript(tmp_path / "t.jsonl")
    assert [m["role"] for m in exchange.messages] == ["system", "user", "system", "assistant", "tool", "user"]
    assert exchange.messages[0]["content"] == "You are an agent.\nRules."
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert exchange.messages[1]["content"] == [{"type": "text", "text": "<reminder>"}, image]
    assert exchange.messages[3]["tool_calls"][0]["function"] == {"name": "Read", "arguments": '{"file_path": "/a"}'}
    assert exchange.messages[4] == {"role": "tool", "tool_call_id": "toolu_1", "content": "line"}
    assert [part["type"] for part in exchange.messages[5]["content"]] == ["image_url", "text"]
    assert [tool["function"]["name"] for tool in exchange.tools] == ["Read"]
    assert exchange.params == {
        "max_tokens": 32000, "stop": ["END"], "tool_choice": "required", "parallel_tool_calls": False,
    }  # fmt: skip
    assert exchange.native["anthropic_beta"] == headers["anthropic-beta"]
    assert exchange.native["thinking"] == {"type": "adaptive"}
    assert {"context_management", "output_config", "metadata", "server_tools"} <= exchange.native.keys()
    asked = (await server.end_round("t")).metered.asked
    assert (asked["thinking"], asked["output_config"]) == ({"type": "adaptive"}, {"effort": "medium"})


async def test_tokens_are_counted_without_a_request(server, tmp_path: Path):
    key = await server.open_trial("t", scripted("ok"), tmp_path / "t.jsonl")
    await server.begin_round("t", "q")
    for dialect, path in (
        ("anthropic-messages", "/v1/messages/count_tokens"), ("openai-responses", "/v1/responses/input_tokens"),
    ):  # fmt: skip
        body = ask(dialect, "how many?", tool="read_file")
        _, text, _ = await post(server.url, key, dialect, body, path)
        said = await say(server, key, dialect, body)
        assert json.loads(text)["input_tokens"] == said.usage["input"]
    assert (await server.end_round("t")).metered.requests == 2


@pytest.mark.parametrize(
    "body",
    [
        [], {}, {"messages": []}, {"messages": "hi"}, {"messages": [{"role": "robot", "content": "x"}]},
        {"messages": [{"role": "user", "content": 7}]}, {"messages": [{"role": "system", "content": "only"}]},
        {"messages": [{"role": "user", "content": [7]}]},
    ],
)  # fmt: skip
async def test_what_is_no_anthropic_request_is_refused_in_its_form(server, tmp_path: Path, body):
    key = await server.open_trial("t", scripted("ok"), tmp_path / "t.jsonl")
    await server.begin_round("t", "q")
    status, text, _ = await post(server.url, key, "anthropic-messages", body)
    error = json.loads(text)
    assert (status, error["type"], error["error"]["type"]) == (400, "error", "invalid_request_error")
    failure = (await server.end_round("t")).failure
    assert failure is not None
    assert failure.kind == "HarnessProtocolError"


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"input": "x", "previous_response_id": "resp_1"}, "previous_response_id"),
        ({"input": "x", "conversation": "c"}, "conversation"), ({"input": []}, "input"), ({}, "input"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "item_reference"),
        ({"input": [{"role": "robot", "content": "x"}]}, "robot"), ({"input": [{"role": "user", "content": 7}]}, "content"),
    ],
)  # fmt: skip
async def test_what_needs_a_memory_or_is_no_responses_request_is_refused(server, tmp_path: Path, body, word: str):
    key = await server.open_trial("t", scripted("ok"), tmp_path / "t.jsonl")
    status, text, _ = await post(server.url, key, "openai-responses", body)
    assert status == 400
    assert word in json.loads(text)["error"]["message"]


async def test_responses_items_become_messages(server, tmp_path: Path):
    key = await server.open_trial("t", scripted("ok"), tmp_path / "t.jsonl")
    body = {
        "model": "x", "instructions": "Be brief.", "store": False, "reasoning": {"effort": "high"}, "max_output_tokens": 9,
        "tool_choice": {"type": "function", "name": "f"}, "include": ["reasoning.encrypted_content"],
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {}}},
        "tools": [{"type": "function", "name": "f", "parameters": {}, "strict": False}, {"type": "web_search"}],
        "input": [
            {"role": "developer", "content": [{"type": "input_text", "text": "rules"}]},
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "see"},
                {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "low"}]},
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "calling"}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin"},
            {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "r1"}]},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "r2"},
        ],
    }  # fmt: skip
    await say(server, key, "openai-responses", body)
    (exchange,) = read_transcript(tmp_path / "t.jsonl")
    assert [m["role"] for m in exchange.messages] == ["system", "system", "user", "assistant", "tool", "tool"]
    assert exchange.messages[2]["content"][1]["image_url"] == {"url": "data:image/png;base64,aGk=", "detail": "low"}
    assert [c["function"]["name"] for c in exchange.messages[3]["tool_calls"]] == ["f", "apply_patch"]
    assert exchange.messages[3]["content"] == "calling"
    assert [m["content"] for m in exchange.messages[4:]] == ["r1", "r2"]
    assert exchange.params == {
        "max_completion_tokens": 9, "reasoning_effort": "high",
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}},
    }  # fmt: skip
    assert {"store", "include", "server_tools"} <= exchange.native.keys()


async def test_keys_are_taken_from_either_header_and_models_are_listed_in_the_clients_form(server, tmp_path: Path):
    import aiohttp

    key = await server.open_trial("t", scripted("ok"), tmp_path / "t.jsonl")
    for headers in ({"x-api-key": key}, {"Authorization": f"Bearer {key}"}):
        async with aiohttp.ClientSession(headers={**headers, "anthropic-version": "2023-06-01"}) as session:
            async with session.post(f"{server.url}/v1/messages", json=ask("anthropic-messages")) as answer:
                assert answer.status == 200
            async with session.get(f"{server.url}/v1/models") as answer:
                assert (await answer.json())["data"][0]["type"] == "model"
    status, text, _ = await post(server.url, "wrong", "anthropic-messages", ask("anthropic-messages"))
    assert (status, json.loads(text)["error"]["type"]) == (401, "authentication_error")


PIECE = st.one_of(
    st.builds(Delta, text=st.text(max_size=5)),
    st.builds(
        lambda index, text: Delta(calls=(CallDelta(index, f"id{index}", f"n{index}", text),)),
        st.integers(0, 3),
        st.text(max_size=4),
    ),
)


@pytest.mark.parametrize("name", DIALECTS)
@given(st.lists(PIECE, max_size=14))
def test_pieces_in_any_order_give_the_same_reply_streamed_and_whole(name: str, pieces: list[Delta]):
    dialect, collector, head, usage = BY_NAME[name], Collector(), Head("id_1", 1, "m"), TokenUse(3, 4)
    renderer = dialect.stream(head, usage_chunk=True)
    data = b""
    for piece in pieces:
        collector.add(piece)
        data += renderer.feed(piece)
    reply = collector.reply()
    said = streamed(name, (data + renderer.end(reply.finish, usage)).decode())
    assert said.text == reply.text
    assert sorted((c["id"], c["name"], c["arguments"]) for c in said.calls) == sorted(
        (c.id, c.name, c.arguments) for c in reply.calls
    )
    assert said.stop == STOPS[name][reply.finish]
