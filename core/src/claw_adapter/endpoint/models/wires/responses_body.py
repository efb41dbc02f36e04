"""Bodies of requests to an upstream that speaks OpenAI responses."""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.dialects.openai_chat import text_of
from claw_adapter.endpoint.models.wires.base import as_dict, pairs
from claw_adapter.endpoint.sampling import LIMITS, SAMPLING, effective
from claw_adapter.model import ModelRequest
from claw_adapter.protocol.model import ModelSpec

__all__ = ["passed_on", "translated"]

JsonObject = dict[str, JsonValue]

_KNOWN: Final = frozenset({
    "temperature", "top_p", "parallel_tool_calls", "metadata", "user", "service_tier", "prompt_cache_key", "reasoning",
    "text", "include", "truncation", "top_logprobs", "safety_identifier",
})  # fmt: skip


def passed_on(spec: ModelSpec, request: ModelRequest) -> JsonObject:
    """The body as it came, with the run's sampling in place of the harness's."""
    if spec.sampling == "pass":
        return {**_renamed(spec.params), **request.body}
    own = _renamed(spec.params)
    drop = SAMPLING | ({"max_output_tokens"} & own.keys())
    return {**{name: value for name, value in request.body.items() if name not in drop}, **own}


def translated(spec: ModelSpec, request: ModelRequest) -> JsonObject:
    """A body made from messages, tools and parameters in the OpenAI chat form."""
    params = _renamed(effective(spec, request.params))
    body: JsonObject = {name: value for name, value in params.items() if name in _KNOWN | {"max_output_tokens"}}
    choice = params.get("tool_choice")
    if isinstance(choice, dict):
        body["tool_choice"] = {"type": "function", "name": as_dict(choice.get("function")).get("name")}
    elif choice is not None:
        body["tool_choice"] = choice
    if request.tool_json:
        body["tools"] = [{"type": "function", "strict": False, **as_dict(t.get("function"))} for t in request.tool_json]
    instructions: list[str] = []
    items: list[JsonValue] = []
    for message in request.messages:
        if message.get("role") in ("system", "developer") and not items:
            instructions.append(text_of(message.get("content")))
        else:
            items += _items(message)
    if instructions:
        body["instructions"] = "\n\n".join(instructions)
    return {**body, "input": items}


def _renamed(params: JsonObject) -> JsonObject:
    """Limit and effort have other names and places here."""
    renamed = {name: value for name, value in params.items() if name not in LIMITS | {"reasoning_effort"}}
    limits = [params[name] for name in sorted(LIMITS & params.keys())]
    if limits:
        renamed["max_output_tokens"] = limits[0]
    if effort := params.get("reasoning_effort"):
        renamed["reasoning"] = {"effort": effort}
    return renamed


def _items(message: JsonObject) -> list[JsonValue]:
    role, content = str(message.get("role")), message.get("content")
    if role == "tool":
        return [{"type": "function_call_output", "call_id": message.get("tool_call_id"), "output": text_of(content)}]
    found: list[JsonValue] = []
    if parts := _parts(content, "output_text" if role == "assistant" else "input_text"):
        found.append({"type": "message", "role": role, "content": list(parts)})
    for call in pairs(message.get("tool_calls")):
        function = as_dict(call.get("function"))
        made: JsonObject = {"name": function.get("name"), "arguments": function.get("arguments") or "{}"}
        found.append({"type": "function_call", "call_id": call.get("id"), **made})
    return found


def _parts(content: JsonValue, kind: str) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"type": kind, "text": content}] if content else []
    found: list[JsonObject] = []
    for part in pairs(content):
        if part.get("type") == "image_url":
            image = part.get("image_url")
            fields: JsonObject = {"url": image} if isinstance(image, str) else as_dict(image)
            detail: JsonObject = {"detail": fields["detail"]} if fields.get("detail") else {}
            found.append({"type": "input_image", "image_url": fields.get("url"), **detail})
        elif text := part.get("text"):
            found.append({"type": kind, "text": text})
    return found
