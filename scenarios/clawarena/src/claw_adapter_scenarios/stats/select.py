"""A subset of a suite that represents it, and by how much the two differ.

A subset is chosen so that the means of its scenarios' statistics are near those of the whole suite, every domain is there
if it can be, and, where scores of runs are given, its mean score is near the suite's for every configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, log10, sqrt
from random import Random
from statistics import fmean, median, pstdev

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.stats.figures import ScenarioFigures

__all__ = ["Chosen", "FeatureGap", "ScoreGap", "Scores", "choose"]

Scores = Mapping[str, Mapping[str, Sequence[float]]]
"""Configuration → scenario id → score of every round, unscored ones as 0."""

EXACT = 60_000
"""So many subsets are all looked at; beyond, the best is sought by swapping from several starts."""
STARTS = 12
RANDOM = 400
"""Random subsets that say what choosing is worth."""
SCORE_WEIGHT = 200.0
"""Squared score differences (of 1) against squared differences in standard deviations: 0.07 counts as one deviation."""
MISSING_DOMAIN = 10.0


@dataclass(frozen=True, slots=True)
class FeatureGap:
    """A statistic: its mean over the suite and over the subset, and their difference in the suite's standard deviations."""

    name: str
    suite: float
    subset: float
    deviations: float


@dataclass(frozen=True, slots=True)
class ScoreGap:
    """A configuration's mean score over the suite's rounds and over the subset's.

    `held_out` is the error of a subset that was chosen without looking at this configuration, None with fewer than two.
    """

    config: str
    suite: float
    subset: float
    held_out: float | None

    @property
    def error(self) -> float:
        """Subset less suite, in score."""
        return self.subset - self.suite


@dataclass(frozen=True, slots=True)
class Chosen:
    """A subset and what it costs to take it for the suite.

    Attributes:
        distance: root mean square of the statistics' differences, in standard deviations.
        random_distance: median of that over random subsets of the size.
        random_error: median over random subsets of the mean absolute score error; None without scores.
        missing: domains of the suite without a scenario in the subset.
    """

    scenarios: tuple[str, ...]
    features: tuple[FeatureGap, ...]
    scores: tuple[ScoreGap, ...]
    distance: float
    random_distance: float
    random_error: float | None
    missing: tuple[str, ...]


class _Problem:
    """The suite as numbers: standardised features per scenario, and scores."""

    def __init__(self, suite: Sequence[ScenarioFigures], scores: Scores) -> None:
        self.suite, self.scores = list(suite), scores
        raw = [_features(one, suite) for one in suite]
        self.names = [name for name in raw[0] if pstdev([row[name] for row in raw]) > 0]
        self.raw = [[row[name] for name in self.names] for row in raw]
        columns = list(zip(*self.raw, strict=True))
        self.means = [fmean(column) for column in columns]
        self.spreads = [pstdev(column) for column in columns]
        self.domains = {one.domain for one in suite if one.domain}

    def gaps(self, chosen: Sequence[int]) -> list[float]:
        """Differences of the subset's means from the suite's, in standard deviations."""
        return [
            (fmean([self.raw[i][place] for i in chosen]) - mean) / spread
            for place, (mean, spread) in enumerate(zip(self.means, self.spreads, strict=True))
        ]

    def distance(self, chosen: Sequence[int]) -> float:
        """Root mean square of the gaps."""
        gaps = self.gaps(chosen)
        return sqrt(fmean([gap * gap for gap in gaps])) if gaps else 0.0

    def missing(self, chosen: Sequence[int]) -> set[str]:
        """Domains that the subset has not."""
        return self.domains - {self.suite[i].domain for i in chosen}

    def score(self, config: str, chosen: Sequence[int] | None = None) -> float:
        """Mean score of a configuration over the rounds of some scenarios, or of all."""
        of = self.scores[config]
        ids = [self.suite[i].id for i in (range(len(self.suite)) if chosen is None else chosen)]
        rounds = [value for name in ids for value in of[name]]
        return fmean(rounds) if rounds else 0.0

    def cost(self, chosen: Sequence[int], configs: Sequence[str]) -> float:
        """What the choice minimises."""
        reachable = max(len(self.domains) - len(chosen), 0)
        lost = max(len(self.missing(chosen)) - reachable, 0)
        errors = [(self.score(name, chosen) - self.score(name)) ** 2 for name in configs]
        return self.distance(chosen) ** 2 + SCORE_WEIGHT * (fmean(errors) if errors else 0.0) + MISSING_DOMAIN * lost


def choose(suite: Sequence[ScenarioFigures], size: int, *, scores: Scores | None = None, seed: int = 0) -> Chosen:
    """The subset of `size` scenarios that represents the suite best, and the error it makes.

    Args:
        suite: at least two scenarios.
        size: of the subset, at least 1 and less than the suite's.
        scores: of runs over the whole suite; without them only statistics are compared.
        seed: of the search and of the random subsets.

    Raises:
        ScenarioError: an impossible size, or scores that do not cover the suite.
    """
    if not 1 <= size < len(suite):
        raise ScenarioError(
            f"no subset of {size} of {len(suite)} scenarios", where="select", remedy="0 < size < scenarios"
        )
    given = dict(scores or {})
    for name, of in given.items():
        if lacking := sorted({one.id for one in suite} - set(of)):
            raise ScenarioError(
                f"run {name!r} has no scores of {lacking[0]!r}", remedy="Give runs over the whole suite."
            )
    problem = _Problem(suite, given)
    best = _best(problem, size, list(given), seed)
    return _describe(problem, best, size, seed)


def _describe(problem: _Problem, best: tuple[int, ...], size: int, seed: int) -> Chosen:
    configs = list(problem.scores)
    rng = Random(seed)
    samples = [rng.sample(range(len(problem.suite)), size) for _ in range(RANDOM)]
    errors = [fmean([abs(problem.score(c, s) - problem.score(c)) for c in configs]) for s in samples] if configs else []
    subset = [fmean([problem.raw[i][place] for i in best]) for place in range(len(problem.names))]
    return Chosen(
        scenarios=tuple(problem.suite[i].id for i in best),
        features=tuple(
            FeatureGap(name, mean, ours, gap)
            for name, mean, ours, gap in zip(problem.names, problem.means, subset, problem.gaps(best), strict=True)
        ),
        scores=tuple(
            ScoreGap(c, problem.score(c), problem.score(c, best), _held_out(problem, c, size, seed)) for c in configs
        ),
        distance=problem.distance(best),
        random_distance=median(problem.distance(sample) for sample in samples),
        random_error=median(errors) if errors else None,
        missing=tuple(sorted(problem.missing(best))),
    )


def _held_out(problem: _Problem, config: str, size: int, seed: int) -> float | None:
    others = [name for name in problem.scores if name != config]
    if not others:
        return None
    best = _best(problem, size, others, seed)
    return problem.score(config, best) - problem.score(config)


def _best(problem: _Problem, size: int, configs: Sequence[str], seed: int) -> tuple[int, ...]:
    """All subsets where they are few, else the best of several descents by swapping one scenario at a time."""
    everything = range(len(problem.suite))
    if comb(len(problem.suite), size) <= EXACT // max(len(configs), 1):
        return min(combinations(everything, size), key=lambda chosen: (problem.cost(chosen, configs), chosen))
    rng = Random(seed)
    found = [_descend(problem, tuple(sorted(rng.sample(everything, size))), configs) for _ in range(STARTS)]
    return min(found, key=lambda chosen: (problem.cost(chosen, configs), chosen))


def _descend(problem: _Problem, chosen: tuple[int, ...], configs: Sequence[str]) -> tuple[int, ...]:
    cost = problem.cost(chosen, configs)
    while True:
        swaps = [
            tuple(sorted({*chosen, new} - {old}))
            for old in chosen
            for new in range(len(problem.suite))
            if new not in chosen
        ]
        better, where = min((problem.cost(swap, configs), swap) for swap in swaps)
        if better >= cost - 1e-12:
            return chosen
        chosen, cost = where, better


def _features(one: ScenarioFigures, suite: Sequence[ScenarioFigures]) -> dict[str, float]:
    """Statistics of one scenario, comparable between scenarios of different length."""
    row = one.row
    rounds = max(row.rounds, 1)
    found = {
        "rounds": float(row.rounds),
        "multi_choice share": row.mc / rounds,
        "preference rounds": float(row.preference_rounds),
        "update rounds": float(row.update_rounds),
        "updates": float(row.updates),
        "files of updates": float(row.update_files),
        "files": float(row.files),
        "tokens, logarithm": log10(max(row.tokens, 1)),
    }
    names = sorted({name for other in suite for name in other.categories})
    found |= {f"share of {name}": one.categories.get(name, 0) / rounds for name in names}
    languages = sorted({other.language for other in suite if other.language})
    return found | {f"language {name}": float(one.language == name) for name in languages[1:]}
