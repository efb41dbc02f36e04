"""Executors: where trials run. The unit is a trial job, which travels as JSON; trials are independent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from claw_adapter.protocol import StopRules, TrialSpec
from claw_adapter.protocol.base import Record

__all__ = ["Executor", "Results", "TrialJob"]


class TrialJob(Record):
    """One trial of a run, with all that somebody else needs to do it. Of keys it has the names only."""

    plan: str
    """Digest of the run's configuration."""
    trial: TrialSpec
    scenario: str
    """The digest that the scenario must have."""
    rounds: int
    """Of the scenario."""
    sources: tuple[str, ...]
    """Names and folders by which the run found its scenarios."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Of the harness, as found where the run was started: elsewhere they must be the same."""
    rules: StopRules = StopRules()
    where: str
    """The run folder, as it is called where the run was started."""


class Results(ABC):
    """Where the results of a run's jobs go."""

    @property
    @abstractmethod
    def root(self) -> Path:
        """The run folder."""

    @abstractmethod
    def pack_scenario(self, job: TrialJob) -> bytes:
        """The scenario of a job as a tar archive, hidden part included, for a machine that has not got it."""

    @abstractmethod
    def pack_trial(self, job: TrialJob) -> bytes | None:
        """What there is of the trial already, as a tar archive; None if nothing is."""

    @abstractmethod
    def started(self, job: TrialJob) -> None:
        """Say to who watches the run that a job is being done."""

    @abstractmethod
    def take(self, job: TrialJob, packed: bytes) -> None:
        """Take over what was done of a job elsewhere, and say so to who watches the run.

        Raises:
            JournalError: it is no result of the job, or damaged.
        """


class Executor(ABC):
    """Has trial jobs done."""

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"

    @abstractmethod
    async def run(self, jobs: Sequence[TrialJob], results: Results, width: int) -> None:
        """Have every job done once, `width` at a time, and its results brought into `results`.

        A trial's own failure is in its results, so that one trial cannot stop the others. Cancelled, it leaves nothing at work
        anywhere.

        Raises:
            RunStopped: a provider is away or refuses, or a limit is reached; the same call goes on.
            MachineError: something is missing that a trial needs, here or there.
            ClawError: jobs cannot be done there: says what is missing, before anything is spent.
        """
