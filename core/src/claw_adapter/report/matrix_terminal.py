"""The marks of all rounds in a terminal, and the lines that are printed around tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from rich.console import Console
from rich.text import Text

from claw_adapter.report import words
from claw_adapter.report.clean import one_line
from claw_adapter.report.records import RoundCells, Row, Summary

__all__ = ["MOST_SCENARIOS", "print_line", "render_matrix", "row_name"]

COLOURS: Final = {"✓": "green", "✗": "red", "½": "yellow", "−": "magenta", "·": "dim"}
GROUP: Final = 5
"""Rounds between two gaps of the matrix."""
MOST_SCENARIOS: Final = 12
"""Scenarios whose rounds are shown, those of one round not counted: they share a line."""
MOST_MARKS: Final = 100
"""Scenarios of one round that have a mark each."""
MOST_LINES: Final = 200
"""Trials of a scenario that have a line of marks each."""


def print_line(console: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    """Print one paragraph, wrapped and indented, without blanks at the ends of its lines."""
    for line in Text(one_line(text, 2000), style=style).wrap(console, max(console.width - indent, 20)):
        line.rstrip()
        console.print(Text.assemble(" " * indent, line))


def row_name(summary: Summary, row: Row) -> str:
    """The row's label, with the model where there are several."""
    return one_line(row.label if len(summary.models) == 1 else f"{row.label} · {row.model}", 60)


def render_matrix(summary: Summary, console: Console, *, most: int = MOST_SCENARIOS) -> None:
    """Print a mark for every round of every trial; of scenarios with several rounds at most so many, the rest is counted."""
    console.print()
    console.print(Text.assemble(("Rounds", "bold"), f"   {words.LEGEND}"))
    scenarios = [list(found) for _, found in groupby(summary.rounds, key=lambda item: item.scenario)]
    single = [rounds[0] for rounds in scenarios if len(rounds) == 1]
    several = [rounds for rounds in scenarios if len(rounds) > 1] if len(single) > 1 else scenarios
    for rounds in several[:most]:
        strip = _strip if len(rounds[0].cells) <= MOST_LINES else _counted
        strip(summary, rounds, f"{rounds[0].scenario} ({words.plural(len(rounds), 'round')})", console)
    if len(several) > most:
        left = words.plural(len(several) - most, "more scenario")
        print_line(console, f"and {left}, on the page; claw report RUN --by scenario has their scores", indent=2)
    if len(single) > 1:
        title = f"{len(single)} scenarios of one round; claw report RUN --by scenario has their scores"
        (_strip if len(single) <= MOST_MARKS else _counted)(summary, single, title, console)


def _strip(summary: Summary, rounds: list[RoundCells], title: str, console: Console) -> None:
    """A line of marks per trial, or per row with the n-th trial of every scenario; folded where it is too long."""
    print_line(console, title, indent=2)
    width = max((len(row_name(summary, row)) for row in summary.rows), default=0)
    room = max((console.width - width - 6) // (GROUP + 1), 1) * GROUP
    for name, marks in _marks(summary, rounds):
        for start in range(0, len(marks), room):
            label = "" if start else name
            console.print(Text.assemble(f"    {label:<{width}}  ", *_grouped(marks[start : start + room])))


def _counted(summary: Summary, rounds: list[RoundCells], title: str, console: Console) -> None:
    """Too many marks for a terminal: how many there are of each."""
    print_line(console, title, indent=2)
    width = max((len(row_name(summary, row)) for row in summary.rows), default=0)
    counts = [Counter[str]() for _ in summary.rows]
    for cell in (cell for item in rounds for cell in item.cells):
        counts[cell.row][words.symbol((cell,))] += 1
    for row, count in zip(summary.rows, counts, strict=True):
        shown = [(f"  {mark} {count[mark]}", colour) for mark, colour in COLOURS.items() if mark in count]
        console.print(Text.assemble(f"    {row_name(summary, row):<{width}}", *shown))


def _marks(summary: Summary, rounds: list[RoundCells]) -> Iterator[tuple[str, list[str]]]:
    """A row's name, with seed and repeat where it has several, and a symbol per round; a blank where it has no such trial."""
    lines: dict[tuple[int, int, int], dict[int, str]] = {}
    for place, item in enumerate(rounds):
        for cell in item.cells:
            trial = summary.trials[cell.trial]
            lines.setdefault((cell.row, trial.seed, trial.repeat), {})[place] = words.symbol((cell,))
    for (number, seed, repeat), marks in lines.items():
        row = summary.rows[number]
        name = row_name(summary, row) + (f" s{seed}" if len(row.seeds) > 1 else "")
        name += f" r{repeat}" if row.repeats > 1 else ""
        yield name, [marks.get(place, " ") for place in range(len(rounds))]


def _grouped(marks: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, mark in enumerate(marks):
        if number and number % GROUP == 0:
            yield " ", ""
        yield mark, COLOURS.get(mark, "")
