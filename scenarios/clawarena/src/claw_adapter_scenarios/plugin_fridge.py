"""The entry point ``clinic-fridge``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.hooks import hookimpl

if TYPE_CHECKING:
    from claw_adapter.source import ScenarioSource

__all__ = ["claw_scenarios"]


@hookimpl
def claw_scenarios() -> type[ScenarioSource]:
    """The source that compiles the worked example."""
    from claw_adapter_scenarios.source import ClinicFridge

    return ClinicFridge
