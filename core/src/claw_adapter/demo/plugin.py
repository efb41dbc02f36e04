"""The demo as a plugin, found like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.hooks import hookimpl

if TYPE_CHECKING:
    from claw_adapter.source import ScenarioSource

__all__ = ["claw_scenarios"]


@hookimpl
def claw_scenarios() -> type[ScenarioSource]:
    """The source that brings the scenario `demo`."""
    from claw_adapter.demo.source import Demo

    return Demo
