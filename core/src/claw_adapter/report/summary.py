"""A run summed up: one row per harness setting and model, one record per round, and what limits the comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime

from claw_adapter.errors import Owner
from claw_adapter.protocol import Failure, Isolation
from claw_adapter.report import words
from claw_adapter.report.breakdowns import breakdowns_of
from claw_adapter.report.failed import failed_rounds
from claw_adapter.report.measures import measured
from claw_adapter.report.records import (
    Cell,
    ModelInfo,
    RoundCells,
    Row,
    RunInfo,
    ScenarioInfo,
    Summary,
    TrialInfo,
    Unscored,
)
from claw_adapter.report.usage import cost_of, evidence_of, first_requests_of, times_of, tokens_of
from claw_adapter.runs.load import UNKNOWN, RunData, TrialData, uncollected
from claw_adapter.runs.prices import is_sold, prices_available
from claw_adapter.scoring import MetricSet

__all__ = ["summarise"]

RowKey = tuple[str, tuple[str, ...], str]
"""Harness label, overlays, model."""


@uncollected()
def summarise(run: RunData, metric_set: MetricSet = "published") -> Summary:
    """Sum up a run under a metric set.

    Raises:
        ScoringError: the metric set is unknown, or needs scores that were not recorded.
    """
    grouped = _grouped(run)
    place = {trial.spec.id: number for number, trials in enumerate(grouped.values()) for trial in trials}
    rows = tuple(_row(run, key, trials, metric_set) for key, trials in grouped.items())
    scenarios = tuple(_scenario(run, name) for name in run.rounds)
    models = {trial.spec.model.name: trial.spec.model for trial in run.trials}
    return Summary(
        run=RunInfo(
            name=run.root.name,
            digest=str(run.about.get("digest", "")),
            created=str(run.about.get("created", "")),
            claw_adapter=str(run.about.get("claw_adapter", "")),
        ),
        metric_set=metric_set,
        settings=tuple({trial.spec.settings.model_dump_json(): trial.spec.settings for trial in run.trials}.values()),
        models=tuple(
            ModelInfo(
                name=model.name,
                kind=model.kind,
                sampling=model.sampling,
                params=model.params,
                measures_ability=model.measures_ability,
                meaning=" ".join((words.model_meaning(model), *_served(run, model.name))),
                servers=tuple(server for server in run.servers if server.model == model.name),
            )
            for model in models.values()
        ),
        scenarios=scenarios,
        rows=rows,
        trials=tuple(_trial(trial, place[trial.spec.id]) for trial in run.trials),
        rounds=tuple(_rounds(run, place)),
        unscored=tuple(item for number, trial in enumerate(run.trials) for item in _unscored(run, trial, number)),
        failed=tuple(failed_rounds(run)),
        warnings=tuple(_warnings(run, rows, scenarios)),
        breakdowns=breakdowns_of(run, metric_set),
    )


def _served(run: RunData, model: str) -> Iterator[str]:
    """The sentence about what served a model, if an upstream plugin did."""
    if facts := words.server_facts([server for server in run.servers if server.model == model]):
        yield f"Served by {facts}."


def _grouped(run: RunData) -> dict[RowKey, list[TrialData]]:
    grouped: dict[RowKey, list[TrialData]] = {}
    for trial in run.trials:
        spec = trial.spec
        key = (spec.harness.label, tuple(overlay.label for overlay in spec.overlays), spec.model.name)
        grouped.setdefault(key, []).append(trial)
    return grouped


def _row(run: RunData, key: RowKey, trials: Sequence[TrialData], metric_set: MetricSet) -> Row:
    label, overlays, model = key
    sequences = {
        name: [run.scores(trial) for trial in trials if trial.spec.scenario == name]
        for name in dict.fromkeys(trial.spec.scenario for trial in trials)
    }
    scores = [score for several in sequences.values() for rounds in several for score in rounds]
    causes = [score.cause for score in scores if score.cause is not None]
    starts = [trial.start for trial in trials if trial.start is not None]
    records = [record for trial in trials for record in trial.figures]
    strict = measured(sequences, metric_set, "strict")
    tokens = tokens_of(trials)
    return Row(
        label="+".join((label, *overlays)),
        harness=trials[0].spec.harness.name,
        overlays=overlays,
        model=model,
        seeds=tuple(dict.fromkeys(trial.spec.seed for trial in trials)),
        repeats=max(trial.spec.repeat for trial in trials),
        versions=_versions([start.versions for start in starts] or [run.plan.versions.get(label, {})]),
        isolation=tuple(dict.fromkeys(start.isolation for start in starts)),
        trials=len(trials),
        finished=sum(trial.status == "finished" for trial in trials),
        failed=sum(trial.status == "failed" for trial in trials),
        unfinished=sum(trial.status == "unfinished" for trial in trials),
        rounds=sum(trial.total for trial in trials),
        scored=len(scores) - len(causes),
        unscored=len(causes),
        pending=sum(trial.pending for trial in trials),
        unscored_by={owner: causes.count(owner) for owner in dict.fromkeys(causes)},
        retried=sum(record.attempts > 1 for record in records),
        strict=strict,
        adjusted=measured(sequences, metric_set, "adjusted")
        if causes
        else strict.model_copy(update={"view": "adjusted"}),
        tokens=tokens,
        cost=cost_of(trials[0].spec.model, tokens, _day(run), [s for s in run.servers if s.model == model]),
        tool_calls=sum(record.tool_calls for record in records),
        times=times_of(trials),
        evidence=evidence_of(trials),
        first_requests=first_requests_of(trials),
        notes=tuple(dict.fromkeys(note for start in starts for note in start.notes)),
    )


def _day(run: RunData) -> date | None:
    """The day on which the run began, whose prices hold for it."""
    try:
        return datetime.fromisoformat(str(run.about.get("created", ""))).date()
    except ValueError:
        return None


def _versions(found: Sequence[dict[str, str]]) -> dict[str, str]:
    """Versions of all trials; several of the same thing are joined, so that a change shows."""
    merged: dict[str, dict[str, None]] = {}
    for versions in found:
        for name, version in versions.items():
            merged.setdefault(name, {})[version] = None
    return {name: " / ".join(versions) for name, versions in merged.items()}


def _scenario(run: RunData, name: str) -> ScenarioInfo:
    """`evidence` is what readers saw: they watch in every round that has any."""
    trials = [t for t in run.trials if t.spec.scenario == name and t.spec.model.kind == "reader"]
    records = [r for t in trials for r in t.figures if r.error is None]
    layer = any(r.evidence is not None and (r.evidence.needed or r.evidence.decided) for r in records)
    return ScenarioInfo(
        id=name,
        digest=run.plan.scenarios.get(name, ""),
        rounds=len(run.rounds[name]),
        evidence=layer if records else None,
    )


def _trial(trial: TrialData, row: int) -> TrialInfo:
    return TrialInfo(
        id=trial.spec.id,
        row=row,
        scenario=trial.spec.scenario,
        seed=trial.spec.seed,
        repeat=trial.spec.repeat,
        status=trial.status,
        rounds=trial.total,
        recorded=len(trial.figures),
        failure=trial.failure,
    )


def _rounds(run: RunData, place: dict[str, int]) -> Iterator[RoundCells]:
    for scenario, names in run.rounds.items():
        trials = [(n, t) for n, t in enumerate(run.trials) if t.spec.scenario == scenario]
        for name in names:
            cells = tuple(_cell(t, name.index, place[t.spec.id], n) for n, t in trials)
            yield RoundCells(scenario=scenario, index=name.index, round=name.id, type=name.type, cells=cells)


def _cell(trial: TrialData, index: int, row: int, number: int) -> Cell:
    record = trial.figure(index)
    if record is None:
        return Cell(row=row, trial=number, state="pending" if trial.absence is None else "unscored")
    value = record.score.value
    return Cell(row=row, trial=number, state="unscored" if value is None else "scored", score=value)


def _unscored(run: RunData, trial: TrialData, number: int) -> Iterator[Unscored]:
    for record in trial.figures:
        if record.score.value is None:
            what = "the score has no cause on record"
            cause = record.score.cause or record.error or Failure(owner=Owner.INTERNAL, kind="JournalError", what=what)
            yield Unscored(trial=number, round=record.round, cause=cause)
    missing = [name for name in run.rounds[trial.spec.scenario] if trial.figure(name.index) is None]
    if missing and trial.absence is not None:
        yield Unscored(trial=number, round=missing[0].id, rounds=len(missing), cause=trial.absence)


def _server_warnings(run: RunData) -> Iterator[str]:
    """Model servers that died, and those that were not the same when the run went on."""
    for server in run.servers:
        if server.fault:
            yield f"Model {server.model}: its server ended by itself before {server.ended}: {server.fault}"
    for name in dict.fromkeys(server.model for server in run.servers):
        if len({str(server.about) for server in run.servers if server.model == name}) > 1:
            yield f"Model {name}: the run was continued on another server than it began on."


def _price_warnings(run: RunData, rows: Sequence[Row]) -> Iterator[str]:
    """Where prices come from, or how to get them."""
    yield from dict.fromkeys(words.price_note(row.cost) for row in rows if row.cost)
    served = {server.model for server in run.servers if server.own}
    if not prices_available() and any(is_sold(t.spec.model) for t in run.trials if t.spec.model.name not in served):
        yield words.NO_PRICES


def _voided_warnings(run: RunData) -> Iterator[str]:
    """What stands in the journals and counts no longer."""
    for trial in run.trials:
        if scored := sum(voided.scored for voided in trial.voided):
            some, first = words.plural(scored, "scored round"), min(voided.index for voided in trial.voided) + 1
            yield f"{trial.spec.id}: {some} from number {first} on were voided by --rewind and run again."


def _differ(levels: Iterable[Isolation]) -> bool:
    """Whether isolation was not the same everywhere; a harness that executes nothing fits any level."""
    known = set(levels)
    return len({(one.check, one.check_open) for one in known}) > 1 or len({one.harness for one in known} - {None}) > 1


def _warnings(run: RunData, rows: Sequence[Row], scenarios: Iterable[ScenarioInfo]) -> Iterator[str]:
    """What a reader of the table must know before comparing rows."""
    if again := run.plan.repeats:
        yield f"Round {again.round} of {again.trial} is repeated here; the rounds before it are those of {again.run}."
    if blind := [scenario.id for scenario in scenarios if scenario.evidence is False]:
        yield words.no_evidence(blind)
    if pending := sum(row.pending for row in rows):
        yield f"{words.plural(pending, 'round')} not run yet: the numbers are of what is there, not of the whole run."
    if _differ(level for row in rows for level in row.isolation):
        yield "Rows have different isolation levels: their results are not comparable without saying so."
    for row in rows:
        if changed := [name for name, version in row.versions.items() if " / " in version]:
            yield f"{row.label}: trials ran with different versions of {', '.join(changed)}."
        if row.retried:
            some = words.plural(row.retried, "round")
            yield f"{row.label}: {some} took more than one attempt; tokens and seconds are of the last one."
    yield from _voided_warnings(run)
    yield from _price_warnings(run, rows)
    for model in {trial.spec.model.name: trial.spec.model for trial in run.trials}.values():
        if model.measures_ability and model.sampling == "pass":
            yield f"Model {model.name}: each harness chose its own sampling parameters."
    if compat := {trial.spec.settings.compat for trial in run.trials if trial.spec.settings.compat}:
        yield f"Prompts follow {', '.join(sorted(compat))}: scores are not comparable with runs that do not."
    yield from _server_warnings(run)
    lost = sum(name.type == UNKNOWN for names in run.rounds.values() for name in names)
    if lost and any(row.failed for row in rows):
        yield f"The type of {words.plural(lost, 'round')} that no trial reached is unknown: they count in TCR, not in MC or EC."
