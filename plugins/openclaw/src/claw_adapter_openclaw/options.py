"""The options of an experiment for this harness, and what OpenClaw is told because of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

from claw_adapter.harness import TrialContext
from claw_adapter.options import FromOne, FromZero, checked

__all__ = [
    "AGENT",
    "BRIDGE",
    "OWN_COMMAND",
    "SETTINGS",
    "STATE",
    "TOOLS",
    "Options",
    "configuration",
    "environment",
    "in_environment",
    "later",
    "settings",
    "tools",
]

AGENT: Final = "main"
BRIDGE: Final = "claw-bridge"
STATE: Final = "openclaw"
"""OpenClaw's own folder in the state directory; it starts faster if that is empty."""
SETTINGS: Final = Path(STATE, "agents", AGENT, "agent", "settings.json")
OWN_COMMAND: Final = Path(STATE, "tmp", "agent-cli", "openclaw")
"""The launcher of its own command line, which the gateway writes when it starts, in the state directory."""
PATIENCE: Final = 172_800
"""Seconds that OpenClaw gives a turn and a model that says nothing: its own largest default, so that our deadline decides."""
TOOLS: Final = (
    "read",
    "write",
    "edit",
    "apply_patch",
    "ls",
    "exec",
    "process",
    "sessions_list",
    "sessions_history",
    "sessions_search",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set.

    Attributes:
        mode: how prompts go to it, over ``http`` or ``acp``.
        histories: ``native`` puts histories into its session store, ``files`` leaves them to core.
        exec: whether it has its shell tools.
        skills: whether the skills that come with OpenClaw are offered; which of them depends on the machine.
        retries: how often OpenClaw repeats a failed model request.
        loop_detection: whether OpenClaw warns a model that repeats a tool call, and ends the turn if it goes on: its own guard,
            off by default there. It has no limit of requests, so that without the guard only the deadline ends such a turn.
        context_window, max_tokens: what OpenClaw believes of the model.
        path_prepend: folders put in front of the PATH of its shell tool, separated by ``:``.
        own_command: whether that PATH begins with OpenClaw's own command ``openclaw``, which it puts before `path_prepend`.
    """

    mode: Literal["http", "acp"] = "http"
    histories: Literal["native", "files"] = "native"
    exec: bool = True
    skills: bool = False
    retries: FromZero = 2
    loop_detection: bool = True
    context_window: FromOne = 128_000
    max_tokens: FromOne = 8192
    path_prepend: str = ""
    own_command: bool = True

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says.

        Raises:
            AdapterError: an unknown option, or a value it cannot have.
        """
        return checked(cls, given, "harness openclaw")


def in_environment(given: Mapping[str, Any], ctx: TrialContext) -> dict[str, Any]:
    """The options where a scenario's environment brings programs: what an experiment says, and other defaults.

    They come first on the PATH of its shell tool, its own command ``openclaw`` does not stand before them, and it has only
    tools for files and programs. An environment may ask for the same command many times: that is no loop.
    """
    if ctx.environment is None or not ctx.environment.attached.path:
        return dict(given)
    path = ctx.environment.attached.search_path(given.get("path_prepend") or "")
    alone: dict[str, Any] = {} if ctx.histories else {"histories": "files"}
    return {"own_command": False, "loop_detection": False, **alone, **given, "path_prepend": path}


def configuration(ctx: TrialContext, options: Options, port: int, token: str, bridge: Path) -> dict[str, Any]:
    """What the gateway starts with: one agent, one provider, our endpoint; nothing that acts by itself or leaves the machine.

    Whatever is in `later` would make its start half as long again: it would look for older versions' state to migrate.
    """
    agent_folder = ctx.state_dir / SETTINGS.parent
    return {
        "models": _models(ctx, options),
        "agents": {
            "defaults": {
                "model": {"primary": f"claw/{ctx.endpoint.model}"},
                "workspace": str(ctx.workspace),
                "skipBootstrap": True,
                "timeoutSeconds": PATIENCE,
                "heartbeat": {"every": "0m"},
                # What was said stays in the request as it was said, as long as it fits.
                "compaction": {"enabled": False, "memoryFlush": {"enabled": False}},
            },
            "entries": {AGENT: {"name": AGENT, "workspace": str(ctx.workspace), "agentDir": str(agent_folder)}},
        },
        "gateway": {
            "mode": "local",
            "bind": "loopback",
            "port": port,
            "auth": {"mode": "token", "token": token},
            "controlUi": {"enabled": False},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        },
        "plugins": {
            "enabled": True,
            "allow": [BRIDGE],
            "load": {"paths": [str(bridge)]},
        },
        # A prompt that begins with "/" is a question to us.
        "commands": {"native": False, "text": False, "nativeSkills": False},
        # An empty list would mean all of them.
        **({} if options.skills else {"skills": {"allowBundled": ["none"]}}),
        "discovery": {"mdns": {"mode": "off"}},
        "update": {"checkOnStart": False},
        "logging": {"file": str(ctx.state_dir / "openclaw.log")},
    }


def later(options: Options) -> dict[str, Any]:
    """What is added to the configuration once the gateway is up."""
    # Its session store is younger than anything that maintenance would clear away, and each look costs a thread of its own.
    return {"tools": _tools(options), "session": {"maintenance": {"mode": "warn"}}}


def _models(ctx: TrialContext, options: Options) -> dict[str, Any]:
    model = {
        "id": ctx.endpoint.model,
        "name": ctx.endpoint.model,
        "reasoning": False,
        "input": ["text"],
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": options.context_window,
        "maxTokens": options.max_tokens,
    }
    provider = {
        "baseUrl": ctx.endpoint.openai,
        "apiKey": ctx.endpoint.key,
        "api": "openai-completions",
        "timeoutSeconds": PATIENCE,
        "models": [model],
    }
    return {"mode": "replace", "catalogRefresh": {"enabled": False}, "providers": {"claw": provider}}


def tools(options: Options) -> list[str]:
    """The tools that it has."""
    shell = () if options.exec else ("exec", "process")
    session = () if options.histories == "native" else ("sessions_list", "sessions_history", "sessions_search")
    return [name for name in TOOLS if name not in (*shell, *session)]


def _tools(options: Options) -> dict[str, Any]:
    told: dict[str, Any] = {
        # All inline: by default most of them wait behind a search tool.
        "toolSearch": False,
        "allow": tools(options),
        "sessions": {"visibility": "agent"},
        **({"loopDetection": {"enabled": True}} if options.loop_detection else {}),
    }
    if folders := [folder for folder in options.path_prepend.split(":") if folder]:
        told["exec"] = {"pathPrepend": folders}
    return told


def settings(options: Options) -> dict[str, Any]:
    """The agent's own ``settings.json``: without it a model that is down is asked for minutes."""
    return {"retry": {"provider": {"maxRetries": options.retries}}}


def environment(state: Path, config: Path) -> dict[str, str]:
    """Variables for the gateway's process."""
    return {
        "TZ": "UTC",
        "TMPDIR": str(state / "tmp"),
        "OPENCLAW_STATE_DIR": str(state / STATE),
        "OPENCLAW_CONFIG_PATH": str(config),
        "OPENCLAW_NO_AUTO_UPDATE": "1",
        "OPENCLAW_NO_RESPAWN": "1",
        "OPENCLAW_DISABLE_BONJOUR": "1",
        "OPENCLAW_DISABLE_BUNDLED_PLUGINS": "1",
        "OPENCLAW_SKIP_CHANNELS": "1",
        "OPENCLAW_SKIP_CRON": "1",
        "DO_NOT_TRACK": "1",
    }
