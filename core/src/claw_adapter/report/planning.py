"""How many scenarios and repeats show a given difference: power by simulation, from a run that is there.

Scenarios are drawn from those of the run, with replacement, each round with the chance of being right that it had there. The
difference is planted on the scale of log odds, so that no chance leaves [0, 1], and is tested as `claw compare` tests TCR: by
exchanging the sides within scenarios.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import fmean
from typing import Final

from pydantic import Field

from claw_adapter.protocol.base import Record
from claw_adapter.runs.load import RunData
from claw_adapter.scoring import ScoringError
from claw_adapter.scoring.exact import EXACT_SCENARIOS, TIE, exchange_p

__all__ = ["Chances", "ComparisonPlan", "PlannedSize", "chances_of", "planned", "power"]

SCENARIOS: Final = (1, 2, 4, 8, 16)
"""Times the scenarios of the run."""
REPEATS: Final = (1, 2, 4, 8)
SHOWN: Final = 0.8
MANY: Final = 40
"""Rounds and repeats of a scenario from which they are drawn together."""
SIGNS: Final = 999
"""Signs drawn where there are too many to go through."""

Chances = Sequence[Sequence[float]]
"""Of each scenario the chance of each round, in [0, 1]."""


class PlannedSize(Record):
    """A number of scenarios and repeats, and how often it shows the difference."""

    scenarios: int
    repeats: int
    trials: int
    """Of one side: scenarios × repeats."""
    power: float = Field(ge=0, le=1)


class ComparisonPlan(Record):
    """What it takes to show a difference in TCR."""

    difference: float
    level: float
    simulations: int
    """Of each size; a power of 0.8 is then known to ±1.96·sqrt(0.16 / simulations)."""
    rate: float
    """Mean of the chances that were taken from the run, each drawn towards one half: (right + 0.5) / (trials + 1)."""
    observed: int
    """Trials of a scenario from which chances were taken, at least."""
    sizes: tuple[PlannedSize, ...]

    @property
    def enough(self) -> PlannedSize | None:
        """The size with the fewest trials that shows the difference with power 0.8."""
        able = [one for one in self.sizes if one.power >= SHOWN]
        return min(able, key=lambda one: (one.trials, one.repeats), default=None)


def planned(
    run: RunData, difference: float, *, level: float = 0.95, simulations: int = 400, seed: int = 0
) -> ComparisonPlan:
    """Simulate comparisons in which one side is better by `difference`, a share, in sizes from that of the run on.

    Raises:
        ScoringError: the run has no scored round, or the difference is not in (0, 1) or more than chances leave room for.
    """
    chances, observed = chances_of(run)
    sizes = [
        PlannedSize(
            scenarios=len(chances) * times,
            repeats=repeats,
            trials=len(chances) * times * repeats,
            power=power(
                chances, difference, len(chances) * times, repeats, level=level, simulations=simulations, seed=seed
            ),
        )
        for times in SCENARIOS
        for repeats in REPEATS
    ]
    rate = fmean(chance for scenario in chances for chance in scenario)
    return ComparisonPlan(
        difference=difference, level=level, simulations=simulations, rate=rate, observed=observed, sizes=tuple(sizes)
    )


def chances_of(run: RunData) -> tuple[list[list[float]], int]:
    """The chance of every round of every scenario, over all rows and trials of a run, and the fewest trials behind one.

    A chance is (right + 0.5) / (trials + 1), so that a round that was right once is not taken to be right always.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for trial in run.trials:
        for one in trial.scores(run.rounds[trial.spec.scenario]):
            if one.score is not None:
                found.setdefault(trial.spec.scenario, {}).setdefault(one.round, []).append(one.score)
    if not found:
        raise ScoringError("no round of the run is scored", remedy="Name a run that has finished rounds.")
    fewest = min(len(scores) for scenario in found.values() for scores in scenario.values())
    return [
        [(sum(scores) + 0.5) / (len(scores) + 1) for scores in scenario.values()] for scenario in found.values()
    ], fewest


def power(
    chances: Chances,
    difference: float,
    scenarios: int,
    repeats: int,
    *,
    level: float = 0.95,
    simulations: int = 400,
    seed: int = 0,
) -> float:
    """How often a comparison of this size shows the difference."""
    draw = random.Random(f"{seed} {scenarios} {repeats}")
    shift = _shift(chances, difference)
    better = [_shifted(scenario, shift) for scenario in chances]
    shown = 0
    for _ in range(simulations):
        differences = []
        for _ in range(scenarios):
            at = draw.randrange(len(chances))
            a, b = _scored(chances[at], repeats, draw), _scored(better[at], repeats, draw)
            differences.append((b - a) / repeats)
        shown += sum(differences) > 0 and _p(differences, draw) <= 1 - level
    return shown / simulations


def _scored(scenario: Sequence[float], repeats: int, draw: random.Random) -> int:
    """How many rounds are right, over all repeats: many at once, by the normal distribution of that number."""
    most = len(scenario) * repeats
    if most < MANY:
        return sum(draw.random() < chance for chance in scenario for _ in range(repeats))
    spread = math.sqrt(repeats * sum(chance * (1 - chance) for chance in scenario))
    return min(max(round(draw.gauss(repeats * sum(scenario), spread)), 0), most)


def _p(differences: Sequence[float], draw: random.Random) -> float:
    """As `claw compare` tests TCR."""
    if (p := exchange_p(differences)) is not None:
        return p
    observed, n = abs(sum(differences)) - TIE, len(differences)
    every = n <= EXACT_SCENARIOS
    masks = range(2**n) if every else [draw.getrandbits(n) for _ in range(SIGNS)]
    hits = sum(
        abs(sum(-one if mask >> at & 1 else one for at, one in enumerate(differences))) >= observed for mask in masks
    )
    return hits / 2**n if every else (1 + hits) / (1 + SIGNS)


def _shift(chances: Chances, difference: float) -> float:
    """The shift in log odds that raises the mean chance by `difference`, by bisection."""
    if not 0 < difference < 1:
        raise ScoringError(f"a difference of {100 * difference:g} points is out of range", remedy="Give more than 0.")
    rate = fmean(chance for scenario in chances for chance in scenario)
    if rate + difference >= 1:
        raise ScoringError(
            f"the run's score is {100 * rate:.1f}: nothing can be {100 * difference:g} points better",
            remedy="Plan for a smaller difference, or from a run that is further from 100.",
        )
    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        reached = fmean(chance for scenario in chances for chance in _shifted(scenario, middle))
        low, high = (middle, high) if reached < rate + difference else (low, middle)
    return high


def _shifted(scenario: Sequence[float], shift: float) -> list[float]:
    return [1 / (1 + (1 - chance) / chance * math.exp(-shift)) for chance in scenario]
