"""The two question formats against each other. Source: ClawArena v2 §4.2 and §4.5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from claw_adapter.scoring.agreement import Correlation, correlation
from claw_adapter.scoring.breakdown import breakdown
from claw_adapter.scoring.observed import Observation
from claw_adapter.scoring.tally import EXEC_CHECK, MULTI_CHOICE

__all__ = ["FormatPair", "format_correlation"]


@dataclass(frozen=True, slots=True)
class FormatPair:
    """The two formats over something: a configuration or a scenario."""

    name: str
    mc: float
    ec: float


def format_correlation(
    found: Sequence[Observation], *, over: Literal["config", "scenario"] = "config"
) -> tuple[tuple[FormatPair, ...], Correlation | None]:
    """Mean multi_choice and exec_check scores per configuration or per scenario, and how they go together.

    "MC and EC skills remain loosely correlated" (v2 §4.2 and §4.5). None where fewer than three have both, or one never
    varies.
    """
    sorted_ = [replace(one, config=one.scenario) for one in found] if over == "scenario" else found
    means: dict[str, dict[str, float]] = {one.config: {} for one in sorted_}
    for row in breakdown(sorted_, ("type",)) if sorted_ else ():
        if row.mean is not None:
            means[row.config][row.values[0]] = row.mean
    both = [(name, of) for name, of in means.items() if {MULTI_CHOICE, EXEC_CHECK} <= set(of)]
    pairs = tuple(FormatPair(name, of[MULTI_CHOICE], of[EXEC_CHECK]) for name, of in both)
    return pairs, correlation([pair.mc for pair in pairs], [pair.ec for pair in pairs])
