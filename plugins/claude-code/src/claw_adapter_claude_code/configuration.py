"""What Claude Code is told: its command line, its settings, and the variables of its process."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any, Final

from claw_adapter.harness import TrialContext
from claw_adapter_claude_code.options import Options, tools

__all__ = ["KEY", "MCP", "MEMORY", "arguments", "environment", "servers", "settings"]

KEY: Final = "key"
"""File with the trial's key. In a variable, every command that the agent runs would have it."""
MCP: Final = "mcp.json"
"""File with the MCP servers that the scenario's environment brings."""
MEMORY: Final = "memory"
"""Folder of what it remembers by itself, beside its sessions: its own place for it is named after the workspace's path."""
PATIENCE: Final = str(86_400_000)
"""Milliseconds it waits for the model, a day: our deadline decides."""


def arguments(options: Options) -> list[str]:
    """The command line behind the program's name, but for the session."""
    limit = ["--max-turns", str(options.max_requests)] if options.max_requests else []
    effort = ["--effort", options.effort] if options.effort else []
    return [
        *("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"),
        *("--permission-mode", options.permission_mode, "--tools", ",".join(tools(options))),
        # No servers and no commands but ours: a prompt that begins with "/" is a question.
        *("--strict-mcp-config", "--disable-slash-commands", *limit, *effort),
    ]


def servers(ctx: TrialContext) -> dict[str, Any]:
    """The file `MCP`."""
    return {
        "mcpServers": {
            one.name: {"command": one.command[0], "args": list(one.command[1:]), "env": dict(one.env)}
            for one in ctx.mcp
        }
    }


def settings(ctx: TrialContext, options: Options) -> dict[str, Any]:
    """Its ``settings.json``."""
    return {
        "apiKeyHelper": f"cat {shlex.quote(str(ctx.inside(ctx.state_dir / KEY)))}",
        # Without a window that it knows, it would compact by that of a model it takes ours for.
        "autoCompactEnabled": ctx.endpoint.window is not None,
        "autoMemoryEnabled": options.memory,
        "autoMemoryDirectory": str(ctx.inside(ctx.state_dir / MEMORY)),
        "permissions": {
            "defaultMode": options.permission_mode,
            **({"allow": [f"mcp__{server.name}" for server in ctx.mcp]} if ctx.mcp else {}),
        },
        "attribution": {"commit": "", "pr": ""},
        # It deletes sessions by their age.
        "cleanupPeriodDays": 36_500,
    }


def environment(ctx: TrialContext, options: Options, folder: Path) -> dict[str, str]:
    """Variables of its process; `folder` holds its settings and sessions."""
    models = ["ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL"]
    models += [f"ANTHROPIC_DEFAULT_{size}_MODEL" for size in ("HAIKU", "SONNET", "OPUS", "FABLE")]
    off = ("NONESSENTIAL_TRAFFIC", "BACKGROUND_TASKS", "CRON", "BUNDLED_SKILLS", "TERMINAL_TITLE")
    memory = {} if options.memory else {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}
    path = {"PATH": f"{options.path_prepend}:{os.environ.get('PATH', os.defpath)}"} if options.path_prepend else {}
    # Else a server that starts slowly is missing from the first requests, and it may end a call before our deadline.
    waiting = {"MCP_CONNECTION_NONBLOCKING": "false", "MCP_TIMEOUT": PATIENCE, "MCP_TOOL_TIMEOUT": PATIENCE}
    return {
        "TZ": "UTC",
        "TMPDIR": str(ctx.inside(ctx.state_dir / "tmp")),
        "CLAUDE_CONFIG_DIR": str(ctx.inside(folder)),
        "ANTHROPIC_BASE_URL": ctx.endpoint.anthropic,
        **dict.fromkeys(models, ctx.endpoint.model),
        **{f"CLAUDE_CODE_DISABLE_{name}": "1" for name in off},
        **memory,
        **path,
        **(waiting if ctx.mcp else {}),
        "DISABLE_AUTOUPDATER": "1",
        **_window(ctx.endpoint.window),
        "ENABLE_TOOL_SEARCH": "false",
        "CLAUDE_CODE_MAX_RETRIES": str(options.retries),
        "API_TIMEOUT_MS": PATIENCE,
        "CLAUDE_STREAM_IDLE_TIMEOUT_MS": PATIENCE,
        # Else commands run where the last one has gone, over turns, and at the top again once the session is resumed.
        "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR": "1",
        # Else it refuses permission_mode bypassPermissions to root. The isolation is ours.
        "IS_SANDBOX": "1",
    }


def _window(tokens: int | None) -> dict[str, str]:
    """What it is told of the model's window."""
    if tokens is None:
        return {"DISABLE_COMPACT": "1"}
    return {"CLAUDE_CODE_MAX_CONTEXT_TOKENS": str(tokens), "CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(tokens)}
