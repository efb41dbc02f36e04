"""What requests count for where a run has limits, and what a run has spent, read from its transcripts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.stopping import SpendingLimits, Spent
from claw_adapter.protocol.tokens import TokenCounts, TokenUse
from claw_adapter.runs.prices import cost

__all__ = ["Allowance", "charged", "plus", "price_of", "read_spent"]

_HUNG_UP = 499
"""Status of a request that the harness gave up: what was sent until then may be on the bill."""


def charged(usage: TokenCounts, status: int, *, replied: bool) -> TokenUse:
    """The tokens of a finished request that somebody may ask money for: the provider's counts, else ours."""
    if replied:
        return usage.upstream or usage.counted
    return TokenUse(usage.input, 0) if status == _HUNG_UP else TokenUse()


def price_of(model: ModelSpec, use: TokenUse) -> Decimal:
    """What tokens cost in US dollars at list price; 0 where there is none."""
    money = cost(model, use)
    return money.amount if money else Decimal(0)


def plus(spent: Spent, requests: int, use: TokenUse, money: Decimal) -> Spent:
    """The sums."""
    return Spent(
        requests=spent.requests + requests, tokens=spent.tokens + use.input + use.output, cost=spent.cost + money
    )


class Allowance:
    """What may still be spent: requests under way count with what is known of them before their replies are."""

    def __init__(self, limits: SpendingLimits, spent: Spent) -> None:
        self.limits = limits
        self.spent = spent
        self._under_way: dict[int, tuple[TokenUse, Decimal]] = {}

    def take(self, number: int, use: TokenUse, money: Decimal) -> str:
        """Let request `number` out, if it and those under way keep within the limits; else the limit that it would pass."""
        after = plus(self.spent, 1, use, money)
        for other, price in self._under_way.values():
            after = plus(after, 1, other, price)
        if not (over := self._over(after)):
            self._under_way[number] = use, money
        return over

    def drop(self, number: int) -> None:
        """It is over, and has cost nothing."""
        self._under_way.pop(number, None)

    def settle(self, number: int, use: TokenUse, money: Decimal) -> None:
        """It is over: what it has spent takes the place of what it was taken for."""
        self.drop(number)
        self.spent = plus(self.spent, 1, use, money)

    def _over(self, after: Spent) -> str:
        limits, spent = self.limits, self.spent
        so_far = f"spent so far: {spent.requests:,} requests, {spent.tokens:,} tokens"
        if limits.max_cost is not None:
            so_far += f", {spent.cost:.4f} USD"
        for name, most, would in (
            ("--max-requests", limits.max_requests, after.requests),
            ("--max-tokens", limits.max_tokens, after.tokens),
            ("--max-cost", limits.max_cost, after.cost),
        ):
            if most is not None and would > most:
                return f"the next request would pass {name} {most:,}; {so_far}"
        return ""


def read_spent(trials: Iterable[tuple[Path, ModelSpec]], *, priced: bool) -> Spent:
    """What was spent according to transcripts, each with its model; one that is missing has nothing.

    Args:
        trials: the transcript of each trial, and its model.
        priced: whether money matters; else `Spent.cost` stays 0.
    """
    spent = Spent()
    for path, model in trials:
        for usage, status, replied in _requests(path):
            use = charged(usage, status, replied=replied)
            spent = plus(spent, 1, use, price_of(model, use) if priced else Decimal(0))
    return spent


def _requests(path: Path) -> Iterable[tuple[TokenCounts, int, bool]]:
    """Counts, status, and whether there was a reply, of each request that a model was asked; a torn last line is left out."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            if line.startswith(b'{"kind": "part"') or not line.endswith(b"\n"):
                continue
            found = json.loads(line)
            if found.get("origin") != "hop" and not found.get("fault") and found.get("sent", True):
                counts = TokenCounts.model_validate(found.get("usage", {}))
                yield counts, int(found["status"]), found.get("reply") is not None
