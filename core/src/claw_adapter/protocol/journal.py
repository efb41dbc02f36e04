"""The journal: one record per finished round of a trial. Together with the store it is all that scoring needs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from claw_adapter.protocol.answer_key import Seen
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.capabilities import Capabilities
from claw_adapter.protocol.detail import ScoreDetail
from claw_adapter.protocol.scenario import Stage
from claw_adapter.protocol.tags import RoundTags
from claw_adapter.protocol.tokens import TokenCounts
from claw_adapter.protocol.turn import Failure, ReportedUsage, Timing
from claw_adapter.protocol.update import UpdateTags

__all__ = [
    "EnvironmentChange",
    "FirstRequest",
    "Isolation",
    "JournalRecord",
    "MachineUse",
    "Metered",
    "RoundRecord",
    "RoundTraits",
    "Score",
    "TrialEnd",
    "TrialStart",
    "Usage",
    "Voided",
]


class Isolation(Record):
    """The isolation level that harness and checks really had (docs/isolation.md)."""

    harness: int | None
    """None of a harness that executes nothing itself: there is nothing to isolate."""
    check: int
    check_open: bool = False
    """At level 2: this machine's bubblewrap is too old to close a check's things to the programs that the check starts."""


class Score(Record):
    """A round's score in [0, 1] with everything recorded about it; `value` is None when the round is unscored."""

    value: float | None = Field(default=None, ge=0, le=1)
    cause: Failure | None = None
    """Why the round is unscored."""
    answer: tuple[str, ...] | None = None
    """The letters read from the reply; None when none could be read or the type has no letters."""
    malformed: str = ""
    """Why no answer could be extracted from the reply; empty where one was, or none is needed."""
    pattern: Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9][A-Za-z0-9_.-]{0,63})?$")] = ""
    """A short word for how the round went, such as the pattern of a failure; a tag of the outcome."""
    detail: ScoreDetail = None


class Metered(TokenCounts):
    """What the endpoint saw in one turn."""

    requests: int = 0
    failed: int = 0
    """Of these, requests that the provider failed; 0 in runs of earlier versions."""
    seconds: float = 0.0
    """Time in which at least one request was being answered."""
    held: float = 0.0
    """Of it, time in which a request was held because the provider was away."""
    asked: dict[str, JsonValue] = Field(default_factory=dict)
    """Model id and sampling parameters that the harness had asked for."""

    def plus(self, other: Metered) -> Metered:
        """The sums of both; what was asked for is left out."""
        return Metered(
            **self.sums(other),
            requests=self.requests + other.requests,
            failed=self.failed + other.failed,
            seconds=self.seconds + other.seconds,
            held=self.held + other.held,
        )


class FirstRequest(Record):
    """What a turn begins with, as it reached the model: its first request that offers tools, or its first if none does."""

    system: int
    """Characters of all its system messages."""
    tools: int
    """How many tools it offers."""


class Usage(Record):
    """Three counts that are never mixed; `rendered` is None when the model saw no request."""

    rendered: int | None = None
    reported: ReportedUsage | None = None
    metered: Metered = Metered()
    overlay: Metered | None = None
    """What overlays asked of the model for themselves since the record before; not in `metered`. None without overlays."""


class TrialStart(Record):
    """First record: what is being tried."""

    kind: Literal["start"] = "start"
    trial: str
    scenario: str
    scenario_digest: str
    harness: str
    versions: dict[str, str] = Field(default_factory=dict)
    model: str
    overlays: tuple[str, ...] = ()
    seed: int
    repeat: int = 1
    isolation: Isolation
    snapshot: str = ""
    """The workspace as it was laid out."""
    notes: tuple[str, ...] = ()
    memory_files: tuple[str, ...] = ()
    """The harness's own files in the workspace, as globs; differences leave them out."""
    capabilities: Capabilities | None = None
    """What the adapter declared; None in runs of earlier versions."""


class RoundTraits(Record):
    """What kind of question a round is: what reports break scores down by. It decides nothing in a run."""

    tags: RoundTags = RoundTags()
    scenario: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Tags that the round has from its scenario, `domain` and `language` among them."""
    stage: Stage | None = None
    updates: dict[str, UpdateTags] = Field(default_factory=dict)
    """How the updates before the round are designed, by id."""
    compound: tuple[str, ...] | None = None
    """Statements whose shortest decisive evidence has two parts or more; None without an evidence layer."""


class EnvironmentChange(Record):
    """The state of an environment before a turn and after it, as digests in the run's store."""

    before: str
    after: str


class UnheardAnswer(Record):
    """What an attempt gave as its answer although its last request had failed: it counts for nothing."""

    attempt: int
    text: str


class RoundRecord(Record):
    """A finished round. `events`, `snapshot` and `checkpoint` are digests in the run's store."""

    kind: Literal["round"] = "round"
    index: int = Field(ge=0, lt=1_000_000)
    round: str
    type: str
    attempts: int = 1
    earlier_failures: tuple[Failure, ...] = ()
    unheard: tuple[UnheardAnswer, ...] = ()
    updates: tuple[str, ...] = ()
    traits: RoundTraits | None = None
    """None in runs of earlier versions."""
    prompt: str
    text: str = ""
    error: Failure | None = None
    score: Score
    feedback: str = ""
    taught: dict[str, bool] = Field(default_factory=dict)
    usage: Usage = Usage()
    timing: Timing = Timing()
    overhead: float = 0.0
    """Seconds of the round that were neither the harness's nor the check's."""
    evidence: Seen | None = None
    tool_calls: int = 0
    first: FirstRequest | None = None
    """None where the model saw no request, and in runs of earlier versions."""
    events: str
    before: str = ""
    """Snapshot after the round's updates, before its prompt; the difference to `snapshot` is what the turn did."""
    snapshot: str
    left: tuple[str, ...] = ()
    """Snapshots of what attempts that failed left in the workspace, before it was put back."""
    checkpoint: str | None
    environment: EnvironmentChange | None = None
    """What became of the scenario's environment; None without one."""


class MachineUse(Record):
    """What a harness has used of the machine in one process of the runner.

    The most of each that the watcher saw, about once a second; None where it saw nothing.
    """

    openings: tuple[float, ...] = ()
    """Seconds that each opening took: starting the program, and waiting until it can be spoken to."""
    memory: int | None = None
    """Bytes of all its processes together."""
    processes: int | None = None
    disk: int | None = None
    """Bytes in workspace and state directory when it was closed."""


class TrialEnd(Record):
    """Last record: the trial is over, its last feedback delivered; `error` when it ended early."""

    kind: Literal["end"] = "end"
    error: Failure | None = None
    snapshot: str = ""
    overlay: Metered | None = None
    """What overlays asked of the model for themselves after the last round's record."""
    used: MachineUse | None = None
    """None in runs of earlier versions, and where the trial was not begun."""


class Voided(Record):
    """The records from a round on, and the end of the trial, no longer count: the rounds are tried again."""

    kind: Literal["void"] = "void"
    index: int = Field(ge=0)
    """The first of these rounds."""
    rounds: int = Field(ge=0)
    """How many records of rounds there were from it on."""
    scored: int = Field(default=0, ge=0)
    """Of these, how many had a score: only where that was asked for."""
    cause: Failure | None = None
    """Why the first of them was unscored."""


JournalRecord = TrialStart | RoundRecord | TrialEnd | Voided
