"""How many messages a channel carries: a scenario's total, split in proportion to published daily volumes."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.realism.registry import entry

__all__ = ["PER_DAY", "split", "total"]

PER_DAY = {
    "mail": "mail.received.per_day",
    "chat": "chat.received.per_day",
    "wechat": "wechat.sent.per_day",
    "text": "text.exchanged.per_day",
    "clinical": "secure_message.per_day",
    "page": "pages.service.per_day",
}
"""Kind of channel → entry with messages per person and working day."""
SPREAD = 0.25
"""How much a channel may deviate from its share, as a fraction either way; a choice."""


def total(rng: Random) -> int:
    """Messages of a whole scenario, uniform over the published band (entry ``scenario.messages``)."""
    band = entry("scenario.messages")
    return rng.randint(int(band.low or 0), int(band.high or 0))


def split(rng: Random, messages: int, channels: Mapping[str, str]) -> dict[str, int]:
    """`messages` split over `channels` (name → kind of `PER_DAY`); the parts sum to `messages`, each is at least 1.

    Raises:
        ScenarioError: an unknown kind, or fewer messages than channels.
    """
    if unknown := set(channels.values()) - set(PER_DAY):
        raise ScenarioError(
            f"no volume for {min(unknown)!r}", where="realism.volumes", remedy=f"Use one of: {', '.join(PER_DAY)}."
        )
    if messages < len(channels):
        raise ScenarioError(f"{messages} messages cannot fill {len(channels)} channels", where="realism.volumes")
    rates = {
        name: (entry(PER_DAY[kind]).value or 0.0) * (1 - SPREAD + 2 * SPREAD * rng.random())
        for name, kind in channels.items()
    }
    free, whole = messages - len(channels), sum(rates.values())
    exact = {name: 1 + free * rate / whole for name, rate in rates.items()}
    parts = {name: int(number) for name, number in exact.items()}
    short = messages - sum(parts.values())
    for name in sorted(exact, key=lambda one: parts[one] - exact[one])[:short]:  # largest remainders first
        parts[name] += 1
    return parts
