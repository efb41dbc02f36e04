"""A count of tokens: what went to a model and what came back."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TokenUse"]


@dataclass(frozen=True, slots=True)
class TokenUse:
    """Tokens of one request or of several, all counted by the same counter."""

    input: int = 0
    output: int = 0

    def __add__(self, other: TokenUse) -> TokenUse:
        """The sum of both."""
        return TokenUse(self.input + other.input, self.output + other.output)
