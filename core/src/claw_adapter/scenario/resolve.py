"""From what a user names on the command line to folders of scenarios."""

from __future__ import annotations

from pathlib import Path

from claw_adapter.errors import ScenarioError

__all__ = ["resolve"]


def resolve(path: str | Path) -> list[Path]:
    """The scenario folders that a path means: itself, or the folders in it, sorted by name.

    Names of plugins are not looked up here.

    Raises:
        ScenarioError: there is no such folder, or no scenario in it.
    """
    folder = Path(path).expanduser()
    if folder.name == "scenario.yaml":
        folder = folder.parent
    if not folder.is_dir():
        raise ScenarioError("no such folder", where=str(path), remedy="Name a folder that holds a scenario.yaml.")
    if (folder / "scenario.yaml").is_file():
        return [folder]
    found = sorted(child for child in folder.iterdir() if (child / "scenario.yaml").is_file())
    if not found:
        raise ScenarioError(
            "no scenario in this folder", where=str(path), remedy="A scenario is a folder that holds a scenario.yaml."
        )
    return found
