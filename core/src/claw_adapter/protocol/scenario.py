"""``scenario/1``: the neutral scenario. The visible part is here, the hidden part in `claw_adapter.protocol.gold`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, JsonValue, StringConstraints, model_validator

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.session import Session, SessionKind
from claw_adapter.protocol.tags import RoundTags, Tags
from claw_adapter.protocol.update import Update

__all__ = [
    "SCENARIO_VERSION",
    "EnvironmentSpec",
    "Identifier",
    "Manifest",
    "Round",
    "RoundFile",
    "Scenario",
    "SessionEntry",
    "Stage",
]

SCENARIO_VERSION = "scenario/1"

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
"""A name that is safe as a file name, a session key and a command-line word."""


Stage = Literal["calibration", "feedback", "session_implicit", "silent"]
"""Stages of the preference protocol (ClawArena v2 §3.3); only silent rounds are exams."""


class SessionEntry(Record):
    """A session as ``scenario.yaml`` lists it; its messages are in ``sessions/<id>.jsonl``."""

    id: Identifier
    kind: SessionKind = "direct"
    channel: str = "main"
    title: str = ""
    participants: tuple[str, ...] = ()


class EnvironmentSpec(Record):
    """The environment that a scenario is played in, by the name of its plugin."""

    name: str
    options: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _alone(cls, given: Any) -> Any:
        return {"name": given} if isinstance(given, str) else given


class Manifest(Record):
    """``scenario.yaml``."""

    version: Literal["scenario/1"] = Field(alias="schema")
    id: Identifier
    title: str
    domain: str = ""
    language: str = "en"
    tags: Tags = Field(default_factory=dict)
    """Tags that every round has, unless it says otherwise under the same name."""
    clock: datetime
    main: SessionEntry
    histories: tuple[SessionEntry, ...] = ()
    environment: EnvironmentSpec | None = None
    """What stands beside the workspace; None where nothing does."""
    canary: str = ""
    """A text that stands in these data and nowhere else: a corpus that has it holds the scenario. No agent is shown it."""

    @model_validator(mode="after")
    def _unique(self) -> Self:
        ids = [self.main.id, *(h.id for h in self.histories)]
        if twice := {i for i in ids if ids.count(i) > 1}:
            raise ValueError(f"session id used twice: {', '.join(sorted(twice))}")
        if self.clock.tzinfo is None:
            raise ValueError("'clock' needs a time zone")
        return self


class Round(Record):
    """One question. `type` names a question type; `options` are the statements of a multi_choice or revision round.

    `language` is the scenario's, unless the round says otherwise: what is put around the question is in that language.
    """

    id: Identifier
    type: str
    question: str
    options: dict[Annotated[str, StringConstraints(pattern=r"^[A-Z]$")], str] = Field(default_factory=dict)
    updates: tuple[Identifier, ...] = ()
    tags: RoundTags = RoundTags()
    stage: Stage | None = None
    language: str = ""


class RoundFile(Record):
    """``rounds.yaml``."""

    rounds: tuple[Round, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _unique(self) -> Self:
        seen: set[str] = set()
        used: set[str] = set()
        for item in self.rounds:
            if item.id in seen:
                raise ValueError(f"round id {item.id!r} occurs twice")
            if again := used.intersection(item.updates):
                raise ValueError(f"update {min(again)!r} is applied by two rounds; an update applies once")
            seen.add(item.id)
            used.update(item.updates)
        return self


class Scenario(Record):
    """A loaded scenario without its hidden part. `root` is the folder it came from; harnesses never get to see it."""

    root: Path
    manifest: Manifest
    sessions: tuple[Session, ...]
    """Main session first, then the histories in the order of the manifest."""
    rounds: tuple[Round, ...]
    updates: dict[str, Update]
    digest: str
    """sha256 over every file of the scenario, the hidden part included."""

    @property
    def id(self) -> str:
        """The scenario's id."""
        return self.manifest.id

    @property
    def main(self) -> Session:
        """The main session."""
        return self.sessions[0]

    @property
    def histories(self) -> tuple[Session, ...]:
        """The history sessions."""
        return self.sessions[1:]

    @property
    def workspace(self) -> Path:
        """The base tree of the workspace."""
        return self.root / "workspace"

    def expand(self, update_ids: tuple[str, ...]) -> Iterator[Update]:
        """The updates with these ids, groups replaced by what they contain, in order.

        Raises:
            ScenarioError: it has no update of that name.
        """
        for update_id in update_ids:
            update = self.updates.get(update_id)
            if update is None:
                raise ScenarioError(f"scenario {self.id!r} has no update {update_id!r}")
            if update.actions:
                yield update
            yield from self.expand(update.groups)
