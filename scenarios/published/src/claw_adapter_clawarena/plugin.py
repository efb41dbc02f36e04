"""The entry point ``clawarena``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.hooks import hookimpl

if TYPE_CHECKING:
    from claw_adapter.data_format import DataFormat
    from claw_adapter.exporter import Exporter

__all__ = ["claw_data_format", "claw_exporter"]


@hookimpl
def claw_data_format() -> type[DataFormat]:
    """The format of the published ClawArena data and results."""
    from claw_adapter_clawarena.format import ClawArenaFormat

    return ClawArenaFormat


@hookimpl
def claw_exporter() -> type[Exporter]:
    """Runs as submission folders."""
    from claw_adapter_clawarena.submit import SubmissionExporter

    return SubmissionExporter
