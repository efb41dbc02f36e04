"""The published ClawArena 1.0 data: read, checked, converted to ``scenario/1``, counted, and its results scored again.

Importing this package reads nothing: counting tokens needs neither the records of scenarios nor the rules for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.errors import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

    from claw_adapter_clawarena.records import PublishedScenario
    from claw_adapter_clawarena.steps import Mode

__all__ = ["convert_suite", "load_published"]


def load_published(path: Path, layout: str = "openclaw") -> tuple[PublishedScenario, ...]:
    """The scenarios of a published data set in one layout.

    Raises:
        ScenarioError: something in it keeps it from being run; the first such finding is named.
    """
    from claw_adapter_clawarena.examine import examine
    from claw_adapter_clawarena.suite import open_suite

    suite = open_suite(path)
    examined = examine(suite, suite.layouts(layout)[0])
    if examined.errors:
        first = examined.findings[0]
        what = f"{examined.errors} errors, the first: {first.id} {first.message}"
        raise ScenarioError(what, where=first.where, remedy="Call claw check on the data.")
    return examined.scenarios


def convert_suite(path: Path, out: Path, *, layout: str = "openclaw", mode: Mode = "strict") -> list[Path]:
    """Write every scenario of a published data set as a folder ``OUT/<id>`` of ``scenario/1``.

    Raises:
        ScenarioError: the data has errors, or a folder is in use.
    """
    from claw_adapter_clawarena.convert import to_scenario

    return [to_scenario(scenario, out / scenario.id, mode=mode) for scenario in load_published(path, layout)]
