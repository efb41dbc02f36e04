"""Scoring a run folder again, from its answers and snapshots: no model, no harness."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claw_adapter.drivers.waiting import side_by_side
from claw_adapter.errors import ScenarioError
from claw_adapter.folders import scratch
from claw_adapter.protocol import Event, Gold, RoundRecord, Scenario, Score, TurnResult
from claw_adapter.question import EnvironmentStates, ScoringContext
from claw_adapter.questions.types import question_type
from claw_adapter.runs.load import RunData, TrialData, load_run
from claw_adapter.runs.store import Store
from claw_adapter.scenario import load_gold
from claw_adapter.scenario.named import find_scenarios
from claw_adapter.workspace import Snapshotter

__all__ = ["ChangedScore", "Rescored", "rescore"]


@dataclass(frozen=True, slots=True)
class ChangedScore:
    """A round that comes out differently now."""

    trial: str
    round: str
    journal: float | None
    now: float | None

    def __str__(self) -> str:
        return f"{self.trial} {self.round}: journal {self.journal}, now {self.now}"

    def as_json(self) -> dict[str, Any]:
        """Plain form for ``--json``."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, slots=True)
class Rescored:
    """The run with its new scores, and what they change."""

    run: RunData
    rounds: int
    differences: tuple[ChangedScore, ...]


async def rescore(
    root: Path,
    data: Sequence[str] = (),
    *,
    isolation: int | None = None,
    scenarios: Mapping[str, Scenario] | None = None,
) -> Rescored:
    """Score every answered round of a run folder again.

    Args:
        root: the run folder; it is only read.
        data: names or folders of the scenarios, when they are not where the run found them.
        isolation: level for the checks; None means the run's own.
        scenarios: by id, when they are at hand; then neither `data` nor the run's own names are looked up.

    Raises:
        ScenarioError: a scenario is missing, or not the one that was run.
        JournalError: the folder is damaged.
    """
    run = load_run(root)
    if scenarios is None:
        scenarios = find_scenarios(tuple(data) or run.plan.sources)
    for name, digest in run.plan.scenarios.items():
        if name not in scenarios:
            raise ScenarioError(f"scenario {name!r} was not found", remedy="Say where it is with --data.")
        if scenarios[name].digest != digest:
            raise ScenarioError(
                f"scenario {name!r} is not the one that was run (its files have changed)",
                where=str(scenarios[name].root),
                remedy="Name the original with --data.",
            )

    async def again(trial: TrialData) -> tuple[TrialData, list[ChangedScore]]:
        scorer = _Scorer(trial, scenarios[trial.spec.scenario], Snapshotter(Store(run.store)), isolation)
        records = [await scorer.again(record) for record in trial.rounds]
        return dataclasses.replace(trial, rounds=tuple(records)), scorer.differences(records)

    scored = await side_by_side(again, run.trials)
    counted = sum(record.error is None for trial in run.trials for record in trial.rounds)
    differences = tuple(difference for _, found in scored for difference in found)
    return Rescored(dataclasses.replace(run, trials=tuple(trial for trial, _ in scored)), counted, differences)


class _Scorer:
    """Scores the rounds of one trial, in order."""

    def __init__(self, trial: TrialData, scenario: Scenario, snapshots: Snapshotter, isolation: int | None) -> None:
        self.trial, self.scenario, self.snapshots = trial, scenario, snapshots
        self.gold: Gold = load_gold(scenario)
        settings = trial.spec.settings
        self.isolation = settings.isolation if isolation is None else isolation
        self.answers: dict[str, tuple[str, ...] | None] = {}

    async def again(self, record: RoundRecord) -> RoundRecord:
        """The record with its score computed anew; a failed round stays unscored."""
        if record.error is not None:
            return record
        with scratch("claw-score-") as folder:
            score = await self._score(record, folder / "workspace")
        self.answers[record.round] = score.answer
        return record.model_copy(update={"score": score})

    async def _score(self, record: RoundRecord, copy: Path) -> Score:
        item = self.scenario.rounds[record.index]
        question = question_type(item.type)
        if question.needs_workspace:
            self.snapshots.materialise(record.snapshot, copy)
        context = ScoringContext(
            gold=self.gold,
            workspace=copy,
            isolation=self.isolation,
            answers=dict(self.answers),
            compat=self.trial.spec.settings.compat,
            changed=self.snapshots.diff(record.before, record.snapshot).made if record.before else None,
            environment=self._states(record),
        )
        return await question.score(item, self._turn(record), context)

    def _states(self, record: RoundRecord) -> EnvironmentStates | None:
        change, store = record.environment, self.snapshots.store
        return EnvironmentStates(store.get(change.before), store.get(change.after)) if change else None

    def _turn(self, record: RoundRecord) -> TurnResult:
        events = self.snapshots.store.get_json(record.events)
        return TurnResult(text=record.text, events=tuple(Event.model_validate(e) for e in _list(events)))

    def differences(self, records: Sequence[RoundRecord]) -> list[ChangedScore]:
        """Rounds whose value is not the journal's."""
        pairs = zip(self.trial.rounds, records, strict=True)
        return [
            ChangedScore(self.trial.spec.id, old.round, old.score.value, new.score.value)
            for old, new in pairs
            if old.score.value != new.score.value
        ]


def _list(value: object) -> list[Mapping[str, Any]]:
    return value if isinstance(value, list) else []
