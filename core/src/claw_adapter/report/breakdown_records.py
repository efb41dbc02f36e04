"""The published records of a run's breakdowns and failed rounds, part of ``summary/1``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from claw_adapter.protocol.base import Record
from claw_adapter.scoring.agreement import Correlation
from claw_adapter.scoring.breakdown import BreakdownRow
from claw_adapter.scoring.formats import FormatPair
from claw_adapter.scoring.options import OptionRow, Passes

__all__ = ["Breakdown", "Breakdowns", "FailedRound", "FormatLink", "Identical", "Unit"]

Unit = Literal["rounds", "failures", "conduct", "conclusions", "preferences", "statements"]
"""What is counted: rounds, those that are not right, what is noted of those judged by state, or parts of rounds."""


class Breakdown(Record):
    """Scores by tag; `by` has the names of the tags, each row a value of each, empty for what does not have the tag."""

    of: Unit
    by: tuple[str, ...]
    rows: tuple[BreakdownRow, ...]
    meanings: dict[str, str] = Field(default_factory=dict)
    """What values mean, as the question types explain their patterns that are installed where the report is made."""


class Identical(Record):
    """Configurations that gave the very same wrong set in a round."""

    scenario: str
    round: str
    wrong: tuple[str, ...]
    """Statements that they all decided wrongly."""
    configs: tuple[str, ...]


class FormatLink(Record):
    """Mean multi_choice against mean exec_check scores, over configurations or scenarios."""

    over: Literal["config", "scenario"]
    pairs: tuple[FormatPair, ...]
    correlation: Correlation | None = None
    """None where fewer than three have both formats, or one never varies."""


class Breakdowns(Record):
    """A run broken down; empty where it has nothing to show. Means are of what is scored, in [0, 1]."""

    configs: tuple[str, ...]
    by_tag: tuple[Breakdown, ...] = ()
    options: tuple[OptionRow, ...] = ()
    identical: tuple[Identical, ...] = ()
    never_passed: tuple[Passes, ...] = ()
    """Rounds that none of several configurations passed (0/k)."""
    formats: tuple[FormatLink, ...] = ()


class FailedRound(Record):
    """A round that is judged by state and not right."""

    trial: int
    """Index into `Summary.trials`."""
    round: str
    index: int
    """Position in its scenario, from 0."""
    score: float
    pattern: str = ""
    reasons: tuple[str, ...] = ()
    """What is missing and why, what was changed and should not have been, and what else is wrong, a line each."""
    first_wrong: int | None = None
    """The first command, from 1, that led away."""
