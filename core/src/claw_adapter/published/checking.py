"""`claw check` without its printing: findings of a published data set, or of folders of ``scenario/1``."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Scenario
from claw_adapter.published.examine import examine
from claw_adapter.published.measuring import NEUTRAL
from claw_adapter.published.rules import RULES as PUBLISHED_RULES
from claw_adapter.published.suite import is_published, open_suite
from claw_adapter.scenario.finding import RULES as SCENARIO_RULES
from claw_adapter.scenario.finding import Finding
from claw_adapter.scenario.problems import Problem, ScenarioProblems

__all__ = ["TWICE", "UNREADABLE", "Checked", "check_data", "demand"]

UNREADABLE = "SCN-000"
"""The id under which a folder that cannot be loaded at all is reported."""
TWICE = "SCN-070"
"""The id under which scenarios that lie together and share an id are reported."""
DEMANDS = {UNREADABLE: "the folder can be loaded", TWICE: "scenarios that lie together have ids of their own"}
"""What is demanded beside the rules for one scenario."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found, by layout (``scenario/1`` for neutral folders)."""

    name: str
    findings: dict[str, tuple[Finding, ...]]

    def count(self, severity: str) -> int:
        """Number of findings of a severity."""
        return sum(one.severity == severity for found in self.findings.values() for one in found)

    def can_run(self, *, strict: bool = False) -> bool:
        """Whether nothing keeps the data from being run; with `strict`, whether nothing was found at all."""
        return not self.count("error") and not (strict and self.count("warning"))

    def counts(self) -> dict[str, dict[str, int]]:
        """Findings by layout and rule."""
        return {layout: dict(sorted(Counter(f.id for f in found).items())) for layout, found in self.findings.items()}

    def as_json(self, *, strict: bool = False) -> dict[str, Any]:
        """Plain data."""
        return {
            "data": self.name,
            "can_run": self.can_run(strict=strict),
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "counts": self.counts(),
            "rules": {rule: demand(rule) for counts in self.counts().values() for rule in counts},
            "findings": {layout: [_plain(one) for one in found] for layout, found in self.findings.items()},
        }


def _plain(one: Finding) -> dict[str, Any]:
    file, _, line = one.where.rpartition(":")
    at: dict[str, Any] = {"file": file, "line": int(line)} if line.isdecimal() else {"file": one.where, "line": 1}
    plain = asdict(one)
    plain.pop("where")
    return plain | at


def demand(rule: str) -> str:
    """What a rule demands, in one line."""
    known = PUBLISHED_RULES.get(rule) or SCENARIO_RULES.get(rule)
    return known.demand if known else DEMANDS[rule]


def check_data(path: Path, layout: str = "all") -> Checked:
    """Check a published data set (in one layout or all), a folder of ``scenario/1``, or a folder of such folders.

    Raises:
        ScenarioError: there is neither here.
    """
    if is_published(path):
        suite = open_suite(path)
        return Checked(suite.name, {one: examine(suite, one).findings for one in suite.layouts(layout)})
    from claw_adapter.scenario import resolve

    known: dict[str, Scenario] = {}
    found = [one for folder in resolve(path) for one in _neutral(folder, known)]
    return Checked(path.name, {NEUTRAL: tuple(found)})


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
