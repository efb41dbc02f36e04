"""The two question formats against each other. Source: ClawArena v2 §4.2 and §4.5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from claw_adapter.scoring.agreement import Correlation, correlation
from claw_adapter.scoring.observed import Observation
from claw_adapter.scoring.tally import EXEC_CHECK, MULTI_CHOICE, mean

__all__ = ["FormatPair", "format_correlation"]

_BOTH: Final = {MULTI_CHOICE, EXEC_CHECK}


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
    scores: dict[str, dict[str, list[float]]] = {}
    for one in found:
        of = scores.setdefault(one.scenario if over == "scenario" else one.config, {})
        if one.score is not None:
            of.setdefault(one.type, []).append(one.score)
    both = [(name, mean(of[MULTI_CHOICE]), mean(of[EXEC_CHECK])) for name, of in scores.items() if of.keys() >= _BOTH]
    pairs = tuple(FormatPair(name, mc, ec) for name, mc, ec in both if mc is not None and ec is not None)
    return pairs, correlation([pair.mc for pair in pairs], [pair.ec for pair in pairs])
