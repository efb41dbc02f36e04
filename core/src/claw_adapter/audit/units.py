"""Requests and sessions as rows of small units, so that both sides can be compared: a text, a tool call, a result."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import JsonValue

from claw_adapter.protocol import EVENT_CHARACTERS, Message
from claw_adapter.reading import parse_json

__all__ = [
    "CALL",
    "RESULT",
    "Entry",
    "Origin",
    "RequestUnit",
    "Said",
    "adds_to",
    "arguments_of",
    "begins",
    "call_text",
    "said_of",
    "units_of",
    "without_defaults",
]

CALL: Final = "call"
RESULT: Final = "result"
MOST_ORDERS: Final = 120
"""In which the arguments of a call are tried."""
Origin = Literal["seeded", "update", "prompt", "answer", "step"]


@dataclass(frozen=True, slots=True)
class RequestUnit:
    """What a request holds: a text of ``system``, ``user`` or ``assistant``, a ``call``, or a ``result``."""

    kind: str
    text: str
    call: str = ""
    """The id of a call, and that which a result names."""

    @property
    def tool(self) -> str:
        """The name of the tool that a call is for."""
        return self.text.partition(" ")[0]


@dataclass(frozen=True, slots=True)
class Said:
    """What a request must hold; `origin` says since when it belongs to the conversation, `round` by which round."""

    kind: str
    text: str
    origin: Origin
    round: int = -1
    call: str = ""
    speaker: str = ""
    time: datetime | None = None
    before_calls: bool = field(default=False, compare=False)
    """A text of the assistant behind which a message of its own with calls stands."""
    repeated: bool = field(default=False, compare=False)
    """A text of the assistant that stands there twice in a row."""


Entry = tuple[Said, ...]
"""One message; updates count by messages."""


def tool_names(tools: Sequence[Mapping[str, Any]]) -> set[str]:
    """The names of tools that a request offers."""
    functions = [tool.get("function") for tool in tools]
    return {str(one.get("name", "")) for one in functions if isinstance(one, dict)}


def tool_named(tools: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    """The definition of a tool that a request offers; empty if it does not."""
    functions = (tool.get("function") for tool in tools)
    return next((one for one in functions if isinstance(one, dict) and one.get("name") == name), {})


def call_text(name: str, arguments: Any) -> str:
    """A call as one text, the same for the same call."""
    if isinstance(arguments, str):
        try:
            arguments = parse_json(arguments or "{}")
        except ValueError:
            return f"{name} {arguments}"
    return f"{name} {json.dumps(arguments, sort_keys=True, ensure_ascii=False)}"


def without_defaults(call: str) -> str:
    """A call's text without arguments that are false or null: some write the defaults of a tool into its calls."""
    given = _arguments(call)
    kept = {key: one for key, one in given.items() if one is not None and one is not False}
    return call_text(call.partition(" ")[0], kept) if given else call


def adds_to(call: str, other: str) -> bool:
    """Whether another call's text is this one with further arguments: some show a tool's defaults, or where they run it."""
    if call.partition(" ")[0] != other.partition(" ")[0]:
        return False
    given, more = _arguments(call), _arguments(other)
    return bool(given) and all(more.get(name, ...) == value for name, value in given.items())


def begins(call: str, other: str) -> bool:
    """Whether another call's text has the beginning of this one's arguments, ``{"raw": …}``, as events may tell long ones."""
    if call.partition(" ")[0] != other.partition(" ")[0] or len(other) < EVENT_CHARACTERS:
        return False
    raw = _arguments(other).get("raw")
    if not isinstance(raw, str) or len(raw) < EVENT_CHARACTERS:
        return False
    orders = itertools.permutations(_arguments(call).items())
    forms = [(", ", ": "), (",", ":")]
    return any(
        json.dumps(dict(order), ensure_ascii=ascii_, separators=form).startswith(raw)
        for order in itertools.islice(orders, MOST_ORDERS)
        for form in forms
        for ascii_ in (False, True)
    )


def arguments_of(call: RequestUnit) -> dict[str, JsonValue]:
    """The arguments of a call; nothing where they are no JSON object."""
    return _arguments(call.text)


def _arguments(call: str) -> dict[str, JsonValue]:
    try:
        value = parse_json(call.partition(" ")[2])
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def said_of(message: Message, origin: Origin, round: int = -1) -> Entry:  # noqa: A002 - the word there is
    """A session's message as what must be there; an empty text is nothing."""
    kind = RESULT if message.role == "tool" else message.role
    found = []
    if message.text:
        told = message.speaker or ""
        found.append(
            Said(kind, message.text, origin, round, call=message.tool_call_id or "", speaker=told, time=message.time)
        )
    found += [Said(CALL, call_text(one.name, one.arguments), origin, round, call=one.id) for one in message.tool_calls]
    return tuple(found)


def units_of(messages: Sequence[Mapping[str, Any]]) -> list[RequestUnit]:
    """The units of a request in order; results of one reply are in the order of its calls, however they came."""
    found: list[RequestUnit] = []
    order: dict[str, int] = {}
    results: list[RequestUnit] = []
    for message in messages:
        if message.get("role") == "tool":
            text = "\n".join(_texts(message.get("content")))
            results.append(RequestUnit(RESULT, text, str(message.get("tool_call_id") or "")))
            continue
        found += _in_order(results, order)
        results = []
        found += [RequestUnit(str(message.get("role")), text) for text in _texts(message.get("content")) if text]
        calls = [_call(call) for call in message.get("tool_calls") or ()]
        order.update({unit.call: len(order) + number for number, unit in enumerate(calls)})
        found += calls
    return [*found, *_in_order(results, order)]


def _in_order(results: list[RequestUnit], order: Mapping[str, int]) -> list[RequestUnit]:
    return sorted(results, key=lambda unit: order.get(unit.call, len(order)))


def _call(call: Mapping[str, Any]) -> RequestUnit:
    function = call.get("function") or {}
    return RequestUnit(CALL, call_text(str(function.get("name")), function.get("arguments")), str(call.get("id") or ""))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield part["text"]
