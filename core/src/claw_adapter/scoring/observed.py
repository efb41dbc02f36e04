"""One round as one configuration answered it: what every breakdown of scores starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Observation", "RuleVerdict"]


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """A preference examined in a silent-exam round."""

    name: str
    dimension: str
    passed: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """One round as one configuration answered it.

    Attributes:
        config: what was tried, e.g. harness and model; several trials (seeds, repeats) of one configuration share it.
        trial: tells those trials apart.
        index: position of the round in its scenario, from 0.
        score: in [0, 1]; None when the round is unscored.
        tags: name → values, by which it can be broken down beside scenario, round and type.
        unread: whether the reply had no answer that could be extracted.
        per_option: the v1 per-option score of a multi_choice round, see `claw_adapter.scoring.RoundScore`.
        recorded: whether the round was run at all; False for those that a trial which failed did not reach.
        chosen: the letters read; None when none could be read.
        outcomes: statement → ``tp``, ``fp``, ``fn`` or ``tn``.
        compound: statements whose shortest decisive evidence has two parts or more; None where the scenario has no
            evidence layer.
        was_stale: revision rounds: whether the earlier round was answered as the old evidence had it.
        revised: revision rounds: whether the conclusion is now the updated truth.
        rules: preferences examined.
    """

    config: str
    trial: str
    scenario: str
    round: str
    index: int
    type: str
    score: float | None
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unread: bool = False
    per_option: float | None = None
    recorded: bool = True
    chosen: tuple[str, ...] | None = None
    outcomes: Mapping[str, str] = field(default_factory=dict)
    compound: frozenset[str] | None = None
    was_stale: bool | None = None
    revised: bool | None = None
    rules: tuple[RuleVerdict, ...] = ()
