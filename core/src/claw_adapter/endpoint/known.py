"""What is known of the messages of one trial, so that one that every request repeats is looked at once.

Known by their identity: `Bodies` makes a repeated message the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from pydantic import JsonValue

from claw_adapter.endpoint.growing import Bodies
from claw_adapter.endpoint.prefixes import MeasuredRequest, Prefixes
from claw_adapter.made import Made
from claw_adapter.model import Line, ModelRequest
from claw_adapter.runs.transcript import Parts, digest
from claw_adapter.tokens.meter import RequestSize, count_request

__all__ = ["Known"]

JsonObject = dict[str, JsonValue]


class Known:
    """What is known of one trial's requests."""

    def __init__(self) -> None:
        self.bodies = Bodies()
        self._translated = Made[list[JsonObject]]()
        self._lines = Made[Line]()
        self._sizes = Made[tuple[int, str]]()
        self.prefixes = Prefixes()
        self._tools: tuple[Sequence[JsonObject], int, str] = [], 0, ""

    def translated(
        self, items: Sequence[JsonObject], make: Callable[[JsonObject], list[JsonObject]]
    ) -> Iterable[JsonObject]:
        """The messages that `make` makes of items of another form."""
        return chain.from_iterable(self._translated.of(items, make))

    def lines(self, messages: Sequence[JsonObject], make: Callable[[JsonObject], Line]) -> Iterable[Line]:
        """What `make` makes of messages."""
        return self._lines.of(messages, make)

    def measured(self, request: ModelRequest) -> MeasuredRequest:
        """Size and parts of a request."""
        sizes = self._sizes.of(request.messages, _measured)
        texts, names = zip(*sizes, strict=True) if sizes else ((), ())
        tools, tokens, sha = self._tools
        if request.tool_json != tools:
            tools = list(request.tool_json)
            tokens, sha = count_request((), tools).tools, digest(tools) if tools else ""
            self._tools = tools, tokens, sha
        parts = Parts(names, sha, request.messages, request.tool_json)
        return MeasuredRequest(RequestSize(text=sum(texts), tools=tokens), parts, texts)


def _measured(message: JsonObject) -> tuple[int, str]:
    """The tokens of a message, and its digest."""
    return count_request([message]).text, digest(message)
