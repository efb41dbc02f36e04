"""What a cache of prefixes has of a request, and what comes of one that the model's window cannot hold, in every dialect."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from claw_adapter.endpoint.known import Known
from claw_adapter.endpoint.prefixes import common_prefix
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.model import ModelRequest
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import read_transcript
from claw_adapter.tokens.meter import count_request
from support.wires import DIALECTS, ask, follow_up, post, streamed, whole

LONG = "The pump stands behind the shed, next to the old well. " * 40
TOOL = [{"type": "function", "function": {"name": "read_file"}}]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EndpointServer]:
    async with EndpointServer(tmp_path, grace=1.0) as running:
        yield running


def fixed(*script, **more) -> ModelSpec:
    return ModelSpec(name="fixed", kind="scripted", script=script, **more)


def measured(known: Known, *messages: tuple[str, str], tools=()):
    made = [{"role": role, "content": text} for role, text in messages]
    return known.measured(ModelRequest((), (), made, list(tools), {}))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_a_request_repeats_is_reported_as_cached(server, tmp_path: Path, dialect: str, stream: bool):
    read = {"tools": [{"name": "read_file", "arguments": {"path": "a.md"}}]}
    key = await server.open_trial("t", fixed(read, "Seen."), tmp_path / "t.jsonl")
    parse = streamed if stream else whole
    first = ask(dialect, LONG, stream=stream, tool="read_file")
    if stream and dialect == "openai-chat":
        first["stream_options"] = {"include_usage": True}
    one = parse(dialect, (await post(server.url, key, dialect, first))[1])
    two = parse(dialect, (await post(server.url, key, dialect, follow_up(dialect, first, one, ["42"])))[1])
    assert (one.cached, two.cached) == (0, one.usage["input"])
    assert two.usage["input"] > two.cached
    counts = [exchange.usage for exchange in read_transcript(tmp_path / "t.jsonl")]
    assert [(found["input"], found["cached"]) for found in counts] == [
        (one.usage["input"], 0), (two.usage["input"], two.cached),
    ]  # fmt: skip


async def test_a_round_says_what_was_cached_in_it_and_a_refused_request_leaves_nothing_in_the_cache(
    server, tmp_path: Path
):
    faults = {"faults": [{"at": [1], "kind": "429"}]}
    key = await server.open_trial("t", fixed("Yes.", options=faults), tmp_path / "t.jsonl")
    await server.begin_round("t", "q1")
    for _ in range(3):
        await post(server.url, key, "openai-chat", ask("openai-chat", LONG))
    meter = (await server.end_round("t")).metered
    assert (meter.requests, meter.cached) == (3, meter.input // 3)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_beyond_the_window_the_answer_is_the_providers_own(server, tmp_path: Path, dialect: str, stream: bool):
    key = await server.open_trial("t", fixed("Yes.", window=100), tmp_path / "t.jsonl")
    await server.begin_round("t", "q1")
    status, text, _ = await post(server.url, key, dialect, ask(dialect, LONG, stream=stream))
    error = json.loads(text)["error"]
    tokens = count_request([{"role": "user", "content": LONG}]).text
    assert status == 400
    assert error["type"] == "invalid_request_error"
    said = {
        "openai-chat": f"maximum context length is 100 tokens. However, your messages resulted in {tokens} tokens",
        "openai-responses": "Your input exceeds the context window of this model",
        "anthropic-messages": f"prompt is too long: {tokens} tokens > 100 maximum",
    }
    assert said[dialect] in error["message"]
    assert error.get("code") == (None if dialect == "anthropic-messages" else "context_length_exceeded")
    assert (await post(server.url, key, dialect, ask(dialect, "hi", stream=stream)))[0] == 200
    assert [exchange.sent for exchange in read_transcript(tmp_path / "t.jsonl")] == [False, True]


def test_a_request_keeps_what_it_begins_with_in_common():
    known = Known()
    before = measured(known, ("system", "Be brief."), ("user", LONG))
    assert common_prefix(measured(known, ("system", "Be brief."), ("user", LONG), ("user", "On.")), before).message == 2
    clock = measured(known, ("system", f"Now: 12:01. {LONG}"), ("user", "Hi."))
    later = common_prefix(measured(known, ("system", f"Now: 12:02. {LONG}"), ("user", "Hi.")), clock)
    assert (later.message, later.characters) == (0, len("system\nNow: 12:0"))
    assert 0 < later.tokens < 10
    tools = common_prefix(measured(known, ("user", LONG), tools=TOOL), measured(known, ("user", LONG)))
    assert (tools.message, tools.tokens) == (-1, 0)


def test_a_window_that_is_not_told_is_no_affair_of_the_harness_and_none_changes_no_digest():
    assert (fixed("a", window=9).told_window, fixed("a", window=9, tell_window=False).told_window) == (9, None)


def test_money_with_a_cache_reads_and_writes_it():
    pytest.importorskip("genai_prices")
    from claw_adapter.protocol.tokens import TokenUse
    from claw_adapter.runs.prices import cost

    model = ModelSpec(name="m", kind="anthropic", model="claude-opus-4-5", base_url="https://api.anthropic.com")
    use, day = TokenUse(1_000_000, 0, 900_000), date(2026, 11, 1)
    plain, cached = cost(model, use, day), cost(model, use, day, cached=True)
    assert (plain.amount, cached.amount) == (Decimal(5), Decimal("0.9") / 2 + Decimal("0.625"))
