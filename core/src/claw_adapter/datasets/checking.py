"""`claw check` without its printing: findings of folders of ``scenario/1``, or of a data set in another format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from claw_adapter.data_format.findings import Checked
from claw_adapter.datasets.find import find_format
from claw_adapter.datasets.measuring import NEUTRAL
from claw_adapter.errors import ScenarioError
from claw_adapter.finding import RULES as SCENARIO_RULES
from claw_adapter.finding import Finding, Rule
from claw_adapter.protocol import Scenario
from claw_adapter.scenario.problems import Problem, ScenarioProblems

__all__ = ["RULES", "TWICE", "UNREADABLE", "check_data"]

UNREADABLE = "SCN-000"
"""The id under which a folder that cannot be loaded at all is reported."""
TWICE = "SCN-070"
"""The id under which scenarios that lie together and share an id are reported."""
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **SCENARIO_RULES,
        UNREADABLE: Rule("error", "the folder can be loaded"),
        TWICE: Rule("error", "scenarios that lie together have ids of their own"),
    }
)
"""The rules for one scenario, and what is demanded beside them."""


def check_data(path: Path, layout: str = "all") -> Checked:
    """Check a folder of ``scenario/1``, a folder of such folders, or a data set in a format that a plugin reads.

    Args:
        path: the folder, or the file by which the format knows the data.
        layout: one of the data set's layouts, or all; ``scenario/1`` has only one form.

    Raises:
        ScenarioError: there is no data here, or not in this layout.
        PluginError: the plugin that reads it is not installed.
    """
    if form := find_format(path):
        return form.check(path, layout)
    from claw_adapter.scenario import resolve

    known: dict[str, Scenario] = {}
    found = [one for folder in resolve(path) for one in _neutral(folder, known)]
    return Checked(path.name, {NEUTRAL: tuple(found)}, RULES)


def _neutral(folder: Path, known: dict[str, Scenario]) -> list[Finding]:
    """Findings of one folder; `known` are the scenarios read before it, by id."""
    from claw_adapter.scenario import findings, load_gold, load_scenario

    try:
        scenario = load_scenario(folder)
        found = findings(scenario, load_gold(folder))
    except ScenarioProblems as error:
        return [_unreadable(problem) for problem in error.problems]
    except ScenarioError as error:
        return [_unreadable(error)]
    other = known.setdefault(scenario.id, scenario)
    if other.digest != scenario.digest:
        what = f"the id {scenario.id!r} is that of another scenario: {other.root}"
        found.append(Finding(TWICE, "error", what, f"{folder / 'scenario.yaml'}:1"))
    return found


def _unreadable(problem: Problem | ScenarioError) -> Finding:
    remedy = f" ({problem.remedy})" if problem.remedy else ""
    return Finding(UNREADABLE, "error", problem.what + remedy, problem.where)
