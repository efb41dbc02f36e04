"""What NanoBot is told: its configuration, and the variables of its process."""

from __future__ import annotations

from typing import Any, Final

from claw_adapter.harness import TrialContext
from claw_adapter_nanobot.options import Options

__all__ = ["configuration", "environment"]

PATIENCE: Final = "3600"
"""Seconds without a byte from the model before NanoBot gives up: the most it accepts, so that our deadline decides. The same
for a tool of an MCP server."""


def _provider(ctx: TrialContext, options: Options) -> dict[str, Any]:
    """The one provider: our endpoint."""
    anthropic = options.dialect == "anthropic-messages"
    told = {"apiKey": ctx.endpoint.key, "apiBase": ctx.endpoint.anthropic if anthropic else ctx.endpoint.openai}
    if options.provider == "openai":
        told["apiType"] = "responses" if options.dialect == "openai-responses" else "chat_completions"
    return told


def _servers(ctx: TrialContext) -> dict[str, Any]:
    """The MCP servers of the scenario's environment."""
    return {
        server.name: {
            "command": server.command[0],
            "args": list(server.command[1:]),
            "env": dict(server.env),
            "toolTimeout": int(PATIENCE),
        }
        for server in ctx.mcp
    }


def configuration(ctx: TrialContext, options: Options, token: str = "") -> dict[str, Any]:
    """NanoBot's ``config.json``: one provider, our endpoint; nothing that acts by itself or leaves the machine.

    `token` is what NanoBot's own server asks of us, in mode ``serve``.
    """
    return {
        "agents": {
            "defaults": {
                "workspace": str(ctx.inside(ctx.workspace)),
                "model": ctx.endpoint.model,
                "provider": options.provider,
                "timezone": "UTC",
                # Seeded histories are old: by default NanoBot would summarise them, with model requests of its own.
                "idleCompactAfterMinutes": 0,
                "dream": {"enabled": False},
                "contextWindowTokens": ctx.endpoint.window or options.context_window,
                "maxTokens": ctx.endpoint.reply_tokens(options.max_tokens),
                "maxToolIterations": options.max_iterations,
            }
        },
        "providers": {options.provider: _provider(ctx, options)},
        **({"api": {"apiKey": token}} if token else {}),
        "tools": {
            "restrictToWorkspace": options.restrict,
            "web": {"enable": False},
            "exec": {"enable": options.exec, "pathPrepend": options.path_prepend},
            "cliApps": {"enable": False},
            **({"mcpServers": _servers(ctx)} if ctx.mcp else {}),
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
