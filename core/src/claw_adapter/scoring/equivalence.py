"""Whether a difference lies within a margin: two one-sided exchange tests over scenarios."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

from claw_adapter.scoring.exact import EXACT_SCENARIOS, TIE
from claw_adapter.scoring.rounds import ScoringError

__all__ = ["Equivalence", "equivalence", "fewest_scenarios"]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What the tests against a margin come to.

    Attributes:
        p_within: small where the difference is shown to lie within ±margin (the larger of the two one-sided p-values).
        p_beyond: small where it is shown to lie beyond the margin, on either side.
    """

    p_within: float
    p_beyond: float


def equivalence(differences: Sequence[float], margin: float, *, draws: int, seed: int) -> Equivalence | None:
    """Test the mean of one difference per scenario against ±`margin`.

    Two one-sided tests (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657), each a sign-flip test of the differences moved by
    the margin (Fisher 1935, The Design of Experiments, section 21), so that few scenarios are no excuse for a narrow interval.
    That several pairs are *all* within their margin needs no correction (Berger and Hsu 1996, Statist. Sci. 11:283).

    Args:
        differences: per scenario, in the unit of `margin`; pseudo-values for metrics that are no means.
        margin: more than 0.
        draws: signs drawn where there are too many to enumerate, with p = (1 + hits) / (1 + draws).
        seed: of the draws.

    Returns:
        None without any difference.

    Raises:
        ScoringError: the margin is not in (0, 1].
    """
    if not 0 < margin <= 1:
        raise ScoringError(
            f"a margin of {100 * margin:g} points is out of range", remedy="Give more than 0, and at most 100."
        )
    if not differences:
        return None
    below, above, lower, higher = (
        _one_sided([sign * value + shift for value in differences], draws, seed)
        for sign, shift in ((1, margin), (-1, margin), (-1, -margin), (1, -margin))
    )
    return Equivalence(p_within=max(below, above), p_beyond=min(1.0, 2 * min(lower, higher)))


def fewest_scenarios(level: float) -> int:
    """The fewest scenarios with which equivalence can be shown at all: 1/2^n <= 1 - level."""
    return next(n for n in itertools.count(1) if 1 / 2**n <= 1 - level)


def _one_sided(values: Sequence[float], draws: int, seed: int) -> float:
    """How often a sum with signs by chance is at least the observed one."""
    n, observed = len(values), sum(values) - TIE
    rng = random.Random(seed)
    masks = range(2**n) if n <= EXACT_SCENARIOS else (rng.getrandbits(n) for _ in range(draws))
    hits = sum(sum(-v if mask >> i & 1 else v for i, v in enumerate(values)) >= observed for mask in masks)
    return hits / 2**n if n <= EXACT_SCENARIOS else (1 + hits) / (1 + draws)
