"""One round of a run again: what must be there, and the folder that begins where that round began."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.errors import JournalError
from claw_adapter.protocol import RoundRecord, TrialSpec, TrialStart
from claw_adapter.runs.checkpoints import load_checkpoint
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import Journal, read_journal
from claw_adapter.runs.plan import Plan, Repetition
from claw_adapter.runs.store import Store

__all__ = ["PastRound", "find_round"]


@dataclass(frozen=True, slots=True)
class PastRound:
    """A round of a run as it was: the trial's start, the rounds before it, and its own record."""

    run: RunFolder
    plan: Plan
    spec: TrialSpec
    start: TrialStart
    before: tuple[RoundRecord, ...]
    record: RoundRecord

    @property
    def repetition(self) -> Plan:
        """The plan of a run that repeats it: one trial that ends with this round."""
        name = self.spec.scenario
        return Plan(
            trials=(self.spec,),
            scenarios={name: self.plan.scenarios[name]},
            rounds={name: len(self.before) + 1},
            sources=self.plan.sources,
            versions={self.spec.harness.label: self.start.versions},
            repeats=Repetition(run=str(self.run.root), trial=self.spec.id, round=self.record.round),
        )

    def copy_into(self, folder: RunFolder) -> None:
        """Put into an empty run folder what the run had when this round began; the run itself is only read."""
        shutil.copytree(
            self.run.store, folder.store, copy_function=_link, dirs_exist_ok=True, ignore=shutil.ignore_patterns("tmp")
        )
        with Journal(folder.journal(self.spec.id)) as journal:
            journal.append(self.start)
            for record in self.before:
                journal.append(record)


def find_round(root: Path, trial: str, round_: str) -> PastRound:
    """A round that a run has finished, with all that is needed to begin it again.

    Raises:
        JournalError: no run folder, no such trial or round, the round was not finished, or its checkpoint is not kept.
    """
    run = RunFolder(root)
    plan = run.plan()
    spec = next((spec for spec in plan.trials if spec.id == trial), None)
    if spec is None:
        raise JournalError(
            f"there is no trial {trial!r}", where=str(run.root), remedy=_name_one(spec.id for spec in plan.trials)
        )
    records = read_journal(run.journal(trial))
    starts = [record for record in records if isinstance(record, TrialStart)]
    rounds = [record for record in records if isinstance(record, RoundRecord)]
    where = f"{run.root}, trial {trial}"
    index = next((number for number, record in enumerate(rounds) if record.round == round_), None)
    if index is None or not starts:
        what = f"there is no finished round {round_!r}"
        raise JournalError(what, where=where, remedy=_name_one(record.round for record in rounds))
    found = PastRound(run, plan, spec, starts[-1], tuple(rounds[:index]), rounds[index])
    _check_kept(found, where)
    return found


def _check_kept(past: PastRound, where: str) -> None:
    """Raise JournalError if a checkpoint, workspace or environment's state from before the round is not in the store."""
    kept = [record.checkpoint for record in past.before if record.checkpoint]
    if not past.run.store.is_dir():
        raise JournalError(
            f"no checkpoint is kept from before round {past.record.round!r}: there is no store", where=where
        )
    store = Store(past.run.store, sweep=False)
    try:
        if kept:
            load_checkpoint(store, kept[-1])
        if past.before:
            last = past.before[-1]
            store.get(last.snapshot)
            if last.environment:
                store.get(last.environment.after)
    except JournalError as error:
        what = f"no checkpoint is kept from before round {past.record.round!r}: {error.what}"
        remedy = "Name another round of which it is kept, or restore the run folder from a copy."
        raise JournalError(what, where=where, remedy=remedy) from None


def _name_one(names: Iterable[str]) -> str:
    listed = list(names)
    if not listed:
        return "It has none yet."
    more = f" and {len(listed) - 12} more" if len(listed) > 12 else ""
    return f"Name one of: {', '.join(listed[:12])}{more}."


def _link(source: str, target: str) -> None:
    """Blobs are never changed, so both folders can have the same file; on another disk it is copied."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
