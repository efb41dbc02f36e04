"""What one turn of a conversation yields: text or a failure, events, usage, timing."""

from __future__ import annotations

from typing import Final, Literal, Self

from pydantic import Field, JsonValue, NonNegativeFloat, NonNegativeInt, model_validator

from claw_adapter.errors import (
    ClawError,
    EndpointError,
    EndpointMalformedError,
    EndpointTransientError,
    HarnessNotFound,
    OverlayNotFound,
    Owner,
)
from claw_adapter.machine import machine_error, system_error
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.session import Session

__all__ = ["EVENT_CHARACTERS", "Checkpoint", "Event", "Failure", "ReportedUsage", "Timing", "TurnResult", "UsageKind"]

UsageKind = Literal["none", "per_turn", "cumulative", "last_request"]


class Failure(Record):
    """An error as data: whose it was, its class, and what to do."""

    owner: Owner
    kind: str
    what: str
    where: str = ""
    remedy: str = ""
    passing: bool = False
    """Whether another attempt may succeed: a fault of the harness or the provider, not a credential or a missing program."""

    @classmethod
    def of(cls, error: BaseException, *, owner: Owner = Owner.ADAPTER) -> Self:
        """The record of an exception; anything but a `ClawError` belongs to `owner`.

        What came of a shortage (no space, no descriptors, no memory) is the machine's, whoever met it.
        """
        error = machine_error(error) or error
        if isinstance(error, ClawError):
            return cls(
                owner=error.owner,
                kind=type(error).__name__,
                what=error.what,
                where=error.where,
                remedy=error.remedy,
                passing=_passing(error),
            )
        if isinstance(error, OSError) and error.errno is not None:
            told = system_error(error)
            return cls(owner=owner, kind=type(error).__name__, what=told.what, where=told.where, remedy=told.remedy)
        return cls(owner=owner, kind=type(error).__name__, what=str(error) or repr(error))


def _passing(error: ClawError) -> bool:
    if isinstance(error, EndpointError):
        return isinstance(error, EndpointTransientError | EndpointMalformedError)
    return error.owner in (Owner.HARNESS, Owner.OVERLAY) and not isinstance(error, HarnessNotFound | OverlayNotFound)


EVENT_CHARACTERS: Final = 20_000
"""Characters of a text or a result behind which an event may end."""


class Event(Record):
    """Something the harness did during the turn, in order; `at` is seconds since the prompt was sent.

    A result is what the model was given, `EVENT_CHARACTERS` of it at least.
    """

    kind: Literal["tool_call", "tool_result", "text", "note"]
    at: NonNegativeFloat = 0.0
    id: str = ""
    name: str = ""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    text: str = ""
    is_error: bool = False


class ReportedUsage(Record):
    """Token counts as the harness reports them, with what they mean; never summed with counts of another kind."""

    kind: UsageKind
    input: NonNegativeInt = 0
    output: NonNegativeInt = 0
    cached: NonNegativeInt = 0


class Timing(Record):
    """Seconds. `own` is the adapter's share: what `total` holds beside the harness's own work."""

    total: NonNegativeFloat = 0.0
    own: NonNegativeFloat = 0.0


class TurnResult(Record):
    """The outcome of one prompt. Exactly one of `text` (not empty) and `error` is set."""

    text: str = ""
    error: Failure | None = None
    events: tuple[Event, ...] = ()
    usage: ReportedUsage | None = None
    timing: Timing = Timing()

    @model_validator(mode="after")
    def _text_or_error(self) -> Self:
        if self.error is None and not self.text.strip():
            raise ValueError("a turn without an error has an answer; report EmptyAnswer instead")
        return self


class Checkpoint(Record):
    """Enough to open the conversation again in a fresh state directory.

    `sessions` are neutral and complete, main first; `files` are opaque state files by path relative to the state directory.
    `overlays` are the state files of overlays by label; the runner puts them in, no adapter does.
    """

    sessions: tuple[Session, ...] = ()
    files: dict[str, bytes] = Field(default_factory=dict)
    overlays: dict[str, dict[str, bytes]] = Field(default_factory=dict)
