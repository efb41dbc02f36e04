"""The options of an experiment for this harness, and what Claude Code is told because of them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

from claw_adapter.harness import TrialContext
from claw_adapter.options import FromZero, checked

Permission = Literal["bypassPermissions", "acceptEdits", "default", "dontAsk", "plan"]
Effort = Literal["", "low", "medium", "high", "xhigh", "max"]

__all__ = [
    "KEY",
    "MCP",
    "MEMORY",
    "TOOLS",
    "Options",
    "arguments",
    "environment",
    "in_environment",
    "servers",
    "settings",
    "tools",
]

TOOLS: Final = ("Bash", "Edit", "Glob", "Grep", "Read", "Write")
"""Its tools for files and commands; without such a list there are 12 inline and 11 behind a search, web and timers too."""
KEY: Final = "key"
"""File with the trial's key. In a variable, every command that the agent runs would have it."""
MCP: Final = "mcp.json"
"""File with the MCP servers that the scenario's environment brings."""
MEMORY: Final = "memory"
"""Folder of what it remembers by itself, beside its sessions: its own place for it is named after the workspace's path."""
PATIENCE: Final = str(86_400_000)
"""Milliseconds it waits for the model, a day: our deadline decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set.

    Attributes:
        mode: ``live`` keeps one process for the whole conversation; ``turn`` starts one per turn, which resumes the session;
            ``acp`` speaks to it through the ACP server of its makers.
        permission_mode: what it may do without being allowed to; nobody is there to be asked, so the rest is denied.
        exec: whether it has its shell tool.
        memory: whether it may keep notes of its own, in the state directory.
        retries: how often it repeats a failed model request.
        max_requests: model requests per turn; 0 leaves them unlimited, so that a model which repeats itself is only stopped by
            the deadline.
        effort: how much the model is asked to think; empty leaves Claude Code's default.
        path_prepend: folders put in front of PATH, separated by ``:``.
    """

    mode: Literal["live", "turn", "acp"] = "live"
    permission_mode: Permission = "bypassPermissions"
    exec: bool = True
    memory: bool = True
    retries: FromZero = 2
    max_requests: FromZero = 250
    effort: Effort = ""
    path_prepend: str = ""

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says.

        Raises:
            AdapterError: an unknown option, or a value it cannot have.
        """
        return checked(cls, given, "harness claude-code")


def in_environment(given: Mapping[str, Any], ctx: TrialContext) -> dict[str, Any]:
    """The options where a scenario's environment brings programs or tools: what an experiment says, and other defaults.

    Programs come first on its PATH, and it keeps no notes of its own.
    """
    if ctx.environment is None or not (ctx.environment.attached.path or ctx.mcp):
        return dict(given)
    path = ctx.environment.attached.search_path(given.get("path_prepend") or "")
    return {"memory": False, **given, "path_prepend": path}


def tools(options: Options) -> list[str]:
    """The tools that it has."""
    return [name for name in TOOLS if options.exec or name != "Bash"]


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
        "apiKeyHelper": f"cat {shlex.quote(str(ctx.state_dir / KEY))}",
        "autoCompactEnabled": False,
        "autoMemoryEnabled": options.memory,
        "autoMemoryDirectory": str(ctx.state_dir / MEMORY),
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
    path = {"PATH": f"{options.path_prepend}:{_path()}"} if options.path_prepend else {}
    # Else a server that starts slowly is missing from the first requests, and it may end a call before our deadline.
    waiting = {"MCP_CONNECTION_NONBLOCKING": "false", "MCP_TIMEOUT": PATIENCE, "MCP_TOOL_TIMEOUT": PATIENCE}
    return {
        "TZ": "UTC",
        "TMPDIR": str(ctx.state_dir / "tmp"),
        "CLAUDE_CONFIG_DIR": str(folder),
        "ANTHROPIC_BASE_URL": ctx.endpoint.anthropic,
        **dict.fromkeys(models, ctx.endpoint.model),
        **{f"CLAUDE_CODE_DISABLE_{name}": "1" for name in off},
        **memory,
        **path,
        **(waiting if ctx.mcp else {}),
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_COMPACT": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "CLAUDE_CODE_MAX_RETRIES": str(options.retries),
        "API_TIMEOUT_MS": PATIENCE,
        "CLAUDE_STREAM_IDLE_TIMEOUT_MS": PATIENCE,
        # Else it refuses permission_mode bypassPermissions to root. The isolation is ours.
        "IS_SANDBOX": "1",
    }


def _path() -> str:
    import os

    return os.environ.get("PATH", os.defpath)
