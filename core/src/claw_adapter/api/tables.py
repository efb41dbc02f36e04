"""The rows of a run's tables: flat, so that a data frame can be made of them, each with the whole record that it is of."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args, get_type_hints

from claw_adapter.protocol import RoundRecord, StateDetail, TrialSpec
from claw_adapter.protocol.tokens import TokenCounts
from claw_adapter.report.records import Row, Summary
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import RoundName, RunData, Status, TrialData
from claw_adapter.runs.transcript import Exchange, read_transcript
from claw_adapter.scoring import View

__all__ = [
    "ROWS",
    "RequestRow",
    "RoundRow",
    "ScoreRow",
    "Table",
    "TrialRow",
    "columns",
    "request_rows",
    "round_rows",
    "score_rows",
    "trial_rows",
    "types_of",
]

Table: TypeAlias = Literal["rounds", "trials", "requests", "scores"]

_WHOLE: Final = {"column": False}
"""Marks the field that is no column: the record behind the row."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial and how far it got. `score` is the mean of its scored rounds, `owner` and `failure` why it ended early."""

    trial: str
    scenario: str
    harness: str
    """Label and overlays, as in every table of a report."""
    model: str
    seed: int
    repeat: int
    status: Status
    rounds: int
    """Of the scenario."""
    recorded: int
    scored: int
    score: float | None
    owner: str | None
    failure: str | None
    data: TrialData = field(repr=False, metadata=_WHOLE)


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One round of one trial that is over: recorded, or lost because its trial ended early; the latter has no `record`.

    Tokens and requests are of the turn, as the endpoint counted them (cl100k).
    """

    trial: str
    scenario: str
    harness: str
    model: str
    seed: int
    repeat: int
    index: int
    """From 0."""
    round: str
    type: str
    category: str
    """One of the 14, e.g. ``MD-R``; empty when the round has no tags."""
    score: float | None
    """In [0, 1]; None when the round is unscored."""
    owner: str | None
    """Who is at fault that it is unscored."""
    attempts: int
    answer: str | None
    """The letters read, as ``A,C``."""
    input_tokens: int
    output_tokens: int
    requests: int
    tool_calls: int
    seconds: float
    """Of the turn."""
    pattern: str
    """A short word for how the round went; empty where the score gives none."""
    progress: float | None
    """Of rounds judged by state, as the next three: share of what was wanted that holds; None elsewhere."""
    partial: float | None
    """Partial credit; None where the benchmark has none."""
    baseline: float | None
    """`partial` of doing nothing."""
    commands: int | None
    failed_requests: int
    """Requests of the turn that the provider failed."""
    evidence_needed: int | None
    """Fragments; None without an evidence layer, or without a reader that looks for them."""
    evidence_seen: int | None
    record: RoundRecord | None = field(repr=False, metadata=_WHOLE)


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One request at the endpoint; `exchange` has its messages, tools and reply."""

    trial: str
    number: int
    round: str
    """Empty outside rounds."""
    attempt: int
    at: str
    """ISO 8601."""
    seconds: float
    dialect: str
    origin: str
    """``harness``, ``overlay``, or ``hop``: of the harness, but an overlay kept it from the model."""
    asked: str
    """Model id that the harness asked for."""
    messages: int
    tools: int
    status: int
    finish: str
    input_tokens: int
    output_tokens: int
    fault: str
    exchange: Exchange = field(repr=False, metadata=_WHOLE)


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The metrics of one harness (with overlays) under one model, in one view; see `report.records.Metrics`."""

    harness: str
    model: str
    view: View
    rounds: int
    tcr: float | None
    mc: float | None
    ec: float | None
    sc: float | None
    fd: float | None
    robustness: float | None
    crs: float | None
    overall: float | None
    row: Row = field(repr=False, metadata=_WHOLE)


ROWS: Final[Mapping[str, type]] = {"rounds": RoundRow, "trials": TrialRow, "requests": RequestRow, "scores": ScoreRow}
"""Table → what its rows are."""


def _harness(spec: TrialSpec) -> str:
    return "+".join((spec.harness.label, *(overlay.label for overlay in spec.overlays)))


def trial_rows(run: RunData) -> Iterator[TrialRow]:
    """All trials, in the plan's order."""
    for trial in run.trials:
        spec, failure = trial.spec, trial.failure
        scores = [record.score.value for record in trial.rounds if record.score.value is not None]
        yield TrialRow(
            trial=spec.id,
            scenario=spec.scenario,
            harness=_harness(spec),
            model=spec.model.name,
            seed=spec.seed,
            repeat=spec.repeat,
            status=trial.status,
            rounds=trial.total,
            recorded=len(trial.rounds),
            scored=len(scores),
            score=sum(scores) / len(scores) if scores else None,
            owner=failure.owner.value if failure else None,
            failure=failure.what if failure else None,
            data=trial,
        )


def round_rows(run: RunData) -> Iterator[RoundRow]:
    """All rounds but those that may still come, trial by trial."""
    for trial in run.trials:
        names = run.rounds[trial.spec.scenario][: trial.total]
        over = [name for name in names if trial.record(name.index) or trial.absence]
        for name, score in zip(over, run.scores(trial), strict=True):
            yield _round_row(trial, name, score.score, score.cause)


def _round_row(trial: TrialData, name: RoundName, score: float | None, owner: str | None) -> RoundRow:
    spec, record = trial.spec, trial.record(name.index)
    metered = record.usage.metered if record else None
    evidence = record.evidence if record else None
    answer = record.score.answer if record else None
    state = record.score.detail if record and isinstance(record.score.detail, StateDetail) else None
    return RoundRow(
        trial=spec.id,
        scenario=spec.scenario,
        harness=_harness(spec),
        model=spec.model.name,
        seed=spec.seed,
        repeat=spec.repeat,
        index=name.index,
        round=name.id,
        type=name.type,
        category=record.traits.tags.category if record and record.traits else "",
        score=score,
        owner=owner,
        attempts=record.attempts if record else 0,
        answer=None if answer is None else ",".join(answer),
        input_tokens=metered.input if metered else 0,
        output_tokens=metered.output if metered else 0,
        requests=metered.requests if metered else 0,
        tool_calls=record.tool_calls if record else 0,
        seconds=record.timing.total if record else 0.0,
        pattern=record.score.pattern if record else "",
        progress=state.progress if state else None,
        partial=state.partial if state else None,
        baseline=state.baseline if state else None,
        commands=state.commands if state else None,
        failed_requests=metered.failed if metered else 0,
        evidence_needed=len(evidence.needed) if evidence else None,
        evidence_seen=len(evidence.seen) if evidence else None,
        record=record,
    )


def request_rows(run: RunData) -> Iterator[RequestRow]:
    """All requests, trial by trial, read from the transcripts one by one.

    Raises:
        JournalError: a transcript is damaged before its end.
    """
    folder = RunFolder(run.root)
    for trial in run.trials:
        path = folder.transcript(trial.spec.id)
        for exchange in read_transcript(path) if path.exists() else ():
            usage = TokenCounts.model_validate(exchange.usage)
            yield RequestRow(
                trial=trial.spec.id,
                number=exchange.number,
                round=exchange.round,
                attempt=exchange.attempt,
                at=exchange.at,
                seconds=exchange.seconds,
                dialect=exchange.dialect,
                origin=exchange.origin,
                asked=exchange.asked,
                messages=len(exchange.messages),
                tools=len(exchange.tools),
                status=exchange.status,
                finish=exchange.finish,
                input_tokens=usage.input,
                output_tokens=usage.output,
                fault=exchange.fault,
                exchange=exchange,
            )


def score_rows(summary: Summary) -> Iterator[ScoreRow]:
    """Every row of a summary, strict (unscored rounds count 0) and adjusted (they are left out)."""
    for row in summary.rows:
        for metrics in (row.strict, row.adjusted):
            numbers = metrics.model_dump(include={f.name for f in dataclasses.fields(ScoreRow)})
            yield ScoreRow(harness=row.label, model=row.model, row=row, **numbers)


def types_of(kind: type) -> dict[str, tuple[type, bool]]:
    """The columns of a kind of row: name → ``str``, ``int``, or ``float``, and whether it may be empty."""
    hints = get_type_hints(kind)
    found = {}
    for item in dataclasses.fields(kind):
        if item.metadata.get("column", True):
            options = [one for one in get_args(hints[item.name]) or (hints[item.name],) if one is not type(None)]
            base = options[0] if isinstance(options[0], type) else str  # a literal is text
            found[item.name] = base, type(None) in get_args(hints[item.name])
    return found


def columns(kind: type, rows: Iterable[object]) -> dict[str, Sequence[Any]]:
    """The rows turned over: name → values."""
    listed = list(rows)
    return {name: [getattr(row, name) for row in listed] for name in types_of(kind)}
