"""Talking to the endpoint in its three dialects, and reading streams as a client would: by other means than our own."""

import io
import json
from dataclasses import dataclass, field
from typing import Any

import aiohttp

DIALECTS = ("openai-chat", "openai-responses", "anthropic-messages")
PATHS = {
    "openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses", "anthropic-messages": "/v1/messages",
}  # fmt: skip
FIELDS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


@dataclass
class Said:
    """A reply, whatever the dialect was."""

    text: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    stop: str | None = None
    usage: dict[str, int] = field(default_factory=dict)
    model: str = ""
    cached: int = 0


def spent(usage: dict[str, Any]) -> dict[str, int]:
    """Tokens sent, those of the cache included, and received."""
    sent = usage.get("prompt_tokens", usage.get("input_tokens", 0)) + usage.get("cache_read_input_tokens", 0)
    return {"input": sent, "output": usage.get("completion_tokens", usage.get("output_tokens", 0))}


def cached(usage: dict[str, Any]) -> int:
    """Tokens of the cache."""
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details") or {}
    return usage.get("cache_read_input_tokens", details.get("cached_tokens", 0))


def ask(dialect: str, text: str = "hi", *, stream: bool = False, tool: str = "", **more: Any) -> dict[str, Any]:
    """The body of a request with one user message and perhaps one tool."""
    body: dict[str, Any] = {"model": "asked", "stream": stream, **more}
    function = {"name": tool, "description": "Read a file.", "parameters": FIELDS}
    if dialect == "openai-responses":
        body["input"] = [{"role": "user", "content": text}]
        tools = [{"type": "function", **function}]
    else:
        body["messages"] = [{"role": "user", "content": text}]
        tools = [{"type": "function", "function": function}]
    if dialect == "anthropic-messages":
        body.setdefault("max_tokens", 1000)
        tools = [{"name": tool, "description": "Read a file.", "input_schema": FIELDS}]
    return {**body, "tools": tools} if tool else body


def follow_up(dialect: str, body: dict[str, Any], said: Said, results: list[str]) -> dict[str, Any]:
    """The request after the tool calls of `said` were made."""
    pairs = list(zip(said.calls, results, strict=True))
    if dialect == "openai-chat":
        calls = [
            {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}}
            for c in said.calls
        ]
        more: list[dict[str, Any]] = [{"role": "assistant", "content": said.text or None, "tool_calls": calls}]
        more += [{"role": "tool", "tool_call_id": call["id"], "content": result} for call, result in pairs]
        return {**body, "messages": [*body["messages"], *more]}
    if dialect == "openai-responses":
        more = [
            {"type": "function_call", "call_id": c["id"], "name": c["name"], "arguments": c["arguments"]}
            for c in said.calls
        ]
        more += [{"type": "function_call_output", "call_id": call["id"], "output": result} for call, result in pairs]
        return {**body, "input": [*body["input"], *more]}
    uses = [
        {"type": "tool_use", "id": c["id"], "name": c["name"], "input": json.loads(c["arguments"])} for c in said.calls
    ]
    text = [{"type": "text", "text": said.text}] if said.text else []
    answers = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": [{"type": "text", "text": result}]}
        for call, result in pairs
    ]
    more = [{"role": "assistant", "content": [*text, *uses]}, {"role": "user", "content": answers}]
    return {**body, "messages": [*body["messages"], *more]}


async def post(url: str, key: str, dialect: str, body: Any, path: str = "", **headers: str) -> tuple[int, str, dict]:
    """Status, text and headers of the answer; the key goes where the dialect's clients put it."""
    auth = {"x-api-key": key} if dialect == "anthropic-messages" else {"Authorization": f"Bearer {key}"}
    data = io.BytesIO(json.dumps(body).encode())
    async with (
        aiohttp.ClientSession(headers={**auth, **headers}) as session,
        session.post(f"{url}{path or PATHS[dialect]}", data=data) as answer,
    ):
        return answer.status, await answer.text(), dict(answer.headers)


def events(text: str) -> list[dict[str, Any]]:
    """The JSON data of a stream's events; a name must agree with the type inside."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines())
        if lines["data"] != "[DONE]":
            found.append(json.loads(lines["data"]))
            assert lines.get("event") in (None, found[-1].get("type"))
    return found


def whole(dialect: str, text: str) -> Said:
    """A complete reply."""
    reply = json.loads(text)
    usage = reply["usage"]
    if dialect == "openai-chat":
        choice = reply["choices"][0]
        calls = [{"id": c["id"], **c["function"]} for c in choice["message"].get("tool_calls", [])]
        text = choice["message"]["content"] or ""
        return Said(text, calls, choice["finish_reason"], spent(usage), reply["model"], cached(usage))
    if dialect == "openai-responses":
        texts = [part["text"] for item in reply["output"] for part in item.get("content", [])]
        calls = [
            {"id": i["call_id"], "name": i["name"], "arguments": i["arguments"]}
            for i in reply["output"]
            if i["type"] == "function_call"
        ]
        return Said("".join(texts), calls, reply["status"], spent(usage), reply["model"], cached(usage))
    texts = [block["text"] for block in reply["content"] if block["type"] == "text"]
    calls = [
        {"id": b["id"], "name": b["name"], "arguments": json.dumps(b["input"])}
        for b in reply["content"]
        if b["type"] == "tool_use"
    ]
    return Said("".join(texts), calls, reply["stop_reason"], spent(usage), reply["model"], cached(usage))


def streamed(dialect: str, text: str) -> Said:
    """A streamed reply put together; asserts what the dialect says about the order of events."""
    return {"openai-chat": _chat, "openai-responses": _responses, "anthropic-messages": _anthropic}[dialect](text)


def _chat(text: str) -> Said:
    assert text.endswith("data: [DONE]\n\n")
    said, calls = Said(), {}
    for chunk in events(text):
        said.model = chunk["model"]
        if chunk.get("usage"):
            said.usage, said.cached = spent(chunk["usage"]), cached(chunk["usage"])
        for choice in chunk["choices"]:
            said.text += choice["delta"].get("content") or ""
            for call in choice["delta"].get("tool_calls", []):
                known = calls.setdefault(call["index"], {"id": call.get("id"), "name": "", "arguments": ""})
                known["name"] += call["function"].get("name", "")
                known["arguments"] += call["function"]["arguments"]
            said.stop = choice["finish_reason"] or said.stop
    said.calls = [calls[index] for index in sorted(calls)]
    return said


def _responses(text: str) -> Said:
    found = events(text)
    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    assert [event["type"] for event in found[:2]] == ["response.created", "response.in_progress"]
    opened: dict[int, dict[str, Any]] = {}
    written: dict[int, str] = {}
    for event in found:
        index = event.get("output_index")
        if event["type"] == "response.output_item.added":
            opened[index] = event["item"]
        elif event["type"].endswith(".delta"):
            assert event["item_id"] == opened[index]["id"]
            written[index] = written.get(index, "") + event["delta"]
        elif event["type"] in ("response.output_text.done", "response.function_call_arguments.done"):
            assert written.get(index, "") == event.get("text", event.get("arguments"))
    final = found[-1]["response"]
    assert found[-1]["type"] == f"response.{final['status']}"
    assert [item["id"] for item in final["output"]] == [opened[index]["id"] for index in sorted(opened)]
    return whole("openai-responses", json.dumps(final))


def _anthropic(text: str) -> Said:
    found = events(text)
    assert (found[0]["type"], found[-1]["type"]) == ("message_start", "message_stop")
    said = Said(model=found[0]["message"]["model"])
    blocks: list[dict[str, Any]] = []
    is_open = False
    for event in found[1:-1]:
        if event["type"] == "content_block_start":
            assert not is_open
            assert event["index"] == len(blocks)
            blocks.append({**event["content_block"], "json": ""})
        elif event["type"] == "content_block_delta":
            assert is_open
            assert event["index"] == len(blocks) - 1
            delta = event["delta"]
            kind = {"text_delta": "text", "input_json_delta": "partial_json"}.get(delta["type"])
            if kind == "text":
                blocks[-1]["text"] += delta["text"]
            elif kind:
                blocks[-1]["json"] += delta["partial_json"]
        elif event["type"] == "message_delta":
            said.stop = event["delta"]["stop_reason"]
            said.usage, said.cached = spent(event["usage"]), cached(event["usage"])
        is_open = event["type"] in ("content_block_start", "content_block_delta")
    said.text = "".join(block["text"] for block in blocks if block["type"] == "text")
    said.calls = [{"id": b["id"], "name": b["name"], "arguments": b["json"]} for b in blocks if b["type"] == "tool_use"]
    return said
