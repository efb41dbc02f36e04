"""Profiles as a table: a row for each figure of each harness."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claw_adapter.api import frames
from claw_adapter.profile.records import Profile

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FigureRow", "figure_rows", "to_pandas"]


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A figure of a harness; see `Figure`."""

    harness: str
    group: str
    name: str
    value: float | None
    unit: str
    text: str
    low: float | None
    high: float | None
    seen: int
    how: str


def figure_rows(profiles: Iterable[Profile]) -> list[FigureRow]:
    """The rows, in the order of profiles and figures."""
    return [
        FigureRow(
            each.harness, one.group, one.name, one.value, one.unit, one.text, one.low, one.high, one.seen, one.how
        )
        for each in profiles
        for one in each.figures
    ]  # fmt: skip


def to_pandas(profiles: Iterable[Profile]) -> pd.DataFrame:
    """The rows as a data frame.

    Raises:
        ClawError: pandas is not installed (``claw-adapter[pandas]``).
    """
    return frames.data_frame(FigureRow, figure_rows(profiles))
