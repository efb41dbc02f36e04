"""Per-option tables over configurations: which statements are decided wrongly, by whom, and of what kind they are.

Sources: ClawArena v1 §3.4 and Figure 4, v2 §4.5 and appendix G.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from claw_adapter.scoring.observed import Observation
from claw_adapter.scoring.tally import MULTI_CHOICE

__all__ = ["OptionRow", "Passes", "identical_wrong", "option_grid", "passes"]

RIGHT = frozenset({"tp", "tn"})


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One multiple-choice round over all configurations.

    Attributes:
        chosen: configuration → letters, None where none could be read or the round was unscored; the first trial's.
        wrong: letters that were decided wrongly, by configuration.
        exact: configurations that had the right set.
    """

    scenario: str
    round: str
    letters: tuple[str, ...]
    key: tuple[str, ...]
    chosen: Mapping[str, tuple[str, ...] | None]
    wrong: Mapping[str, tuple[str, ...]]
    exact: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passes:
    """How many configurations got a round right, of those it was scored for."""

    scenario: str
    round: str
    type: str
    passed: int
    of: int


def option_grid(found: Sequence[Observation]) -> tuple[OptionRow, ...]:
    """Every round with statements over every configuration (v1 Figure 4, v2 appendix G). Of several trials the first counts."""
    rounds: dict[tuple[str, str], dict[str, Observation]] = {}
    for one in found:
        if one.outcomes or one.type == MULTI_CHOICE:
            rounds.setdefault((one.scenario, one.round), {}).setdefault(one.config, one)
    return tuple(_row(of) for of in rounds.values() if any(one.outcomes for one in of.values()))


def _row(of: Mapping[str, Observation]) -> OptionRow:
    some = next(one for one in of.values() if one.outcomes)
    key = tuple(letter for letter, outcome in some.outcomes.items() if outcome in ("tp", "fn"))
    wrong = {
        config: tuple(letter for letter, outcome in one.outcomes.items() if outcome not in RIGHT)
        for config, one in of.items()
        if one.outcomes
    }
    return OptionRow(
        scenario=some.scenario,
        round=some.round,
        letters=tuple(some.outcomes),
        key=key,
        chosen={config: one.chosen for config, one in of.items()},
        wrong=wrong,
        exact=tuple(config for config, letters in wrong.items() if not letters),
    )


def identical_wrong(row: OptionRow) -> tuple[tuple[str, ...], ...]:
    """Configurations that gave the very same wrong set, in groups of two and more.

    The same wrong answer under several harnesses points to the model, not the harness (v1 §3.4, "model-level bias").
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for config, letters in row.wrong.items():
        if letters:
            groups.setdefault(letters, []).append(config)
    return tuple(tuple(configs) for configs in groups.values() if len(configs) > 1)


def passes(found: Sequence[Observation]) -> tuple[Passes, ...]:
    """Per round the configurations that got it right, the first trial of each.

    With several configurations, rounds that none passes (0/k) mark a ceiling or a defective question (v2 §4.5).
    """
    first: dict[tuple[str, str], dict[str, Observation]] = {}
    for one in found:
        first.setdefault((one.scenario, one.round), {}).setdefault(one.config, one)
    rows = []
    for (scenario, name), of in first.items():
        scored = [one for one in of.values() if one.score is not None]
        kind = next(iter(of.values())).type
        rows.append(Passes(scenario, name, kind, sum(one.score == 1 for one in scored), len(scored)))
    return tuple(rows)
