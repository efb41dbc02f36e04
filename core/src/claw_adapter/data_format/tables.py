"""The papers' tables 8 to 11 (ClawArena v2, appendix E) for any data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from claw_adapter.data_format.counting import Counts
from claw_adapter.data_format.items import BUCKETS, Bucket

__all__ = ["COLUMNS", "Facts", "Spread", "Table8", "TableRow", "Tables", "spread", "tables"]

COLUMNS = (
    "scenario",
    "rounds",
    "mc",
    "ec",
    "preference_rounds",
    "update_rounds",
    "updates",
    "update_files",
    "files",
    "tokens",
)
"""Columns of table 11."""

UpdateKind = Literal["workspace", "session", "group"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What tables 9 to 11 need to know of one scenario besides tokens.

    Attributes:
        options: options per multi_choice round.
        correct: right options per multi_choice round.
        timeouts: seconds per exec_check round.
        exits: exec_check rounds that expect an exit status.
        stdouts: exec_check rounds that expect text on standard output.
        update_kinds: kind of each update event, groups included as the published table has them.
        actions: action of each file of an update that names one; the published table counts these only.
        files: files in the workspace before any update.
        update_files: files that updates bring.
        applied_files: those of them that some round applies.
    """

    scenario: str
    rounds: int
    options: tuple[int, ...] = ()
    correct: tuple[int, ...] = ()
    timeouts: tuple[float, ...] = ()
    exits: int = 0
    stdouts: int = 0
    preference_rounds: int = 0
    update_rounds: int = 0
    update_kinds: tuple[UpdateKind, ...] = ()
    actions: tuple[str, ...] = ()
    files: int = 0
    update_files: int = 0
    applied_files: int = 0


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of table 11; `updates` counts events, groups included."""

    scenario: str
    rounds: int
    mc: int
    ec: int
    preference_rounds: int
    update_rounds: int
    updates: int
    update_files: int
    files: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, least and largest of some numbers; None where there are none."""

    mean: float | None
    least: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class Table8:
    """Tokens by source in one layout, with their share of the total in percent."""

    layout: str
    tokens: Mapping[Bucket, int]
    total: int

    def percent(self, bucket: Bucket) -> float:
        """Share of a source; 0 of nothing."""
        return 100 * self.tokens[bucket] / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Tables:
    """All four tables in one layout."""

    table8: Table8
    options: Spread
    correct: Spread
    timeouts: Spread
    exit_percent: float | None
    stdout_percent: float | None
    targets: Mapping[UpdateKind, int]
    actions: Mapping[str, int]
    operations: int
    """File operations of all updates; the published table 10 counts only those that name an action."""
    applied_operations: int
    table11: tuple[TableRow, ...]


def spread(numbers: Iterable[float]) -> Spread:
    """Mean, least and largest."""
    values = list(numbers)
    return Spread(sum(values) / len(values), min(values), max(values)) if values else Spread(None, None, None)


def tables(layout: str, counts: Counts, facts: Sequence[Facts]) -> Tables:
    """The tables of a data set in one layout.

    Args:
        layout: its name.
        counts: tokens by scenario and bucket.
        facts: one entry per scenario.
    """
    sums: dict[Bucket, int] = {bucket: sum(of[bucket] for of in counts.values()) for bucket in BUCKETS}
    checks = sum(len(one.timeouts) for one in facts)
    rows = [_row(one, sum(counts[one.scenario].values()) if one.scenario in counts else 0) for one in facts]
    kinds = [kind for one in facts for kind in one.update_kinds]
    named = [action for one in facts for action in one.actions]
    return Tables(
        table8=Table8(layout, sums, sum(sums.values())),
        options=spread(n for one in facts for n in one.options),
        correct=spread(n for one in facts for n in one.correct),
        timeouts=spread(n for one in facts for n in one.timeouts),
        exit_percent=100 * sum(one.exits for one in facts) / checks if checks else None,
        stdout_percent=100 * sum(one.stdouts for one in facts) / checks if checks else None,
        targets={kind: kinds.count(kind) for kind in ("workspace", "session", "group")},
        actions={action: named.count(action) for action in sorted(set(named))},
        operations=sum(one.update_files for one in facts),
        applied_operations=sum(one.applied_files for one in facts),
        table11=tuple(sorted(rows, key=lambda row: -row.tokens)),
    )


def _row(facts: Facts, tokens: int) -> TableRow:
    return TableRow(
        scenario=facts.scenario,
        rounds=facts.rounds,
        mc=len(facts.options),
        ec=len(facts.timeouts),
        preference_rounds=facts.preference_rounds,
        update_rounds=facts.update_rounds,
        updates=len(facts.update_kinds),
        update_files=facts.update_files,
        files=facts.files,
        tokens=tokens,
    )
