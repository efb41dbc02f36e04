"""Profiles in the terminal: a row for each figure, a column for each harness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter.machine import amount
from claw_adapter.profile.apart import Apart, sentences
from claw_adapter.profile.records import AT_END, GROUPS, Figure, Group, Profile
from claw_adapter.report.clean import one_line
from claw_adapter.report.matrix_terminal import print_line
from claw_adapter.report.narrow import parts

__all__ = ["FigureLine", "format_figure", "group_rows", "labels", "render", "render_apart"]


MAIN: Final = (
    "entry price",
    "prefix kept",
    "claude-opus-4.7 without a cache",
    "claude-opus-4.7 with a cache",
    "read of 1,000 messages",
    "memory",
    "certificate",
    "losses found",
)
"""Figures of the first screen, beside those of reach."""
AGAIN: Final = "claw profile HARNESS --all"
HALF: Final = "Keeps half: at most so many turns ago, in such a window, half of what was said still stands in requests."


def render(profiles: Sequence[Profile], console: Console, *, whole: bool = False, how: bool = False) -> None:
    """Print profiles side by side.

    Args:
        profiles: a column each.
        console: where to.
        whole: all figures; else the main ones, a line each, and how to see the rest.
        how: all figures, each with how it was measured.
    """
    if whole or how:
        _groups(profiles, console, how=how)
    else:
        _main(profiles, console)
    said = "A figure is a median"
    if whole or how:
        print_line(
            console, f"{said}; in brackets the least and the most that was seen. --json says how each was measured."
        )
    else:
        notes = sum(len(each.notes) for each in profiles)
        more = f", and {notes} notes on what was not measured" if notes else ""
        print_line(console, f"{said}. {HALF}" if _windows(profiles) else f"{said}.")
        console.print(
            Text.assemble(("claw profile HARNESS --all", "bold"), f"  all figures, their spread{more}"), soft_wrap=True
        )


def _main(profiles: Sequence[Profile], console: Console) -> None:
    """The main figures, a line each."""
    table = Table(box=None, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column("", no_wrap=True)
    for name in labels(profiles):
        table.add_column(Text(name), justify="right", no_wrap=True)
    versions = [" ".join(dict.fromkeys(each.versions.values())) for each in profiles]
    table.add_row("version", *(Text(one_line(version, 30)) for version in versions))
    for group in GROUPS:
        if group == "reach":
            for window, whats in _windows(profiles).items():
                table.add_row(f"keeps half, {window}", *(Text(_half(each, window, whats)) for each in profiles))
            continue
        for name in _names(profiles, group):
            if name in MAIN or name == f"sent in {profiles[0].turns} turns":
                table.add_row(name, *(Text(_short(each.figure(name))) for each in profiles))
    for part in parts(table, console.width):
        console.print()
        console.print(part)
    console.print()


def _short(figure: Figure | None) -> str:
    """A figure in one line, without its spread."""
    if figure is None:
        return "–"
    return (
        _number(figure.value, figure.unit)
        if figure.value is not None
        else one_line(figure.text.partition(",")[0], 20) or "–"
    )


def _groups(profiles: Sequence[Profile], console: Console, *, how: bool) -> None:
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


def _windows(profiles: Sequence[Profile]) -> dict[str, list[str]]:
    """Of each window what was measured in it."""
    found: dict[str, list[str]] = {}
    for name in _names(profiles, "reach"):
        window, _, what = name.partition(", ")
        found.setdefault(window, []).append(what)
    return found


def _reach(profiles: Sequence[Profile]) -> list[FigureLine]:
    """A row for each window: its curve in one line, and what happens at its end."""
    rows: list[FigureLine] = []
    for window, whats in _windows(profiles).items():
        distances = [what for what in whats if what != AT_END]
        back = " · ".join(what.split()[0] for what in distances)
        cells = []
        for each in profiles:
            found = [each.figure(f"{window}, {what}") for what in distances]
            shares = " · ".join("–" if one is None or one.value is None else f"{100 * one.value:.0f}" for one in found)
            end = each.figure(f"{window}, {AT_END}")
            cells.append(f"{shares} %\n{end.text if end else ''}".strip())
        rows.append(FigureLine(f"{window}\n{back} turns back", cells, _how(profiles, f"{window}, {distances[0]}")))
    return rows


def _half(each: Profile, window: str, whats: Sequence[str]) -> str:
    """The farthest distance in turns at which, and at every nearer one, half of the marks or more are held."""
    far = "0"
    for what in whats:
        if what == AT_END:
            continue
        if (one := each.figure(f"{window}, {what}")) is None or one.value is None:
            return "–" if far == "0" else far
        if one.value < 0.5:
            break
        far = what.split()[0]
    return far


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
