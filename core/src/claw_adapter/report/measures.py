"""Metrics of one row, with intervals that resample scenarios; several trials of a scenario are one unit, never independent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from claw_adapter.report.records import Interval, Metrics
from claw_adapter.scoring import METRICS, Metric, MetricSet, RoundScore, View, aggregate
from claw_adapter.scoring.bootstrap import DEFAULT_RESAMPLES, percentile_interval
from claw_adapter.scoring.metric_sets import Measure, measure
from claw_adapter.scoring.tally import Tally, tallies

__all__ = ["Sequences", "measured"]

Sequences = Mapping[str, Sequence[Sequence[RoundScore]]]
"""Scenario id → one sequence of scores per trial of it."""

LEVEL = 0.95
_WITH_INTERVAL: Mapping[MetricSet, tuple[Metric, ...]] = {
    "published": ("tcr", "crs"),
    "macro": ("tcr", "crs"),
    "v1": ("tcr", "overall"),
}


def measured(sequences: Sequences, metric_set: MetricSet, view: View) -> Metrics:
    """All metrics of a metric set in one view, with intervals where there are at least two scenarios with any round.

    Raises:
        ScoringError: the metric set is unknown, or needs scores that were not recorded.
    """
    units = {name: [rounds for rounds in trials if rounds] for name, trials in sequences.items()}
    units = {name: trials for name, trials in units.items() if trials}
    found = aggregate(_flat(units), metric_set, view)
    intervals, note = _intervals(units, metric_set, view)
    return Metrics(
        view=view,
        rounds=found.rounds if view == "strict" else found.scored,
        intervals=intervals,
        interval_note=note,
        **{metric: getattr(found, metric) for metric in METRICS},
    )


def _flat(units: Sequences) -> dict[str, list[RoundScore]]:
    """Every trial a sequence of its own, under a name of its own."""
    flat: dict[str, list[RoundScore]] = {}
    for name, trials in units.items():
        for number, rounds in enumerate(trials):
            key = name if len(trials) == 1 else f"{name} #{number}"
            flat[key] = [replace(score, scenario=key) for score in rounds]
    return flat


def _intervals(units: Sequences, metric_set: MetricSet, view: View) -> tuple[dict[str, Interval], str]:
    if len(units) < 2:
        return {}, f"{len(units)} scenario{'' if len(units) == 1 else 's'}: no interval"
    counted = [tallies(_flat({name: trials}), view) for name, trials in units.items()]
    intervals: dict[str, Interval] = {}
    streaks = any(len(rounds) > 1 for trials in units.values() for rounds in trials)
    for metric in _WITH_INTERVAL[metric_set]:
        if metric == "crs" and not streaks:
            continue  # of single rounds it says what TCR says
        rule = measure(metric, metric_set)
        low, high, _ = percentile_interval(
            len(counted), _resampled(rule, counted), level=LEVEL, resamples=DEFAULT_RESAMPLES, seed=0
        )
        if low is not None and high is not None:
            intervals[metric] = Interval(
                low=low, high=high, level=LEVEL, resamples=DEFAULT_RESAMPLES, scenarios=len(counted)
            )
    return intervals, ""


def _resampled(rule: Measure, counted: Sequence[Sequence[Tally]]) -> Callable[[list[int]], float | None]:
    """The metric of a choice of scenarios, each with all of its trials."""
    return lambda chosen: rule([tally for i in chosen for tally in counted[i]])
