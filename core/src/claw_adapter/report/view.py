"""What the page shows of one round: the trials side by side, each text with a bounded length."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue, ValidationError

from claw_adapter.errors import JournalError
from claw_adapter.protocol import Detail, Event, Failure, RoundRecord, Score, StateDetail
from claw_adapter.report import words
from claw_adapter.report.changes import Changes, Workspace
from claw_adapter.report.clean import Clipped, clip
from claw_adapter.report.records import Cell, RoundCells, Summary
from claw_adapter.runs.load import RunData, TrialData
from claw_adapter.runs.store import Store

__all__ = ["CAPS", "Caps", "CellView", "Fact", "FragmentView", "RoundView", "Step", "Viewer"]

STATES: Final = {"✓": "ok", "✗": "bad", "½": "part", "−": "none", "·": "todo"}
OUTCOMES: Final = {"tp": "rightly chosen", "fp": "wrongly chosen", "fn": "missed", "tn": "rightly left"}
Fragments = Mapping[str, Mapping[str, str]]
"""Scenario id → fragment id → text."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How much of what agents wrote goes into the page, in characters and counts; everything is in the run folder."""

    text: int
    arguments: int
    result: int
    steps: int
    files: int
    lines: int


CAPS: Final = (
    Caps(text=20_000, arguments=2_000, result=2_000, steps=200, files=40, lines=4_000),
    Caps(text=6_000, arguments=800, result=600, steps=60, files=20, lines=1_500),
    Caps(text=2_500, arguments=300, result=300, steps=25, files=10, lines=600),
    Caps(text=900, arguments=150, result=120, steps=10, files=5, lines=200),
    Caps(text=300, arguments=80, result=60, steps=4, files=3, lines=80),
)
"""From generous to tight: the first with which the page stays under its limit is used."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something the harness did: a tool call with its result, a note, or text between calls."""

    kind: str
    at: float
    name: str
    arguments: Clipped
    result: Clipped | None
    is_error: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """One entry of a score's detail; `block` asks for lines of its own."""

    name: str
    value: Clipped
    block: bool


@dataclass(frozen=True, slots=True)
class FragmentView:
    """A needed fragment, its text where it is known, and whether it reached the model."""

    id: str
    text: str
    seen: bool


@dataclass(frozen=True, slots=True)
class CellView:
    """One trial's part of a round; `record` is None when there is none, and `cause` says why if anything does."""

    trial: int
    """Index into `Summary.trials`."""
    anchor: str
    label: str
    symbol: str
    state: str
    record: RoundRecord | None
    cause: Failure | None
    prompt: Clipped
    answer: Clipped
    feedback: Clipped
    facts: tuple[Fact, ...]
    evidence: tuple[FragmentView, ...]
    steps: tuple[Step, ...]
    steps_left_out: int
    steps_note: str
    changes: Changes
    asked: str


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round with all its trials. `prompt` is set when every trial was sent the same one."""

    anchor: str
    row: RoundCells
    cells: tuple[CellView, ...]
    prompt: Clipped | None
    differs: bool
    troubled: bool
    updates: tuple[str, ...]


class Viewer:
    """Builds the views of one run under one set of caps."""

    def __init__(
        self, run: RunData, summary: Summary, caps: Caps, fragments: Fragments, right: Caps | None = None
    ) -> None:
        """`right` are the caps of what a trial did right, which is read less; None for the same."""
        self._run, self._summary, self._caps, self._fragments = run, summary, caps, fragments
        self._right = right or caps
        self._store = Store(run.store)
        self._workspace = Workspace(self._store)

    def rounds(self, name: str = "") -> Iterator[RoundView]:
        """All rounds, in the summary's order, or those of a scenario, or one: ``scenario`` or ``scenario/round``."""
        for number, row in enumerate(self._summary.rounds):
            if name in ("", row.scenario, f"{row.scenario}/{row.round}"):
                yield self._round(row, f"r{number}")

    def _round(self, row: RoundCells, anchor: str) -> RoundView:
        cells = tuple(self._cell(row, cell, f"{anchor}t{cell.trial}") for cell in row.cells)
        records = [cell.record for cell in cells if cell.record is not None]
        prompts = {record.prompt for record in records}
        return RoundView(
            anchor=anchor,
            row=row,
            cells=cells,
            prompt=clip(prompts.pop(), self._caps.text) if len(prompts) == 1 and len(records) > 1 else None,
            differs=len({cell.symbol for cell in cells}) > 1,
            troubled=any(
                cell.cause is not None or (cell.record is not None and cell.record.attempts > 1) for cell in cells
            ),
            updates=tuple(dict.fromkeys(update for record in records for update in record.updates)),
        )

    def _cell(self, row: RoundCells, cell: Cell, anchor: str) -> CellView:
        trial = self._run.trials[cell.trial]
        record, caps = trial.record(row.index), self._right if cell.score == 1 else self._caps
        symbol = words.symbol((cell,))
        steps, note = self._steps(record, caps) if record else ([], "")
        asked = dict(record.usage.metered.asked) if record else {}
        return CellView(
            trial=cell.trial,
            anchor=anchor,
            label=self._label(cell, trial),
            symbol=symbol,
            state=STATES[symbol],
            record=record,
            cause=(record.score.cause or record.error) if record else trial.absence,
            prompt=clip(record.prompt if record else "", caps.text),
            answer=clip(record.text if record else "", caps.text),
            feedback=clip(record.feedback if record else "", caps.text),
            facts=tuple(self._facts(record.score, caps)) if record else (),
            evidence=self._evidence(row.scenario, record) if record else (),
            steps=tuple(steps[: caps.steps]),
            steps_left_out=max(len(steps) - caps.steps, 0),
            steps_note=note,
            changes=self._workspace.changes(trial, row.index, most=caps.files, characters=caps.lines),
            asked=json.dumps(asked, ensure_ascii=False) if asked else "",
        )

    def _label(self, cell: Cell, trial: TrialData) -> str:
        row = self._summary.rows[cell.row]
        parts = [row.label, *([row.model] if len(self._summary.models) > 1 else [])]
        parts += [f"seed {trial.spec.seed}"] if len(row.seeds) > 1 else []
        parts += [f"repeat {trial.spec.repeat}"] if row.repeats > 1 else []
        return " · ".join(parts)

    def _evidence(self, scenario: str, record: RoundRecord) -> tuple[FragmentView, ...]:
        if record.evidence is None:
            return ()
        texts, seen = self._fragments.get(scenario, {}), set(record.evidence.seen)
        return tuple(FragmentView(name, texts.get(name, ""), name in seen) for name in record.evidence.needed)

    def _facts(self, score: Score, caps: Caps) -> Iterator[Fact]:
        """Plain values on one line, short mappings as ``A: right, B: wrong``, everything else as a block."""
        if score.pattern:
            yield Fact("pattern", clip(score.pattern, caps.result), block=False)
        entries = _state(score.detail) if isinstance(score.detail, StateDetail) else _entries(score.detail)
        for name, value in entries:
            if isinstance(value, Mapping) and all(not isinstance(item, list | dict) for item in value.values()):
                text = ", ".join(f"{key}: {OUTCOMES.get(str(item)) or _plain(item)}" for key, item in value.items())
            else:
                text = _plain(value)
            yield Fact(name, clip(text, caps.result), "\n" in text or len(text) > 120)

    def _steps(self, record: RoundRecord, caps: Caps) -> tuple[list[Step], str]:
        """The turn's events, each result with its call; and why there are none when they cannot be read."""
        try:
            values = self._store.get_json(record.events)
            events = [Event.model_validate(value) for value in values] if isinstance(values, list) else []
        except (JournalError, ValidationError) as error:
            what = error.what if isinstance(error, JournalError) else "they are not of this version"
            return [], f"The events cannot be read: {what}."
        return list(self._paired(events, caps)), ""

    def _paired(self, events: Sequence[Event], caps: Caps) -> Iterator[Step]:
        """Calls in order, each with the first result of its id that is not another call's; what is left over as it comes."""
        pairs: list[tuple[Event, Event | None]] = []
        unanswered: dict[str, list[int]] = {}
        for event in events:
            if event.kind == "tool_result" and unanswered.get(event.id):
                place = unanswered[event.id].pop(0)
                pairs[place] = (pairs[place][0], event)
                continue
            if event.kind == "tool_call":
                unanswered.setdefault(event.id, []).append(len(pairs))
            pairs.append((event, None))
        return (self._step(event, result, caps) for event, result in pairs)

    def _step(self, event: Event, result: Event | None, caps: Caps) -> Step:
        arguments = _plain(event.arguments) if event.arguments else ""
        text = result.text if result else event.text
        return Step(
            kind=event.kind,
            at=event.at,
            name=event.name,
            arguments=clip(arguments, caps.arguments),
            result=None if event.kind == "tool_call" and result is None else clip(text, caps.result),
            is_error=event.is_error or (result is not None and result.is_error),
        )


def _state(detail: StateDetail) -> Iterator[tuple[str, JsonValue]]:
    """What there is to say about a round judged by state; partial credit never without its baseline."""
    yield "progress", round(detail.progress, 4)
    if detail.partial is not None:
        beside = "" if detail.baseline is None else f" (do-nothing baseline {detail.baseline:.4g})"
        yield "partial credit", f"{detail.partial:.4g}{beside}"
    yield "commands", f"{detail.commands}, many more than a solution needs" if detail.excess else detail.commands
    if detail.first_wrong is not None:
        yield "led away first", f"command {detail.first_wrong}"
    for name, title in words.STATE_LISTS:
        if found := getattr(detail, name):
            yield title, "\n".join(found)


def _entries(detail: Detail | None) -> Iterator[tuple[str, JsonValue]]:
    """What a detail holds, by name: what is about the whole round is not shown as a part of it."""
    if detail is None:
        return
    whole = "check" if detail.kind == "exec_check" else "facts" if detail.kind == "other" else "statements"
    for name, value in detail.model_dump(mode="json", exclude={"kind"}).items():
        if name == whole:
            yield from (value or {}).items()
        elif not (name == "check" and value is None):
            yield name, value


def _plain(value: JsonValue | dict[str, JsonValue]) -> str:
    """A JSON value as text: strings as themselves, yes and no for truth values, a dash for nothing."""
    if value is None or isinstance(value, str):
        return "–" if value is None else value or "(empty)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, ensure_ascii=False)
