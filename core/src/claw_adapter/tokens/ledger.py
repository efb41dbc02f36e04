"""Three kinds of token numbers, kept apart: adding one kind to another is refused.

``rendered``  ChatML of what the model last saw in the turn plus the reply, counted by us;
``reported``  what the harness says, in the semantics its adapter declares;
``metered``   cl100k of every request seen at the endpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Literal

__all__ = ["Amount", "Kind", "Ledger", "Readings", "Semantics", "Totals", "TurnUsage", "per_turn"]

Semantics = Literal["per_turn", "cumulative", "last_request"]


class Kind(StrEnum):
    """Where a token number comes from."""

    RENDERED = "rendered"
    REPORTED = "reported"
    METERED = "metered"


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens of one kind: sent to the model, and received from it."""

    kind: Kind
    input: int
    output: int

    def __add__(self, other: Amount) -> Amount:
        """The sum of two amounts of one kind.

        Raises:
            TypeError: the kinds differ; such a sum has no meaning.
        """
        if self.kind is not other.kind:
            raise TypeError(f"{self.kind} and {other.kind} tokens cannot be added")
        return Amount(self.kind, self.input + other.input, self.output + other.output)


@dataclass(frozen=True, slots=True)
class Readings:
    """Readings turned into consumption.

    Attributes:
        values: per turn; None where a turn's consumption cannot be known.
        total: over all turns; None where it cannot be known.
        flags: what was wrong with the readings, one sentence each.
    """

    values: tuple[int | None, ...]
    total: int | None
    flags: tuple[str, ...] = ()


def per_turn(values: Sequence[int | None], semantics: Semantics) -> Readings:
    """Consumption of each turn from the numbers a harness reported after each turn.

    Cumulative readings are differenced from 0. After a fall the turn is unknown and counting goes on from the lower
    reading; after missing readings the next turn carries the sum. ``last_request`` readings are the size of one
    request, not consumption: every turn is unknown. A negative reading counts as missing.

    Args:
        values: one reading per turn; None where the harness gave none.
        semantics: what the readings mean.
    """
    flags = [f"turn {i}: negative reading {v}" for i, v in enumerate(values, 1) if v is not None and v < 0]
    clean = [None if v is None or v < 0 else v for v in values]
    if semantics == "cumulative":
        return _differences(clean, flags)
    if semantics == "last_request":
        note = ("last_request readings are occupancy, not consumption",) if clean else ()
        return Readings((None,) * len(clean), None, (*flags, *note))
    known = [v for v in clean if v is not None]
    return Readings(tuple(clean), sum(known) if clean and len(known) == len(clean) else None, tuple(flags))


def _differences(readings: Sequence[int | None], flags: list[str]) -> Readings:
    known = [(0, 0), *((turn, v) for turn, v in enumerate(readings, 1) if v is not None)]
    values: list[int | None] = [None] * len(readings)
    total = readings[-1] if readings else None
    for (before, old), (turn, new) in pairwise(known):
        if new < old:
            total = None
            flags.append(f"turn {turn}: cumulative reading fell from {old} to {new}")
            continue
        values[turn - 1] = new - old
        if turn - before > 1:
            flags.append(f"turn {turn}: covers turns {before + 1} to {turn}")
    return Readings(tuple(values), total, tuple(flags))


@dataclass(frozen=True, slots=True)
class TurnUsage:
    """What is known after one turn; reported numbers are raw readings, None where the harness gave none."""

    rendered: Amount | None = None
    metered: Amount | None = None
    reported_input: int | None = None
    reported_output: int | None = None

    def __post_init__(self) -> None:
        for amount, kind in ((self.rendered, Kind.RENDERED), (self.metered, Kind.METERED)):
            if amount is not None and amount.kind is not kind:
                raise TypeError(f"{amount.kind} tokens entered as {kind}")


@dataclass(frozen=True, slots=True)
class Totals:
    """Sum per kind over a trial; None where no turn had that kind, and for `reported` where it cannot be known."""

    turns: int
    rendered: Amount | None
    reported: Amount | None
    metered: Amount | None
    flags: tuple[str, ...]


class Ledger:
    """Collects the usage of a trial's turns; `semantics` says what the harness's own numbers mean."""

    def __init__(self, semantics: Semantics = "per_turn") -> None:
        self._semantics: Semantics = semantics
        self._turns: list[TurnUsage] = []

    def add(self, turn: TurnUsage) -> None:
        """Append one turn, in order."""
        self._turns.append(turn)

    def totals(self) -> Totals:
        """Sums of each kind by itself."""
        sent = per_turn([turn.reported_input for turn in self._turns], self._semantics)
        received = per_turn([turn.reported_output for turn in self._turns], self._semantics)
        known = sent.total is not None and received.total is not None
        reported = Amount(Kind.REPORTED, sent.total or 0, received.total or 0) if known else None
        return Totals(
            turns=len(self._turns),
            rendered=_sum([turn.rendered for turn in self._turns]),
            reported=reported,
            metered=_sum([turn.metered for turn in self._turns]),
            flags=(*(f"input {flag}" for flag in sent.flags), *(f"output {flag}" for flag in received.flags)),
        )


def _sum(amounts: Sequence[Amount | None]) -> Amount | None:
    total: Amount | None = None
    for amount in amounts:
        if amount is not None:
            total = amount if total is None else total + amount
    return total
