"""Bodies of requests to an upstream that speaks Anthropic messages."""

from __future__ import annotations

import json
import re
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.models.wires.base import as_dict, pairs
from claw_adapter.endpoint.sampling import LIMITS, SAMPLING, effective
from claw_adapter.model import ModelRequest
from claw_adapter.protocol.model import ModelSpec

__all__ = ["DEFAULT_LIMIT", "passed_on", "translated"]

JsonObject = dict[str, JsonValue]

DEFAULT_LIMIT: Final = 8192
"""Tokens of a reply where neither run nor harness set a limit: this dialect demands one."""

_CHAT_ONLY: Final = frozenset({
    "presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias", "seed", "n", "reasoning_effort", "user",
    "response_format", "store", "logprobs", "top_logprobs", "stop", "tool_choice", "parallel_tool_calls", "metadata",
    "service_tier", "max_completion_tokens", "verbosity", "reasoning", "stream_options",
})  # fmt: skip
_CHOICES: Final = {"auto": "auto", "required": "any", "none": "none"}
_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,(.*)", re.DOTALL)


def passed_on(spec: ModelSpec, request: ModelRequest) -> JsonObject:
    """The body as it came, with the run's sampling in place of the harness's.

    Thinking and effort are sampling. Where they are taken out, so is the management of thinking that depends on them.
    """
    body = dict(request.body)
    if spec.sampling == "pass":
        return {**_renamed(spec.params), **body}
    thinks = "thinking" in spec.params
    wanted = as_dict(body.get("output_config"))
    drop = SAMPLING | (LIMITS if LIMITS & spec.params.keys() else frozenset())
    body = {name: value for name, value in body.items() if name not in drop}
    if rest := {name: value for name, value in wanted.items() if name != "effort"}:
        body["output_config"] = rest
    managed = as_dict(body.get("context_management"))
    if managed and not thinks:
        edits = [edit for edit in pairs(managed.get("edits")) if not str(edit.get("type")).startswith("clear_thinking")]
        del body["context_management"]
        if edits:
            body["context_management"] = {**managed, "edits": list(edits)}
    return {**body, **_renamed(spec.params)}


def translated(spec: ModelSpec, request: ModelRequest) -> JsonObject:
    """A body made from messages, tools and parameters in the OpenAI chat form."""
    params = effective(spec, request.params)
    limit = params.get("max_tokens") or params.get("max_completion_tokens") or DEFAULT_LIMIT
    body: JsonObject = {name: value for name, value in params.items() if name not in _CHAT_ONLY}
    body["max_tokens"] = limit
    if stop := params.get("stop"):
        body["stop_sequences"] = stop if isinstance(stop, list) else [stop]
    if choice := _choice(params):
        body["tool_choice"] = choice
    if tools := [_tool(as_dict(tool.get("function"))) for tool in request.tool_json]:
        body["tools"] = list(tools)
    system, messages = _messages(request)
    if system:
        body["system"] = system
    return {**body, "messages": messages}


def _renamed(params: JsonObject) -> JsonObject:
    renamed = dict(params)
    if "max_completion_tokens" in renamed:
        renamed.setdefault("max_tokens", renamed.pop("max_completion_tokens"))
    return renamed


def _choice(params: JsonObject) -> JsonObject:
    choice = params.get("tool_choice")
    made: JsonObject = {}
    if isinstance(choice, str) and choice in _CHOICES:
        made = {"type": _CHOICES[choice]}
    elif isinstance(choice, dict):
        made = {"type": "tool", "name": as_dict(choice.get("function")).get("name")}
    if params.get("parallel_tool_calls") is False:
        made = {"type": "auto", **made, "disable_parallel_tool_use": True}
    return made


def _tool(function: JsonObject) -> JsonObject:
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    return {"name": function.get("name"), "description": function.get("description") or "", "input_schema": schema}


def _messages(request: ModelRequest) -> tuple[str, list[JsonValue]]:
    """System text, which are the first messages, and turns of user and assistant that take each other's place."""
    system: list[str] = []
    turns: list[tuple[str, list[JsonValue]]] = []
    for message in request.messages:
        role = str(message.get("role"))
        if role in ("system", "developer") and not turns:
            system += [str(block["text"]) for block in _blocks(message.get("content")) if block["type"] == "text"]
            continue
        role = "assistant" if role == "assistant" else "user"
        blocks = [_result(message)] if message.get("role") == "tool" else _blocks(message.get("content"))
        blocks += [_use(call) for call in pairs(message.get("tool_calls"))]
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        elif blocks:
            turns.append((role, list(blocks)))
    return "\n\n".join(system), [{"role": role, "content": content} for role, content in turns]


def _blocks(content: JsonValue) -> list[JsonObject]:
    """Texts, none of them empty, and images."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    found: list[JsonObject] = []
    for part in pairs(content):
        if part.get("type") == "image_url":
            found.append({"type": "image", "source": _source(part.get("image_url"))})
        elif text := part.get("text") or part.get("refusal"):
            found.append({"type": "text", "text": text})
    return found


def _source(image: JsonValue) -> JsonObject:
    url = str(image if isinstance(image, str) else as_dict(image).get("url"))
    if found := _DATA_URL.fullmatch(url):
        return {"type": "base64", "media_type": found[1], "data": found[2]}
    return {"type": "url", "url": url}


def _result(message: JsonObject) -> JsonObject:
    return {
        "type": "tool_result", "tool_use_id": message.get("tool_call_id"),
        "content": list(_blocks(message.get("content"))),
    }  # fmt: skip


def _use(call: JsonObject) -> JsonObject:
    function = as_dict(call.get("function"))
    try:
        arguments = json.loads(str(function.get("arguments") or "{}"))
    except ValueError:
        arguments = {"_raw": function.get("arguments")}
    return {"type": "tool_use", "id": call.get("id"), "name": function.get("name"), "input": as_dict(arguments)}
