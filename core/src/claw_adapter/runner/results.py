"""Where the results of a run's jobs go: into its folder, and to who watches it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.executor import Results, TrialJob
from claw_adapter.protocol import Failure, RoundRecord, Scenario, StopRules, TrialEnd, TrialSpec
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.packing import pack_folder, pack_trial, take_packed
from claw_adapter.runs.plan import Plan

__all__ = ["RunResults", "Watcher"]


@dataclass(frozen=True, slots=True)
class Watcher:
    """Called as the run goes on."""

    on_start: Callable[[TrialSpec, int, int], None] = lambda _trial, _done, _total: None
    on_round: Callable[[TrialSpec, RoundRecord, int], None] = lambda _trial, _record, _total: None
    on_end: Callable[[TrialSpec, Failure | None], None] = lambda _trial, _error: None
    on_wait: Callable[[str], None] = lambda _why: None
    """Why the run waits for a provider, said again as that changes; empty when it goes on."""


@dataclass(frozen=True, slots=True)
class RunResults(Results):
    """Those of one run."""

    folder: RunFolder
    plan: Plan
    scenarios: Mapping[str, Scenario]
    watcher: Watcher

    @property
    def root(self) -> Path:
        """The run folder."""
        return self.folder.root

    def job(self, trial: TrialSpec, rules: StopRules) -> TrialJob:
        """A trial of the plan as a job."""
        return TrialJob(
            plan=self.plan.digest,
            trial=trial,
            scenario=self.plan.scenarios[trial.scenario],
            rounds=self.plan.rounds[trial.scenario],
            sources=self.plan.sources,
            versions=self.plan.versions.get(trial.harness.label, {}),
            rules=rules,
            where=str(self.root),
        )

    def pack_scenario(self, job: TrialJob) -> bytes:
        """Its folder."""
        return pack_folder(self.scenarios[job.trial.scenario].root)

    def pack_trial(self, job: TrialJob) -> bytes | None:
        """Its folder and what it names in the store."""
        return pack_trial(self.folder, job.trial.id)

    def started(self, job: TrialJob) -> None:
        """Rounds that were finished before are counted as done."""
        self.watcher.on_start(job.trial, len(self._rounds(job)), job.rounds)

    def take(self, job: TrialJob, packed: bytes) -> None:
        """Its journal goes on from where it was here."""
        before = len(self._rounds(job))
        take_packed(packed, self.folder, job.trial, job.scenario)
        for record in self._rounds(job)[before:]:
            self.watcher.on_round(job.trial, record, job.rounds)
        last = read_journal(self.folder.journal(job.trial.id))[-1:]
        if last and isinstance(last[0], TrialEnd):
            self.watcher.on_end(job.trial, last[0].error)

    def _rounds(self, job: TrialJob) -> list[RoundRecord]:
        records = read_journal(self.folder.journal(job.trial.id))
        return [record for record in records if isinstance(record, RoundRecord)]
