"""What OpenClaw is told: its configuration, its settings, and the variables of its process."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from claw_adapter.harness import TrialContext
from claw_adapter_openclaw.options import AGENT, Options, tools

__all__ = ["BRIDGE", "OWN_COMMAND", "SETTINGS", "STATE", "configuration", "environment", "later", "settings", "window"]

BRIDGE: Final = "claw-bridge"
STATE: Final = "openclaw"
"""OpenClaw's own folder in the state directory; it starts faster if that is empty."""
SETTINGS: Final = Path(STATE, "agents", AGENT, "agent", "settings.json")
OWN_COMMAND: Final = Path(STATE, "tmp", "agent-cli", "openclaw")
"""The launcher of its own command line, which the gateway writes when it starts, in the state directory."""
PATIENCE: Final = 172_800
"""Seconds that OpenClaw gives a turn and a model that says nothing: its own largest default, so that our deadline decides."""


def configuration(ctx: TrialContext, options: Options, port: int, token: str, bridge: Path) -> dict[str, Any]:
    """What the gateway starts with: one agent, one provider, our endpoint; nothing that acts by itself or leaves the machine.

    Whatever is in `later` would make its start half as long again: it would look for older versions' state to migrate.
    """
    agent_folder = ctx.inside(ctx.state_dir / SETTINGS.parent)
    return {
        "models": _models(ctx, options),
        "agents": {
            "defaults": {
                "model": {"primary": f"claw/{ctx.endpoint.model}"},
                "workspace": str(ctx.inside(ctx.workspace)),
                "skipBootstrap": True,
                "timeoutSeconds": PATIENCE,
                "heartbeat": {"every": "0m"},
                # What was said stays in the request as it was said, as long as it fits.
                "compaction": {"enabled": False, "memoryFlush": {"enabled": False}},
            },
            "entries": {
                AGENT: {"name": AGENT, "workspace": str(ctx.inside(ctx.workspace)), "agentDir": str(agent_folder)}
            },
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
            "load": {"paths": [str(ctx.inside(bridge))]},
            "entries": {BRIDGE: {"hooks": {"allowConversationAccess": True}}},  # it counts what requests have used
        },
        # A prompt that begins with "/" is a question to us.
        "commands": {"native": False, "text": False, "nativeSkills": False},
        # An empty list would mean all of them.
        **({} if options.skills else {"skills": {"allowBundled": ["none"]}}),
        "discovery": {"mdns": {"mode": "off"}},
        "update": {"checkOnStart": False},
        "logging": {"file": str(ctx.inside(ctx.state_dir / "openclaw.log"))},
    }


def window(ctx: TrialContext, options: Options) -> int:
    """Tokens of the model's window that it is told."""
    return ctx.endpoint.window or options.context_window


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
        "contextWindow": window(ctx, options),
        "maxTokens": ctx.endpoint.reply_tokens(options.max_tokens),
    }
    provider = {
        "baseUrl": ctx.endpoint.openai,
        "apiKey": ctx.endpoint.key,
        "api": "openai-completions",
        "timeoutSeconds": PATIENCE,
        "models": [model],
    }
    return {"mode": "replace", "catalogRefresh": {"enabled": False}, "providers": {"claw": provider}}


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
