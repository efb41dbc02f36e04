"""Fixed replies, for tests of harnesses and adapters.

Items of `ModelSpec.script`, used in order, the last one again and again::

    "a text"
    {"text": "…", "tools": [{"name": "read_file", "arguments": {"path": "a.md"}}], "finish": "length"}
    {"match": "regular expression", "reply": item}      whenever the last user text matches; never used up, but tools are
                                                        called once: when their results are there, the order goes on
    {"fault": "500" | "401" | "429" | "drop" | "stall" | "garbage" | "empty"}

Items that name a ``round`` are played by `claw_adapter.endpoint.models.played`.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from claw_adapter.endpoint.failures import BrokenWire, ProviderError, classify
from claw_adapter.errors import EndpointError
from claw_adapter.model import CallDelta, Delta, Model, ModelRequest, TurnId
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.gold import Regex
from claw_adapter.protocol.model import ModelSpec

__all__ = ["ScriptedModel"]

PIECE: Final = 24
"""Characters of text in one piece of a streamed reply."""


class _Call(Record):
    name: str
    arguments: dict[str, JsonValue] | str = Field(default_factory=dict)
    """A string is sent as it is, so that malformed arguments can be scripted."""


class _Say(Record):
    text: str = ""
    tools: tuple[_Call, ...] = ()
    finish: Literal["stop", "tool_calls", "length", "content_filter"] | None = None


class _Fault(Record):
    fault: Literal["500", "401", "429", "drop", "stall", "garbage", "empty"]


_Plain = Annotated[str | _Say | _Fault, Field(union_mode="left_to_right")]


class _Match(Record):
    match: Regex
    reply: _Plain


_SCRIPT: TypeAdapter[tuple[str | _Match | _Fault | _Say, ...]] = TypeAdapter(tuple[str | _Match | _Fault | _Say, ...])


class ScriptedModel(Model):
    """Plays a script.

    Raises:
        EndpointError: the script has an item of unknown form.
    """

    def __init__(self, spec: ModelSpec, trial: str) -> None:
        try:
            items = _SCRIPT.validate_python(spec.script)
        except ValidationError as error:
            raise EndpointError(f"a script item has no known form: {error}", where=f"model {spec.name}") from None
        self._matches = [item for item in items if isinstance(item, _Match)]
        self._queue: list[str | _Say | _Fault] = [item for item in items if not isinstance(item, _Match)]
        self._next = 0
        self._turn = TurnId(trial)
        self._calls = 0

    def begin(self, turn: TurnId, answer_key: AnswerKey | None) -> None:
        """Ids of calls are named after the turn."""
        del answer_key
        self._turn = turn

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """The reply of the first match, else the next item."""
        item = self._choose(request)
        if isinstance(item, _Fault):
            self._fail(item)
        say = _Say(text=item) if isinstance(item, str) else item
        assert isinstance(say, _Say)  # noqa: S101  # faults have raised
        for start in range(0, len(say.text), PIECE):
            yield Delta(text=say.text[start : start + PIECE])
        for index, call in enumerate(say.tools):
            arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
            yield Delta(calls=(CallDelta(index, self._id(), call.name, arguments),))
        yield Delta(finish=say.finish or ("tool_calls" if say.tools else "stop"))

    def _choose(self, request: ModelRequest) -> str | _Say | _Fault:
        numbers = range(len(request.lines) - 1, -1, -1)
        at = next((number for number in numbers if request.lines[number].role == "user"), -1)
        asked = request.lines[at].text if at >= 0 else ""
        answered = any(line.role == "tool" for line in request.lines[at + 1 :])
        for item in self._matches:
            again = answered and isinstance(item.reply, _Say) and item.reply.tools
            if not again and re.search(item.match, asked):
                return item.reply
        if not self._queue:
            return ""
        self._next += 1
        return self._queue[min(self._next, len(self._queue)) - 1]

    def _id(self) -> str:
        self._calls += 1
        return self._turn.name("call", self._calls)

    @staticmethod
    def _fail(item: _Fault) -> None:
        match item.fault:
            case "500" | "401" | "429":
                status = int(item.fault)
                raise ProviderError(status, classify(status, "the script says so"))
            case "drop" | "stall" | "garbage" | "empty":
                raise BrokenWire(item.fault)
