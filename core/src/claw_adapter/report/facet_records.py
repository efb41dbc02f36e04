"""The published record of a run's breakdowns, part of ``summary/1``."""

from __future__ import annotations

from claw_adapter.protocol.base import Record
from claw_adapter.scoring.agreement import Correlation
from claw_adapter.scoring.facets import Compliance, FormatPair, Group, RevisionRate
from claw_adapter.scoring.options import OptionRow, Passes

__all__ = ["Facets", "FormatLink", "Identical"]


class Identical(Record):
    """Configurations that gave the very same wrong set in a round."""

    scenario: str
    round: str
    wrong: tuple[str, ...]
    """Statements that they all decided wrongly."""
    configs: tuple[str, ...]


class FormatLink(Record):
    """Mean multi_choice against mean exec_check scores, over configurations or scenarios."""

    over: str
    pairs: tuple[FormatPair, ...]
    correlation: Correlation | None = None
    """None where fewer than three have both formats, or one never varies."""


class Facets(Record):
    """A run broken down; empty where it has nothing to show. Means are of scored rounds, in [0, 1]."""

    configs: tuple[str, ...]
    phases: tuple[Group, ...] = ()
    categories: tuple[Group, ...] = ()
    revision: tuple[RevisionRate, ...] = ()
    compliance: tuple[Compliance, ...] = ()
    options: tuple[OptionRow, ...] = ()
    identical: tuple[Identical, ...] = ()
    compound: tuple[Group, ...] = ()
    never_passed: tuple[Passes, ...] = ()
    """Rounds that none of several configurations passed (0/k)."""
    formats: tuple[FormatLink, ...] = ()
