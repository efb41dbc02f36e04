"""Two rows matched round by round, and one metric's difference between them.

The unit is the scenario. Its seeds are matched where both sides have them; of a seed every repeat of one side meets every
repeat of the other. All trials of a scenario stay together when scenarios are resampled or exchanged: they are repetitions,
not independent evidence. Within a scenario counts add up over trials and streak metrics are averaged, so that no streak runs
from one trial into the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from claw_adapter.runs.load import UNKNOWN, RoundName
from claw_adapter.scoring import Difference, Metric, MetricSet, RoundScore, View
from claw_adapter.scoring.paired import difference_of_tallies
from claw_adapter.scoring.tally import Tally, mean, tally

__all__ = ["Matched", "Resampling", "Rounds", "Seeds", "as_one", "difference_of", "known_names", "matched"]

Rounds = Sequence[RoundScore]
Seeds = Mapping[int, tuple[Rounds, ...]]
"""Seed → the scores of one scenario's rounds, once per repeat."""
Unit = tuple[tuple[Rounds, ...], tuple[Rounds, ...]]
"""One scenario's sequences of A and of B, all over the same rounds."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals and p-values are made; `comparisons` is the number of tests that the level is shared by.

    `margin` is what a difference is tested against besides, if it is.
    """

    level: float
    resamples: int
    seed: int
    comparisons: int = 1
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class Matched:
    """What two rows have in common in one scenario.

    Attributes:
        strict: all rounds that both sides have.
        adjusted: of these, the rounds that are scored on both sides.
        seeds: the matched seeds; None where no seed is common and every trial of one side meets every one of the other.
        lost: rounds, over all trials, that were left out because only one side has them.
        unmatched: seeds that only one side has, where others were matched.
    """

    strict: Unit
    adjusted: Unit
    seeds: tuple[int, ...] | None
    lost: int
    unmatched: tuple[int, ...]

    @property
    def rounds(self) -> int:
        """Rounds compared: of the side with more trials, over all of them."""
        return max(sum(map(len, side)) for side in self.strict)

    def unit(self, view: View) -> Unit:
        """The sequences that count in a view."""
        return self.strict if view == "strict" else self.adjusted


def known_names(a: Sequence[RoundName], b: Sequence[RoundName]) -> tuple[RoundName, ...]:
    """The rounds of a scenario as two runs know them together: one may know a round that the other never reached."""
    known = {name.index: name for name in (*a, *b) if name.type != UNKNOWN}
    return tuple(known.get(name.index, name) for name in max(a, b, key=len))


def matched(a: Seeds, b: Seeds) -> Matched:
    """Match one scenario's trials: by seed where both sides have some, else every trial against every trial."""
    left, right = _begun(a), _begun(b)
    common = tuple(seed for seed in left if seed in right)
    groups: list[Unit] = [(left[seed], right[seed]) for seed in common]
    groups = groups or [(sum(left.values(), ()), sum(right.values(), ()))]
    strict = [_shared(group, scored=False) for group in groups]
    adjusted = [_shared(group, scored=True) for group in groups]
    return Matched(
        strict=_joined(strict),
        adjusted=_joined(adjusted),
        seeds=common or None,
        lost=sum(map(_size, groups)) - sum(map(_size, strict)),
        unmatched=tuple(sorted(set(a) ^ set(b))) if common else (),
    )


def _begun(side: Seeds) -> Seeds:
    """The seeds with the repeats that have any round."""
    begun = {seed: tuple(rounds for rounds in repeats if rounds) for seed, repeats in side.items()}
    return {seed: repeats for seed, repeats in begun.items() if repeats}


def _key(score: RoundScore) -> tuple[str, str]:
    return score.round, score.type


def _size(group: Unit) -> int:
    return sum(len(rounds) for side in group for rounds in side)


def _shared(group: Unit, *, scored: bool) -> Unit:
    """The rounds that every sequence of a group has, or has scored; nothing where a side has no sequence."""
    if not all(group):
        return (), ()
    keep = set.intersection(*({_key(s) for s in rounds if s.scored or not scored} for side in group for rounds in side))
    a, b = (tuple(tuple(s for s in rounds if _key(s) in keep) for rounds in side) for side in group)
    return a, b


def _joined(units: Sequence[Unit]) -> Unit:
    a, b = (tuple(rounds for unit in units for rounds in unit[side] if rounds) for side in (0, 1))
    return a, b


def difference_of(
    units: Mapping[str, Matched], metric: Metric, metric_set: MetricSet, view: View, how: Resampling
) -> Difference:
    """B minus A, as `scoring.paired_difference` has it, over scenarios of one or several trials each.

    Raises:
        ScoringError: the metric set does not define the metric or needs scores that were not recorded, or a number in
            `how` is out of range.
    """
    live = [unit for unit in (found.unit(view) for found in units.values()) if unit[0] and unit[1]]
    left, right = ([as_one(unit[side], view) for unit in live] for side in (0, 1))
    return difference_of_tallies(
        left,
        right,
        metric,
        metric_set,
        view=view,
        level=how.level,
        resamples=how.resamples,
        seed=how.seed,
        comparisons=how.comparisons,
        margin=how.margin,
    )


def as_one(trials: Sequence[Rounds], view: View) -> Tally:
    """The trials of one scenario as one unit: counts add up, streak metrics are averaged over the trials."""
    counted = [tally(rounds, view) for rounds in trials]
    options = [t.option_total for t in counted]
    return replace(
        counted[0],
        rounds=sum(t.rounds for t in counted),
        scored=sum(t.scored for t in counted),
        n=sum(t.n for t in counted),
        total=sum(t.total for t in counted),
        mc_n=sum(t.mc_n for t in counted),
        mc_total=sum(t.mc_total for t in counted),
        ec_n=sum(t.ec_n for t in counted),
        ec_total=sum(t.ec_total for t in counted),
        option_total=None if None in options else sum(o for o in options if o is not None),
        sc=_mean(t.sc for t in counted),
        fd=_mean(t.fd for t in counted),
        robustness=_mean(t.robustness for t in counted),
    )


def _mean(values: Iterator[float]) -> float:
    return mean(list(values)) or 0.0
