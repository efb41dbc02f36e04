"""Counts of one turn: requests, tokens and time, in the same unit for every harness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.neutral import ModelReply
from claw_adapter.model import ModelRequest
from claw_adapter.protocol.journal import FirstRequest, Metered
from claw_adapter.protocol.tokens import TokenCounts, TokenUse

__all__ = ["Asked", "TurnMeter", "begun_with", "output_tokens", "rendered_tokens", "union"]

JsonObject = dict[str, JsonValue]
SYSTEM: Final = ("system", "developer")
"""Roles of messages that instruct."""


def output_tokens(reply: ModelReply) -> TokenUse:
    """cl100k tokens of a reply: its text and tool calls, by their names and arguments, not their ids; and its thoughts."""
    from claw_adapter.tokens.cl100k import count

    said = count("\n".join([*filter(None, [reply.text]), *(f"{call.name} {call.arguments}" for call in reply.calls)]))
    thought = count(str(reply.extra.get("reasoning_content") or ""))
    return TokenUse(output=said + thought, thoughts=thought)


def rendered_tokens(messages: Iterable[Mapping[str, JsonValue]], reply: ModelReply | None) -> int:
    r"""cl100k tokens of messages and reply, rendered as ChatML and encoded as one text.

    Counted message by message, so that a conversation that grows is not counted anew: no token crosses the end of one, for
    the line break in ``<|im_end|>\n`` ends a piece of the encoding, whatever stands before and after it.
    """
    from claw_adapter.tokens.meter import count_request

    return count_request([*messages, *([reply.message()] if reply is not None else [])]).text


def begun_with(before: FirstRequest | None, request: ModelRequest) -> FirstRequest:
    """What a turn began with, once `request` has come: a request without tools counts only as long as no other has come."""
    if before is not None and (before.tools or not request.tools):
        return before
    system = sum(len(line.text) for line in request.lines if line.role in SYSTEM)
    return FirstRequest(system=system, tools=len(request.tools))


def union(intervals: Iterable[tuple[float, float]]) -> float:
    """Length of the union of intervals."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


class Asked:
    """What the harness asked for, by parameter; several different values become a list of them."""

    LIMIT = 8

    def __init__(self) -> None:
        self._values: dict[str, list[JsonValue]] = {}

    def add(self, values: Mapping[str, JsonValue]) -> None:
        """Note the parameters of one request."""
        for name, value in values.items():
            seen = self._values.setdefault(name, [])
            if value not in seen and len(seen) < self.LIMIT:
                seen.append(value)

    def record(self) -> JsonObject:
        """One entry per parameter."""
        return {name: seen[0] if len(seen) == 1 else list(seen) for name, seen in self._values.items()}


@dataclass(slots=True)
class TurnMeter:
    """Adds up the requests of a turn."""

    requests: int = 0
    failed: int = 0
    counted: TokenUse = field(default_factory=TokenUse)
    upstream: TokenUse | None = None
    intervals: list[tuple[float, float]] = field(default_factory=list)
    held: list[tuple[float, float]] = field(default_factory=list)
    asked: Asked = field(default_factory=Asked)

    def add(
        self,
        counted: TokenUse,
        upstream: TokenUse | None,
        interval: tuple[float, float],
        *,
        failed: bool = False,
        held: float = 0.0,
    ) -> None:
        """Add one finished request.

        Args:
            counted: our counts.
            upstream: the upstream's, if it gave any.
            interval: start and end, in seconds.
            failed: whether the provider failed it.
            held: seconds from its start in which the provider was away.
        """
        self.requests += 1
        self.failed += failed
        self.counted += counted
        self.intervals.append(interval)
        if held:
            self.held.append((interval[0], interval[0] + held))
        if upstream is not None:
            self.upstream = (self.upstream or TokenUse()) + upstream

    def record(self) -> Metered:
        """The sums."""
        sums = TokenCounts.of(self.counted, self.upstream).model_dump()
        return Metered(
            **sums,
            requests=self.requests,
            failed=self.failed,
            seconds=union(self.intervals),
            held=union(self.held),
            asked=self.asked.record(),
        )
