"""The options of an experiment for this harness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Self

from claw_adapter.errors import AdapterError
from claw_adapter.harness import TrialContext
from claw_adapter.options import FromOne, FromZero, Seconds, checked

__all__ = ["Options", "in_environment"]

BESIDE: Final = (
    *("create_goal", "update_goal", "message", "my", "spawn"),
    *("list_sessions", "read_session", "search_sessions", "send_session_message"),
)
"""Its tools that work neither on files nor through programs: beside an environment that is reached by these."""
Provider = Literal["custom", "vllm", "openai", "anthropic"]
Dialect = Literal["openai-chat", "openai-responses", "anthropic-messages"]
PROVIDERS: Final[dict[Provider, tuple[Dialect, ...]]] = {
    "custom": ("openai-chat",),
    "vllm": ("openai-chat",),
    "openai": ("openai-responses", "openai-chat"),
    "anthropic": ("anthropic-messages",),
}
"""NanoBot's kinds of provider, and the dialects that each speaks; the first is its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set.

    Attributes:
        mode: ``bridge`` keeps one NanoBot for the whole conversation through its Python interface, ``serve`` through its own
            server, ``pty`` through its interactive command on a terminal; ``cli`` starts its command once per turn.
        histories: ``native`` puts histories into its session store, ``files`` leaves them to core.
        provider: NanoBot's kind of provider; by default the one that the dialect asks for.
        dialect: how it speaks to the model; by default the provider's own way.
        exec: whether it has its shell tool.
        context_window: tokens that NanoBot takes for the model's window if the endpoint tells none; what does not fit is
            summarised.
        max_tokens: tokens of one reply.
        max_iterations: model requests per turn; after them NanoBot asks once more, without tools. These three defaults are
            NanoBot's own.
        path_prepend: folders put in front of the PATH of its shell tool.
        restrict: whether it refuses paths, and commands that name paths, outside the workspace.
        tools_denied: tools that are taken away, by name; mode ``bridge`` only.
        retries: how often it repeats a failed model request.
        retry_pause: seconds before it does so for the first time; then twice as many, and so on. These two defaults are
            NanoBot's own, too.
    """

    mode: Literal["bridge", "cli", "serve", "pty"] = "bridge"
    histories: Literal["native", "files"] = "native"
    provider: Provider = "custom"
    dialect: Dialect = "openai-chat"
    exec: bool = True
    context_window: FromOne = 200_000
    max_tokens: FromOne = 8192
    max_iterations: FromOne = 200
    path_prepend: str = ""
    restrict: bool = True
    tools_denied: tuple[str, ...] = ()
    retries: FromZero = 3
    retry_pause: Seconds = 1.0

    @property
    def pauses(self) -> list[float]:
        """Seconds before each repetition of a failed model request."""
        return [self.retry_pause * 2**number for number in range(self.retries)]

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says.

        Raises:
            AdapterError: an unknown option, or a value it cannot have.
        """
        # "" stands for the default, which here depends on the other of the two.
        said = {name: value for name, value in given.items() if name not in ("provider", "dialect") or value != ""}
        options = checked(cls, said, "harness nanobot")
        if options.tools_denied and options.mode != "bridge":
            what = "tools are denied in mode 'bridge' only"
            raise AdapterError(
                what, where="harness nanobot, option 'tools_denied'", remedy="Use the option mode: bridge."
            )
        provider, dialect = _spoken(
            options.provider if "provider" in said else None, options.dialect if "dialect" in said else None
        )
        return replace(options, provider=provider, dialect=dialect)


def in_environment(given: Mapping[str, Any], ctx: TrialContext) -> dict[str, Any]:
    """The options where a scenario's environment brings programs or tools: what an experiment says, and other defaults.

    Programs come first on the PATH of its shell tool, and it refuses no paths then, as those of an environment need not be
    the machine's; it has no tools that work beside the environment.
    """
    if ctx.environment is None or not (ctx.environment.attached.path or ctx.mcp):
        return dict(given)
    alone: dict[str, Any] = {} if ctx.histories else {"histories": "files"}
    denied = {"tools_denied": list(BESIDE)} if given.get("mode", "bridge") == "bridge" else {}
    if not ctx.environment.attached.path:
        return {**alone, **denied, **given}
    path = ctx.environment.attached.search_path(given.get("path_prepend") or "")
    return {"restrict": False, **alone, **denied, **given, "path_prepend": path}


def _spoken(provider: Provider | None, dialect: Dialect | None) -> tuple[Provider, Dialect]:
    """Provider and dialect, each filled in by the other.

    Raises:
        AdapterError: NanoBot's provider does not speak that dialect.
    """
    if provider is None:
        spoken = dialect or "openai-chat"
        return next(name for name, known in PROVIDERS.items() if spoken in known), spoken
    dialect = dialect or PROVIDERS[provider][0]
    if dialect not in PROVIDERS[provider]:
        what = f"NanoBot's provider {provider!r} does not speak {dialect!r}"
        remedy = f"It speaks: {', '.join(PROVIDERS[provider])}."
        raise AdapterError(what, where="harness nanobot, option 'dialect'", remedy=remedy)
    return provider, dialect
