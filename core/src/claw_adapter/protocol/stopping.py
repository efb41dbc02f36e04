"""When a run stops before its end, with nothing lost: the same command continues it."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

from claw_adapter.protocol.base import Record

__all__ = ["RateLimits", "SpendingLimits", "Spent", "StopRules", "describe_seconds", "parse_seconds"]

_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}
_TIME: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([smh]?)")


def parse_seconds(value: Any) -> float:
    """Seconds from a number, or from text such as ``90``, ``90s``, ``10m``, ``1.5h``.

    Raises:
        ValueError: it is no time, or not finite.
    """
    if isinstance(value, str) and (match := _TIME.fullmatch(value.strip().lower())):
        return float(match[1]) * _UNITS[match[2]]
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf:
        return float(value)
    raise ValueError(f"{value!r} is not a time; write seconds, or 90s, 10m, 1.5h")


def describe_seconds(seconds: float) -> str:
    """A time as people say it: ``45 s``, ``10 min``, ``1.5 h``."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size and (seconds / size).is_integer():
            return f"{seconds / size:g} {unit}"
    if seconds < 120:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


class SpendingLimits(Record):
    """What may be spent, in all."""

    max_cost: Decimal | None = Field(default=None, gt=0, allow_inf_nan=False)
    """In US dollars, at list price."""
    max_tokens: int | None = Field(default=None, gt=0)
    """Sent and received, together; as the provider counts them, else as we do."""
    max_requests: int | None = Field(default=None, gt=0)

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens have to be known before a request goes out."""
        return self.max_tokens is not None or self.max_cost is not None


class RateLimits(Record):
    """How fast requests may go out to each model of each provider."""

    requests_per_minute: int | None = Field(default=None, gt=0)
    tokens_per_minute: int | None = Field(default=None, gt=0)
    """Sent and received, together; as the provider counts them, else as we do."""
    concurrent: int | None = Field(default=None, gt=0)
    """How many may be under way at a time."""

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return any(limit is not None for limit in (self.requests_per_minute, self.tokens_per_minute, self.concurrent))


class StopRules(SpendingLimits, RateLimits):
    """What a run puts up with and may spend; no part of its identity, so that the same run may go on with other values."""

    patience: Annotated[float, BeforeValidator(parse_seconds, json_schema_input_type=float | str)] = 600.0
    """Seconds that a model's provider may be away before the run stops; also written ``10m``."""
    budget: str = Field(default="", pattern=r"^(https?://[^/\s]+(/[^\s]*[^/\s])?)?$")
    """URL of a ``claw budget``, whose limits hold for all runs that name it together."""


class Spent(Record):
    """What a run has spent since it began, whatever became of it: failed attempts and voided rounds are in it."""

    requests: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    """In US dollars, at list price, as far as prices are known."""
