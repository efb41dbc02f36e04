"""Writing a data set of another format as folders of ``scenario/1`` that `claw run` runs."""

from __future__ import annotations

import shutil
from pathlib import Path

from claw_adapter.datasets.checking import refuse_unfit
from claw_adapter.datasets.find import find_format
from claw_adapter.errors import ScenarioError
from claw_adapter.scenario import load_scenario

__all__ = ["convert_data"]


def convert_data(path: Path, out: Path, *, layout: str, compat: bool = False) -> list[Path]:
    """Write a data set of another format as folders of ``scenario/1``; their paths. What could not be run is not left there.

    Raises:
        ScenarioError: it is ``scenario/1`` already, has errors, a folder is in use, or some cannot be run as they came out.
        PluginError: the plugin that reads it is not installed.
    """
    form = find_format(path)
    if form is None:
        raise ScenarioError("nothing to convert: the data is scenario/1", where=str(path))
    folders = form.convert(path, out, layout=layout, compat=compat)
    refused = {folder: why for folder in folders if (why := _refusal(folder))}
    for folder in refused:
        shutil.rmtree(folder, ignore_errors=True)
    if refused:
        names = "; ".join(f"{folder.name}: {why}" for folder, why in refused.items())
        what = f"{len(folders) - len(refused)} scenarios are written to {out}; not those that cannot be run: {names}"
        remedy = "Without --compat what can be repaired is." if compat else "Mend the data."
        raise ScenarioError(what, where=str(path), remedy=remedy)
    return folders


def _refusal(folder: Path) -> str:
    """Why `claw run` would refuse a scenario, or empty."""
    try:
        refuse_unfit([load_scenario(folder)])
    except ScenarioError as error:
        return error.what
    return ""
