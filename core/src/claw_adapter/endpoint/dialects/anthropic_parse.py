"""Reading Anthropic message requests into the OpenAI chat form: messages, tools and parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from claw_adapter.endpoint.dialects.openai_chat import objects
from claw_adapter.endpoint.failures import BadRequest

if TYPE_CHECKING:
    from claw_adapter.endpoint.known import Known

__all__ = ["HEADERS", "messages", "native", "params", "tools"]

JsonObject = dict[str, JsonValue]

HEADERS: Final = ("anthropic-beta", "anthropic-version")
"""Headers that are recorded with a request."""

_SAME: Final = ("max_tokens", "temperature", "top_p", "top_k")
_READ: Final = frozenset((*_SAME, "messages", "system", "tools", "tool_choice", "stop_sequences", "model", "stream"))
_CHOICES: Final = {"auto": "auto", "any": "required", "none": "none"}
_HIDDEN: Final = frozenset({"thinking", "redacted_thinking"})


def messages(body: JsonObject, known: Known | None = None) -> list[JsonObject]:
    """System text and messages; a result of a tool becomes a message of its own, before what else its message says.

    Raises:
        BadRequest: a message has no known form.
    """
    found: list[JsonObject] = []
    if text := _text(body.get("system")):
        found.append({"role": "system", "content": text})
    items = objects(body, "messages")

    def translate(item: JsonObject) -> list[JsonObject]:
        position = next(at for at in range(len(items) - 1, -1, -1) if items[at] is item)  # the new ones come last
        return _translated(item, f"messages[{position}]")

    return [*found, *(known.translated(items, translate) if known else (m for item in items for m in translate(item)))]


def tools(body: JsonObject) -> list[JsonObject]:
    """Tools with a schema; those that Anthropic itself would run stay among the native fields."""
    found: list[JsonObject] = []
    for tool in objects(body, "tools"):
        if "input_schema" in tool:
            function = {
                "name": tool.get("name"),
                "description": tool.get("description") or "",
                "parameters": tool["input_schema"],
            }
            found.append({"type": "function", "function": function})
    return found


def params(body: JsonObject) -> JsonObject:
    """The parameters that the OpenAI chat form knows too, under its names."""
    found: JsonObject = {name: body[name] for name in _SAME if name in body}
    if body.get("stop_sequences"):
        found["stop"] = body["stop_sequences"]
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        kind = str(choice.get("type"))
        if kind == "tool":
            found["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
        elif kind in _CHOICES:
            found["tool_choice"] = _CHOICES[kind]
        if choice.get("disable_parallel_tool_use") is True:
            found["parallel_tool_calls"] = False
    return found


def native(body: JsonObject, headers: Mapping[str, str]) -> JsonObject:
    """Everything else: thinking, context management, effort, metadata, server tools, betas."""
    found = {name: value for name, value in body.items() if name not in _READ}
    found |= {name.replace("-", "_"): headers[name] for name in HEADERS if headers.get(name)}
    if own := [tool for tool in objects(body, "tools") if "input_schema" not in tool]:
        found["server_tools"] = list(own)
    return found


def _translated(message: JsonObject, where: str) -> list[JsonObject]:
    role = message.get("role")
    if role not in ("user", "assistant", "system"):
        raise BadRequest(f"{where} has the role {role!r}; it can be user, assistant or system")
    return list(_message(str(role), _blocks(message.get("content"), f"{where}.content")))


def _blocks(content: JsonValue, where: str) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise BadRequest(f"{where} is neither a text nor a list of blocks")
    return [block for block in content if isinstance(block, dict)]


def _message(role: str, blocks: list[JsonObject]) -> Iterator[JsonObject]:
    if role == "assistant":
        yield _assistant(blocks)
        return
    rest: list[JsonObject] = []
    for block in blocks:
        if block.get("type") != "tool_result":
            rest += _parts(block)
            continue
        inside = [part for inner in _inner(block.get("content")) for part in _parts(inner)]
        texts = [str(part["text"]) for part in inside if part["type"] == "text"]
        yield {"role": "tool", "tool_call_id": str(block.get("tool_use_id") or ""), "content": "\n".join(texts)}
        rest += [part for part in inside if part["type"] != "text"]  # a tool message of the chat form is text only
    if rest or not blocks:
        yield {"role": role, "content": _content(rest)}


def _assistant(blocks: list[JsonObject]) -> JsonObject:
    calls: list[JsonValue] = []
    rest: list[JsonObject] = []
    for block in blocks:
        if block.get("type") == "tool_use":
            function = {
                "name": block.get("name"),
                "arguments": json.dumps(block.get("input") or {}, ensure_ascii=False),
            }
            calls.append({"id": block.get("id"), "type": "function", "function": function})
        elif block.get("type") not in _HIDDEN:
            rest += _parts(block)
    message: JsonObject = {"role": "assistant", "content": _content(rest) if rest or not calls else None}
    if calls:
        message["tool_calls"] = calls
    return message


def _inner(content: JsonValue) -> list[JsonObject]:
    return [] if content is None else _blocks(content, "the content of a tool result")


def _parts(block: JsonObject) -> list[JsonObject]:
    """A block as parts of the chat form; what that form does not know goes in as its JSON, so that nothing is lost."""
    kind, source = block.get("type"), block.get("source")
    if kind == "text":
        return [{"type": "text", "text": str(block.get("text") or "")}]
    source = source if isinstance(source, dict) else {}
    if kind == "image" and source.get("type") == "base64":
        url = f"data:{source.get('media_type')};base64,{source.get('data')}"
        return [{"type": "image_url", "image_url": {"url": url}}]
    if kind == "image" and source.get("type") == "url":
        return [{"type": "image_url", "image_url": {"url": source.get("url")}}]
    if kind == "document" and source.get("type") == "text":
        return [{"type": "text", "text": str(source.get("data") or "")}]
    return [{"type": "text", "text": json.dumps(block, ensure_ascii=False)}]


def _content(parts: list[JsonObject]) -> JsonValue:
    r"""Texts alone are joined by ``\n``; with an image among them they stay a list."""
    if all(part["type"] == "text" for part in parts):
        return "\n".join(str(part["text"]) for part in parts)
    return list(parts)


def _text(system: JsonValue) -> str:
    if system is None:
        return ""
    return str(
        _content([part for block in _blocks(system, "system") for part in _parts(block) if part["type"] == "text"])
    )
