"""What the papers break scores down by: phases, categories, revision, preferences, the two formats.

Sources: ClawArena v1 §2.2 and §3.2, v2 §3.2, §4.2 and §4.5. `claw_adapter.scoring.options` has the per-option tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from claw_adapter.scoring.agreement import Correlation, correlation
from claw_adapter.scoring.observed import Observation
from claw_adapter.scoring.tally import EXEC_CHECK, MULTI_CHOICE

__all__ = [
    "Compliance",
    "FormatPair",
    "Group",
    "Part",
    "RevisionRate",
    "by_category",
    "by_phase",
    "compliance",
    "format_correlation",
    "revision_rates",
]


@dataclass(frozen=True, slots=True)
class Part:
    """Mean score of some scored rounds of one configuration; unscored ones are left out and counted."""

    config: str
    mean: float | None
    rounds: int
    unscored: int


@dataclass(frozen=True, slots=True)
class Group:
    """A slice of the rounds, e.g. a phase or a category, and every configuration's part in it."""

    name: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class RevisionRate:
    """Revised / pairs whose earlier round was answered as the old evidence had it; None without such a pair."""

    config: str
    by: str
    rate: float | None
    revised: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Compliance:
    """Kept / examined rules of one dimension in silent-exam rounds."""

    config: str
    dimension: str
    kept: int
    examined: int


@dataclass(frozen=True, slots=True)
class FormatPair:
    """The two formats over something: a configuration or a scenario."""

    name: str
    mc: float
    ec: float


def _part(config: str, rounds: Sequence[Observation]) -> Part:
    scores = [one.score for one in rounds if one.score is not None]
    return Part(config, sum(scores) / len(scores) if scores else None, len(scores), len(rounds) - len(scores))


def _groups(found: Iterable[Observation], slices: Mapping[str, Sequence[Observation]]) -> tuple[Group, ...]:
    configs = list(dict.fromkeys(one.config for one in found))
    groups = []
    for name, rounds in slices.items():
        mine = _sorted(rounds, lambda one: (one.config,))
        groups.append(Group(name, tuple(_part(config, mine.get(config, ())) for config in configs)))
    return tuple(groups)


def _sorted(found: Iterable[Observation], keys: Callable[[Observation], Iterable[str]]) -> dict[str, list[Observation]]:
    """Observations under each of their keys, in the order met."""
    sorted_: dict[str, list[Observation]] = {}
    for one in found:
        for key in keys(one):
            sorted_.setdefault(key, []).append(one)
    return sorted_


def by_phase(found: Sequence[Observation]) -> tuple[Group, ...]:
    """Mean score by update phase: "each phase boundary corresponds to a staged update" (v1 Table 3).

    Phase k holds the rounds from the k-th round with updates up to the next; phase 0 those before the first. Scenarios
    are pooled by the number of the phase. Nothing where no round has updates.
    """
    last = max((one.phase for one in found), default=0)
    if not last:
        return ()
    by = _sorted(found, lambda one: (f"phase {one.phase}",))
    return _groups(found, {name: by.get(name, []) for name in (f"phase {phase}" for phase in range(last + 1))})


def by_category(found: Sequence[Observation]) -> tuple[Group, ...]:
    """Mean score by the 14 categories: seven subsets of MS, DU, P, each for recall and reasoning (v1 §2.2, v2 Table 2)."""
    by = _sorted(found, lambda one: (one.category,) if one.category else ())
    return _groups(found, {name: by[name] for name in sorted(by)})


def revision_rates(found: Sequence[Observation]) -> tuple[RevisionRate, ...]:
    """How often a conclusion is revised after contradictory evidence (v1 §2.2), in all, per update and per update tag.

    A pair counts when its earlier round was answered as the old evidence had it: who was right too early, or wrong in
    another way, had nothing to revise. Only revision rounds carry the comparison.
    """
    configs = list(dict.fromkeys(one.config for one in found if one.was_stale is not None))
    pairs = [one for one in found if one.was_stale]
    slices = {"all": pairs} | _sorted(pairs, lambda one: dict.fromkeys((*_of(one), *one.update_tags)))
    rates = []
    for name, some in slices.items():
        mine = _sorted(some, lambda one: (one.config,))
        rates += [_rate(config, name, mine.get(config, ())) for config in configs]
    return tuple(rates)


def _of(one: Observation) -> tuple[str, ...]:
    """Updates under names that tell scenarios apart."""
    return tuple(f"{one.scenario}/{update}" for update in one.updates)


def _rate(config: str, name: str, pairs: Sequence[Observation]) -> RevisionRate:
    revised = sum(bool(one.revised) for one in pairs)
    return RevisionRate(config, name, revised / len(pairs) if pairs else None, revised, len(pairs))


def compliance(found: Sequence[Observation]) -> tuple[Compliance, ...]:
    """Preferences kept per dimension; "compliance is scored only in silent-exam rounds" (v2 §3.2, dimension P)."""
    counts: dict[tuple[str, str], list[bool]] = {}
    for one in found:
        for rule in one.rules:
            counts.setdefault((one.config, rule.dimension), []).append(rule.passed)
    return tuple(Compliance(config, dimension, sum(kept), len(kept)) for (config, dimension), kept in counts.items())


def format_correlation(
    found: Sequence[Observation], *, over: str = "config"
) -> tuple[tuple[FormatPair, ...], Correlation | None]:
    """Mean multi_choice and exec_check scores per configuration (or ``over="scenario"``), and how they go together.

    "MC and EC skills remain loosely correlated" (v2 §4.2 and §4.5). None where fewer than three have both, or one never
    varies.
    """
    by = _sorted((one for one in found if one.score is not None), lambda one: (getattr(one, over),))
    pairs = []
    for name, mine in by.items():
        mc = [one.score for one in mine if one.type == MULTI_CHOICE and one.score is not None]
        ec = [one.score for one in mine if one.type == EXEC_CHECK and one.score is not None]
        if mc and ec:
            pairs.append(FormatPair(name, sum(mc) / len(mc), sum(ec) / len(ec)))
    return tuple(pairs), correlation([pair.mc for pair in pairs], [pair.ec for pair in pairs])
