"""The scenario source `demo`: one hand-written scenario that has one of everything."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from claw_adapter.source import Dataset, ScenarioSource

__all__ = ["DEMO", "Demo"]

DEMO = Path(__file__).parent / "scenario"
"""The folder of the packaged scenario; run folders name its digest, so that no byte of it may change."""


class Demo(ScenarioSource):
    """Loads the packaged scenario, or another one when it is given a path."""

    name: ClassVar[str] = "demo"

    def load(self, path: Path | None = None) -> Dataset:
        """Load and validate.

        Raises:
            ScenarioError: with file, line and field.
        """
        from claw_adapter.scenario import load_gold, load_scenario, require_valid

        scenario = load_scenario(DEMO if path is None else path)
        require_valid(scenario, load_gold(scenario))
        return Dataset(name=self.name, scenarios=(scenario,))
