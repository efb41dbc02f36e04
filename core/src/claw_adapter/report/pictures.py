"""Scores by tag as pictures: inline SVG without script, colours from the page's style, every mark with its own title.

Of rounds that are judged by state, as tables of the same breakdowns show them: a tag of many words becomes a row of marks per
value (the paper's Figure 4, by family), a tag of many numbers a line per configuration (score against length). All shares are
strict: an unscored round counts 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from claw_adapter.report import state_words as state
from claw_adapter.report.breakdown_records import Breakdown, Breakdowns
from claw_adapter.report.clean import clean
from claw_adapter.scoring.breakdown import UNTAGGED, BreakdownRow

__all__ = ["Picture", "Point", "pictures", "points_of"]

LEAST: Final = 5
"""Values of a tag from which on a picture says more than its table."""
MOST_ROWS: Final = 40
COLOURS: Final = 8
"""Configurations that can be told apart."""
GROUPS: Final = 8
"""Points of a line: neighbouring numbers are put together, so that each has about as many rounds."""
_SHAPES: Final = (
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
    "M-4.5,-4.5h9v9h-9z",
    "M0,-6l6,10h-12z",
    "M0,-6l6,6l-6,6l-6,-6z",
)
_LEFT, _RIGHT, _TOP, _STEP, _HIGH = 270, 560, 14, 24, 240


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, what it shows, and what must be known to read it."""

    title: str
    note: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class Point:
    """A share (0 to 1) of `rounds` rounds whose tag has the values from `first` to `last`; `at` is their mean."""

    at: float
    share: float
    rounds: int
    first: int
    last: int


def pictures(found: Breakdowns | None) -> Iterator[Picture]:
    """A picture of each breakdown that has enough values; none where there are too many configurations."""
    for one in found.by_tag if found and len(found.configs) <= COLOURS else ():
        rows = [row for row in one.rows if row.values and row.values[0] != UNTAGGED and row.n]
        values = dict.fromkeys(row.values[0] for row in rows)
        if len(one.by) != 1 or one.of != "rounds" or not state.judged_by_state(one.rows) or len(values) < LEAST:
            continue
        if all(value.isdecimal() for value in values):
            yield Picture(f"Score against {one.by[0]}", _LINE, _line(one, rows, found.configs if found else ()))
        elif len(values) <= MOST_ROWS:
            yield Picture(f"Score by {one.by[0]}", _DOTS, _dots(one, rows, found.configs if found else ()))


_LINE: Final = (
    "Percent of rounds that are right, strictly; neighbouring values are put together, large marks have many rounds."
)
_DOTS: Final = "Percent of rounds that are right, strictly; the hardest at the bottom."


def _dots(one: Breakdown, rows: Sequence[BreakdownRow], configs: Sequence[str]) -> Markup:
    by_value: dict[str, list[BreakdownRow]] = {}
    for row in rows:
        by_value.setdefault(row.values[0], []).append(row)
    order = sorted(by_value, key=lambda value: (-_pooled(by_value[value]), value))
    bottom = _TOP + _STEP * len(order)
    parts = [_grid_across(bottom)]
    for place, value in enumerate(order):
        y = _TOP + _STEP * place + _STEP / 2
        parts.append(_text(_LEFT - 10, y + 4, value.replace("_", " "), "end"))
        parts.append(Markup('<path class="rule" d="M{} {}H{}"/>').format(_LEFT, y, _RIGHT))
        for row in by_value[value]:
            number = configs.index(row.config)
            offset = (number - (len(configs) - 1) / 2) * min(6.0, 16 / max(1, len(configs)))
            said = f"{row.config}, {value}: {100 * _share(row):.1f} % of {row.n}"
            parts.append(_mark(number, _across(_share(row)), y + offset, said))
    return _whole(f"Share of rounds that are right, by {one.by[0]}", parts, configs, bottom + 22)


def points_of(rows: Sequence[BreakdownRow]) -> tuple[Point, ...]:
    """Points of one configuration: values in order, put together until each point has about as many rounds."""
    some = sorted(rows, key=lambda row: int(row.values[0]))
    enough = sum(row.n for row in some) / GROUPS
    groups: list[list[BreakdownRow]] = []
    for row in some:
        if groups and sum(r.n for r in groups[-1]) < enough:
            groups[-1].append(row)
        else:
            groups.append([row])
    return tuple(_point(group) for group in groups)


def _point(group: Sequence[BreakdownRow]) -> Point:
    rounds = sum(row.n for row in group)
    at = sum(int(row.values[0]) * row.n for row in group) / rounds
    return Point(at, _pooled(group), rounds, int(group[0].values[0]), int(group[-1].values[0]))


def _share(row: BreakdownRow) -> float:
    return row.strict_mean or 0.0


def _pooled(rows: Sequence[BreakdownRow]) -> float:
    return sum(_share(row) * row.n for row in rows) / sum(row.n for row in rows)


def _line(one: Breakdown, rows: Sequence[BreakdownRow], configs: Sequence[str]) -> Markup:
    numbers = [int(row.values[0]) for row in rows]
    least, most = min(numbers), max(numbers)
    bottom = _TOP + _HIGH

    def x(at: float) -> float:
        return 60 + (at - least) / max(1, most - least) * (_RIGHT - 60)

    def y(share: float) -> float:
        return bottom - share * _HIGH

    parts = []
    for percent in (0, 25, 50, 75, 100):
        parts.append(Markup('<path class="rule" d="M60 {0}H{1}"/>').format(y(percent / 100), _RIGHT))
        parts.append(_text(52, y(percent / 100) + 4, f"{percent}", "end"))
    ticks = sorted({least, most, *(round(least + (most - least) * i / 4) for i in (1, 2, 3))})
    parts += [_text(x(at), bottom + 18, str(at), "middle") for at in ticks]
    parts.append(_text((60 + _RIGHT) / 2, bottom + 36, one.by[0], "middle"))
    for number, config in enumerate(configs):
        points = points_of([row for row in rows if row.config == config])
        path = " ".join(f"{'L' if i else 'M'}{x(p.at):.1f} {y(p.share):.1f}" for i, p in enumerate(points))
        parts.append(Markup('<path class="way s{}" d="{}"/>').format(number, path))
        largest = max((p.rounds for p in points), default=1)
        for p in points:
            span = f"{p.first}" if p.first == p.last else f"{p.first} to {p.last}"
            said = f"{config}, {one.by[0]} {span}: {100 * p.share:.1f} % of {p.rounds}"
            parts.append(_mark(number, x(p.at), y(p.share), said, 0.6 + 0.6 * (p.rounds / largest) ** 0.5))
    return _whole(f"Share of rounds that are right, against {one.by[0]}", parts, configs, bottom + 44)


def _across(share: float) -> float:
    return _LEFT + share * (_RIGHT - _LEFT)


def _grid_across(bottom: float) -> Markup:
    lines = (
        Markup('<path class="rule" d="M{0} {1}V{2}"/>').format(_across(percent / 100), _TOP, bottom)
        + _text(_across(percent / 100), bottom + 16, f"{percent}", "middle")
        for percent in (0, 25, 50, 75, 100)
    )
    return Markup("").join(lines)


def _mark(number: int, x: float, y: float, said: str, scale: float = 1.0) -> Markup:
    return Markup(
        '<path class="mark s{}" transform="translate({:.1f} {:.1f}) scale({:.2f})" d="{}"><title>{}</title></path>'
    ).format(number, x, y, scale, _SHAPES[number % len(_SHAPES)], clean(said))


def _text(x: float, y: float, said: str, anchor: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, clean(said))


def _whole(title: str, parts: Sequence[Markup], configs: Sequence[str], height: float) -> Markup:
    """The picture with its legend below."""
    legend = [
        _mark(number, 24, height + 12 + 20 * number, config) + _text(38, height + 16 + 20 * number, config, "start")
        for number, config in enumerate(configs)
    ]
    tall = height + 20 * len(configs) + 6
    head = Markup(
        '<svg class="picture" role="img" viewBox="0 0 600 {:.0f}" width="600" height="{:.0f}"><title>{}</title>'
    )
    return head.format(tall, tall, clean(title)) + Markup("").join([*parts, *legend]) + Markup("</svg>")
