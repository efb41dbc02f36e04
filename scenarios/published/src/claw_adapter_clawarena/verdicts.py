"""What scoring a published run again gives: verdicts per round, derived or recorded, and everything they add up to."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from claw_adapter.scoring import MetricSet, MetricSummary, RoundScore, Streaks, aggregate, sequence
from claw_adapter_clawarena.replay import ReplayLog

__all__ = ["Rescored", "RescoredRound", "RescoredScenario"]


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

    @property
    def verdict(self) -> bool | None:
        """What counts: derived, else recorded."""
        return self.recorded if self.derived is None else self.derived

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

    def scores(self, *, default: bool = False) -> list[RoundScore]:
        """Scores in order; a round without any verdict is unscored."""
        return [_score(self.id, one, default=default) for one in self.rounds]

    def streaks(self, *, default: bool = False) -> Streaks:
        """Success and failure runs; unscored rounds count as failures."""
        return Streaks.of(sequence(self.scores(default=default), "strict"))


@dataclass
class Rescored:
    """A published run, scored again; `replayed` says whether workspaces were rebuilt."""

    results: Path
    layout: str
    level: int
    replayed: bool = True
    scenarios: list[RescoredScenario] = field(default_factory=list)

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

    def summary(self, metric_set: MetricSet, *, default: bool = False) -> MetricSummary:
        """The metrics; with `default`, multi_choice by our own way of reading."""
        return aggregate({s.id: s.scores(default=default) for s in self.scenarios}, metric_set, "strict")

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
            "disagreements": [_named(*pair) for pair in self.disagreements()],
            "scenarios": {scenario.id: _scenario(scenario) for scenario in self.scenarios},
            "metrics": {metric_set: asdict(self.summary(metric_set)) for metric_set in ("published", "macro", "v1")},
            "metrics_default_extraction": asdict(self.summary("published", default=True)),
        }


def _named(scenario: str, one: RescoredRound) -> dict[str, Any]:
    return {"scenario": scenario, **asdict(one)}


def _scenario(scenario: RescoredScenario) -> dict[str, Any]:
    streaks, log = scenario.streaks(), scenario.log
    return {
        "n": streaks.n,
        "S": streaks.s,
        "k": streaks.k,
        "S_f": streaks.s_f,
        "k_f": streaks.k_f,
        "tcr": streaks.tcr,
        "sc": streaks.sc,
        "fd": streaks.fd,
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


def _score(scenario: str, one: RescoredRound, *, default: bool) -> RoundScore:
    verdict = one.default if default and one.type == "multi_choice" else one.verdict
    cause = "no verdict" if verdict is None else None
    score = None if verdict is None else float(verdict)
    per_option = one.per_option if verdict is not None else None
    return RoundScore(scenario, one.round, one.type, score, cause, per_option)
