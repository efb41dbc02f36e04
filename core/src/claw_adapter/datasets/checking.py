"""`claw check` without its printing: findings of folders of ``scenario/1``, or of a data set in another format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from claw_adapter import plugins
from claw_adapter.data_format.findings import Checked
from claw_adapter.datasets.find import find_format
from claw_adapter.datasets.measuring import NEUTRAL
from claw_adapter.errors import ClawError, ScenarioError
from claw_adapter.finding import RULES as SCENARIO_RULES
from claw_adapter.finding import Finding, Rule
from claw_adapter.protocol import Scenario
from claw_adapter.scenario.problems import Problem, ScenarioProblems

__all__ = ["NO_ENVIRONMENT", "RULES", "TWICE", "UNREADABLE", "check_data", "refuse_unfit"]

UNREADABLE = "SCN-000"
"""The id under which a folder that cannot be loaded at all is reported."""
TWICE = "SCN-070"
"""The id under which scenarios that lie together and share an id are reported."""
NO_ENVIRONMENT = "SCN-071"
"""The id under which an environment that cannot be made here is reported."""
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **SCENARIO_RULES,
        UNREADABLE: Rule("error", "the folder can be loaded"),
        TWICE: Rule("error", "scenarios that lie together have ids of their own"),
        NO_ENVIRONMENT: Rule("error", "the plugin of the scenario's environment is installed and takes its options"),
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
    found += _environment(scenario)
    other = known.setdefault(scenario.id, scenario)
    if other.digest != scenario.digest:
        what = f"the id {scenario.id!r} is that of another scenario: {other.root}"
        found.append(Finding(TWICE, "error", what, f"{folder / 'scenario.yaml'}:1"))
    return found


def _environment(scenario: Scenario) -> list[Finding]:
    """What keeps the environment that a scenario names from being made here."""
    named = scenario.manifest.environment
    where = f"{scenario.root / 'scenario.yaml'}:1"
    if named is None:
        return []
    try:
        plugins.create("environment", named.name, dict(named.options))
    except ClawError as error:
        remedy = f" ({error.remedy})" if error.remedy else ""
        return [Finding(NO_ENVIRONMENT, "error", f"environment {named.name!r}: {error.what}{remedy}", where)]
    return []


def refuse_unfit(scenarios: Iterable[Scenario]) -> None:
    """Refuse scenarios that `claw check` finds errors in.

    Raises:
        ScenarioError: with the first error, how many there are, and the ways out.
    """
    from claw_adapter.scenario import findings, load_gold

    for scenario in scenarios:
        errors = [one for one in findings(scenario, load_gold(scenario)) if one.severity == "error"]
        if errors:
            more = f" (the first of {len(errors)} errors)" if len(errors) > 1 else ""
            raise ScenarioError(
                f"scenario {scenario.id!r} must not be run as it is: {errors[0].id} {errors[0].message}{more}",
                where=errors[0].where,
                remedy=f"`claw check {scenario.root}` shows all of them; or run it as it is with --unchecked.",
            )


def _unreadable(problem: Problem | ScenarioError) -> Finding:
    remedy = f" ({problem.remedy})" if problem.remedy else ""
    return Finding(UNREADABLE, "error", problem.what + remedy, problem.where)
