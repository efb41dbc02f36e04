"""Runs in the forms of other tools; see docs/export.md."""

from claw_adapter.exports.write import EXPORTERS, export, export_formats

__all__ = ["EXPORTERS", "export", "export_formats"]
