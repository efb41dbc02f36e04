"""What the message formats of many harnesses have in common: tool calls of OpenAI chat, texts in parts, times, speakers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from claw_adapter.harness import ToolCall
from claw_adapter.protocol.session import Role
from claw_adapter.reading import parse_json

__all__ = ["SYSTEM", "arguments_of", "call_of", "format_speaker", "native_call", "text_of", "unused", "utc"]

SYSTEM: Final = "[system] "
"""Stands before a system message where a harness has none in its sessions and it is written as the user's."""


def native_call(call: ToolCall) -> dict[str, Any]:
    """A call in the form of OpenAI chat, its arguments a JSON text."""
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def call_of(record: Mapping[str, Any]) -> ToolCall:
    """A call out of that form."""
    function = record.get("function") or {}
    arguments = arguments_of(function.get("arguments", "{}"))
    return ToolCall(id=str(record.get("id", "")), name=str(function.get("name", "")), arguments=arguments)


def arguments_of(value: Any) -> dict[str, Any]:
    """The arguments of a call, given as an object or as its JSON text; anything else comes back as ``{"raw": …}``."""
    try:
        found = parse_json(value) if isinstance(value, str) else value
    except ValueError:
        found = value
    return found if isinstance(found, dict) else {"raw": value}


def text_of(content: object) -> str:
    """The text of a message's content, a line for each part of it; parts without a text are left out."""
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if isinstance(part, Mapping) and "text" in part)
    return content if isinstance(content, str) else ""


def format_speaker(speaker: str | None, role: Role = "user") -> str:
    """What is written in front of a text, because the model sees nothing else: ``Ann: ``, or ``[system] ``."""
    return (SYSTEM if role == "system" else "") + (f"{speaker}: " if speaker else "")


def utc(time: datetime) -> datetime:
    """A time in UTC; one without a zone counts as UTC."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC)
    except OverflowError:  # the first or last hours of the calendar
        return aware.replace(tzinfo=UTC)


def unused(name: str, used: set[str]) -> str:
    """`name`, or one like it that is not used yet; it is used then."""
    while name in used:
        name += "'"
    used.add(name)
    return name
