"""What runs on a worker: functions of plain data, so that nothing of the driver's has to travel."""

from __future__ import annotations

from pathlib import Path

from claw_adapter.api.work import Worked, check_job, work
from claw_adapter.errors import ClawError
from claw_adapter.executor import TrialJob
from claw_adapter.protocol import Failure

__all__ = ["check", "do"]


def check(jobs: list[str], scenarios: list[bytes]) -> tuple[str, ...]:
    """Look whether jobs can be done on this node; what is missing, a sentence each."""
    missing = []
    for text, scenario in zip(jobs, scenarios, strict=True):
        try:
            check_job(TrialJob.model_validate_json(text), scenario)
        except ClawError as error:
            missing.append(str(error))
    return tuple(dict.fromkeys(missing))


def do(text: str, scenario: bytes, begun: bytes | None, folder: str) -> Worked:
    """Do a job; what keeps it from being done is told, not raised, so that Ray does not try it again."""
    job = TrialJob.model_validate_json(text)
    place = Path(folder) / job.plan / job.trial.id if folder else None
    try:
        return work(job, scenario, begun, place)
    except ClawError as error:
        return Worked(None, Failure.of(error))
