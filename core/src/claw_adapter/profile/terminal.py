"""Profiles in the terminal: a row for each figure, a column for each harness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter.machine import amount
from claw_adapter.profile.apart import Apart, sentences
from claw_adapter.profile.records import AT_END, GROUPS, Figure, Group, Profile
from claw_adapter.report.clean import one_line

__all__ = ["FigureLine", "format_figure", "group_rows", "labels", "render", "render_apart"]


def render(profiles: Sequence[Profile], console: Console, *, how: bool = False) -> None:
    """Print profiles side by side; with `how`, how each figure was measured."""
    names = labels(profiles)
    for group, title in GROUPS.items():
        if not (rows := group_rows(profiles, group)):
            continue
        table = Table(box=None, title=title, title_justify="left", title_style="bold", pad_edge=False, padding=(0, 1))
        table.add_column("", overflow="fold")
        for name in names:
            table.add_column(Text(name), justify="right", overflow="fold")
        for row in rows:
            table.add_row(row.name, *map(Text, row.cells))
            if how and row.how:
                table.add_row(Text(f"  {row.how}", style="dim"), *("" for _ in profiles))
        console.print()
        console.print(table)
    console.print()
    for name, each in zip(names, profiles, strict=True):
        versions = ", ".join(f"{name} {version}" for name, version in each.versions.items())
        console.print(Text(f"{name}: {versions}; isolation {each.isolation}"), soft_wrap=True)
        for note in each.notes:
            console.print(Text(f"  ! {one_line(note, 300)}", style="yellow"), soft_wrap=True)
    console.print(
        "A figure is a median; in brackets the least and the most that was seen. --json says how each was measured."
    )


def render_apart(found: Sequence[Apart], console: Console) -> None:
    """Print the main lines of a run's harnesses, and what they come to."""
    table = Table(
        box=None, title="What tells them apart (from the requests of this run)", title_justify="left", title_style="bold",
        pad_edge=False, padding=(0, 1),
    )  # fmt: skip
    table.add_column("", no_wrap=True)
    for one in found:
        table.add_column(Text(one.label), overflow="fold")
    lines = [dict(one.rows()) for one in found]
    for name in lines[0] if lines else ():
        table.add_row(name, *(Text(one_line(each[name], 300)) for each in lines))
    console.print()
    console.print(table)
    for sentence in sentences(found):
        console.print(Text(f"  {sentence}"))


class FigureLine(NamedTuple):
    """A line of a table: a cell for each profile, and how it was measured."""

    name: str
    cells: list[str]
    how: str


def labels(profiles: Sequence[Profile]) -> list[str]:
    """What profiles are called side by side: the harness, with its versions where one stands there twice."""
    several = Counter(each.harness for each in profiles)
    return [
        each.harness if several[each.harness] == 1 else f"{each.harness} {' '.join(each.versions.values())}".strip()
        for each in profiles
    ]


def group_rows(profiles: Sequence[Profile], group: Group) -> list[FigureLine]:
    """The lines of a group."""
    return _reach(profiles) if group == "reach" else _rows(profiles, group)


def _names(profiles: Sequence[Profile], group: Group) -> list[str]:
    return list(dict.fromkeys(one.name for each in profiles for one in each.figures if one.group == group))


def _how(profiles: Sequence[Profile], name: str) -> str:
    return next((one.how for each in profiles if (one := each.figure(name)) is not None), "")


def _rows(profiles: Sequence[Profile], group: Group) -> list[FigureLine]:
    """A row for each figure."""
    names = _names(profiles, group)
    return [
        FigureLine(name, [format_figure(each.figure(name)) for each in profiles], _how(profiles, name))
        for name in names
    ]


def _reach(profiles: Sequence[Profile]) -> list[FigureLine]:
    """A row for each window: its curve in one line, and what happens at its end."""
    curves: dict[str, list[str]] = {}
    for name in _names(profiles, "reach"):
        window, _, what = name.partition(", ")
        curves.setdefault(window, []).append(what)
    rows: list[FigureLine] = []
    for window, parts in curves.items():
        distances = [what for what in parts if what != AT_END]
        back = " · ".join(what.split()[0] for what in distances)
        cells = []
        for each in profiles:
            found = [each.figure(f"{window}, {what}") for what in distances]
            shares = " · ".join("–" if one is None or one.value is None else f"{100 * one.value:.0f}" for one in found)
            end = each.figure(f"{window}, {AT_END}")
            cells.append(f"{shares} %\n{end.text if end else ''}".strip())
        rows.append(FigureLine(f"{window}\n{back} turns back", cells, _how(profiles, f"{window}, {distances[0]}")))
    return rows


def format_figure(figure: Figure | None) -> str:
    """A figure with its unit and spread; a dash where there is none."""
    if figure is None:
        return "–"
    parts = [] if figure.value is None else [_number(figure.value, figure.unit)]
    if figure.low is not None and figure.high is not None and figure.low != figure.high:
        parts.append(f"({_number(figure.low, figure.unit)} … {_number(figure.high, figure.unit)})")
    text = one_line(figure.text, 300)
    return "\n".join(filter(None, [" ".join(parts), text])) or "–"


def _number(value: float, unit: str) -> str:
    match unit:
        case "share":
            return f"{100 * value:.0f} %"
        case "seconds":
            return f"{value:.2f} s"
        case "bytes":
            return amount(value)
        case "USD":
            return f"{value:.3f} USD"
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:,.1f}"
