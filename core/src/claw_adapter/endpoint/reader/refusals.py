"""What a tool's answer says about how it wants to be called.

Whether a call has worked is never read out of its words: what was read is known by the evidence in it, what was written by
reading it back, and what has shown neither is followed by the next way, a bounded number of times.
"""

from __future__ import annotations

import re
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.schema import Param, Params

__all__ = ["NOTICE", "asked_for"]

NOTICE: Final = 200
"""Characters up to which a result may be a notice ("unchanged since last read") or a refusal instead of content."""


def asked_for(known: Params, given: dict[str, JsonValue], result: str) -> dict[str, JsonValue]:
    """Further arguments that a result asks for: parameters of the tool that it names with a value, or in quotes."""
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
