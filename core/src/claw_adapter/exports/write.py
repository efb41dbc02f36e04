"""One run written in one form, by an exporter of ours or of a plugin."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from claw_adapter import plugins
from claw_adapter.errors import ArgumentError, ClawError
from claw_adapter.exporter import Exporter
from claw_adapter.runs.folder import RunFolder

__all__ = ["EXPORTERS", "export", "export_formats"]

EXPORTERS: Final[Mapping[str, tuple[str, str]]] = {
    "csv": ("claw_adapter.exports.tabular", "CsvExporter"),
    "parquet": ("claw_adapter.exports.tabular", "ParquetExporter"),
    "atif": ("claw_adapter.exports.atif", "AtifExporter"),
    "eval": ("claw_adapter.exports.inspect_log", "InspectExporter"),
    "harbor-job": ("claw_adapter.exports.harbor", "HarborExporter"),
}
"""Ours: name → where its class is."""


def export_formats() -> dict[str, str]:
    """The forms that a run can be exported in: name → who brings it. A broken plugin brings nothing."""
    brought = {one.name: "a plugin" for one in plugins.create_all("exporter")}
    return {**brought, **dict.fromkeys(EXPORTERS, "claw-adapter")}


def export(run: Path, form: str, out: Path) -> tuple[str, ...]:
    """Write a run in a form; returns what was left out, a sentence each.

    Raises:
        ArgumentError: there is no such form.
        JournalError: not a run folder.
        ClawError: `out` is in use, or lies in the run; or something that the form needs is not installed.
    """
    root = RunFolder(run)
    root.plan()
    exporter = _exporter(form)
    target = out.resolve()
    if target.is_relative_to(root.root):
        raise ClawError("the export would lie in the run folder", where=str(target), remedy="Name a folder outside.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ClawError("this place is in use", where=str(target), remedy="Name a new folder with --out.")
    target.mkdir(parents=True, exist_ok=True)
    return exporter.write(root.root, target)


def _exporter(form: str) -> Exporter:
    if form in EXPORTERS:
        module, name = EXPORTERS[form]
        ours: Exporter = getattr(importlib.import_module(module), name)()
        return ours
    if not plugins.entry_points(form):
        raise ArgumentError(f"unknown format {form!r}", remedy=f"There are: {', '.join(sorted(export_formats()))}.")
    brought: Exporter = plugins.create("exporter", form)
    return brought
