"""What a tool's answer says about the call: whether it was refused, and how it wants to be called instead.

A refusal in words that nobody foresaw looks like a short text. So nothing is believed for its words alone: what was read is
known by the evidence in it, what was written by reading it back.
"""

from __future__ import annotations

import json
import re
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.schema import Param, Params

__all__ = ["NOTICE", "asked_for", "failed", "read_first", "refused"]

NOTICE: Final = 200
"""Characters up to which a result may be a notice ("unchanged since last read") or a refusal instead of content."""

_FAILED = re.compile(
    r"""\s*(?:<[a-z_]*error>|\[?\(?["']?(?:\w*error\b|fail|traceback|exception|fatal|denied|refus|cannot\b|can't\b|could\ not\b
    |unable\b|invalid\b|unknown\b|unsupported\b|missing\b|not\ (?:found|allowed|permitted)|no\ such|enoent|eacces
    |(?:access|permission|path|file|tool|user|command)\b.{0,80}(?:denied|not\ (?:found|allowed|permitted|exist)|outside|blocked
    |does\ not\ exist|already\ exists|rejected|has\ not\ been\ read)))""",
    re.IGNORECASE | re.VERBOSE,
)
_ANYWHERE = ("no such file or directory", "permission denied", "command not found", "tool not found")


def failed(result: str) -> bool:
    """Whether a tool result reads like an error."""
    head = result[:400]
    if _FAILED.match(head) or any(text in head.lower() for text in _ANYWHERE):
        return True
    try:
        value = json.loads(result) if result.lstrip().startswith("{") else None
    except ValueError:
        return False
    if not isinstance(value, dict):
        return False
    status = str(value.get("status", "")).lower()
    return (
        bool(value.get("error"))
        or value.get("ok") is False
        or value.get("success") is False
        or status in ("error", "failed")
    )


def refused(result: str) -> bool:
    """Whether a result that brought nothing may be a refusal: it reads like an error, or is short."""
    return len(result) < NOTICE or failed(result)


def read_first(result: str) -> bool:
    """Whether a refusal to write asks for reading first, as some tools do of a file that is there."""
    return "read" in result.lower()


def asked_for(known: Params, given: dict[str, JsonValue], result: str) -> dict[str, JsonValue]:
    """Further arguments that a refusal asks for: parameters of the tool that it names with a value, or in quotes."""
    found: dict[str, JsonValue] = {}
    for item in known.items:
        if item.name in given:
            continue
        name = re.escape(item.name)
        if with_value := re.search(rf"\b{name}[\"'`]?\s*[=:]\s*([\"']?[\w-]+)", result):
            value = _value(item, with_value[1])
        elif re.search(rf"[\"'`]{name}[\"'`]", result):
            value = item.filler()
        else:
            continue
        if value is not None:
            found[item.name] = value
    return found


def _value(item: Param, text: str) -> JsonValue:
    word = text.strip("\"'")
    if item.accepts("boolean") and word.lower() in ("true", "false"):
        return word.lower() == "true"
    if item.accepts("integer") and re.fullmatch(r"-?\d+", word):
        return int(word)
    return word if item.accepts("string") and (not item.enum or word in item.enum) else None
