"""What the real OpenClaw finds when it starts: the world's settings, and nothing that leaves the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from claw_adapter_forge.surfaces.oc_config import KNOWN_MODELS
from claw_adapter_forge.world.records import ConfigValue
from claw_adapter_forge.world.state import World

__all__ = ["OFFICE", "configuration", "environment", "leaves"]

OFFICE = frozenset({"office", "offices", "user"})
"""Branches of the world's configuration that the real program's schema has no place for; the world keeps them itself."""
_TODAY = {"gemini-3-pro": "gemini-3.1-pro-preview"}
"""Names that the real program replaces, wherever it finds them."""


def configuration(world: World, port: int) -> dict[str, Any]:
    """The real configuration with the world's settings in it."""
    tree: dict[str, Any] = {
        "models": {"mode": "replace", "catalogRefresh": {"enabled": False}, "providers": _providers()},
        "gateway": {
            "mode": "local",
            "bind": "loopback",
            "port": port,
            "auth": {"mode": "token"},
            "controlUi": {"enabled": False},
        },
        "plugins": {"enabled": False},
        "skills": {"allowBundled": ["none"]},
        "discovery": {"mdns": {"mode": "off"}},
        "update": {"checkOnStart": False},
    }
    for row in world.rows("config", ConfigValue):
        if row.id.partition(".")[0] not in OFFICE:
            _put(tree, row.id, row.value)
    return tree


def _put(tree: dict[str, Any], path: str, value: object) -> None:
    *folders, last = path.split(".")
    for name in folders:
        tree = tree.setdefault(name, {})
    tree[last] = value


def _providers() -> dict[str, Any]:
    """The models the world knows, at an address where nobody answers."""
    providers: dict[str, Any] = {}
    for model in KNOWN_MODELS:
        provider, _, name = model.partition("/")
        entry = providers.setdefault(
            provider, {"baseUrl": "http://127.0.0.1:9/v1", "apiKey": "none", "api": "openai-completions", "models": []}
        )
        name = _TODAY.get(name, name)
        entry["models"].append({"id": name, "name": name, "contextWindow": 128_000, "maxTokens": 8192})
    return providers


def leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str | int | bool]]:
    """The (dotted path, value) pairs of a configuration; lists, floats and null as their text."""
    for name, value in tree.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from leaves(value, path + ".")
        else:
            yield path, value if isinstance(value, str | int) else str(value)


def environment(state: Path, config: Path) -> dict[str, str]:
    """Variables of the real program: everything it keeps is below `state`."""
    return {
        "TZ": "UTC",
        "NO_COLOR": "1",
        "TMPDIR": str(state / "tmp"),
        "OPENCLAW_STATE_DIR": str(state),
        "OPENCLAW_CONFIG_PATH": str(config),
        "OPENCLAW_NO_AUTO_UPDATE": "1",
        "OPENCLAW_NO_RESPAWN": "1",
        "OPENCLAW_DISABLE_BONJOUR": "1",
        "OPENCLAW_SKIP_CHANNELS": "1",
        # jobs are kept, never run: the world's clock stands still
        "OPENCLAW_SKIP_CRON": "1",
        "DO_NOT_TRACK": "1",
    }
