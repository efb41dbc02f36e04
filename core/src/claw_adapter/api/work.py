"""A trial job done where it has come to: what executors of other machines call there."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.api.running import Prepared
from claw_adapter.errors import ClawError, HarnessNotFound, MachineError, RunStopped, ScenarioError
from claw_adapter.executor import TrialJob
from claw_adapter.protocol import Failure, Scenario
from claw_adapter.runner.preparing import prepare
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.packing import pack_trial, unpack
from claw_adapter.runs.plan import Plan, difference
from claw_adapter.scenario.load import load_scenario
from claw_adapter.scenario.named import find_scenarios

__all__ = ["Worked", "check_job", "raise_again", "work"]


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
    with tempfile.TemporaryDirectory(prefix="claw-job-") as name:
        _prepared(job, Path(name).resolve(), scenario)


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
    with tempfile.TemporaryDirectory(prefix="claw-job-") as name:
        root = folder or Path(name).resolve() / "run"
        prepared = _prepared(job, root, scenario, Path(name).resolve() / "scenario")
        with RunFolder(root) as run:
            if not run.begin(prepared.plan) and begun is not None:
                unpack(begun, root)
        stopped = None
        try:
            asyncio.run(prepared.execute())
        except (RunStopped, MachineError) as error:
            stopped = Failure.of(error)
        return Worked(pack_trial(RunFolder(root), job.trial.id), stopped)


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
