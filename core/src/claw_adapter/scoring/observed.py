"""One round as one configuration answered it: what every breakdown of scores starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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
        cause: owner of the failure that left the round unscored.
        failed_requests: requests of the turn that the provider failed.
        progress: rounds judged by state: the share of what was wanted that holds. None elsewhere, as of all that follow.
        partial: partial credit by the formula of the benchmark; None where it has none.
        baseline: `partial` of doing nothing.
        commands: how many were executed.
        conduct: what was done on the way, as keys of `claw_adapter.scoring.parts.CONDUCT`.
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
    cause: str | None = None
    failed_requests: int = 0
    progress: float | None = None
    partial: float | None = None
    baseline: float | None = None
    commands: int | None = None
    conduct: tuple[str, ...] | None = None

    @property
    def provider(self) -> Literal["failed", "impacted"] | None:
        """Whether the provider left the round unscored, or failed some of its requests only; None where it did neither."""
        if self.score is None:
            return "failed" if self.cause == "endpoint" else None
        return "impacted" if self.failed_requests else None
