"""A run folder read into typed data: every trial with its records, its status, and the rounds it should have had."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from claw_adapter.errors import Owner
from claw_adapter.protocol import (
    ChoiceDetail,
    Failure,
    RevisionDetail,
    RoundRecord,
    Score,
    ServerRecord,
    TrialEnd,
    TrialSpec,
    TrialStart,
    Voided,
)
from claw_adapter.runs.figures import Figures, Recent, RoundFigures, StoredRounds
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_lines, standing
from claw_adapter.runs.plan import Plan
from claw_adapter.runs.servers import read_servers
from claw_adapter.scoring import RoundScore

__all__ = ["RoundName", "RunData", "Status", "TrialData", "load_run", "uncollected"]

Status = Literal["finished", "failed", "unfinished"]
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RoundName:
    """A round of a scenario; id and type are known once any trial has finished it, else ``#4`` and ``unknown``."""

    index: int
    id: str
    type: str


@dataclass(frozen=True, slots=True)
class TrialData:
    """One trial of the plan as far as it got.

    Attributes:
        start: None when the trial never began.
        rounds: the finished rounds, in order; those of a large run are read again when they are looked at.
        end: the end record when it is the journal's last; a trial that was resumed is unfinished until it ends anew.
        total: how many rounds the scenario has.
    """

    spec: TrialSpec
    start: TrialStart | None
    rounds: Sequence[RoundRecord]
    end: TrialEnd | None
    total: int
    voided: tuple[Voided, ...] = ()
    """What was given up to be tried again, in the order in which it was; its records are not among `rounds`."""

    @property
    def status(self) -> Status:
        """Finished, failed (`failure` says why), or unfinished: not begun, under way, or interrupted."""
        if self.end is None:
            return "unfinished"
        return "finished" if self.end.error is None else "failed"

    @property
    def failure(self) -> Failure | None:
        """Why the trial ended early."""
        return self.end.error if self.end else None

    @property
    def absence(self) -> Failure | None:
        """Why a round without a record is unscored; None while it may still come."""
        if self.end is None:
            return None
        what = "the trial ended without this round"
        return self.end.error or Failure(owner=Owner.INTERNAL, kind="JournalError", what=what)

    @property
    def pending(self) -> int:
        """Rounds that may still come."""
        return self.total - len(self.rounds) if self.end is None else 0

    @property
    def figures(self) -> Sequence[RoundFigures | RoundRecord]:
        """The finished rounds without their texts, which are in memory however large the run is."""
        return self.rounds.figures if isinstance(self.rounds, StoredRounds) else self.rounds

    def record(self, index: int) -> RoundRecord | None:
        """The record of the round at that position, if it was finished."""
        place = next((place for place, one in enumerate(self.figures) if one.index == index), None)
        return None if place is None else self.rounds[place]

    def bodies(self) -> Iterator[str]:
        """The record of each finished round as the JSON that it is in the journal."""
        yield from self.rounds.bodies() if isinstance(self.rounds, StoredRounds) else map(_json, self.rounds)

    def figure(self, index: int) -> RoundFigures | RoundRecord | None:
        """The figures of the round at that position, if it was finished."""
        return next((one for one in self.figures if one.index == index), None)

    def scores(self, names: Sequence[RoundName], key: str | None = None) -> Iterator[RoundScore]:
        """Scores of all rounds but the pending ones, in order, under the scenario's id or `key`."""
        scenario = self.spec.scenario if key is None else key
        records = {record.index: record for record in self.figures}
        for name in names[: self.total]:
            record = records.get(name.index)
            if record is not None:
                yield _score(scenario, record)
            elif self.absence is not None:
                yield RoundScore(scenario, name.id, name.type, None, cause=self.absence.owner.value)


@dataclass(frozen=True, slots=True)
class RunData:
    """A run folder: what was asked (`plan`), what else is in run.json (`about`), the trials in the plan's order."""

    root: Path
    plan: Plan
    about: Mapping[str, Any]
    trials: tuple[TrialData, ...]
    rounds: Mapping[str, tuple[RoundName, ...]]
    """Scenario id → all of its rounds."""
    servers: tuple[ServerRecord, ...] = ()
    """What served models of upstream plugins."""

    @property
    def store(self) -> Path:
        """The folder of the content-addressed store."""
        return RunFolder(self.root).store

    def scores(self, trial: TrialData, key: str | None = None) -> tuple[RoundScore, ...]:
        """Scores of one trial; see `TrialData.scores`."""
        return tuple(trial.scores(self.rounds[trial.spec.scenario], key))


@contextmanager
def uncollected() -> Iterator[None]:
    """Without searches for cycles meanwhile: records have none, and the more there are, the longer each search takes."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@uncollected()
def load_run(root: Path) -> RunData:
    """Read a run folder; nothing is written and no lock is taken, so a run under way can be looked at.

    Raises:
        JournalError: not a run folder, or a journal is damaged before its end.
    """
    folder = RunFolder(root)
    about = folder.about()
    plan = folder.plan(about)
    make, recent = Figures(), Recent()
    for spec in plan.trials:
        make.share(spec)
    about = {name: value for name, value in about.items() if name != "plan"}
    trials = tuple(_trial(spec, folder.journal(spec.id), plan, make, recent) for spec in plan.trials)
    scenarios = dict.fromkeys(spec.scenario for spec in plan.trials)
    rounds = {scenario: _names(t for t in trials if t.spec.scenario == scenario) for scenario in scenarios}
    return RunData(folder.root, plan, about, trials, rounds, read_servers(folder.root))


def _trial(spec: TrialSpec, path: Path, plan: Plan, make: Figures, recent: Recent) -> TrialData:
    lines = read_lines(path)
    written = [record for _, record in lines]
    records = standing(written)
    starts = [record for record in records if isinstance(record, TrialStart)]
    rounds = StoredRounds(path, lines, make, recent)
    for start in starts:
        make.share(start)
    last = records[-1] if records else None
    seen = rounds.figures[-1].index + 1 if rounds else 0
    return TrialData(
        spec=spec,
        start=starts[-1] if starts else None,
        rounds=rounds,
        end=last if isinstance(last, TrialEnd) else None,
        total=max(plan.rounds.get(spec.scenario, seen), seen),
        voided=tuple(record for record in written if isinstance(record, Voided)),
    )


def _names(trials: Iterable[TrialData]) -> tuple[RoundName, ...]:
    """The rounds of one scenario, pieced together from all of its trials."""
    total, known = 0, dict[int, RoundName]()
    for trial in trials:
        total = max(total, trial.total)
        for record in trial.figures:
            known.setdefault(record.index, RoundName(record.index, record.round, record.type))
    return tuple(known.get(index) or RoundName(index, f"#{index + 1}", UNKNOWN) for index in range(total))


def _json(record: RoundRecord) -> str:
    return record.model_dump_json()


def _score(scenario: str, record: RoundFigures | RoundRecord) -> RoundScore:
    value = record.score.value
    cause = record.score.cause or record.error
    owner = cause.owner if cause else Owner.INTERNAL
    return RoundScore(
        scenario=scenario,
        round=record.round,
        type=record.type,
        score=value,
        cause=owner.value if value is None else None,
        per_option=None if value is None else _per_option(record.score),
    )


def _per_option(score: Score) -> float | None:
    """The v1 per-option score as the question type recorded it; an answer that could not be read has no option right."""
    statements = score.detail.statements if isinstance(score.detail, ChoiceDetail | RevisionDetail) else None
    if statements is not None:
        return statements.v1
    return 0.0 if score.malformed else None
