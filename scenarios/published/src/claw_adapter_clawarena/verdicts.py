"""What scoring a published run again gives: verdicts per round, recorded and derived, and what each column adds up to."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from claw_adapter.scoring import (
    MetricSet,
    MetricSummary,
    RoundScore,
    Streaks,
    aggregate,
    composite_reliability,
    sequence,
)
from claw_adapter_clawarena.replay import ReplayLog

__all__ = ["COLUMNS", "Column", "Rescored", "RescoredRound", "RescoredScenario"]

Column = Literal["recorded", "derived", "recorded_where_derived", "ours"]
COLUMNS: Final[tuple[Column, ...]] = get_args(Column)
"""Whose verdicts: the published ones; those derived here, by the published way of reading replies; the published ones of the
same rounds; the derived ones with our way of reading."""


@dataclass(frozen=True, slots=True)
class RescoredRound:
    """One round.

    Attributes:
        recorded: the published verdict.
        derived: ours, by the published way of reading (multi_choice) or the check on the rebuilt workspace; None without.
        default: multi_choice by our own rule.
        why: why nothing could be derived, or what the check said.
        compat_letters: what the published rule reads.
        default_letters: what ours reads.
    """

    round: str
    type: str
    recorded: bool | None
    derived: bool | None
    default: bool | None = None
    why: str = ""
    compat_letters: tuple[str, ...] | None = None
    default_letters: tuple[str, ...] | None = None
    per_option: float | None = None

    def verdict(self, column: Column) -> bool | None:
        """The verdict in a column; None where it has none."""
        if column == "recorded" or (column == "recorded_where_derived" and self.derived is not None):
            return self.recorded
        if column == "ours" and self.type == "multi_choice":
            return self.default
        return self.derived

    @property
    def agrees(self) -> bool:
        """Whether nothing that was derived contradicts what was recorded."""
        return self.derived is None or self.recorded is None or self.derived == self.recorded


@dataclass
class RescoredScenario:
    """One scenario: its rounds in order, and what the replay met."""

    id: str
    rounds: list[RescoredRound] = field(default_factory=list)
    log: ReplayLog = field(default_factory=ReplayLog)

    def scores(self, column: Column) -> list[RoundScore]:
        """Scores in order; a round without a verdict in this column is unscored."""
        return [_score(self.id, one, one.verdict(column)) for one in self.rounds]

    def streaks(self, column: Column) -> Streaks:
        """Success and failure runs over the rounds that have a verdict in this column."""
        return Streaks.of(sequence(self.scores(column), "adjusted"))


@dataclass
class Rescored:
    """A published run, scored again; `replayed` says whether workspaces were rebuilt, `report` what its own report says."""

    results: Path
    layout: str
    level: int
    replayed: bool = True
    scenarios: list[RescoredScenario] = field(default_factory=list)
    report: dict[str, float] = field(default_factory=dict)

    def by_formula_of_report(self) -> dict[str, float | None]:
        """The metrics of `report` from the recorded verdicts, by the formulas of published reports.

        All are means over scenarios, but for CRS = (TCR + SC × FD) / 2, of the means: that CRS is of no metric set.
        """
        mean = self.summary("macro", "recorded")
        tcr, sc, fd = mean.tcr, mean.sc, mean.fd
        crs = None if tcr is None or sc is None or fd is None else composite_reliability(tcr, sc * fd)
        return {"tcr": tcr, "sc": sc, "fd": fd, "robustness": mean.robustness, "crs": crs}

    def rounds(self, kind: str) -> list[RescoredRound]:
        """All rounds of a type."""
        return [one for scenario in self.scenarios for one in scenario.rounds if one.type == kind]

    def disagreements(self) -> list[tuple[str, RescoredRound]]:
        """Rounds whose derived verdict is not the recorded one."""
        return [(s.id, one) for s in self.scenarios for one in s.rounds if not one.agrees]

    def extraction_differences(self) -> list[tuple[str, RescoredRound]]:
        """multi_choice rounds in which the two ways of reading a reply give different letters."""
        return [
            (s.id, one)
            for s in self.scenarios
            for one in s.rounds
            if one.type == "multi_choice" and one.compat_letters != one.default_letters
        ]

    def summary(self, metric_set: MetricSet, column: Column) -> MetricSummary:
        """The metrics of a column, over the rounds that have a verdict in it."""
        return aggregate({s.id: s.scores(column) for s in self.scenarios}, metric_set, "adjusted")

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "results": str(self.results),
            "layout": self.layout,
            "isolation": self.level,
            "multi_choice": {
                "rounds": len(self.rounds("multi_choice")),
                "agree_compat": sum(one.derived == one.recorded for one in self.rounds("multi_choice")),
                "agree_default": sum(one.default == one.recorded for one in self.rounds("multi_choice")),
                "extraction_differences": [_named(*pair) for pair in self.extraction_differences()],
            },
            "exec_check": {
                "rounds": len(self.rounds("exec_check")),
                "derived": sum(one.derived is not None for one in self.rounds("exec_check")),
                "agree": sum(
                    one.derived == one.recorded for one in self.rounds("exec_check") if one.derived is not None
                ),
                "recorded_only": sum(one.derived is None for one in self.rounds("exec_check")),
            },
            "report": {"recorded": self.report, "from_recorded_verdicts": self.by_formula_of_report()}
            if self.report
            else None,
            "disagreements": [_named(*pair) for pair in self.disagreements()],
            "scenarios": {scenario.id: _scenario(scenario) for scenario in self.scenarios},
            "metrics": {
                column: {name: asdict(self.summary(name, column)) for name in get_args(MetricSet)} for column in COLUMNS
            },
        }


def _named(scenario: str, one: RescoredRound) -> dict[str, Any]:
    return {"scenario": scenario, **asdict(one)}


def _scenario(scenario: RescoredScenario) -> dict[str, Any]:
    log = scenario.log
    return {
        "streaks": {column: _streaks(scenario.streaks(column)) for column in COLUMNS},
        "replay": {
            "calls": dict(log.calls),
            "files_verified": log.verified,
            "files_kept": log.kept,
            "files_missing": log.missing,
            "reads_agree": [sum(log.reads), len(log.reads)],
            "outputs_agree": [sum(log.outputs), len(log.outputs)],
            "not_replayed": log.notes,
        },
        "rounds": [asdict(one) for one in scenario.rounds],
    }


def _streaks(found: Streaks) -> dict[str, Any]:
    return {
        "n": found.n,
        "S": found.s,
        "k": found.k,
        "S_f": found.s_f,
        "k_f": found.k_f,
        "tcr": found.tcr,
        "sc": found.sc,
        "fd": found.fd,
    }


def _score(scenario: str, one: RescoredRound, verdict: bool | None) -> RoundScore:
    cause = "no verdict" if verdict is None else None
    score = None if verdict is None else float(verdict)
    return RoundScore(scenario, one.round, one.type, score, cause, one.per_option if verdict is not None else None)
