"""What a score says beside its number: one record per question type, told apart by `kind`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, JsonValue, ValidationError

from claw_adapter.protocol.base import Record

__all__ = [
    "Agreement",
    "CheckDetail",
    "CheckFault",
    "CheckRun",
    "ChoiceDetail",
    "Detail",
    "OtherDetail",
    "PreferenceDetail",
    "RevisionDetail",
    "RuleOutcome",
    "ScoreDetail",
    "StateDetail",
]


class Agreement(Record):
    """How the chosen statements agree with the key, as sets; never the score itself."""

    iou: float
    precision: float
    recall: float
    f1: float
    v1: float
    """1 − (fp + fn)/n over n statements (ClawArena v1, §3)."""
    options: dict[str, Literal["tp", "fp", "fn", "tn"]]
    """Outcome by the letter of a statement."""


class CheckFault(Record):
    """One thing that a check found wrong, as it printed it (scenario-1, Checks)."""

    file: str
    field: str = ""
    """Empty where the file as a whole is meant."""
    kind: str
    """What sort of mistake it is, in the check's own words: ``missing``, ``format``, ``fact`` …"""
    why: str = ""


class CheckRun(Record):
    """How a check command ended; `why` is empty if it passed. Exactly one of `exit` and `signal` is set."""

    why: str = ""
    level: int
    """Isolation level that it ran at."""
    exit: int | None = None
    signal: int | None = None
    timed_out: bool = False
    stdout: str = ""
    """The beginning of it, as of `stderr`."""
    stderr: str = ""
    seconds: float
    faults: tuple[CheckFault, ...] = ()
    """What it found wrong, where it says so."""

    @property
    def passed(self) -> bool:
        """Whether status and output were as expected, in time."""
        return not self.why


class RuleOutcome(Record):
    """Whether an examined preference was kept, and if not, what broke it."""

    dimension: str
    passed: bool
    why: str = ""


class ChoiceDetail(Record):
    """Of a multi_choice round."""

    kind: Literal["multi_choice"] = "multi_choice"
    statements: Agreement


class CheckDetail(Record):
    """Of an exec_check round."""

    kind: Literal["exec_check"] = "exec_check"
    check: CheckRun


class PreferenceDetail(Record):
    """Of a preference round."""

    kind: Literal["preference"] = "preference"
    rules: dict[str, RuleOutcome]
    """By the preference's id."""
    check: CheckRun | None = None


class RevisionDetail(Record):
    """Of a revision round."""

    kind: Literal["revision"] = "revision"
    of: str
    """The earlier round."""
    cited: tuple[str, ...]
    """What arrived with the update and is named in the reply."""
    was_stale: bool | None
    """Whether the earlier answer was the conclusion of the old evidence; None when there was none."""
    revised: bool
    statements: Agreement | None = None
    """None when no letters could be read."""


class StateDetail(Record):
    """Of a round that is judged by the state which it leaves in the scenario's environment."""

    kind: Literal["state"] = "state"
    progress: float
    """Share of what was wanted that holds: 0 in the state before, 1 in an accepted one."""
    partial: float | None = None
    """Partial credit by the formula of the benchmark that the round is of; None where it has none."""
    baseline: float | None = None
    """`partial` of doing nothing."""
    commands: int = 0
    """How many were executed."""
    excess: bool = False
    """Whether many more were than a solution needs."""
    missing: tuple[str, ...] = ()
    """What was wanted and does not hold."""
    reasons: tuple[str, ...] = ()
    """What came nearest to each of `missing`, and what of it does not fit."""
    violations: tuple[str, ...] = ()
    """What was changed and should not have been."""
    forbidden: tuple[str, ...] = ()
    """What was done that must not be done even if it is undone."""
    first_wrong: int | None = None
    """The first command, from 1, that led away; None where none did."""
    unread: tuple[str, ...] = ()
    """What decides the task and was not looked at before the first change."""
    bypasses: tuple[str, ...] = ()
    """Tools that the harness used and that do not work in the environment."""


class OtherDetail(Record):
    """Of a question type that a plugin brings: facts of its own choice."""

    kind: Literal["other"] = "other"
    facts: dict[str, JsonValue] = Field(default_factory=dict)


Detail = ChoiceDetail | CheckDetail | PreferenceDetail | RevisionDetail | StateDetail | OtherDetail

_AGREEMENT: Final = frozenset(Agreement.model_fields)


def _typed(value: Any) -> Any:
    """A detail of an earlier version, a mapping without `kind`, as the record of the type that its keys are of."""
    if not isinstance(value, Mapping) or "kind" in value:
        return value
    try:
        return _earlier(dict(value)) if value else None
    except ValidationError:
        return OtherDetail(facts=dict(value))


def _earlier(facts: dict[str, Any]) -> Detail:
    statements = {name: facts[name] for name in _AGREEMENT & set(facts)}
    if "was_stale" in facts:
        own = {name: value for name, value in facts.items() if name not in _AGREEMENT}
        return RevisionDetail.model_validate({**own, "statements": statements or None})
    if "rules" in facts:
        return PreferenceDetail.model_validate(facts)
    if statements:
        return ChoiceDetail.model_validate({"statements": facts})
    return CheckDetail.model_validate({"check": facts})


ScoreDetail = Annotated[Annotated[Detail, Field(discriminator="kind")] | None, BeforeValidator(_typed)]
"""The detail of a score, None where there is none; reads those of earlier versions."""
