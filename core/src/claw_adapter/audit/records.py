"""What an audit says: findings, the declared losses that bit, a verdict."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from claw_adapter.audit.causes import usual_of
from claw_adapter.protocol.base import Record

__all__ = [
    "AuditFinding",
    "Bite",
    "CallOtherwise",
    "CallsAgain",
    "HarnessVerdict",
    "OwnWords",
    "Refusal",
    "RunAudit",
    "TrialAudit",
    "Unjudged",
]


class AuditFinding(Record):
    """One cause for which something that must hold did not; `must` is a number of docs/spec/claw-1.md."""

    must: str
    cause: str
    """A stable short word; with `must` the key of the finding."""
    what: str
    """What was seen first, in a sentence."""
    owner: Literal["adapter", "harness", "overlay"]
    """Whose it is, by what the endpoint saw."""
    rounds: tuple[str, ...] = ()
    """Where it was seen, in order."""
    request: int = 0
    """Number of the request that shows it first; 0 if none does."""
    times: int = 1

    @property
    def key(self) -> str:
        """``M30 own-turns-missing``."""
        return f"{self.must} {self.cause}"

    @property
    def usual(self) -> str:
        """What is usually wrong then, and what helps."""
        return usual_of(self.cause)


class Bite(Record):
    """A declared loss that took something away."""

    loss: str
    rounds: tuple[str, ...] = ()
    times: int = 1


class Refusal(Record):
    """Readings of a file or a history that is there, which showed nothing of it, nor did others in the turn: no finding."""

    place: str
    """What was to be read."""
    what: str
    """The first of these calls, and what it was answered."""
    rounds: tuple[str, ...] = ()
    times: int = 1


class Unjudged(Record):
    """Results of a tool that were held against nothing, since nobody knows what its calls were to show or to leave."""

    tool: str
    what: str
    """The first of these calls, and what it was answered."""
    rounds: tuple[str, ...] = ()
    times: int = 1


class OwnWords(Record):
    """Lines in a row that a harness says by itself, in what reaches the model; nothing judges whether they are true."""

    where: str
    """``instructions``, ``tools`` (each with ``, later``), ``prompt``, ``message``, ``result of TOOL``,
    ``older result`` or ``beside the conversation``."""
    form: str
    """Its lines without numbers, paths, names and what its call has said, each once; empty for the instructions at first."""
    what: str
    """The first of them, 200 characters at most; ``⏎`` stands for the end of a line."""
    beside: str = ""
    """What is known of that to which it is added: whose words, which call's result, whether a number is the line's."""
    doubted: bool = False
    """Whether something that is known speaks against it."""
    rounds: tuple[str, ...] = ()
    request: int = 0
    times: int = 1

    @property
    def key(self) -> str:
        """The same for the same kind."""
        return f"{self.where}\n{self.form}\n{self.beside}"


class TrialAudit(Record):
    """What the ledger says of one trial."""

    trial: str
    harness: str
    findings: tuple[AuditFinding, ...] = ()
    stricter: tuple[AuditFinding, ...] = ()
    """What a certification would find besides, where that was asked for: no violation of an ordinary run."""
    bites: tuple[Bite, ...] = ()
    refused: tuple[Refusal, ...] = ()
    results: int = 0
    """Of tools, in its requests."""
    unjudged: tuple[Unjudged, ...] = ()
    own_words: tuple[OwnWords, ...] = ()
    requests: int = 0
    """Of the conversation, compared whole."""
    rounds: int = 0
    """Of which the requests were compared."""
    notes: tuple[str, ...] = ()
    """What could not be judged, and why."""


class CallOtherwise(Record):
    """A command that prints something here that is not in its result, or calls of a turn that leave something else here."""

    what: str
    round: str
    request: int = 0


class CallsAgain(Record):
    """The calls of a trial, done once more: what commands print here and what all of them leave, against what was there."""

    trial: str
    harness: str
    commands: int = 0
    same: int = 0
    """All that they print here is in their results, in that order."""
    turns: int = 0
    """Of which the files that they leave were compared."""
    otherwise: tuple[CallOtherwise, ...] = ()
    left: dict[str, int] = Field(default_factory=dict)
    """How many commands were not compared, by why."""


class HarnessVerdict(Record):
    """The trials of one harness with its overlays, put together."""

    harness: str
    trials: int
    requests: int
    findings: tuple[AuditFinding, ...] = ()
    stricter: tuple[AuditFinding, ...] = ()
    """What a certification would find besides, where that was asked for: no violation of an ordinary run."""
    bites: tuple[Bite, ...] = ()
    refused: tuple[Refusal, ...] = ()
    results: int = 0
    unjudged: tuple[Unjudged, ...] = ()
    own_words: tuple[OwnWords, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: str
    """In a line: nothing lost, declared losses that bit, violations, readings that were refused, results not judged."""


class RunAudit(Record):
    """What the ledger says of a run."""

    run: str
    trials: tuple[TrialAudit, ...]
    harnesses: tuple[HarnessVerdict, ...]
    again: tuple[CallsAgain, ...] = ()
    """The calls of each trial, done once more, where that was asked for."""

    @property
    def ok(self) -> bool:
        """Whether nothing was lost that is not declared, and nothing else done that must not be."""
        return not any(one.findings for one in self.harnesses)
