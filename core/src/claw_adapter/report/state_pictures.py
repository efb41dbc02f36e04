"""Pictures of rounds that are judged by state, by tag: a row of marks per value, or a line over numbers.

A tag of many words becomes marks (the paper's Figure 4, by family), one of many numbers a line (score against length). Shares
are strict: an unscored round counts 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markupsafe import Markup

from claw_adapter.report.breakdown_records import Breakdown, Breakdowns
from claw_adapter.report.drawing import Curve, dots, lines
from claw_adapter.report.state_words import judged_by_state
from claw_adapter.scoring.breakdown import UNTAGGED, BreakdownRow

__all__ = ["groups_of", "state_pictures"]

LEAST: Final = 5
"""Values of a tag from which on a picture says more than its table."""
MOST_ROWS: Final = 40
GROUPS: Final = 8
"""Steps of a line: neighbouring numbers are put together, so that each has about as many rounds."""

_DOTS: Final = "The share of rounds that are right; what is hardest stands last."
_LINE: Final = (
    "The share of rounds that are right; neighbouring numbers are put together, so that steps have many rounds."
)


def state_pictures(found: Breakdowns | None) -> Iterator[Markup]:
    """A picture of each breakdown by one tag that has enough values."""
    for one in found.by_tag if found else ():
        rows = [row for row in one.rows if row.values and row.values[0] != UNTAGGED and row.n]
        values = dict.fromkeys(row.values[0] for row in rows)
        if len(one.by) != 1 or one.of != "rounds" or not judged_by_state(one.rows) or len(values) < LEAST:
            continue
        if all(value.isdecimal() for value in values):
            yield _line(one, rows)
        elif len(values) <= MOST_ROWS:
            yield _dots(one, rows)


def _dots(one: Breakdown, rows: Sequence[BreakdownRow]) -> Markup:
    by_value = _by(rows, 0)
    order = sorted(by_value, key=lambda value: (-_share(by_value[value]), value))
    shares = {(row.config, row.values[0]): _share([row]) for row in rows}
    configs = dict.fromkeys(row.config for row in rows)
    curves = [Curve(config, tuple(shares.get((config, value)) for value in order)) for config in configs]
    return dots(f"Score by {one.by[0]}", _DOTS, curves, [value.replace("_", " ") for value in order])


def _line(one: Breakdown, rows: Sequence[BreakdownRow]) -> Markup:
    groups = groups_of({int(value): sum(row.n for row in some) for value, some in _by(rows, 0).items()})
    configs = dict.fromkeys(row.config for row in rows)
    curves = []
    for config in configs:
        own = [[row for row in rows if row.config == config and int(row.values[0]) in group] for group in groups]
        curves.append(Curve(config, tuple(_share(some) if some else None for some in own)))
    steps = [str(group[0]) if len(group) == 1 else f"{group[0]}–{group[-1]}" for group in groups]
    return lines(f"Score against {one.by[0]}", _LINE, curves, steps, x=one.by[0], unit="share")


def groups_of(rounds: Mapping[int, int]) -> list[list[int]]:
    """Numbers, each with its rounds, put together in order until each group has about as many."""
    enough = sum(rounds.values()) / GROUPS
    groups: list[list[int]] = []
    for number in sorted(rounds):
        if groups and sum(rounds[one] for one in groups[-1]) < enough:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _by(rows: Sequence[BreakdownRow], place: int) -> dict[str, list[BreakdownRow]]:
    found: dict[str, list[BreakdownRow]] = {}
    for row in rows:
        found.setdefault(row.values[place], []).append(row)
    return found


def _share(rows: Sequence[BreakdownRow]) -> float:
    return sum((row.strict_mean or 0.0) * row.n for row in rows) / sum(row.n for row in rows)
