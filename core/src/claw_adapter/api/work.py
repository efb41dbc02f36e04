"""A trial job done where it has come to: what executors of other machines call there."""

from __future__ import annotations

import asyncio
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claw_adapter.api.running import Prepared
from claw_adapter.errors import ClawError, HarnessNotFound, MachineError, RunStopped, ScenarioError
from claw_adapter.executor import TrialJob
from claw_adapter.folders import opened, remove_tree
from claw_adapter.protocol import Failure, Scenario
from claw_adapter.runner.preparing import prepare
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.packing import pack_trial, unpack
from claw_adapter.runs.plan import Plan, difference
from claw_adapter.scenario.load import load_scenario
from claw_adapter.scenario.named import find_scenarios

__all__ = ["Worked", "check_job", "raise_again", "work"]

PREFIX: Final = "claw-job-"
STALE_SECONDS: Final = 3600.0
"""Age up to which a folder may have no lock yet."""


@dataclass(frozen=True, slots=True)
class Worked:
    """What was done of a job: the trial as far as it got, packed, and why the run must stop there, if it must."""

    packed: bytes | None
    stopped: Failure | None = None


def raise_again(failure: Failure) -> None:
    """Why a run must stop, as the error that it was where that happened.

    Raises:
        RunStopped, MachineError, ClawError: always one of them.
    """
    kinds = {kind.__name__: kind for kind in (RunStopped, MachineError)}
    raise kinds.get(failure.kind, ClawError)(failure.what, where=failure.where, remedy=failure.remedy)


def check_job(job: TrialJob, scenario: bytes | None = None) -> None:
    """Look whether a job can be done here, before anything is spent.

    Raises:
        ClawError: what is missing, or of another version than where the run was started.
    """
    with _place() as place:
        _prepared(job, place, scenario)


def work(
    job: TrialJob, scenario: bytes | None = None, begun: bytes | None = None, folder: Path | None = None
) -> Worked:
    """Do a job in this process, which has no event loop running and no other job under way.

    Args:
        job: what is to be done.
        scenario: its scenario, as `Results.pack_scenario` gives it; None where it is found by the names of the job.
        begun: what there is of the trial, as `Results.pack_trial` gives it.
        folder: where to work, for a disk on which another machine could go on; None: a folder that is removed.

    Raises:
        ClawError: the job cannot be done here; nothing was begun.
    """
    with _place() as place:
        root = folder or place / "run"
        prepared = _prepared(job, root, scenario, place / "scenario")
        with RunFolder(root) as run:
            if not run.begin(prepared.plan) and begun is not None:
                unpack(begun, root)
        stopped = None
        try:
            asyncio.run(prepared.execute())
        except (RunStopped, MachineError) as error:
            stopped = Failure.of(error)
        return Worked(pack_trial(RunFolder(root), job.trial.id), stopped)


@contextmanager
def _place() -> Iterator[Path]:
    """A folder of a job's own, locked as long as this process lives; what workers left that were killed is removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError, ClawError), opened(left) as folder:
            about = os.fstat(folder)
            if about.st_uid == os.getuid() and time.time() - about.st_mtime > STALE_SECONDS:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(left)
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, opened(Path(name)) as folder:
        fcntl.flock(folder, fcntl.LOCK_SH)
        yield Path(name).resolve()


def _prepared(job: TrialJob, root: Path, scenario: bytes | None, place: Path | None = None) -> Prepared:
    found = _scenario(job, scenario, place or root / "scenario")
    plan = Plan(
        trials=(job.trial,), scenarios={found.id: found.digest}, rounds={found.id: job.rounds}, sources=job.sources
    )
    plan, harnesses = prepare(plan, {found.id: found})
    if lines := difference(job.versions, plan.versions[job.trial.harness.label]):
        raise HarnessNotFound(
            f"harness {job.trial.harness.label!r} is not the one with which the run was started: {'; '.join(lines)}",
            remedy="Install the same versions on every machine of the run.",
        )
    return Prepared(root, plan, {found.id: found}, harnesses, job.rules)


def _scenario(job: TrialJob, packed: bytes | None, place: Path) -> Scenario:
    if packed is None:
        found = find_scenarios(job.sources).get(job.trial.scenario)
    else:
        unpack(packed, place)
        found = load_scenario(place)
    if found is None or found.digest != job.scenario:
        what = "was not found here" if found is None else "is not the one with which the run was started"
        raise ScenarioError(f"scenario {job.trial.scenario!r} {what}", remedy="Put the same files on every machine.")
    return found
