"""Requests and replies between the dialects, which speak to harnesses, and the models, which answer.

Messages and tools are kept as JSON in the OpenAI chat form, which is what upstreams speak and what is metered; a dialect of
another form translates. Beside it stand the few fields that the reader and the event log look at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from claw_adapter.protocol.tokens import TokenUse

__all__ = ["Call", "CallDelta", "Collector", "Delta", "Line", "ModelReply", "ModelRequest", "Tool"]

JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the model; `arguments` is JSON text as the model wrote it, so it may be malformed."""

    id: str
    name: str
    arguments: str

    def parsed(self) -> JsonObject:
        """The arguments; what cannot be read as an object stands under ``_raw``."""
        try:
            value = json.loads(self.arguments or "{}")
        except ValueError:
            value = None
        return value if isinstance(value, dict) else {"_raw": self.arguments}

    def wire(self) -> JsonObject:
        """The call in the OpenAI chat form."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a request: role, plain text, tool calls, and for a tool result the call that it answers."""

    role: str
    text: str
    calls: tuple[Call, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the harness offers; `schema` is the JSON Schema of its parameters."""

    name: str
    description: str = ""
    schema: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request in neutral form.

    Attributes:
        lines: the messages, as the reader looks at them.
        tools: the tool definitions.
        messages: the messages as OpenAI chat JSON.
        tool_json: the tool definitions as OpenAI chat JSON.
        params: every other field of the request (sampling, limits, tool choice), as the harness sent it.
        model: the model id that the harness asked for.
        stream: whether it wants the reply as a stream.
        usage_chunk: whether it wants token counts at the end of the stream.
        native: fields that only the request's own dialect knows, and the headers that announce them; a foreign upstream
            never gets them.
        body: the request as it came, for an upstream of the same dialect.
        dialect: the name of that dialect.
    """

    lines: tuple[Line, ...]
    tools: tuple[Tool, ...]
    messages: Sequence[JsonObject]
    tool_json: Sequence[JsonObject]
    params: JsonObject
    model: str = ""
    stream: bool = False
    usage_chunk: bool = False
    native: Mapping[str, JsonValue] = field(default_factory=dict)
    body: Mapping[str, JsonValue] = field(default_factory=dict)
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of the tool call number `index` of a reply; its argument text may come in many pieces."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a reply. `extra` holds fields of an upstream that we only pass on (reasoning, refusal)."""

    text: str = ""
    calls: tuple[CallDelta, ...] = ()
    finish: str | None = None
    usage: TokenUse | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A complete reply; `finish` is stop, tool_calls, length or content_filter."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = "stop"
    usage: TokenUse | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict)

    def message(self) -> JsonObject:
        """The reply as a message in the OpenAI chat form."""
        content: JsonValue = self.text if self.text or not self.calls else None
        message: JsonObject = {"role": "assistant", "content": content, **self.extra}
        if self.calls:
            message["tool_calls"] = [call.wire() for call in self.calls]
        return message


class Collector:
    """Puts the pieces of a reply together."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: dict[int, tuple[str, str, list[str]]] = {}
        self._finish: str | None = None
        self._usage: TokenUse | None = None
        self._extra: JsonObject = {}

    def add(self, delta: Delta) -> None:
        """Take the next piece."""
        self._text.append(delta.text)
        for call in delta.calls:
            known_id, known_name, pieces = self._calls.get(call.index, ("", "", []))
            pieces.append(call.arguments)
            self._calls[call.index] = (known_id or call.id, known_name or call.name, pieces)
        self._finish = delta.finish or self._finish
        self._usage = delta.usage or self._usage
        for name, value in delta.extra.items():
            before = self._extra.get(name)
            joined = isinstance(before, str) and isinstance(value, str)
            self._extra[name] = f"{before}{value}" if joined else value

    def reply(self) -> ModelReply:
        """What has come so far, as a reply."""
        calls = tuple(Call(i, n, "".join(parts)) for _, (i, n, parts) in sorted(self._calls.items()))
        finish = self._finish or ("tool_calls" if calls else "stop")
        return ModelReply("".join(self._text), calls, finish, self._usage, self._extra)
