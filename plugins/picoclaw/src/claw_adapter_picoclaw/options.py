"""The options of an experiment for this harness, and what PicoClaw is told because of them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

from claw_adapter.harness import TrialContext
from claw_adapter.options import FromOne, checked
from claw_adapter_picoclaw import hook

__all__ = ["MODEL", "SCRIPT", "Options", "configuration", "interpreter"]

MODEL: Final = "claw"
"""PicoClaw's own name for the only model there is; it never reaches the endpoint."""
SCRIPT: Final = Path(hook.__file__)
NEVER: Final = 1_000_000_000
"""Messages before it summarises a session; it has no switch for that."""
WINDOW: Final = 1_000_000
"""Tokens it may take the model's window for: so large that it never drops history by an estimate of its own."""
PATIENCE: Final = 86_400
"""Seconds it waits for the model and for our hook, a day: our deadline decides."""
OFF: Final = ("web", "web_fetch", "find_skills", "install_skill", "cron", "mcp")
"""Its tools that would leave the machine, or act later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set.

    Attributes:
        dialect: how it speaks to the model.
        exec: whether it has its shell tool.
        context_window: tokens; the default keeps PicoClaw from dropping history.
        max_tokens: tokens of one reply.
        max_iterations: model requests per turn.
        retries: how often it repeats a failed model request. These three defaults are PicoClaw's own.
    """

    dialect: Literal["openai-chat", "anthropic-messages"] = "openai-chat"
    exec: bool = True
    # 0 would mean PicoClaw's default, which the experiment did not ask for.
    context_window: FromOne = WINDOW
    max_tokens: FromOne = 32_768
    max_iterations: FromOne = 50
    retries: FromOne = 2

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says.

        Raises:
            AdapterError: an unknown option, or a value it cannot have.
        """
        return checked(cls, given, "harness picoclaw")


def interpreter() -> Path:
    """The Python that the hook runs on: not the link in a virtual environment, which is not shown inside the isolation."""
    return Path(sys.executable).resolve()


def configuration(ctx: TrialContext, options: Options) -> dict[str, Any]:
    """PicoClaw's ``config.json``, version 3: one model, our endpoint; nothing that acts by itself or leaves the machine."""
    defaults = {
        "workspace": str(ctx.inside(ctx.workspace)),
        "restrict_to_workspace": True,
        "model_name": MODEL,
        "context_window": ctx.endpoint.window or options.context_window,
        "summarize_message_threshold": NEVER,
        "summarize_token_percent": 100,
        "max_tokens": ctx.endpoint.reply_tokens(options.max_tokens),
        "max_tool_iterations": options.max_iterations,
        "max_llm_retries": options.retries,
    }
    tools: dict[str, Any] = {name: {"enabled": False} for name in OFF}
    return {
        "version": 3,
        "agents": {"defaults": defaults},
        "model_list": [_model(ctx, options)],
        "tools": {**tools, "exec": {"enabled": options.exec}},
        "heartbeat": {"enabled": False},
        "evolution": {"enabled": False},
        "hooks": _hooks(),
    }


def _model(ctx: TrialContext, options: Options) -> dict[str, Any]:
    anthropic = options.dialect == "anthropic-messages"
    return {
        "model_name": MODEL,
        "provider": "anthropic-messages" if anthropic else "openai",
        # Of a name such as "ollama/x" it would send "x"; it takes one such beginning away, so it gets one to take.
        "model": ctx.endpoint.model if anthropic else f"litellm/{ctx.endpoint.model}",
        "api_keys": [ctx.endpoint.key],
        "api_base": ctx.endpoint.anthropic if anthropic else ctx.endpoint.openai,
        "request_timeout": PATIENCE,
    }


def _hooks() -> dict[str, Any]:
    process = {
        "enabled": True,
        "command": [str(interpreter()), "-I", "-S", "-B", str(SCRIPT)],
        "intercept": ["after_llm", "before_tool", "after_tool"],
        "observe": list(hook.NOTED),
    }
    return {
        "enabled": True,
        "defaults": {"interceptor_timeout_ms": PATIENCE * 1000, "observer_timeout_ms": 60_000},
        "processes": {"claw": process},
    }
