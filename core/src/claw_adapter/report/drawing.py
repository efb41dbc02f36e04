"""Pictures as inline SVG: lines over steps, bars with intervals, points; each with its numbers as a table behind it.

Colours are the page's (classes ``s0`` to ``s7`` of style.css), so that they follow light and dark; what a colour tells apart, a
mark or a line of its own does, too. Widths are those of a phone; a wider page shows all of it larger.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from markupsafe import Markup

from claw_adapter.report.clean import one_line

__all__ = ["Bar", "Curve", "Point", "bars", "lines", "scatter"]

Unit = Literal["share", "amount", "USD"]
WIDTH: Final = 420
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 34
HEIGHT: Final = 210
COLOURS: Final = 8
TICKS: Final = 5
MARKS: Final = ("circle", "square", "diamond", "triangle")
MOST_NAMES: Final = 34
"""Characters of a name in a picture."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve: a value for each step, None where there is none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval, if there is one."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A named point."""

    name: str
    x: float
    y: float


def lines(
    title: str, what: str, found: Sequence[Curve], steps: Sequence[str], *, x: str, unit: Unit = "amount"
) -> Markup:
    """Curves over steps; `what` says in a sentence what is shown, `x` what a step is."""
    known = [value for line in found for value in line.values if value is not None]
    scale = _Scale.of([0.0, *known], unit)
    across = _Across(len(steps))
    parts = [*_grid(scale), *_steps(steps, across, x)]
    for number, line in enumerate(found):
        for run in _runs(line.values):
            points = " ".join(f"{across(at):.1f},{scale(value):.1f}" for at, value in run)
            parts.append(Markup('<polyline class="s{}" points="{}"></polyline>').format(number % COLOURS, points))
        every = max(len(steps) // 8, 1)
        parts += [
            _mark(number, across(at), scale(value))
            for at, value in enumerate(line.values)
            if value is not None and (at % every == 0 or at == len(line.values) - 1)
        ]
    head = (x, *(line.name for line in found))
    rows = [(step, *(_said(_at(line.values, at), unit) for line in found)) for at, step in enumerate(steps)]
    return _figure(title, what, HEIGHT, parts, [line.name for line in found], head, rows)


def bars(title: str, what: str, found: Sequence[Bar], *, unit: Unit = "amount") -> Markup:
    """A bar for each value, with its interval as a line across its end."""
    edges = [edge for bar in found for edge in (bar.value, bar.low, bar.high) if edge is not None]
    scale = _Scale.of([0.0, *edges], unit)
    height = 16 + 34 * len(found)
    parts: list[Markup] = []
    for number, bar in enumerate(found):
        top = 14 + 34 * number
        parts.append(_text(4, top, one_line(bar.name, 2 * MOST_NAMES), "start"))
        if bar.value is None:
            parts.append(_text(4, top + 16, "–", "start"))
            continue
        end = _wide(scale, bar.value)
        parts.append(
            Markup('<rect class="b{}" x="4" y="{}" width="{:.1f}" height="12" rx="1"></rect>').format(
                number % COLOURS, top + 5, end
            )
        )
        if bar.low is not None and bar.high is not None:
            low, high = 4 + _wide(scale, bar.low), 4 + _wide(scale, bar.high)
            path = f"M{low:.1f} {top + 11}H{high:.1f}M{low:.1f} {top + 7}v8M{high:.1f} {top + 7}v8"
            parts.append(Markup('<path class="range" d="{}"></path>').format(path))
        far = max(end, _wide(scale, bar.high) if bar.high is not None else 0.0)
        parts.append(_text(10 + far, top + 15, _said(bar.value, unit), "start"))
    rows = [(bar.name, *(_said(value, unit) for value in (bar.value, bar.low, bar.high))) for bar in found]
    return _figure(title, what, height, parts, [], ("", "value", "low", "high"), rows)


def scatter(
    title: str, what: str, found: Sequence[Point], *, x: str, y: str, units: tuple[Unit, Unit] = ("amount", "share")
) -> Markup:
    """Points, each with its own mark and colour."""
    upright = _Scale.of([0.0, *(point.y for point in found)], units[1])
    flat = _Scale.of([0.0, *(point.x for point in found)], units[0])
    parts = [*_grid(upright)]
    parts += [_text(_flat(flat, tick), HEIGHT - BOTTOM + 14, flat.label(tick), "middle") for tick in flat.ticks]
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, x, "middle"))
    parts += [_mark(number, _flat(flat, point.x), upright(point.y), 5) for number, point in enumerate(found)]
    rows = [(point.name, _said(point.x, units[0]), _said(point.y, units[1])) for point in found]
    return _figure(title, what, HEIGHT, parts, [point.name for point in found], ("", x, y), rows)


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to a picture's height; its ticks are round numbers."""

    top: float
    step: float
    unit: Unit

    @classmethod
    def of(cls, values: Sequence[float], unit: Unit) -> _Scale:
        most = max(values)
        if unit == "share" and most > 0.5:
            return cls(1.0, 0.25, unit)
        rough = (most or 1.0) / TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * times for times in (1, 2, 2.5, 5, 10) if power * times >= rough * (1 - 1e-9))
        return cls(step * math.ceil((most or 1.0) / step - 1e-9), step, unit)

    @property
    def ticks(self) -> list[float]:
        return [self.step * number for number in range(round(self.top / self.step) + 1)]

    def __call__(self, value: float) -> float:
        share = min(max(value / self.top, 0.0), 1.0)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def label(self, value: float) -> str:
        if self.unit == "share":
            return f"{100 * value:g} %"
        for size, letter in ((1_000_000, "M"), (1_000, "k")):
            if self.top >= size:
                return f"{value / size:g}{letter}"
        return f"{value:g}"


@dataclass(frozen=True, slots=True)
class _Across:
    """From steps to a picture's width."""

    number: int

    def __call__(self, at: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * ((at + 0.5) / self.number if self.number < 8 else at / (self.number - 1))


def _wide(scale: _Scale, value: float) -> float:
    """The length of a bar; room is left for its number."""
    return (WIDTH - 70) * min(max(value / scale.top, 0.0), 1.0)


def _flat(scale: _Scale, value: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT - 14) * min(max(value / scale.top, 0.0), 1.0)


def _runs(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    """The parts of a curve without a gap."""
    part: list[tuple[int, float]] = []
    for at, value in enumerate([*values, None]):
        if value is not None:
            part.append((at, value))
        elif part:
            yield part
            part = []


def _at(values: Sequence[float | None], at: int) -> float | None:
    return values[at] if at < len(values) else None


def _grid(scale: _Scale) -> Iterator[Markup]:
    for tick in scale.ticks:
        y = f"{scale(tick):.1f}"
        yield Markup('<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"></line>').format(LEFT, WIDTH - RIGHT, y, y)
        yield _text(LEFT - 5, scale(tick) + 4, scale.label(tick), "end")


def _steps(steps: Sequence[str], across: _Across, name: str) -> Iterator[Markup]:
    every = max(math.ceil(len(steps) / 8), 1)
    for at, step in enumerate(steps):
        if at % every == 0:
            yield _text(across(at), HEIGHT - BOTTOM + 14, step, "middle")
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, name, "middle")


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, one_line(text, 70))


def _mark(number: int, x: float, y: float, size: float = 3) -> Markup:
    kind = f"m{number % COLOURS}"
    corners: Sequence[tuple[float, float]]
    match MARKS[number % len(MARKS)]:
        case "circle":
            return Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"></circle>').format(kind, x, y, size)
        case "square":
            corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        case "diamond":
            corners = ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0))
        case _:
            corners = ((0, -1.2), (1.2, 1), (-1.2, 1))
    points = " ".join(f"{x + size * a:.1f},{y + size * b:.1f}" for a, b in corners)
    return Markup('<polygon class="{}" points="{}"></polygon>').format(kind, points)


def _said(value: float | None, unit: Unit) -> str:
    if value is None:
        return "–"
    match unit:
        case "share":
            return f"{100 * value:.1f} %"
        case "USD":
            return f"{value:.3f} USD"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:,.2f}"


def _row(cells: Sequence[str]) -> Markup:
    first, *others = (one_line(cell, 70) for cell in cells)
    rest = Markup("").join(Markup("<td>{}</td>").format(cell) for cell in others)
    return Markup('<tr><th scope="row">{}</th>{}</tr>').format(first, rest)


def _figure(
    title: str,
    what: str,
    height: float,
    parts: Sequence[Markup],
    names: Sequence[str],
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> Markup:
    """The picture with its caption, the names of what is drawn, and its numbers as a table."""
    svg = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}"><title>{}</title><desc>{}</desc>{}</svg>').format(
        WIDTH, height, f"{title}. {what}", title, what, Markup("").join(parts)
    )
    keys = Markup("").join(
        Markup('<li><svg class="key" viewBox="-6 -6 12 12" aria-hidden="true">{}</svg>{}</li>').format(
            _mark(number, 0, 0, 4), one_line(name, MOST_NAMES)
        )
        for number, name in enumerate(names)
    )
    top = Markup("").join(Markup('<th scope="col">{}</th>').format(one_line(cell, 70)) for cell in head)
    body = Markup("").join(map(_row, rows))
    table = Markup(
        '<details><summary>Numbers</summary><div class="scroll" tabindex="0"><table><thead><tr>{}</tr></thead>'
        "<tbody>{}</tbody></table></div></details>"
    ).format(top, body)
    legend = Markup('<ul class="keys">{}</ul>').format(keys) if names else Markup("")
    caption = Markup("<figcaption><strong>{}</strong> {}</figcaption>").format(title, what)
    return Markup('<figure class="picture">{}{}{}{}</figure>').format(caption, svg, legend, table)
