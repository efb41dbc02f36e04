"""The tables of a run that `claw_adapter.api.tables` does not have: the run, tool calls, statements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from claw_adapter.api.tables import RequestRow, RoundRow, TrialRow, request_rows, round_rows, trial_rows
from claw_adapter.protocol import ChoiceDetail, Event, RevisionDetail, RoundRecord
from claw_adapter.runs.load import RunData, TrialData
from claw_adapter.runs.store import Store

__all__ = ["TABLES", "CallRow", "StatementRow", "WholeRunRow", "call_rows", "read_events", "run_rows", "statement_rows"]


@dataclass(frozen=True, slots=True)
class WholeRunRow:
    """The run itself; there is one row."""

    digest: str
    """Of the configuration."""
    created: str
    """ISO 8601."""
    claw_adapter: str
    """Its version."""
    trials: int
    scenarios: str
    """Ids, joined by commas."""
    shard: str | None
    """``3/16``, if it is a part of a run."""


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call of a tool, as the adapter tells it."""

    trial: str
    round: str
    index: int
    """Of the round, from 0."""
    number: int
    """Of the call in its turn, from 1."""
    call: str
    """Id of the call."""
    tool: str
    arguments: str
    """JSON."""
    at: float
    """Seconds since the prompt was sent."""
    seconds: float | None
    """Until its result; None where there is none."""
    failed: bool | None
    """Whether the tool said so; None without a result."""
    result_characters: int | None


@dataclass(frozen=True, slots=True)
class StatementRow:
    """One statement of one scored round with letters."""

    trial: str
    round: str
    index: int
    letter: str
    chosen: bool
    true: bool
    outcome: Literal["tp", "fp", "fn", "tn"]


def run_rows(run: RunData) -> Iterator[WholeRunRow]:
    """One row."""
    plan = run.plan
    yield WholeRunRow(
        digest=plan.digest,
        created=str(run.about.get("created", "")),
        claw_adapter=str(run.about.get("claw_adapter", "")),
        trials=len(plan.trials),
        scenarios=",".join(plan.scenarios),
        shard=str(plan.shard) if plan.shard else None,
    )


def read_events(store: Store, record: RoundRecord) -> tuple[Event, ...]:
    """What the harness did in a round, in order."""
    found = store.get_json(record.events)
    return tuple(Event.model_validate(one) for one in found) if isinstance(found, list) else ()


def call_rows(run: RunData) -> Iterator[CallRow]:
    """All calls, trial by trial.

    Raises:
        JournalError: the store is damaged.
    """
    store = Store(run.store, sweep=False)
    for trial, record in _records(run):
        events = read_events(store, record)
        results = {event.id: event for event in events if event.kind == "tool_result"}
        calls = [event for event in events if event.kind == "tool_call"]
        for number, event in enumerate(calls, 1):
            result = results.get(event.id)
            yield CallRow(
                trial=trial.spec.id,
                round=record.round,
                index=record.index,
                number=number,
                call=event.id,
                tool=event.name,
                arguments=json.dumps(event.arguments, ensure_ascii=False, sort_keys=True),
                at=event.at,
                seconds=max(result.at - event.at, 0.0) if result else None,
                failed=result.is_error if result else None,
                result_characters=len(result.text) if result else None,
            )


def statement_rows(run: RunData) -> Iterator[StatementRow]:
    """All statements whose letters could be read, trial by trial."""
    for trial, record in _records(run):
        detail = record.score.detail
        agreement = detail.statements if isinstance(detail, ChoiceDetail | RevisionDetail) else None
        for letter, outcome in sorted(agreement.options.items()) if agreement else ():
            yield StatementRow(
                trial=trial.spec.id,
                round=record.round,
                index=record.index,
                letter=letter,
                chosen=outcome in ("tp", "fp"),
                true=outcome in ("tp", "fn"),
                outcome=outcome,
            )


def _records(run: RunData) -> Iterator[tuple[TrialData, RoundRecord]]:
    for trial in run.trials:
        for record in trial.rounds:
            yield trial, record


TABLES: Final[Mapping[str, tuple[type, Callable[[RunData], Iterable[object]]]]] = {
    "runs": (WholeRunRow, run_rows),
    "trials": (TrialRow, trial_rows),
    "rounds": (RoundRow, round_rows),
    "requests": (RequestRow, request_rows),
    "calls": (CallRow, call_rows),
    "statements": (StatementRow, statement_rows),
}
"""Table → what its rows are, and what makes them."""
