"""What a cache of prefixes has of a request: the longest beginning that it shares with an earlier one of its trial.

As providers lay a request out, tool definitions come first, then the messages in order; one character that differs costs
everything behind it. No smallest size, steps, marks or age are applied: it is what a cache can have at best.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from claw_adapter.runs.transcript import Parts
from claw_adapter.shared import shared
from claw_adapter.tokens.meter import RequestSize, canonical_json, flatten

__all__ = ["MeasuredRequest", "Prefix", "Prefixes", "common_prefix"]

RECENT: Final = 16
"""Requests that are remembered: a harness asks for titles and summaries in between, and works on several things."""


@dataclass(frozen=True, slots=True)
class MeasuredRequest:
    """A request's size in tokens, and its parts in the transcript."""

    size: RequestSize
    parts: Parts
    tokens: tuple[int, ...] = ()
    """Of each message; empty for a request that a helper has read."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """What two requests begin with in common.

    Attributes:
        tokens: how many.
        message: the first message that differs, 0-based; -1: the tool definitions do. The number of messages if none does.
        characters: of that part, how many are the same.
    """

    tokens: int
    message: int
    characters: int = 0


def common_prefix(one: MeasuredRequest, other: MeasuredRequest) -> Prefix:
    """What `one` has in common with the beginning of `other`; by whole parts where a helper has read either of them."""
    if one.parts.tools != other.parts.tools:
        before, after = (canonical_json(list(request.parts.tool_values)) for request in (other, one))
        same = shared(before, after)[0] if one.parts.tool_values and other.parts.tool_values else 0
        return Prefix(_tokens(after[:same]), -1, same)
    mine, theirs = one.parts.messages, other.parts.messages
    same, _ = shared(mine, theirs)
    tokens = one.size.tools + sum(one.tokens[:same])
    if same == len(mine) or same == len(theirs) or not (one.parts.values and other.parts.values):
        return Prefix(tokens, same)
    old, new = (_text(request.parts.values, same) for request in (other, one))
    characters = shared(old, new)[0]
    return Prefix(tokens + _tokens(new[:characters]), same, characters)


def _text(messages: Sequence[Any], at: int) -> str:
    """A message as it is counted: its role, then its text."""
    return f"{messages[at].get('role', '')}\n{flatten(messages[at])[0]}"


def _tokens(text: str) -> int:
    from claw_adapter.tokens.cl100k import count

    return count(text)


class Prefixes:
    """The last requests of one trial that a model has answered."""

    def __init__(self) -> None:
        self._recent: deque[MeasuredRequest] = deque(maxlen=RECENT)

    def cached(self, request: MeasuredRequest) -> int:
        """Tokens of its longest prefix that an earlier request has as well."""
        return self.nearest(request)[0].tokens

    def nearest(self, request: MeasuredRequest) -> tuple[Prefix, MeasuredRequest | None]:
        """The longest common prefix, and the request that it is shared with; of several the latest."""
        found: tuple[Prefix, MeasuredRequest | None] = Prefix(0, -1), None
        for one in reversed(self._recent):
            if found[1] is not None and one.size.tools + one.size.text <= found[0].tokens:
                continue  # it has no more to share
            prefix = common_prefix(request, one)
            if found[1] is None or prefix.tokens > found[0].tokens:
                found = prefix, one
        return found

    def learn(self, request: MeasuredRequest) -> None:
        """A model has answered it."""
        self._recent.append(request)
