"""Reading OpenAI responses requests into the OpenAI chat form: messages, tools and parameters."""

from __future__ import annotations

import json
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.dialects.openai_chat import objects
from claw_adapter.endpoint.failures import BadRequest

__all__ = ["messages", "native", "params", "refuse_memory", "tools"]

JsonObject = dict[str, JsonValue]

_SAME: Final = ("temperature", "top_p", "parallel_tool_calls")
_READ: Final = frozenset((
    *_SAME, "input", "instructions", "tools", "tool_choice", "max_output_tokens", "model", "stream",
))  # fmt: skip
_TEXTS: Final = frozenset({"input_text", "output_text", "text", "refusal"})
_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})


def refuse_memory(body: JsonObject) -> None:
    """Refuse what only a server that keeps conversations could answer.

    Raises:
        BadRequest: the request refers to an earlier response, item or conversation.
    """
    for name in ("previous_response_id", "conversation"):
        if body.get(name):
            raise BadRequest(
                f"'{name}' is not supported: nothing is kept here; send the whole input with every request"
            )


def messages(body: JsonObject) -> list[JsonObject]:
    """Instructions and items; calls are gathered in the assistant's message that they follow.

    Raises:
        BadRequest: an item has no known form.
    """
    found: list[JsonObject] = []
    instructions = body.get("instructions")
    if isinstance(instructions, str) and instructions:
        found.append({"role": "system", "content": instructions})
    given = body.get("input")
    if isinstance(given, str):
        return [*found, {"role": "user", "content": given}]
    for position, item in enumerate(objects(body, "input")):
        _take(item, found, f"input[{position}]")
    return found


def tools(body: JsonObject) -> list[JsonObject]:
    """Functions; other kinds of tool stay among the native fields."""
    found: list[JsonObject] = []
    for tool in objects(body, "tools"):
        if tool.get("type") == "function":
            fields = ("name", "description", "parameters")
            function = {name: tool[name] for name in fields if tool.get(name) is not None}
            if tool.get("strict") is True:  # false, which is usual, goes without saying in the chat form
                function["strict"] = True
            found.append({"type": "function", "function": function})
    return found


def params(body: JsonObject) -> JsonObject:
    """The parameters that the OpenAI chat form knows too, under its names."""
    found = {name: body[name] for name in _SAME if body.get(name) is not None}
    if body.get("max_output_tokens") is not None:
        found["max_completion_tokens"] = body["max_output_tokens"]
    choice = body.get("tool_choice")
    if isinstance(choice, str):
        found["tool_choice"] = choice
    elif isinstance(choice, dict) and choice.get("type") == "function":
        found["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
    reasoning, text = body.get("reasoning"), body.get("text")
    if isinstance(reasoning, dict) and reasoning.get("effort"):
        found["reasoning_effort"] = reasoning["effort"]
    wanted = text.get("format") if isinstance(text, dict) else None
    if isinstance(wanted, dict) and wanted.get("type") == "json_schema":
        schema = {name: value for name, value in wanted.items() if name != "type"}
        found["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif isinstance(wanted, dict) and wanted.get("type") == "json_object":
        found["response_format"] = {"type": "json_object"}
    return found


def native(body: JsonObject) -> JsonObject:
    """Everything else: reasoning, store, include, metadata, tools that OpenAI itself would run."""
    found = {name: value for name, value in body.items() if name not in _READ}
    if own := [tool for tool in objects(body, "tools") if tool.get("type") != "function"]:
        found["server_tools"] = list(own)
    return found


def _take(item: JsonObject, found: list[JsonObject], where: str) -> None:
    kind = str(item.get("type") or ("message" if "role" in item else ""))
    if kind == "message":
        found.append(_message(item, where))
    elif kind in _CALLS:
        _call(item, found, item.get(_CALLS[kind]))
    elif kind in _OUTPUTS:
        content, images = _content(item.get("output"), where)
        found.append({"role": "tool", "tool_call_id": str(item.get("call_id") or ""), "content": content})
        if images:
            found.append({"role": "user", "content": list(images)})
    elif kind == "item_reference":
        raise BadRequest(f"{where}: an item_reference is not supported: nothing is kept here; send the item itself")
    elif kind != "reasoning":  # which is for OpenAI's eyes only
        found.append({"role": "user", "content": json.dumps(item, ensure_ascii=False)})


def _message(item: JsonObject, where: str) -> JsonObject:
    role = item.get("role")
    if role not in ("user", "assistant", "system", "developer"):
        raise BadRequest(f"{where} has the role {role!r}; it can be user, assistant, system or developer")
    text, images = _content(item.get("content"), where)
    content: JsonValue = [{"type": "text", "text": text}, *images] if images else text
    return {"role": "system" if role == "developer" else str(role), "content": content}


def _call(item: JsonObject, found: list[JsonObject], arguments: JsonValue) -> None:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    if item.get("type") == "custom_tool_call":
        text = json.dumps({"input": text}, ensure_ascii=False)
    call: JsonObject = {
        "id": item.get("call_id"), "type": "function", "function": {"name": item.get("name"), "arguments": text},
    }  # fmt: skip
    if not found or found[-1]["role"] != "assistant":
        found.append({"role": "assistant", "content": None})
    calls = found[-1].setdefault("tool_calls", [])
    assert isinstance(calls, list)  # noqa: S101  # made by us
    calls.append(call)


def _content(content: JsonValue, where: str) -> tuple[str, list[JsonObject]]:
    """The texts, joined, and the images, of a message or a tool's output."""
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        raise BadRequest(f"{where}: its content is neither a text nor a list of parts")
    texts: list[str] = []
    images: list[JsonObject] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(part, dict) or kind not in _TEXTS | {"input_image"}:
            texts.append(part if isinstance(part, str) else json.dumps(part, ensure_ascii=False))
        elif kind == "input_image":
            image = {"url": part.get("image_url"), **({"detail": part["detail"]} if part.get("detail") else {})}
            images.append({"type": "image_url", "image_url": image})
        else:
            texts.append(str(part.get("text") or part.get("refusal") or ""))
    return "\n".join(texts), images
