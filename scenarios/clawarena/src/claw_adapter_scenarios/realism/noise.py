"""Which messages are noise: irrelevant to every question, in the share that was published."""

from __future__ import annotations

from random import Random

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.realism.registry import entry

__all__ = ["band", "labels"]


def band() -> tuple[float, float]:
    """Least and largest share of noise (entry ``scenario.noise.share``)."""
    found = entry("scenario.noise.share")
    return found.low or 0.0, found.high or 0.0


def labels(rng: Random, n: int, share: float | None = None) -> list[bool]:
    """True for noise, for each of `n` messages: exactly ``round(share * n)`` of them, in random places.

    Args:
        rng: the only source of chance.
        n: messages.
        share: of noise; default: uniform over the published band.

    Raises:
        ScenarioError: a share outside [0, 1].
    """
    low, high = band()
    wanted = low + (high - low) * rng.random() if share is None else share
    if not 0 <= wanted <= 1:
        raise ScenarioError(f"share {wanted} of noise is outside [0, 1]", where="realism.noise")
    found = [place < round(wanted * n) for place in range(n)]
    rng.shuffle(found)
    return found
