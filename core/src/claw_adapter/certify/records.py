"""The outcome of a certification, as records with a published JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field, JsonValue

from claw_adapter.certify.demand import Level
from claw_adapter.notation import render_named
from claw_adapter.protocol import Capabilities, Support
from claw_adapter.protocol.base import Record

__all__ = [
    "FORMAT",
    "Adapter",
    "CheckResult",
    "Outcome",
    "Report",
    "Turned",
    "described_capabilities",
    "read_capabilities",
]

FORMAT: Final = "certification/1"

Outcome = Literal["passed", "failed", "expected", "unsupported", "unverified", "kit"]
"""``expected`` is a failure that the baseline allows, ``unsupported`` what the adapter says it cannot do, ``unverified`` what
cannot be known on this machine, ``kit`` a fault of the kit itself."""


Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Turned(Record):
    """Where a turn stands in the evidence: ``evidence/<trial>/transcript.jsonl``, exchanges of this round."""

    trial: str
    round: str


class CheckResult(Record):
    """One check, judged. `owner` is whose fault a failure is: adapter, harness, overlay or kit."""

    id: str
    level: Level
    must: str
    title: str
    catches: str
    outcome: Outcome
    owner: Literal["", "adapter", "harness", "overlay", "kit"] = ""
    what: str = ""
    remedy: str = ""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: Seconds = 0.0
    trials: tuple[str, ...] = ()
    turns: tuple[Turned, ...] = ()
    usual: bool = True
    """False: the turn, or opening, failed by itself, which says nothing of the bug that the check catches."""

    @property
    def bug(self) -> str:
        """The MUST and the usual bug, as far as that is what was seen."""
        return f"{self.must}: {self.catches}" if self.usual else ""


def described_capabilities(capabilities: Capabilities) -> dict[str, str]:
    """What an adapter declares, field by field, as a person reads it."""
    return {
        name: value.state + (f": {value.reason or value.version}" if value.reason or value.version else "")
        if isinstance(value, Support)
        else ", ".join(map(str, value))
        if isinstance(value, tuple)
        else str(value)
        for name, value in capabilities
    }


def read_capabilities(described: Mapping[str, str]) -> Capabilities:
    """What an adapter declares that checks need, from such a description; the rest is as if nothing were declared.

    Raises:
        ValueError: nobody describes it so.
    """
    told: dict[str, Any] = {name: described[name] for name in ("seed_history", "usage") if name in described}
    for name, field in Capabilities.model_fields.items():
        if field.annotation is Support:
            state, _, why = described.get(name, "unknown").partition(": ")
            told[name] = {"state": state, "version" if state == "since" else "reason": why}
    return Capabilities.model_validate(told)


class Adapter(Record):
    """What was certified."""

    name: str
    kind: str
    """The class, ``module.Name``."""
    distribution: str = ""
    version: str = ""
    digest: str = ""
    """Of its code, see `digests.code_digest`."""
    versions: dict[str, str]
    """What its probe found: the harness and whatever it stands on."""
    capabilities: dict[str, str]
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """What it was given after its name."""
    overlays: tuple[str, ...] = ()
    """What stood between it and the model, the first nearest to the model."""
    dependencies: dict[str, str] = Field(default_factory=dict)
    """Distribution → digest of its code, of what the adapter's own distribution stands on."""
    programs: dict[str, str] = Field(default_factory=dict)
    """Name → sha256 of each file that was started, or named to what was started: the vendor's program."""

    @property
    def label(self) -> str:
        """Name, overlays and options as they are typed."""
        return render_named(self.name, self.options, self.overlays)


class Report(Record):
    """``report.json``."""

    format: Literal["certification/1"] = FORMAT
    spec: str
    requirement_set: str
    requirement_digest: str
    kit: str
    """Version of claw-adapter."""
    kit_digest: str = ""
    """Of the code of claw-adapter, see `digests.code_digest`."""
    adapter: Adapter
    nonce: str = ""
    """What the plans were drawn from."""
    isolation: int
    asked: Level
    certified: bool
    """Certified mode: nothing of the level may be left out or excused."""
    reached: Level | None
    """The highest level all of whose checks passed."""
    ok: bool
    problems: tuple[str, ...] = ()
    """What beside failed checks makes `ok` false: entries of the baseline that are stale or expired, things left out."""
    started: str
    seconds: Seconds
    platform: str
    results: tuple[CheckResult, ...]
    never_called: tuple[str, ...] = ()
    """Tools that the harness offered, and that no reply of the model called: nothing is known of them."""
    never_given: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Of tools that were called, parameters that never had a value (``path``, ``edits[].old``), and choices never made
    (``mode=append``)."""
    left_out: tuple[str, ...] = ()
    """Checks of the level that was asked for which were not made: only some were named, or it was cut short."""
    not_scored: dict[str, str]
    evidence: str
    """Digest of the evidence folder, see `digests.folder_digest`."""

    def count(self, outcome: Outcome) -> int:
        """How many checks came out like this."""
        return sum(result.outcome == outcome for result in self.results)
