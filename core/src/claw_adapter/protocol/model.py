"""The fixed model of a run: what answers at the endpoint, and how it is sampled."""

from __future__ import annotations

from typing import Final, Literal, Self

from pydantic import Field, JsonValue, model_validator

from claw_adapter.protocol.base import Record

__all__ = ["ATTACHED", "BUILT_IN", "ModelSpec", "ReaderPolicy", "ServerRecord"]

ReaderPolicy = Literal["careful", "hasty", "forgetful"]
BUILT_IN: Final = ("reader", "scripted", "openai", "anthropic", "openai-responses", "replay")
"""Kinds of models that no plugin brings."""


class ModelSpec(Record):
    """A model as a run names it.

    `kind` is ``reader`` (the embedded evidence model), ``scripted`` (fixed replies for tests) or ``openai`` (an
    OpenAI-compatible upstream at `base_url`, whose key is read from the environment variable `key_env` and never stored);
    `anthropic` and `openai-responses` are upstreams of those dialects, `replay` answers from a recorded run; any other kind
    is the name of a plugin that brings an upstream or a model, which gets `options`. `options["faults"]` schedules faults for
    any kind.
    """

    name: str
    kind: str = "openai"
    model: str = ""
    """The id sent upstream; the name when empty. Harnesses always see `name`."""
    base_url: str = ""
    key_env: str = ""
    sampling: Literal["pin", "pass"] = "pin"
    """``pin`` replaces what the harness asked for by `params`; ``pass`` lets it through. Both record what was asked."""
    params: dict[str, JsonValue] = Field(default={"temperature": 0})
    policy: ReaderPolicy = "careful"
    budget: int = Field(default=24, ge=0)
    """Tool calls the reader may make in one turn."""
    script: tuple[JsonValue, ...] = ()
    options: dict[str, JsonValue] = Field(default_factory=dict)
    window: int | None = Field(default=None, ge=1)
    """Tokens (cl100k) that a request may have; beyond it the endpoint answers as providers do. None: whatever the upstream
    takes."""
    tell_window: bool = True
    """Whether harnesses are told the window (`Endpoint.window`)."""
    embedded: bool = False
    """True where a plugin's program answers in the endpoint's process; an experiment fills it in."""
    timeout: float = Field(default=600.0, gt=0)
    """Seconds that one upstream request may take."""

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if self.kind == "openai" and not self.base_url:
            raise ValueError("a model of kind 'openai' needs 'base_url'")
        return self

    @property
    def told_window(self) -> int | None:
        """The window, where harnesses are told it."""
        return self.window if self.tell_window else None

    @property
    def measures_ability(self) -> bool:
        """False for the reader, scripts and plugins' programs: their scores do not say what a model can do."""
        kind = self.options.get("kind") if self.kind == "replay" else self.kind
        return not self.embedded and kind not in ("reader", "scripted")

    @property
    def plugin_options(self) -> dict[str, JsonValue]:
        """What the plugin of its kind is made with: the options without the schedule of faults."""
        return {key: value for key, value in self.options.items() if key != "faults"}


ATTACHED: Final = "attached to"
"""In `ServerRecord.about`: the address of a server that somebody else had started."""


class ServerRecord(Record):
    """What an upstream plugin served a model of the run with, once; a continued run has several of these."""

    model: str
    """The model's name in the run."""
    kind: str
    """The plugin."""
    about: dict[str, str] = Field(default_factory=dict)
    """Versions, the digest of the weights, how it was started."""
    metrics: dict[str, float] = Field(default_factory=dict)
    """How much the server's counters grew meanwhile, by their own names."""
    began: str
    ended: str
    fault: str = ""
    """Why it ended by itself."""

    @property
    def own(self) -> bool:
        """Whether the run started it, so that nobody asks money for its tokens."""
        return ATTACHED not in self.about
