"""Rows of one or several runs compared pairwise on the rounds both have, under the same conditions or not at all."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from claw_adapter.report.compare_checks import NotComparable, RunRow, mixed, refusal
from claw_adapter.report.compare_judge import judged
from claw_adapter.report.compare_records import Between, ComparedRow, Comparison, MetricDifference, Pair
from claw_adapter.report.compare_stats import Matched, Resampling, Rounds, Seeds, difference_of, known_names, matched
from claw_adapter.report.records import ModelInfo, Summary
from claw_adapter.report.summary import summarise
from claw_adapter.report.words import plural
from claw_adapter.runs.load import RoundName, RunData, uncollected
from claw_adapter.scoring import Difference, Metric, MetricSet, ScoringError, View
from claw_adapter.scoring.bootstrap import DEFAULT_RESAMPLES
from claw_adapter.scoring.metric_sets import measure

__all__ = ["HEADLINE", "NotComparable", "compare", "headline", "run_names", "subjects_of"]

HEADLINE: Mapping[MetricSet, Metric] = {"published": "crs", "macro": "crs", "v1": "overall"}
"""What is compared unless told otherwise: one metric, because every further one costs power."""

Differing = Mapping[tuple[str, str], Sequence[str]]
"""Ids of two rows → in what they differ besides the harness."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A pair before the p-values of all pairs are known."""

    a: RunRow
    b: RunRow
    units: Mapping[str, Matched]
    found: tuple[Difference, ...]


@uncollected()
def compare(
    runs: Sequence[RunData],
    metric_set: MetricSet = "published",
    metrics: Sequence[Metric] = (),
    *,
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    between: Between = "harness",
    allow_mixed: bool = False,
    margin: float | None = None,
) -> Comparison:
    """Compare every two rows of these runs that differ in what is compared; with a `margin`, test for equivalence too.

    Between harnesses, rows of one run under different models are not paired unless mixing is allowed: that run asked for
    several models. Between models, rows of different labels (harness and overlays) are not.

    Raises:
        NotComparable: two rows differ in more than what is compared (scenarios, isolation, settings, model or harness),
            and mixing is not allowed.
        ScoringError: fewer than two rows, a run given twice, a metric the metric set lacks, or a number out of range.
    """
    chosen = tuple(dict.fromkeys(metrics)) or (headline(runs, metric_set),)
    for metric in chosen:
        measure(metric, metric_set)
    names = run_names(runs)
    summaries = [summarise(run, metric_set) for run in runs]
    subjects = subjects_of(runs, names, summaries)
    differing, skipped = _pairing(subjects, between, allow_mixed=allow_mixed)
    how = Resampling(level, resamples, seed, comparisons=len(differing) * len(chosen), margin=margin)
    by_id = {subject.id: subject for subject in subjects}
    matches = {(a, b): _units(by_id[a], by_id[b]) for a, b in differing}
    views = _views(matches.values())
    drafts = [
        _Draft(by_id[a], by_id[b], units, tuple(_differences(units, chosen, metric_set, views, how)))
        for (a, b), units in matches.items()
    ]
    return Comparison(
        between=between,
        metric_set=metric_set,
        metrics=chosen,
        level=level,
        resamples=resamples,
        seed=seed,
        comparisons=how.comparisons,
        margin=margin,
        runs=tuple(s.run.model_copy(update={"name": name}) for s, name in zip(summaries, names, strict=True)),
        models=_models(summaries),
        rows=tuple(map(_row, subjects)),
        pairs=tuple(_pairs(drafts, differing, how)),
        not_compared=skipped,
        warnings=tuple(_warnings(differing, between, names, summaries)),
    )


def headline(runs: Sequence[RunData], metric_set: MetricSet) -> Metric:
    """What a metric set is about; for scenarios of one round TCR in place of CRS: they have no streaks."""
    single = all(len(rounds) <= 1 for run in runs for rounds in run.rounds.values())
    return "tcr" if single and HEADLINE[metric_set] == "crs" else HEADLINE[metric_set]


def run_names(runs: Sequence[RunData]) -> list[str]:
    """Folder names, with the parent where two are the same."""
    roots = [run.root.resolve() for run in runs]
    if twice := [root for root, number in Counter(roots).items() if number > 1]:
        raise ScoringError("this run is given twice", where=str(twice[0]), remedy="Give every run folder once.")
    count = Counter(root.name for root in roots)
    return [root.name if count[root.name] == 1 else f"{root.parent.name}/{root.name}" for root in roots]


def subjects_of(runs: Sequence[RunData], names: Sequence[str], summaries: Sequence[Summary]) -> list[RunRow]:
    """The rows of all runs, each with its letter."""
    found: list[RunRow] = []
    for run, name, summary in zip(runs, names, summaries, strict=True):
        for number, row in enumerate(summary.rows):
            own = tuple(run.trials[place] for place, trial in enumerate(summary.trials) if trial.row == number)
            found.append(RunRow(_letters(len(found)), name, run, row, own))
    if len(found) < 2:
        raise ScoringError(
            "there is one row only, and nothing to compare it with",
            where=", ".join(names),
            remedy="Give a run with several harnesses, or several run folders.",
        )
    return found


def _letters(number: int) -> str:
    """Ids of rows: A to Z, then AA, AB and so on."""
    head, last = divmod(number, 26)
    return (_letters(head - 1) if head else "") + chr(ord("A") + last)


def _pairing(subjects: Sequence[RunRow], between: Between, *, allow_mixed: bool) -> tuple[Differing, tuple[str, ...]]:
    """The pairs to compare, with what they differ in besides that; and those left alone because they are no such pairs."""
    differing: dict[tuple[str, str], Sequence[str]] = {}
    apart: dict[tuple[str, str], Sequence[str]] = {}
    skipped = []
    for a, b in itertools.combinations(subjects, 2):
        if not allow_mixed and _other_kind(a, b, between):
            apart[a.id, b.id] = mixed(a, b, between)
            skipped.append(f"{a.name} and {b.name}")
        else:
            differing[a.id, b.id] = mixed(a, b, between)
    if not differing:
        raise refusal(apart, subjects, between)
    if any(differing.values()) and not allow_mixed:
        raise refusal(differing, subjects, between)
    return differing, tuple(skipped)


def _other_kind(a: RunRow, b: RunRow, between: Between) -> bool:
    """Whether two rows are a pair of the other kind of comparison, or of neither."""
    if between == "model":
        return a.row.label != b.row.label
    return a.run is b.run and a.row.model != b.row.model


def _units(a: RunRow, b: RunRow) -> dict[str, Matched]:
    return {name: _unit(a, b, name) for name in a.run.rounds if name in b.run.rounds}


def _views(matches: Iterable[Mapping[str, Matched]]) -> tuple[View, ...]:
    """Both views of every pair as soon as one pair needs them: Holm's correction must be over the same pairs in each."""
    differ = any(unit.strict != unit.adjusted for units in matches for unit in units.values())
    return ("strict", "adjusted") if differ else ("strict",)


def _differences(
    units: Mapping[str, Matched],
    metrics: Sequence[Metric],
    metric_set: MetricSet,
    views: Sequence[View],
    how: Resampling,
) -> Iterator[Difference]:
    same = all(unit.strict == unit.adjusted for unit in units.values())
    for metric in metrics:
        strict = difference_of(units, metric, metric_set, "strict", how)
        yield strict
        if "adjusted" in views:
            yield (
                replace(strict, view="adjusted") if same else difference_of(units, metric, metric_set, "adjusted", how)
            )


def _unit(a: RunRow, b: RunRow, scenario: str) -> Matched:
    names = known_names(a.run.rounds[scenario], b.run.rounds[scenario])
    return matched(_by_seed(a, scenario, names), _by_seed(b, scenario, names))


def _by_seed(side: RunRow, scenario: str, names: Sequence[RoundName]) -> Seeds:
    found: dict[int, tuple[Rounds, ...]] = {}
    for trial in side.trials:
        if trial.spec.scenario == scenario:
            found[trial.spec.seed] = (*found.get(trial.spec.seed, ()), tuple(trial.scores(names)))
    return found


def _pairs(drafts: Sequence[_Draft], differing: Differing, how: Resampling) -> Iterator[Pair]:
    results = iter(judged([item for draft in drafts for item in draft.found], how))
    for draft in drafts:
        yield _pair(draft, tuple(differing[draft.a.id, draft.b.id]), tuple(itertools.islice(results, len(draft.found))))


def _pair(draft: _Draft, differing: tuple[str, ...], results: tuple[MetricDifference, ...]) -> Pair:
    live = {name: unit for name, unit in draft.units.items() if unit.rounds}
    seeds = {seed for unit in live.values() for seed in unit.seeds or ()}
    return Pair(
        a=draft.a.id,
        b=draft.b.id,
        scenarios=tuple(live),
        rounds=sum(unit.rounds for unit in live.values()),
        seeds=tuple(sorted(seeds)) if live and all(unit.seeds for unit in live.values()) else None,
        notes=tuple(_left_out(draft)),
        mixed=differing,
        differences=results,
    )


def _left_out(draft: _Draft) -> Iterator[str]:
    """What only one side has."""
    one_sided = sorted({t.spec.scenario for s in (draft.a, draft.b) for t in s.trials} - set(draft.units))
    empty = [name for name, unit in draft.units.items() if not unit.rounds]
    if away := [*one_sided, *empty]:
        yield f"left out, no round on both sides: {', '.join(away)}"
    if lost := sum(unit.lost for unit in draft.units.values() if unit.rounds):
        yield f"left out: {plural(lost, 'round')} that only one side has"
    if seeds := sorted({seed for unit in draft.units.values() for seed in unit.unmatched}):
        yield f"left out: seeds that only one side has ({', '.join(map(str, seeds))})"
    if any(unit.rounds and unit.seeds is None for unit in draft.units.values()):
        yield "no seed in common: all seeds of each side are averaged, not matched"


def _row(subject: RunRow) -> ComparedRow:
    row = subject.row
    return ComparedRow(
        id=subject.id,
        run=subject.run_name,
        label=row.label,
        harness=row.harness,
        model=row.model,
        seeds=row.seeds,
        repeats=row.repeats,
        versions=row.versions,
        isolation=row.isolation,
        trials=row.trials,
        unscored=row.unscored,
        pending=row.pending,
        metered=row.tokens.metered,
        cost=row.cost,
    )


def _models(summaries: Sequence[Summary]) -> tuple[ModelInfo, ...]:
    return tuple({model.model_dump_json(): model for summary in summaries for model in summary.models}.values())


def _warnings(
    differing: Differing, between: Between, names: Sequence[str], summaries: Sequence[Summary]
) -> Iterator[str]:
    """Allowed differences first, then what limits each run by itself."""
    lines: dict[str, list[str]] = {}
    for (a, b), found in differing.items():
        for line in found:
            lines.setdefault(line, []).append(f"{a} and {b}")
    for line, pairs in lines.items():
        yield f"Mixed conditions ({', '.join(pairs)}): {line}"
    if lines:
        yield f"These differences are not of the {between} alone: do not quote them without saying so."
    if len(made := dict.fromkeys(summary.run.claw_adapter for summary in summaries)) > 1:
        yield f"The runs were made by different versions of claw-adapter: {', '.join(made)}."
    several = len(summaries) > 1
    for name, summary in zip(names, summaries, strict=True):
        yield from (f"{name}: {warning}" if several else warning for warning in summary.warnings)
