"""Faults by schedule: each kind in each dialect, streamed and not, in the dialect's own form and under the right class."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import aiohttp
import pytest

from claw_adapter.endpoint.faults import FAULT_KINDS
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.errors import EndpointError
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import read_transcript
from support.wires import DIALECTS, ask, events, post, streamed, whole

CLASSES = {
    "refused": ("EndpointTransientError", None), "400": ("EndpointError", 400), "context": ("EndpointError", 400),
    "401": ("EndpointAuthError", 401), "429": ("EndpointQuotaError", 429), "500": ("EndpointTransientError", 500),
    "529": ("EndpointTransientError", 529), "filter": ("EndpointFilteredError", 400),
    "stall": ("EndpointTransientError", None), "cut": ("EndpointTransientError", None),
    "cut_call": ("EndpointTransientError", None), "cut_late": ("EndpointTransientError", None),
    "garbage": ("EndpointMalformedError", 200), "truncated_arguments": ("EndpointMalformedError", 200),
    "empty": ("EndpointMalformedError", 200), "402": ("EndpointQuotaError", 402), "403": ("EndpointAuthError", 403),
    "404": ("EndpointError", 404), "408": ("EndpointTransientError", 408), "409": ("EndpointTransientError", 409),
    "413": ("EndpointError", 413), "422": ("EndpointError", 422), "502": ("EndpointTransientError", 502),
    "503": ("EndpointTransientError", 503), "504": ("EndpointTransientError", 504), "told": ("EndpointTransientError", 502),
    "gateway": ("EndpointTransientError", 502),
}  # fmt: skip
NAMED = frozenset({400, 401, 429, 500, 529})
"""Statuses whose type is looked at."""
TYPES = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}
ANTHROPIC_TYPES = {**TYPES, 500: "api_error", 529: "overloaded_error"}


def failing(*rules: dict, **more) -> ModelSpec:
    options = {"faults": list(rules)}
    return ModelSpec(name="m", kind="scripted", script=("fine",), options=options, **{"timeout": 0.3, **more})


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EndpointServer]:
    async with EndpointServer(tmp_path, grace=1.0) as running:
        yield running


def test_every_kind_of_fault_is_tested():
    assert set(CLASSES) == set(FAULT_KINDS)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", FAULT_KINDS)
async def test_a_fault_is_what_it_says_and_the_next_request_is_answered(
    server: EndpointServer, tmp_path: Path, kind: str, dialect: str, stream: bool
):
    rule = {"at": [1], "kind": kind, "retry_after": 3}
    key = await server.open_trial("t", failing(rule), tmp_path / "t.jsonl")
    await server.begin_round("t", "q")
    body = ask(dialect, stream=stream, tool="read_file")
    expected, status = CLASSES[kind]
    status = 200 if kind == "told" and stream else status
    if status is None:
        with pytest.raises(aiohttp.ClientError):
            await post(server.url, key, dialect, body)
    else:
        got, text, headers = await post(server.url, key, dialect, body)
        assert got == status
        if kind == "gateway":
            assert parsedate_to_datetime(headers["Retry-After"]).tzinfo is not None
        else:
            assert headers.get("Retry-After") == ("3" if kind in ("429", "529") else None)
        check_form(dialect, kind, status, text, stream=stream)
    failure = (await server.end_round("t")).failure
    assert failure is not None
    assert (failure.owner, failure.kind) == ("endpoint", expected)
    assert ("no longer fits" in failure.what) == (kind in ("context", "413"))
    await server.begin_round("t", "q2")
    _, text, _ = await post(server.url, key, dialect, body)
    assert (streamed if stream else whole)(dialect, text).text == "fine"
    assert (await server.end_round("t")).failure is None
    assert [e.fault for e in read_transcript(tmp_path / "t.jsonl")] == [kind, ""]


def check_form(dialect: str, kind: str, status: int, text: str, *, stream: bool) -> None:
    if kind == "gateway":
        assert text.startswith("<html>")
    elif status != 200:
        error = json.loads(text)
        types = (
            ANTHROPIC_TYPES if dialect == "anthropic-messages" else {**TYPES, 500: "server_error", 529: "server_error"}
        )
        assert status not in NAMED or error["error"]["type"] == types[status]
        assert error.get("type") == ("error" if dialect == "anthropic-messages" else None)
        code = {"context": "context_length_exceeded", "filter": "content_filter"}.get(kind)
        assert dialect == "anthropic-messages" or error["error"]["code"] == code
    elif kind == "told":
        assert "of what " in text
        assert text.count("error") >= 1
    elif kind == "garbage":
        with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
            events(text) if stream else json.loads(text)
    elif kind == "truncated_arguments" and (stream or dialect != "anthropic-messages"):
        (call,) = (streamed if stream else whole)(dialect, text).calls
        assert call["name"] == "read_file"
        with pytest.raises(ValueError, match="Unterminated"):
            json.loads(call["arguments"])
    elif kind == "truncated_arguments":  # the form has no place for text that is no object
        assert list(json.loads(whole(dialect, text).calls[0]["arguments"])) == ["_raw"]
    elif kind == "empty" and not stream:
        reply = json.loads(text)
        assert not next(reply[name] for name in ("choices", "output", "content") if name in reply)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_stream_may_end_within_a_call(server: EndpointServer, tmp_path: Path, dialect: str):
    key = await server.open_trial("t", failing({"at": [1], "kind": "cut_call"}), tmp_path / "t.jsonl")
    await server.begin_round("t", "q")
    with pytest.raises(aiohttp.ClientError):
        await post(server.url, key, dialect, ask(dialect, stream=True, tool="read_file"))
    await server.end_round("t")
    (sent,) = read_transcript(tmp_path / "t.jsonl")
    assert (sent.status, sent.fault) == (499, "cut_call")
    (call,) = sent.reply["tool_calls"]
    assert call["function"]["name"] == "read_file"
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(call["function"]["arguments"])


async def test_a_refused_connection_brings_no_byte(server: EndpointServer, tmp_path: Path):
    import asyncio

    key = await server.open_trial("t", failing({"at": [1], "kind": "refused"}), tmp_path / "t.jsonl")
    body = json.dumps(ask("openai-chat")).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    try:
        assert await reader.read() == b""
    except ConnectionResetError:
        pass
    finally:
        writer.close()


async def outcomes(server: EndpointServer, key: str, rounds: dict[str, int]) -> str:
    found = ""
    for name, requests in rounds.items():
        await server.begin_round("t", name)
        for _ in range(requests):
            status, _, _ = await post(server.url, key, "openai-chat", ask("openai-chat"))
            found += "." if status == 200 else "x"
        await server.end_round("t")
        found += " "
    return found


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([{"at": [2, 3], "kind": "500"}], ".x x.. "),
        ([{"at": "every 2", "kind": "500"}], ".x .x. "),
        ([{"at": "every 1", "kind": "500", "round": "q2"}], ".. xxx "),
        ([{"at": [1], "kind": "500", "round": "q2"}, {"at": [2], "kind": "429"}], ".x x.. "),
    ],
)
async def test_rules_count_requests_of_the_trial_or_of_their_round(server, tmp_path: Path, rules, expected: str):
    key = await server.open_trial("t", failing(*rules), tmp_path / "t.jsonl")
    assert await outcomes(server, key, {"q1": 2, "q2": 3}) == expected


async def test_a_model_is_not_asked_for_a_reply_that_a_fault_replaces(server: EndpointServer, tmp_path: Path):
    spec = ModelSpec(name="m", kind="scripted", script=("one", "two"), options={"faults": [{"at": [1], "kind": "500"}]})
    key = await server.open_trial("t", spec, tmp_path / "t.jsonl")
    await post(server.url, key, "openai-chat", ask("openai-chat"))
    _, text, _ = await post(server.url, key, "openai-chat", ask("openai-chat"))
    assert whole("openai-chat", text).text == "one"


@pytest.mark.parametrize(
    "rules",
    [{"at": [1]}, [{"at": [0], "kind": "500"}], [{"at": "every 0", "kind": "500"}], [{"at": [1], "kind": "418"}],
     [{"at": "sometimes", "kind": "500"}], "500"],
)  # fmt: skip
async def test_a_schedule_that_cannot_be_used_is_refused_when_the_trial_is_opened(server, tmp_path: Path, rules):
    spec = ModelSpec(name="m", kind="scripted", script=("x",), options={"faults": rules})
    with pytest.raises(EndpointError, match="fault rule"):
        await server.open_trial("t", spec, tmp_path / "t.jsonl")
