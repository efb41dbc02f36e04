"""What is asked of a run: trials, and the settings they share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, JsonValue, PositiveInt, model_validator

from claw_adapter.protocol.base import Record
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.scenario import Identifier

__all__ = ["HarnessSpec", "OverlaySpec", "RunSettings", "TrialSpec"]


class HarnessSpec(Record):
    """A harness by plugin name; `label` tells two settings of the same harness apart."""

    name: str
    label: Identifier
    options: dict[str, JsonValue] = Field(default_factory=dict)


class OverlaySpec(Record):
    """An overlay by plugin name; `label` tells two settings of the same overlay apart, and is the name unless it is given."""

    name: str
    label: str
    options: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _labelled(cls, given: Any) -> Any:
        return {"label": given.get("name", ""), **given} if isinstance(given, dict) else given


class RunSettings(Record):
    """What all trials of a run share; part of its identity, so changing it means another run."""

    isolation: Annotated[int, Field(ge=0, le=2)] = 2
    deadline: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 600.0
    """Seconds one turn may take."""
    attempts: Annotated[int, Field(ge=1, le=10)] = 2
    """How often a round is tried when the harness or the endpoint fails."""
    compat: str | None = None
    max_memory: PositiveInt = 8_000_000_000
    """Bytes of memory that the processes of a harness may have together; a trial that goes over a limit is ended."""
    max_processes: PositiveInt = 1000
    max_disk: PositiveInt = 5_000_000_000
    """Bytes in workspace and state directory."""
    max_shm: PositiveInt = 500_000_000
    """Bytes in /dev/shm."""


class TrialSpec(Record):
    """One trial: scenario × harness × model × overlays × seed × repeat."""

    id: str
    scenario: str
    harness: HarnessSpec
    model: ModelSpec
    overlays: tuple[OverlaySpec, ...] = ()
    seed: int = 0
    """What the harness is given as its seed; rows are compared seed by seed."""
    repeat: PositiveInt = 1
    """Which of several trials that are asked for alike, from 1."""
    settings: RunSettings = RunSettings()
