"""The options of an experiment for this harness, and what NanoBot is told because of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, Self

from claw_adapter.errors import AdapterError
from claw_adapter.harness import TrialContext

__all__ = ["Options", "configuration", "environment"]

PATIENCE: Final = "3600"
"""Seconds without a byte from the model before NanoBot gives up: the most it accepts, so that our deadline decides."""
CHOICES: Final = {
    "mode": ("bridge", "cli"),
    "histories": ("native", "files"),
    "dialect": ("openai-chat", "anthropic-messages"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set.

    Attributes:
        mode: ``bridge`` keeps one NanoBot for the whole conversation; ``cli`` starts its command once per turn.
        histories: ``native`` puts histories into its session store, ``files`` leaves them to core.
        dialect: how it speaks to the model.
        exec: whether it has its shell tool.
        context_window, max_tokens, max_iterations: NanoBot's own limits; None leaves its defaults.
        path_prepend: folders put in front of the PATH of its shell tool.
    """

    mode: Literal["bridge", "cli"] = "bridge"
    histories: Literal["native", "files"] = "native"
    dialect: Literal["openai-chat", "anthropic-messages"] = "openai-chat"
    exec: bool = True
    context_window: int | None = None
    max_tokens: int | None = None
    max_iterations: int | None = None
    path_prepend: str = ""

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says.

        Raises:
            AdapterError: an unknown option, or a value it cannot have.
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(given) - known):
            raise AdapterError(
                f"no option {unknown[0]!r}", where="harness nanobot", remedy=f"It has: {', '.join(sorted(known))}."
            )
        for name, choices in CHOICES.items():
            if given.get(name, choices[0]) not in choices:
                raise AdapterError(
                    f"{given[name]!r} is neither {' nor '.join(map(repr, choices))}",
                    where=f"harness nanobot, option {name!r}",
                )
        return cls(**given)


def configuration(ctx: TrialContext, options: Options) -> dict[str, Any]:
    """NanoBot's ``config.json``: one provider, our endpoint; nothing that acts by itself or leaves the machine."""
    anthropic = options.dialect == "anthropic-messages"
    provider = "anthropic" if anthropic else "custom"
    limits = {
        "contextWindowTokens": options.context_window,
        "maxTokens": options.max_tokens,
        "maxToolIterations": options.max_iterations,
    }
    return {
        "agents": {
            "defaults": {
                "workspace": str(ctx.workspace),
                "model": ctx.endpoint.model,
                "provider": provider,
                "timezone": "UTC",
                # Seeded histories are old: by default NanoBot would summarise them, with model requests of its own.
                "idleCompactAfterMinutes": 0,
                "dream": {"enabled": False},
                **{key: value for key, value in limits.items() if value is not None},
            }
        },
        "providers": {
            provider: {
                "apiKey": ctx.endpoint.key,
                "apiBase": ctx.endpoint.anthropic if anthropic else ctx.endpoint.openai,
            }
        },
        "tools": {
            "restrictToWorkspace": True,
            "web": {"enable": False},
            "exec": {"enable": options.exec, "pathPrepend": options.path_prepend},
            "cliApps": {"enable": False},
        },
        "channels": {"sendProgress": False, "sendToolHints": False, "showReasoning": False},
        "gateway": {"heartbeat": {"enabled": False}},
    }


def environment(vocabulary: str) -> dict[str, str]:
    """Variables for NanoBot's process; `vocabulary` is the folder with tiktoken's cl100k_base."""
    return {
        "TZ": "UTC",
        "TIKTOKEN_CACHE_DIR": vocabulary,
        "NANOBOT_STREAM_IDLE_TIMEOUT_S": PATIENCE,
        "NANOBOT_OPENAI_COMPAT_TIMEOUT_S": PATIENCE,
        "DO_NOT_TRACK": "1",
    }
