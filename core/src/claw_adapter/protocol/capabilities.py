"""What an adapter declares about a harness. Certification verifies every entry in both directions."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, JsonValue, model_validator

from claw_adapter.protocol.base import Record
from claw_adapter.protocol.limits import RENDERINGS, Loss, Rendering
from claw_adapter.protocol.turn import UsageKind

__all__ = ["Capabilities", "Dialect", "HistoryRoute", "Probe", "SubAgent", "Support"]

Dialect = Literal["openai-chat", "openai-responses", "anthropic-messages"]
HistoryRoute = Literal["native", "files", "none"]


class Support(Record):
    """Whether something works: ``full``, from a version on (``since``), or not, with the reason."""

    state: Literal["full", "since", "unsupported", "not_implemented", "unknown"] = "unknown"
    version: str = ""
    reason: str = ""

    @model_validator(mode="after")
    def _explained(self) -> Self:
        if self.state == "since" and not self.version:
            raise ValueError("support 'since' names a version")
        if self.state in ("unsupported", "not_implemented") and not self.reason:
            raise ValueError(f"support {self.state!r} gives its reason")
        return self

    @classmethod
    def full(cls) -> Self:
        """It works."""
        return cls(state="full")

    @classmethod
    def unsupported(cls, reason: str) -> Self:
        """The harness cannot do it."""
        return cls(state="unsupported", reason=reason)

    @classmethod
    def not_implemented(cls, reason: str) -> Self:
        """The harness could, the adapter does not."""
        return cls(state="not_implemented", reason=reason)

    def __bool__(self) -> bool:
        return self.state in ("full", "since")


class SubAgent(Record):
    """A tool that gives a task to another agent, waits for it, and has what that says at last as its result."""

    tool: str
    task: str
    """The argument that takes the task."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    """What else it must be given, the same for any task."""


class Capabilities(Record):
    """What a harness can do through its adapter. What is not said is ``unknown``, and unknown fails certification."""

    turns: Support = Support()
    resume_after_restart: Support = Support()
    seed_main: Support = Support()
    seed_history: HistoryRoute = "none"
    update_workspace: Support = Support()
    update_session: Support = Support()
    cancel: Support = Support()
    stream_events: Support = Support()
    usage: UsageKind = "none"
    endpoint_override: tuple[Dialect, ...] = ()
    concurrent: Support = Support()
    isolation_of_state: Support = Support()
    overlay_skills: Support = Support()
    deterministic_replay: Support = Support()
    mcp: Support = Support()
    """Whether it starts the MCP servers that an environment brings (`claw_adapter.harness.TrialContext.mcp`)."""
    sub_agent: SubAgent | None = None
    """Which of its tools has another agent work, and waits for that; not one that only begins it."""
    memory_files: tuple[str, ...] = ()
    """Glob patterns, relative to the workspace, of files that the harness keeps there for itself: they are no work
    products, so workspace differences leave them out, unless the scenario brings them or a prompt names them."""
    renderings: tuple[Rendering, ...] = ()
    """How it writes what it is given, where nothing is lost by that."""
    losses: tuple[Loss, ...] = ()
    """What it loses of what it is given, with the numbers; `claw audit` allows nothing else."""
    notes: tuple[str, ...] = ()
    """What else cannot be made equal to other harnesses, true for the options; printed in every result.

    Renderings and losses are printed by themselves. Sizes of requests do not belong here: the result has the system prompt's
    characters and the tools as they were measured."""

    @property
    def described(self) -> tuple[str, ...]:
        """The notes, what it loses, and how it writes what it is given: a sentence each."""
        written = "; ".join(RENDERINGS[name] for name in self.renderings)
        return (*self.notes, *map(str, self.losses), *((f"rendered: {written}",) if written else ()))

    @classmethod
    def full(cls, **others: Any) -> Self:
        """Everything works, but for what `others` say, which may be any of the fields."""
        works = {name: Support.full() for name, field in cls.model_fields.items() if field.annotation is Support}
        return cls.model_validate({**works, **others})


class Probe(Record):
    """What was found on this machine, without side effects."""

    ready: bool
    versions: dict[str, str] = Field(default_factory=dict)
    reason: str = ""
    remedy: str = ""
