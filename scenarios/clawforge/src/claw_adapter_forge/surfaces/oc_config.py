"""``openclaw config`` and ``openclaw models``."""

from __future__ import annotations

import json
import re

from claw_adapter_forge.surfaces.grammar import Arg, Args, Refused, UsageError, Verb
from claw_adapter_forge.world.records import ConfigValue
from claw_adapter_forge.world.state import World

__all__ = ["KNOWN_MODELS", "MODEL_KEY", "SECRET_PREFIX", "VERBS", "config_tree", "current_model", "put_setting"]

MODEL_KEY = "agents.defaults.model.primary"
SECRET_PREFIX = "gateway.auth."  # noqa: S105  # the name of a settings branch, not a secret

KNOWN_MODELS = (
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-opus-4-6",
    "openai/gpt-5.2",
    "openai/gpt-5.4",
    "google/gemini-3-pro",
    "moonshot/kimi-k2.5",
)

_ALIASES = {"agent.model": MODEL_KEY}
_PATH = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_MODEL = re.compile(r"[a-z0-9-]+/[A-Za-z0-9._:-]+")


def _key(text: str) -> str:
    if not _PATH.fullmatch(text):
        raise UsageError(f"not a config path: {text!r}")
    return _ALIASES.get(text, text)


def _scalar(text: str) -> str | int | bool:
    if text in {"true", "false"}:
        return text == "true"
    return int(text) if text.isdigit() and text.isascii() and len(text) < 10 else text


def _render_setting(key: str, value: str | int | bool) -> str:
    if key.startswith(SECRET_PREFIX):
        return "********"
    return str(value).lower() if isinstance(value, bool) else str(value)


def current_model(world: World) -> str:
    """The default model's name."""
    row = world.get("config", MODEL_KEY, ConfigValue)
    return str(row.value) if row else ""


def config_tree(world: World) -> str:
    """The configuration as indented JSON of dotted paths, secrets hidden."""
    rows = sorted(world.rows("config", ConfigValue), key=lambda r: r.id)
    return json.dumps({r.id: _render_setting(r.id, r.value) for r in rows}, indent=2, ensure_ascii=False)


def _dump(world: World, _args: Args) -> str:
    return config_tree(world)


def _get(world: World, args: Args) -> str:
    key = _key(args.text("path"))
    row = world.get("config", key, ConfigValue)
    if row is not None:
        return _render_setting(key, row.value)
    below = [r for r in world.rows("config", ConfigValue) if r.id.startswith(key + ".")]
    if not below:
        raise Refused(f"Config path not found: {args.text('path')}")
    return "\n".join(f"{r.id} = {_render_setting(r.id, r.value)}" for r in sorted(below, key=lambda r: r.id))


def put_setting(world: World, path: str, value: str) -> None:
    """Change a setting.

    Raises:
        UsageError: no config path, or no model's name where there must be one.
    """
    key = _key(path)
    if key == MODEL_KEY:
        _check_model(value)
    world.put("config", ConfigValue(key, value if key == MODEL_KEY else _scalar(value)))


def _set(world: World, args: Args) -> str:
    put_setting(world, args.text("path"), args.text("value"))
    return f"Updated {args.text('path')}."


def _unset(world: World, args: Args) -> str:
    key = _key(args.text("path"))
    if world.get("config", key, ConfigValue) is None:
        raise Refused(f"Config path not found: {args.text('path')}")
    world.remove("config", key)
    return f"Removed {args.text('path')}."


def _check_model(name: str) -> None:
    if not _MODEL.fullmatch(name):
        raise UsageError(f"a model is named provider/model, not {name!r}")


def _models(world: World, _args: Args) -> str:
    lines = [f"Current model: {current_model(world)}", "Available models:"]
    return "\n".join([*lines, *(f"  {m}" for m in KNOWN_MODELS)])


def _set_model(world: World, args: Args) -> str:
    name = args.text("name")
    _check_model(name)
    if name not in KNOWN_MODELS:
        raise Refused(f"Unknown model: {name}; see `openclaw models`")
    world.put("config", ConfigValue(MODEL_KEY, name))
    return f"Model set to {name}."


VERBS = (
    Verb(("openclaw", "config", "dump"), "Print the whole configuration as JSON.", _dump),
    Verb(
        ("openclaw", "config", "get"),
        "Print a setting, or all settings below a path (agent.model is the default model).",
        _get,
        args=(Arg("path", "dotted path"),),
    ),
    Verb(
        ("openclaw", "config", "set"),
        "Change a setting.",
        _set,
        args=(Arg("path", "dotted path"), Arg("value", "new value")),
        mutates=True,
    ),
    Verb(
        ("openclaw", "config", "unset"),
        "Remove a setting.",
        _unset,
        args=(Arg("path", "dotted path"),),
        mutates=True,
    ),
    Verb(("openclaw", "models", "list"), "The current model and those available.", _models),
    Verb(
        ("openclaw", "models", "set"),
        "Choose the default model.",
        _set_model,
        args=(Arg("name", "provider/model"),),
        mutates=True,
    ),
)
