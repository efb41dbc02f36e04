"""Counts of tokens: ours and the upstream's, as every record on their way has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from claw_adapter.protocol.base import Record

__all__ = ["TokenCounts", "TokenUse"]


@dataclass(frozen=True, slots=True)
class TokenUse:
    """Tokens of one request or of several, all counted by the same counter: sent to the model, and received from it."""

    input: int = 0
    output: int = 0
    cached: int | None = None
    """Of the input, what a cache of prefixes had; None: not known."""
    thoughts: int = 0
    """Of the output, what a reasoning model said to itself, where we have counted it."""

    def __add__(self, other: TokenUse) -> TokenUse:
        """The sum of both; what is known of the cache of one of them only is a sum of what is known."""
        known = [use.cached for use in (self, other) if use.cached is not None]
        cached, thoughts = sum(known) if known else None, self.thoughts + other.thoughts
        return TokenUse(self.input + other.input, self.output + other.output, cached, thoughts)


class TokenCounts(Record):
    """Our own counts (cl100k) of requests and replies, and beside them what the upstream said, None where it said nothing."""

    input: int = 0
    output: int = 0
    upstream_input: int | None = None
    upstream_output: int | None = None
    cached: int | None = None
    """Of our input, the prefixes that earlier requests of the trial had as well; None in runs of earlier versions."""
    upstream_cached: int | None = None

    @classmethod
    def of(cls, counted: TokenUse, upstream: TokenUse | None) -> Self:
        """The record of two counts of the same requests."""
        own = cls(input=counted.input, output=counted.output, cached=counted.cached)
        if upstream is None:
            return own
        said = {
            "upstream_input": upstream.input,
            "upstream_output": upstream.output,
            "upstream_cached": upstream.cached,
        }
        return own.model_copy(update=said)

    @property
    def counted(self) -> TokenUse:
        """Our own counts."""
        return TokenUse(self.input, self.output, self.cached)

    @property
    def upstream(self) -> TokenUse | None:
        """The upstream's counts, if it gave both."""
        if self.upstream_input is None or self.upstream_output is None:
            return None
        return TokenUse(self.upstream_input, self.upstream_output, self.upstream_cached)

    def sums(self, other: TokenCounts) -> dict[str, int]:
        """The fields of both added; an upstream's count that neither has is left out."""
        found = {}
        for name in TokenCounts.model_fields:
            known = [value for value in (getattr(self, name), getattr(other, name)) if value is not None]
            if known:
                found[name] = sum(known)
        return found
