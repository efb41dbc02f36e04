"""How far runs have got: read from their journals, also while they are under way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from claw_adapter.protocol.base import Record
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import TrialData, load_run
from claw_adapter.runs.plan import Plan

__all__ = ["PartStatus", "RunStatus", "run_status"]


class PartStatus(Record):
    """One run folder."""

    path: str
    shard: str | None
    """``3/16``; None where the folder is for the whole plan."""
    running: bool
    """Whether a process is at work on it just now, on this machine."""
    trials: int
    finished: int
    failed: int
    """Trials that ended early."""
    begun: int
    """Trials with rounds that have not ended: under way, or interrupted."""
    rounds: int
    recorded: int
    scored: int
    failures: dict[str, int]
    """Who is at fault (owner) → unscored rounds and trials that ended early."""


class RunStatus(Record):
    """Folders of one plan. A trial that stands in several counts once, where it got furthest."""

    digest: str
    trials: int
    """Of the whole plan."""
    finished: int
    failed: int
    rounds: int
    """Of the whole plan."""
    recorded: int
    missing: tuple[str, ...]
    """Shards that none of the folders is for."""
    parts: tuple[PartStatus, ...]


def run_status(roots: Sequence[Path]) -> tuple[RunStatus, ...]:
    """How far the runs in these folders have got; folders of one plan stand together.

    Raises:
        JournalError: a folder is no run, or a journal is damaged.
    """
    plans: dict[str, list[Path]] = {}
    for root in roots:
        plans.setdefault(RunFolder(root).plan().digest, []).append(root)
    return tuple(_together(digest, found) for digest, found in plans.items())


def _together(digest: str, roots: Sequence[Path]) -> RunStatus:
    plans, parts = list[Plan](), list[PartStatus]()
    furthest: dict[str, tuple[bool, int, str]] = {}
    for root in roots:
        run = load_run(root)
        plans.append(run.plan)
        parts.append(_part(root, run.plan, run.trials))
        for trial in run.trials:
            got = (trial.status != "unfinished", len(trial.rounds), trial.status)
            furthest[trial.spec.id] = max(got, furthest.get(trial.spec.id, got))
    whole = plans[0].whole
    return RunStatus(
        digest=digest,
        trials=len(whole.trials),
        finished=sum(status == "finished" for _, _, status in furthest.values()),
        failed=sum(status == "failed" for _, _, status in furthest.values()),
        rounds=sum(whole.rounds[trial.scenario] for trial in whole.trials),
        recorded=sum(rounds for _, rounds, _ in furthest.values()),
        missing=_missing(plans),
        parts=tuple(parts),
    )


def _missing(plans: Sequence[Plan]) -> tuple[str, ...]:
    """Of plans that are shards: those that none of them is."""
    found = {(plan.shard.number, plan.shard.of) for plan in plans if plan.shard}
    if len({of for _, of in found}) != 1 or any(plan.shard is None for plan in plans):
        return ()
    (of,) = {of for _, of in found}
    return tuple(f"{number}/{of}" for number in range(1, of + 1) if (number, of) not in found)


def _part(root: Path, plan: Plan, trials: Sequence[TrialData]) -> PartStatus:
    records = [record for trial in trials for record in trial.rounds]
    failures = Counter(
        cause.owner.value
        for record in records
        if record.score.value is None and (cause := record.score.cause or record.error)
    )
    failures.update(trial.failure.owner.value for trial in trials if trial.failure)
    return PartStatus(
        path=str(root),
        shard=str(plan.shard) if plan.shard else None,
        running=RunFolder(root).in_use,
        trials=len(trials),
        finished=sum(trial.status == "finished" for trial in trials),
        failed=sum(trial.status == "failed" for trial in trials),
        begun=sum(trial.status == "unfinished" and bool(trial.rounds) for trial in trials),
        rounds=sum(trial.total for trial in trials),
        recorded=len(records),
        scored=sum(record.score.value is not None for record in records),
        failures=dict(sorted(failures.items())),
    )
