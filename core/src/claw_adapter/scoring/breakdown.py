"""Scores by tag: one function for every breakdown, whatever the tags are and wherever the observations come from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final, TypeVar

from claw_adapter.scoring.metric_sets import METRICS, Metric, MetricSet, aggregate
from claw_adapter.scoring.observed import Observation
from claw_adapter.scoring.rounds import RoundScore, ScoringError
from claw_adapter.scoring.shares import ShareInterval, clustered, pass_hat
from claw_adapter.scoring.tally import mean

__all__ = ["UNTAGGED", "BreakdownRow", "breakdown", "tag_names"]

UNTAGGED: Final = ""
"""The value of what does not have the tag."""

_OF_ANY_ROUNDS: Final[frozenset[Metric]] = frozenset(("tcr", "mc", "ec", "overall"))
"""Metrics that any rounds have; the others are of streaks, and only whole trials have those."""
EVERY: Final = 8
"""Trials of a round up to which there is a pass^k for each number of them."""
_NUMBER: Final = re.compile(r"(\d+)")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class BreakdownRow:
    """What has some values of the tags, under one configuration.

    Attributes:
        values: one per tag asked for, `UNTAGGED` for none.
        n: how many there are; `scored` + `unscored`.
        mean: mean score of the scored ones (adjusted), in [0, 1]; None when there are none.
        strict_mean: mean score, an unscored one counting 0.
        interval: of `strict_mean`, over scenarios; None with fewer than two.
        unread: how many replies had no answer that could be extracted; they count among the scored, mostly as 0.
        strict: metrics of these rounds, an unscored one counting 0; only those that are defined. Metrics of streaks are
            there where the row holds whole trials, any of several rounds.
        pass_hat: k → the chance that k trials of a round all get it right; from 1 to the fewest trials that a round has, from
            `EVERY` on powers of two only; empty where that is 1.
        progress: mean over the rounds that are judged by state; None where there are none, as of the next three.
        partial: mean partial credit, over those rounds that have it.
        baseline: mean of what doing nothing gets, over the same rounds.
        commands: mean number of commands executed.
        provider_failed: rounds that the provider left unscored.
        provider_impacted: scored rounds, some requests of which the provider failed.
    """

    config: str
    values: tuple[str, ...]
    n: int
    scored: int
    unscored: int
    unread: int
    mean: float | None
    strict: Mapping[str, float] = field(default_factory=dict)
    strict_mean: float | None = None
    interval: ShareInterval | None = None
    pass_hat: Mapping[int, float] = field(default_factory=dict)
    progress: float | None = None
    partial: float | None = None
    baseline: float | None = None
    commands: float | None = None
    provider_failed: int = 0
    provider_impacted: int = 0


def tag_names(found: Sequence[Observation]) -> tuple[str, ...]:
    """The names of all tags, in alphabetical order."""
    own = {name for one in found for name, values in one.tags.items() if values}
    return tuple(sorted({*own, "scenario", "round", "type"})) if found else ()


def _tags(one: Observation) -> Mapping[str, tuple[str, ...]]:
    """What can be asked for: what a round is, and its tags."""
    return {"scenario": (one.scenario,), "round": (one.round,), "type": (one.type,), **one.tags}


def breakdown(
    found: Sequence[Observation], by: Sequence[str] = (), *, metric_set: MetricSet | None = None
) -> tuple[BreakdownRow, ...]:
    """Count and average by tag, per configuration.

    What has several values of a tag counts under each of them; what has none, under `UNTAGGED`. So the rows of tags with
    one value each add up to the whole.

    Args:
        found: rounds, or parts of rounds (`claw_adapter.scoring.parts`).
        by: names of tags; several are crossed, none gives one row per configuration.
        metric_set: how metrics are aggregated; None for no metrics.

    Returns:
        Rows sorted by value, numbers by size and `UNTAGGED` last; for the same values in the order of configurations.

    Raises:
        ScoringError: nothing has a tag of that name (`scenario`, `round` and `type` are always there), or the metric set needs
            scores that were not recorded.
    """
    names = tag_names(found)
    if unknown := [name for name in by if name not in names]:
        raise ScoringError(f"nothing has a tag {unknown[0]!r}", remedy=f"use one of: {', '.join(names) or '(none)'}")
    rounds = Counter(map(_trial, found))
    cells: dict[tuple[tuple[str, ...], str], list[Observation]] = {}
    for one in found:
        tags = _tags(one)
        for values in product(*(tags.get(name) or (UNTAGGED,) for name in by)):
            cells.setdefault((values, one.config), []).append(one)
    place = {config: number for number, config in enumerate(dict.fromkeys(one.config for one in found))}
    order = sorted(cells, key=lambda cell: (tuple(map(_natural, cell[0])), place[cell[1]]))
    return tuple(_row(config, values, cells[values, config], rounds, metric_set) for values, config in order)


def _natural(value: str) -> tuple[bool, list[tuple[int, str]]]:
    """Sorts numbers by size, also within names, and `UNTAGGED` last."""
    parts = _NUMBER.split(value)
    return value == UNTAGGED, [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _trial(one: Observation) -> tuple[str, str]:
    return one.trial, one.scenario


def _story(one: Observation) -> str:
    """What is independent evidence: a scenario, or all the variants of one, which have its id as their tag `variant_of`."""
    return next(iter(one.tags.get("variant_of", ())), one.scenario)


def _row(
    config: str,
    values: tuple[str, ...],
    mine: Sequence[Observation],
    rounds: Mapping[tuple[str, str], int],
    metric_set: MetricSet | None,
) -> BreakdownRow:
    scores = [one.score for one in mine if one.score is not None]
    numbers = Counter(map(_trial, mine))
    whole = max(numbers.values(), default=0) > 1 and all(rounds[trial] == n for trial, n in numbers.items())
    credited = [one for one in mine if one.partial is not None]
    provider = Counter(one.provider for one in mine)
    return BreakdownRow(
        config=config,
        values=values,
        n=len(mine),
        scored=len(scores),
        unscored=len(mine) - len(scores),
        unread=sum(one.unread for one in mine),
        mean=mean(scores),
        strict={} if metric_set is None else dict(_strict(mine, metric_set, whole=whole)),
        strict_mean=mean([one.score or 0.0 for one in mine]),
        interval=clustered(_grouped(mine, _story, lambda one: one.score or 0.0)),
        pass_hat=dict(_pass_hat(mine)),
        progress=_mean(one.progress for one in mine),
        partial=_mean(one.partial for one in credited),
        baseline=_mean(one.baseline for one in credited),
        commands=_mean(one.commands for one in mine),
        provider_failed=provider["failed"],
        provider_impacted=provider["impacted"],
    )


def _mean(values: Iterable[float | None]) -> float | None:
    """Of those that there are."""
    return mean([value for value in values if value is not None])


def _grouped(
    mine: Iterable[Observation], key: Callable[[Observation], Hashable], value: Callable[[Observation], _T]
) -> list[list[_T]]:
    groups: dict[Hashable, list[_T]] = {}
    for one in mine:
        groups.setdefault(key(one), []).append(value(one))
    return list(groups.values())


def _pass_hat(mine: Sequence[Observation]) -> Iterator[tuple[int, float]]:
    """Of whole rounds only: parts of a round are no trials of it."""
    if len({(one.trial, one.scenario, one.round) for one in mine}) < len(mine):
        return
    passed = _grouped(mine, lambda one: (one.scenario, one.round), lambda one: one.score == 1)
    fewest = min(map(len, passed), default=1)
    for k in range(1, fewest + 1) if fewest > 1 else ():
        if k > EVERY and k.bit_count() > 1:
            continue
        if (value := pass_hat(passed, k)) is not None:
            yield k, value


def _strict(mine: Sequence[Observation], metric_set: MetricSet, *, whole: bool) -> Iterator[tuple[str, float]]:
    trials: dict[str, list[RoundScore]] = {}
    for one in sorted(mine, key=lambda one: one.index):
        key = " ".join(_trial(one))
        cause = "unscored" if one.score is None else None
        trials.setdefault(key, []).append(RoundScore(key, one.round, one.type, one.score, cause, one.per_option))
    summary = aggregate(trials, metric_set, "strict")
    for metric in METRICS:
        value: float | None = getattr(summary, metric)
        if value is not None and (whole or metric in _OF_ANY_ROUNDS):
            yield metric, value
