"""Find the descriptions that installed plugins bring, without importing any plugin.

A plugin named ``x`` keeps the description in the folder ``framework`` of the package its entry point is in, or, where a package
brings several, in the folder ``gallery/x``.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path

from claw_adapter.frameworks.description import DESCRIPTION, Framework
from claw_adapter.frameworks.errors import FrameworkUnknown
from claw_adapter.hooks import ENTRY_POINT_GROUP
from claw_adapter.plugins import find_remedy

__all__ = ["FOLDER", "describe", "frameworks"]

FOLDER = "framework"
GALLERY = "gallery"


def describe(name: str) -> Framework:
    """The description of the framework that the plugin `name` drives; ``NAME@VERSION`` insists on a version.

    Raises:
        FrameworkUnknown: no plugin of that name is installed, or it describes none, or it pins another version.
    """
    name, _, version = name.partition("@")
    points = importlib.metadata.entry_points(group=ENTRY_POINT_GROUP, name=name)
    for point in points:
        if (path := _description(point)) is not None:
            return _insisted(Framework.load(path), version)
    if points:
        what = f"claw cannot install the program of the plugin {name!r}: its adapter has no framework.toml"
        raise FrameworkUnknown(what, remedy=f"`claw plugins {name}` says whether it is found, and how to get it.")
    known = ", ".join(f.name for f in frameworks()) or "none"
    raise FrameworkUnknown(
        f"no framework {name!r} is known here (known: {known})",
        remedy=find_remedy(name, [framework.name for framework in frameworks()]),
    )


def frameworks() -> list[Framework]:
    """All descriptions of installed plugins, by name; a plugin whose description is damaged is left out."""
    found: dict[str, Framework] = {}
    for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
        if (path := _description(point)) is None:
            continue
        try:
            found[point.name] = Framework.load(path)
        except FrameworkUnknown:
            continue
    return [found[name] for name in sorted(found)]


def _insisted(framework: Framework, version: str) -> Framework:
    if version in ("", framework.version):
        return framework
    name, remedy = framework.name, "Another version comes with the release of the plugin that was tested with it."
    raise FrameworkUnknown(f"the plugin {name!r} installs {framework.version}, not {version}", remedy=remedy)


def _description(point: importlib.metadata.EntryPoint) -> Path | None:
    """Path of ``framework.toml`` beside a plugin module; finding a top-level package runs none of its code."""
    spec = importlib.util.find_spec(point.module.partition(".")[0])
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for path in (Path(place) / FOLDER / DESCRIPTION, Path(place) / GALLERY / point.name / DESCRIPTION):
            if path.is_file():
                return path
    return None
