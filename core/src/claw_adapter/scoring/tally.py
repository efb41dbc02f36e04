"""Sufficient statistics of one scenario: everything a metric set needs, so that resampling never walks rounds again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from claw_adapter.scoring.rounds import RoundScore, ScoringError, View, sequence
from claw_adapter.scoring.streaks import Streaks

__all__ = ["Tally", "mean", "ratio", "tallies", "tally"]

MULTI_CHOICE = "multi_choice"
EXEC_CHECK = "exec_check"


def ratio(part: float, whole: float) -> float | None:
    """Part / whole; None where there is no whole."""
    return part / whole if whole else None


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; None for no values."""
    return ratio(sum(values), len(values))


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts and sums of one scenario in one view; `sc`, `fd` and `robustness` are its streak metrics.

    `option_total` is the sum of per-option scores over multi_choice rounds, None when a scored one did not record it.
    """

    rounds: int
    scored: int
    n: int
    total: float
    mc_n: int
    mc_total: float
    ec_n: int
    ec_total: float
    option_total: float | None
    sc: float
    fd: float
    robustness: float


def tally(rounds: Sequence[RoundScore], view: View) -> Tally:
    """Count one scenario's rounds, given in order, as `view` sees them."""
    streaks = Streaks.of(sequence(rounds, view))
    choices = [r for r in rounds if r.type == MULTI_CHOICE]
    checks = [r for r in rounds if r.type == EXEC_CHECK]
    mc, ec = sequence(choices, view), sequence(checks, view)
    options = [r.per_option for r in choices if r.scored]
    return Tally(
        rounds=len(rounds),
        scored=sum(r.scored for r in rounds),
        n=streaks.n,
        total=streaks.total,
        mc_n=len(mc),
        mc_total=sum(mc),
        ec_n=len(ec),
        ec_total=sum(ec),
        option_total=None if None in options else sum(o for o in options if o is not None),
        sc=streaks.sc,
        fd=streaks.fd,
        robustness=streaks.robustness,
    )


def tallies(scenarios: Mapping[str, Sequence[RoundScore]], view: View) -> list[Tally]:
    """One tally per scenario, in the mapping's order.

    Raises:
        ScoringError: a round is filed under another scenario's id, or appears twice.
    """
    for name, rounds in scenarios.items():
        ids = [r.round for r in rounds]
        if len(set(ids)) != len(ids):
            raise ScoringError("a round appears twice", where=name, remedy="keep one score per round of a trial")
        if strays := [r.scenario for r in rounds if r.scenario != name]:
            raise ScoringError(f"holds a round of scenario {strays[0]!r}", where=name)
    return [tally(rounds, view) for rounds in scenarios.values()]
