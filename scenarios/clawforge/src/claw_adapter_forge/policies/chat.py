"""The offline policies as a chat model with tools: what a harness sends in, the next tool call or the last word out.

The request is found by its text (``Request:`` … ``Configuration:``), the shell tool by its parameters (a string named
``command`` or the like), what was typed and printed by the calls and results in the conversation. Nothing else is used, so
the same functions work behind any harness and any dialect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claw_adapter_forge.policies.offline import DONE, decide

__all__ = ["LAST_WORD", "Reply", "conversation", "next_reply", "shell_tool", "spoken"]

LAST_WORD = "The request is done."
_STATUS = re.compile(r"^\[exit \d+\]\n?")
_COMMAND_NAMES = ("command", "cmd", "script")


@dataclass(frozen=True, slots=True)
class Reply:
    """A text, or a call of the tool `name` with `arguments`."""

    text: str = ""
    name: str = ""
    arguments: Mapping[str, Any] | None = None


def shell_tool(tools: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
    """(tool, parameter) of the first tool that takes a command as a string."""
    for tool in tools:
        function = tool.get("function", tool)
        properties = function.get("parameters", {}).get("properties", {})
        for name in _COMMAND_NAMES:
            if properties.get(name, {}).get("type") == "string":
                return str(function["name"]), name
    return None


def _asks(text: str) -> bool:
    """Whether a user's message is a request, and not what a command has printed."""
    return "Request:\n" in text and not _STATUS.match(text)


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return str(content or "")


def _command(arguments: object) -> str | None:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return None
    if not isinstance(arguments, Mapping):
        return None
    found = next((arguments[n] for n in _COMMAND_NAMES if isinstance(arguments.get(n), str)), None)
    return None if found is None else str(found)


def conversation(messages: Sequence[Mapping[str, Any]]) -> tuple[str, list[tuple[str, str]]]:
    """The request, and (command, what it printed) of every shell call after it."""
    request = ""
    typed: dict[str, str] = {}
    printed: dict[str, str] = {}
    for message in messages:
        text = _text(message.get("content"))
        if message.get("role") == "user" and _asks(text):
            request, typed, printed = text[text.index("Request:\n") :], {}, {}
        for call in message.get("tool_calls") or ():
            command = _command(call["function"].get("arguments"))
            if command is not None:
                typed[call["id"]] = command
        if message.get("role") == "tool":
            printed[str(message.get("tool_call_id"))] = text
    return request, [(command, printed.get(key, "")) for key, command in typed.items()]


def spoken(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(command, what it printed) of a conversation without tools: the bare loop's, whose answers begin with the status."""
    texts = [(m.get("role"), _text(m.get("content"))) for m in messages]
    asked = (i for i, (role, text) in enumerate(texts) if role == "user" and _asks(text))
    start = max(asked, default=len(texts))
    typed = [text for role, text in texts[start + 1 :] if role == "assistant"]
    printed = [_STATUS.sub("", text) for role, text in texts[start + 1 :] if role == "user"]
    return list(zip(typed, printed, strict=False))


def next_reply(policy: str, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> Reply:
    """What the policy answers to a chat request in the OpenAI form."""
    request, history = conversation(messages)
    tool = shell_tool(tools)
    if request and not tools:
        return Reply(decide(policy, request, spoken(messages)))
    if not request or tool is None:
        return Reply(LAST_WORD)
    line = decide(policy, request, history)
    return Reply(LAST_WORD) if line == DONE else Reply("", tool[0], {tool[1]: line})
