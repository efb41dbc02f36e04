"""The extension point for models that answer inside the endpoint's process: `Model`, and what it reads and says.

A request is the same whatever dialect the harness speaks. Messages and tools are kept as JSON in the OpenAI chat form, which is
what upstreams speak and what is metered; beside it stand the few fields that a model looks at. The class is brought by a plugin
(`claw_adapter.hooks.claw_model`); see docs/write-a-model.md.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import JsonValue

from claw_adapter.protocol.answer_key import AnswerKey, Seen
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.reading import parse_json

__all__ = ["Call", "CallDelta", "Delta", "Line", "Model", "ModelRequest", "Tool", "TurnId", "tool_in"]

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
            value = parse_json(self.arguments or "{}", halves=True)
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


def tool_in(value: Mapping[str, JsonValue]) -> Tool | None:
    """A tool as OpenAI chat has it; None where it has no name."""
    function = value.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    schema = function.get("parameters")
    return Tool(
        str(function["name"]), str(function.get("description") or ""), schema if isinstance(schema, dict) else {}
    )


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
class TurnId:
    """A turn of a trial; outside rounds the round is empty."""

    trial: str
    round: str = ""
    attempt: int = 0

    def name(self, kind: str, number: int) -> str:
        """A name for the thing number `number` of this turn: the same in every repetition, unique within the trial."""
        text = "\0".join((self.trial, self.round, str(self.attempt), kind, str(number)))
        return f"{kind}_{hashlib.sha256(text.encode()).hexdigest()[:24]}"


class Model(ABC):
    """Answers the requests of one trial; that of a plugin is made with the model's options as keyword arguments.

    What it cannot be made with is an `AdapterError` out of its constructor, which does no other work: it is also called to
    check an experiment before anything is spent.
    """

    api: ClassVar[str] = "claw/1"

    def begin(self, turn: TurnId, answer_key: AnswerKey | None) -> None:  # noqa: B027  # optional on purpose
        """A turn begins, or with an empty round the time between turns."""

    def seen(self) -> Seen | None:
        """What of the round's evidence reached the model in the turn under way."""
        return None

    @abstractmethod
    def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Answer a request, in as many pieces as one likes; the last names in `finish` why it ends.

        Raises:
            EndpointError: there is no answer; also in the middle of one.
        """

    def answer_overlay(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Answer what an overlay asks for itself: no part of the turn under way."""
        return self.answer(request)

    async def close(self) -> None:  # noqa: B027  # optional on purpose
        """Let go of connections."""
