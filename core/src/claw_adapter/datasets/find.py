"""From a path to the format of the data set that lies there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from claw_adapter import plugins
from claw_adapter.data_format.base import DataFormat
from claw_adapter.errors import PluginError, ScenarioError

__all__ = ["find_format"]

OURS: Final[Mapping[str, str]] = {"tests.json": "clawarena"}
"""File in a data set → the plugin of ours that reads it, so that it can be named where it is not installed."""


def find_format(path: Path) -> DataFormat | None:
    """The format of a data set; None for folders of ``scenario/1``, and where no format that is installed knows the data.

    Plugins are asked only about what is neither: checking a scenario imports none.

    Raises:
        PluginError: the plugin that reads it is not installed, or cannot be loaded.
    """
    for file, name in OURS.items():
        if path.name == file if path.is_file() else (path / file).is_file():
            return _ours(path, file, name)
    if _is_neutral(path):
        return None
    formats: list[DataFormat] = plugins.create_all("data_format")
    return next((form for form in formats if form.recognises(path)), None)


def _ours(path: Path, file: str, name: str) -> DataFormat:
    if not plugins.entry_points(name):
        what = f"data with a {file} is read by the plugin {name!r}, which is not installed"
        raise PluginError(what, where=str(path), remedy=plugins.find_remedy(name))
    form: DataFormat = plugins.create("data_format", name)
    return form


def _is_neutral(path: Path) -> bool:
    from claw_adapter.scenario import resolve

    try:
        return bool(resolve(path))
    except ScenarioError:
        return False
