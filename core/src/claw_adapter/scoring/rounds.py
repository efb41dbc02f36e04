"""The score of one round, and the two ways of looking at rounds that could not be scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from claw_adapter.errors import ClawError

__all__ = ["RoundScore", "ScoringError", "View", "check_choice", "sequence"]

View = Literal["strict", "adjusted"]


class ScoringError(ClawError, ValueError):
    """Scores were combined in a way that has no meaning: out of range, not comparable, or not recorded."""


def check_choice(what: str, value: str, allowed: Sequence[str]) -> None:
    """Refuse a name that is not one of `allowed`.

    Raises:
        ScoringError: naming the value and what would have been accepted.
    """
    if value not in allowed:
        raise ScoringError(f"unknown {what} {value!r}", remedy=f"use one of: {', '.join(allowed)}")


@dataclass(frozen=True, slots=True)
class RoundScore:
    """What one round of one scenario scored.

    Attributes:
        scenario: scenario id.
        round: round id, unique in its scenario.
        type: question type, e.g. ``multi_choice`` or ``exec_check``.
        score: in [0, 1]; None means the round is unscored, and `cause` says why.
        cause: owner of the failure that left the round unscored (provider, harness, sandbox, ...).
        per_option: the v1 per-option score 1 - (fp + fn) / n of a multi_choice round; recorded, used by metric set v1 only.

    Raises:
        ScoringError: a number outside [0, 1], an unscored round without cause, or a scored one with a cause.
    """

    scenario: str
    round: str
    type: str
    score: float | None
    cause: str | None = None
    per_option: float | None = None

    def __post_init__(self) -> None:
        where, remedy = f"{self.scenario}/{self.round}", "scores lie in [0, 1]; restore the record from a copy"
        for name, value in (("score", self.score), ("per_option", self.per_option)):
            if value is not None and not 0 <= value <= 1:  # also refuses NaN
                raise ScoringError(f"{name} {value} is outside [0, 1]", where=where, remedy=remedy)
        if (self.score is None) != bool(self.cause):
            raise ScoringError(
                "an unscored round needs its cause, and a scored one has none",
                where=where,
                remedy="give either a score, or score None with the owner of the failure",
            )

    @property
    def scored(self) -> bool:
        """Whether the round has a score at all."""
        return self.score is not None


def sequence(rounds: Sequence[RoundScore], view: View) -> tuple[float, ...]:
    """Scores in round order as a view sees them.

    Args:
        rounds: one scenario's rounds, in order.
        view: ``strict`` counts an unscored round as 0; ``adjusted`` removes it, so that its neighbours become adjacent.

    Raises:
        ScoringError: an unknown view.
    """
    check_choice("view", view, get_args(View))
    return tuple(r.score or 0.0 for r in rounds if view == "strict" or r.scored)
