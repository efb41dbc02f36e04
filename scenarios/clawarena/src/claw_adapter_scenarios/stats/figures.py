"""What is counted of a suite: the papers' tables 9 to 11 and rounds by category, per scenario and in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from claw_adapter.data_format import TextLedger
from claw_adapter.data_format.tables import TableRow, Tables, tables
from claw_adapter.datasets.find import find_format
from claw_adapter.datasets.measuring import NEUTRAL, Measured, measure
from claw_adapter.datasets.neutral import neutral_facts, neutral_items
from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Scenario
from claw_adapter.scenario import load_gold, load_scenario, resolve
from claw_adapter.tokens.fast import backend

__all__ = [
    "ScenarioFigures",
    "SuiteFigures",
    "by_domain",
    "categories",
    "figures",
    "open_path",
    "open_scenarios",
    "open_suite",
]


@dataclass(frozen=True, slots=True)
class ScenarioFigures:
    """One scenario: its row of table 11, where it belongs, and its rounds by category (tagged data only)."""

    row: TableRow
    domain: str = ""
    language: str = ""
    categories: Mapping[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The scenario's id."""
        return self.row.scenario


@dataclass(frozen=True, slots=True)
class SuiteFigures:
    """A counted suite; `measured` holds tables 8 to 11 as `claw tokens` has them."""

    name: str
    measured: Measured
    scenarios: tuple[ScenarioFigures, ...]

    @property
    def tables(self) -> Tables:
        """The tables of the one layout that was counted."""
        return next(iter(self.measured.tables.values()))


def open_path(path: Path) -> SuiteFigures:
    """Count folders of ``scenario/1``, or a data set in a format that a plugin reads, in its usual layout.

    Raises:
        ScenarioError: nothing there, or it cannot be read.
        PluginError: the plugin that reads it is not installed.
    """
    form = find_format(path)
    if form is None:
        return open_scenarios(path.resolve().name, [load_scenario(folder) for folder in resolve(path)])
    found = measure(path, form.layout)
    rows = found.tables[form.layout].table11
    return SuiteFigures(found.name, found, tuple(ScenarioFigures(row) for row in rows))


def open_suite(name: str) -> SuiteFigures:
    """Count the suite that a plugin brings under that name.

    Raises:
        PluginError: there is none.
        ScenarioError: a scenario of it cannot be read.
    """
    from claw_adapter import plugins

    return open_scenarios(name, plugins.create("scenarios", name).load().scenarios)


def open_scenarios(name: str, scenarios: Sequence[Scenario]) -> SuiteFigures:
    """Count loaded scenarios.

    Raises:
        ScenarioError: there are none, or a hidden part cannot be read.
    """
    if not scenarios:
        raise ScenarioError("no scenarios to count", where=name)
    pairs = [(scenario, load_gold(scenario)) for scenario in scenarios]
    used = backend()
    with TextLedger(used.count) as ledger:
        entries = ledger.add(neutral_items(pairs))
        counts = ledger.totals(entries)
    made = tables(NEUTRAL, counts, neutral_facts(pairs))
    measured = Measured(name, {NEUTRAL: made}, {NEUTRAL: counts}, ledger.distinct, ledger.size, used.name, used.notice)
    by_id = {scenario.id: scenario for scenario in scenarios}
    return SuiteFigures(name, measured, tuple(_figures(row, by_id[row.scenario]) for row in made.table11))


def _figures(row: TableRow, scenario: Scenario) -> ScenarioFigures:
    found = Counter(item.tags.category for item in scenario.rounds if item.tags.category)
    return ScenarioFigures(row, scenario.manifest.domain, scenario.manifest.language, dict(sorted(found.items())))


def figures(suite: SuiteFigures) -> dict[str, float]:
    """Every figure of a suite by the key under which the papers' file has it; without those that have no denominator."""
    made, rows = suite.tables, suite.tables.table11
    rounds = sum(row.rounds for row in rows)
    targets, actions = sum(made.targets.values()), sum(made.actions.values())
    total = made.table8.total
    found: dict[str, float | None] = {
        "scenarios": len(rows),
        "domains": len({one.domain for one in suite.scenarios if one.domain}) or None,
        "rounds": rounds,
        "rounds_mean": _ratio(rounds, len(rows)),
        "rounds_least": min((row.rounds for row in rows), default=None),
        "rounds_most": max((row.rounds for row in rows), default=None),
        "mc_share": _ratio(sum(row.mc for row in rows), rounds),
        "ec_share": _ratio(sum(row.ec for row in rows), rounds),
        "preference_rounds": sum(row.preference_rounds for row in rows),
        "preference_share": _ratio(sum(row.preference_rounds for row in rows), rounds),
        "update_rounds": sum(row.update_rounds for row in rows),
        "update_round_share": _ratio(sum(row.update_rounds for row in rows), rounds),
        "updates": sum(row.updates for row in rows),
        "exit_share": _ratio(made.exit_percent, 100),
        "stdout_share": _ratio(made.stdout_percent, 100),
        "append_share": _ratio(made.actions.get("append", 0), actions),
        "new_share": _ratio(made.actions.get("new", 0), actions),
        "files_least": min((row.files for row in rows), default=None),
        "files_most": max((row.files for row in rows), default=None),
        "tokens": total,
        "tokens_median": median(row.tokens for row in rows) if rows else None,
        "workspace_token_share": _ratio(
            made.table8.tokens["workspace"] + made.table8.tokens["workspace_updates"], total
        ),
        "largest_token_share": _ratio(max((row.tokens for row in rows), default=0), total),
    }
    for name, spread in (("options", made.options), ("correct", made.correct), ("timeout", made.timeouts)):
        found |= {f"{name}_mean": spread.mean, f"{name}_least": spread.least, f"{name}_most": spread.most}
    found |= {f"{kind}_targets": _ratio(count, targets) for kind, count in made.targets.items()}
    return {key: float(value) for key, value in found.items() if value is not None}


def _ratio(part: float | None, whole: float) -> float | None:
    return part / whole if whole and part is not None else None


def categories(suite: SuiteFigures) -> dict[str, int]:
    """Rounds by category over the whole suite."""
    found: Counter[str] = Counter()
    for one in suite.scenarios:
        found.update(one.categories)
    return dict(sorted(found.items()))


def by_domain(suite: SuiteFigures) -> dict[str, int]:
    """Scenarios by domain."""
    return dict(sorted(Counter(_names(suite.scenarios)).items()))


def _names(scenarios: Iterable[ScenarioFigures]) -> list[str]:
    return [one.domain for one in scenarios if one.domain]
