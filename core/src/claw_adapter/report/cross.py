"""Harnesses crossed with models: how far scores lie apart by either, and whether one depends on the other.

The unit is the scenario, as in pairwise comparisons: an interval resamples scenarios, the same ones for all cells.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

from claw_adapter.report.compare import HEADLINE, headline, run_names, subjects_of
from claw_adapter.report.compare_checks import RunRow, mixed, refusal
from claw_adapter.report.compare_stats import as_one, known_names
from claw_adapter.report.cross_records import Cross, CrossCell, Effect
from claw_adapter.report.summary import summarise
from claw_adapter.runs.load import RunData
from claw_adapter.scoring import Metric, MetricSet, RoundScore, ScoringError
from claw_adapter.scoring.bootstrap import DEFAULT_RESAMPLES, percentile_interval
from claw_adapter.scoring.metric_sets import measure
from claw_adapter.scoring.tally import Tally

__all__ = ["HEADLINE", "cross"]

FEW: Final = 12
"""Scenarios below which a bootstrap interval is known to be too narrow."""
Place = tuple[str, str]
"""Label of a harness, name of a model."""
Values = Mapping[Place, float]
Rule = Callable[[Values], float]


def cross(
    runs: Sequence[RunData],
    metric_set: MetricSet = "published",
    metric: Metric | None = None,
    *,
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    allow_mixed: bool = False,
) -> Cross:
    """Cross the harnesses of these runs with their models, on the rounds that all cells have, unscored ones counting 0.

    Raises:
        NotComparable: cells differ in more than harness and model, and mixing is not allowed.
        ScoringError: there are no two harnesses and two models, a cell is empty or there twice, or no round is in all cells.
    """
    chosen = metric or headline(runs, metric_set)
    rule = measure(chosen, metric_set)
    rows = subjects_of(runs, run_names(runs), [summarise(run, metric_set) for run in runs])
    cells = _cells(rows)
    labels, models = list(dict.fromkeys(place[0] for place in cells)), list(dict.fromkeys(place[1] for place in cells))
    warnings = _checked(list(cells.values()), allow_mixed=allow_mixed)
    tallies, rounds = _tallies(cells)
    scenarios = list(next(iter(tallies.values())))

    @functools.cache  # the same resamples serve every effect
    def values(names: tuple[str, ...]) -> dict[Place, float] | None:
        found = {place: rule([units[name] for name in names]) for place, units in tallies.items()}
        known = {place: value for place, value in found.items() if value is not None}
        return known if len(known) == len(found) else None

    def effect(kind: str, what: str, of: Rule) -> Effect:
        def statistic(chosen: list[int]) -> float | None:
            drawn = values(tuple(scenarios[at] for at in chosen))
            return None if drawn is None else of(drawn)

        low, high, _ = percentile_interval(len(scenarios), statistic, level=level, resamples=resamples, seed=seed)
        whole = values(tuple(scenarios))
        return Effect.model_validate(
            {"kind": kind, "what": what, "value": None if whole is None else of(whole), "low": low, "high": high}
        )

    if len(scenarios) < FEW:
        warnings.append(f"{len(scenarios)} scenarios: intervals of fewer than {FEW} are too narrow")
    return Cross(
        metric=chosen,
        metric_set=metric_set,
        level=level,
        resamples=resamples,
        seed=seed,
        harnesses=tuple(labels),
        models=tuple(models),
        scenarios=tuple(scenarios),
        rounds=rounds,
        cells=tuple(
            CrossCell(
                harness=place[0], model=place[1], run=cells[place].run_name, value=rule(list(tallies[place].values()))
            )
            for place in cells
        ),
        effects=tuple(effect(kind, what, of) for kind, what, of in _effects(cells, labels, models)),
        warnings=tuple(warnings),
    )


def _cells(rows: Sequence[RunRow]) -> dict[Place, RunRow]:
    found: dict[Place, RunRow] = {}
    for subject in rows:
        place = (subject.row.label, subject.row.model)
        if place in found:
            what = (
                f"{subject.row.label} under {subject.row.model} is there twice: {found[place].name} and {subject.name}"
            )
            raise ScoringError(what, remedy="Give each harness under each model once.")
        found[place] = subject
    labels, models = {place[0] for place in found}, {place[1] for place in found}
    if len(labels) < 2 or len(models) < 2:
        raise ScoringError(
            f"{len(labels)} harnesses and {len(models)} models cannot be crossed",
            remedy="Give runs of at least two of each; --between harness or model compares one side alone.",
        )
    if missing := [f"{a} under {b}" for a, b in itertools.product(labels, models) if (a, b) not in found]:
        raise ScoringError(
            f"not run: {', '.join(sorted(missing))}", remedy="Run these, too, or leave that row's run out."
        )
    return found


def _checked(rows: Sequence[RunRow], *, allow_mixed: bool) -> list[str]:
    """Warnings of what the rows differ in besides harness and model.

    Raises:
        NotComparable: they do, and may not.
    """
    first, *others = rows
    differing = {
        (first.id, other.id): [line for line in mixed(first, other) if not line.startswith("model")] for other in others
    }
    differing = {pair: found for pair, found in differing.items() if found}
    if differing and not allow_mixed:
        raise refusal(differing, rows)
    return [f"Mixed conditions: {line}" for line in dict.fromkeys(itertools.chain(*differing.values()))]


def _tallies(cells: Mapping[Place, RunRow]) -> tuple[dict[Place, dict[str, Tally]], int]:
    """Each cell's scenarios as units over the rounds that all cells have, and how many rounds these are."""
    found: dict[Place, dict[str, Tally]] = {place: {} for place in cells}
    rounds = 0
    first = next(iter(cells.values()))
    for scenario in first.run.rounds:
        scores = {place: _scores(subject, scenario) for place, subject in cells.items()}
        if not all(scores.values()):
            continue
        keys = [{(one.round, one.type) for one in trial} for trials in scores.values() for trial in trials]
        keep = set.intersection(*keys)
        if not keep:
            continue
        rounds += len(keep)
        for place, trials in scores.items():
            kept = [[one for one in trial if (one.round, one.type) in keep] for trial in trials]
            found[place][scenario] = as_one(kept, "strict")
    if not rounds:
        raise ScoringError("no round is in all cells", remedy="Cross runs of the same scenarios.")
    return found, rounds


def _scores(subject: RunRow, scenario: str) -> list[list[RoundScore]]:
    if scenario not in subject.run.rounds:
        return []
    names = known_names(subject.run.rounds[scenario], subject.run.rounds[scenario])
    trials = [trial.scores(names) for trial in subject.trials if trial.spec.scenario == scenario]
    return [list(scores) for scores in trials if scores]


def _effects(
    cells: Mapping[Place, RunRow],
    labels: Sequence[str],
    models: Sequence[str],
) -> Iterator[tuple[str, str, Rule]]:
    """Every effect: its kind, what it is of, and how it is computed from the cells' values."""

    def over_models(values: Values) -> float:
        return fmean(_range([values[a, m] for a in labels]) for m in models)

    def over_labels(values: Values) -> float:
        return fmean(_range([values[a, m] for m in models]) for a in labels)

    yield "range", "over harnesses, under one model", over_models
    yield "range", "over models, under one harness", over_labels
    for a, b in itertools.combinations(labels, 2):
        one, other = cells[a, models[0]], cells[b, models[0]]
        more = set(other.row.overlays) > set(one.row.overlays)
        kind = "overlay" if one.row.harness == other.row.harness and more else "harness"
        yield kind, f"{b} less {a}", lambda v, a=a, b=b: fmean(v[b, m] - v[a, m] for m in models)  # type: ignore[misc]
    for x, y in itertools.combinations(models, 2):
        yield "model", f"{y} less {x}", lambda v, x=x, y=y: fmean(v[a, y] - v[a, x] for a in labels)  # type: ignore[misc]
    for (a, b), (x, y) in itertools.product(itertools.combinations(labels, 2), itertools.combinations(models, 2)):
        what = f"({b} less {a}) under {y} less under {x}"
        yield "interaction", what, lambda v, a=a, b=b, x=x, y=y: (v[b, y] - v[a, y]) - (v[b, x] - v[a, x])  # type: ignore[misc]


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)
