"""Scenarios by the names that a run gives them: folders, or sources of plugins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from claw_adapter import plugins
from claw_adapter.errors import ScenarioError
from claw_adapter.notation import parse_named
from claw_adapter.protocol import Scenario
from claw_adapter.scenario.load import load_scenario
from claw_adapter.scenario.resolve import resolve
from claw_adapter.source import ScenarioSource

__all__ = ["find_scenarios", "is_place"]


def is_place(name: str) -> bool:
    """Whether scenarios of that name are looked for in the file system, and not at a plugin.

    A plugin is not hidden by a folder that happens to have its name (a run folder ``demo``), unless scenarios are in it.
    """
    path = Path(name)
    if not path.exists():
        return False
    return not plugins.entry_points(name) or any(path.glob("scenario.yaml")) or any(path.glob("*/scenario.yaml"))


def find_scenarios(names: tuple[str, ...], *, places: bool = True) -> dict[str, Scenario]:
    """Scenarios by id: each name is a folder (of one or several scenarios) or a plugin's, with options as ``NAME:key=value,…``.

    Args:
        names: what they are called.
        places: whether folders count; False for names that somebody else has written down.

    Raises:
        ScenarioError, PluginError: not found, or wrong, or two different scenarios have the same id.
    """
    found: dict[str, Scenario] = {}
    for name in names:
        for scenario in _scenarios(name, places=places):
            other = found.setdefault(scenario.id, scenario)
            if other.digest != scenario.digest:
                raise ScenarioError(
                    f"two different scenarios are called {scenario.id!r}",
                    where=f"{other.root} and {scenario.root}",
                    remedy="Give each an id of its own in its scenario.yaml, or run them apart.",
                )
    return found


def _scenarios(name: str, *, places: bool) -> Sequence[Scenario]:
    if places and is_place(name):
        return [load_scenario(path) for path in resolve(name)]
    plugin, options = _name_and_options(name)
    if "/" in plugin or plugin.endswith((".yaml", ".yml")) or plugin in (".", "..", "~"):
        raise ScenarioError("no such file or folder", where=name, remedy="Name a folder that holds a scenario.yaml.")
    source: ScenarioSource = plugins.create("scenarios", plugin, options)
    return source.load().scenarios


def _name_and_options(text: str) -> tuple[str, dict[str, JsonValue]]:
    """``lite:seed=3,only=well-nine`` as the name of a plugin and the options of its source."""
    try:
        name, options, _ = parse_named(text)
    except ValueError as error:
        raise ScenarioError(str(error), where=text) from None
    return name, options
