"""A comparison as text: who is compared, the differences with their error bars, and how to read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter.report import words
from claw_adapter.report.clean import one_line
from claw_adapter.report.compare_records import ComparedRow, Comparison, MetricDifference
from claw_adapter.report.compare_words import (
    apart,
    facts,
    heading,
    interval,
    names,
    p_value,
    points,
    reading,
    verdict,
    within,
)
from claw_adapter.report.narrow import parts

__all__ = ["render"]

STYLES: Final = {"higher": "green", "lower": "red", "not shown": ""}


def render(comparison: Comparison, console: Console) -> None:
    """Print a comparison; every text that comes from a run folder is cleaned and never read as markup."""
    _line(console, heading(comparison), style="bold")
    for warning in comparison.warnings:
        _line(console, f"! {warning}", style="yellow")
    for model in comparison.models:
        _line(console, f"Model {model.name}. {model.meaning}", style="" if model.measures_ability else "yellow")
    _line(console, f"Metric set {comparison.metric_set}: {words.METRIC_SETS[comparison.metric_set]}.")
    for table, keys in ((_rows(comparison), 1), (_tokens(comparison), 2), (_differences(comparison), 2)):
        for part in parts(table, console.width, keys):
            console.print()
            console.print(part)
    for note in _notes(comparison):
        _line(console, note, indent=2)
    console.print()
    for sentence in reading(comparison):
        _line(console, sentence)


def _line(console: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    for line in Text(one_line(text, 2000), style=style).wrap(console, max(console.width - indent, 20)):
        line.rstrip()
        console.print(Text.assemble(" " * indent, line))


def _table(title: str, *, tight: bool = False) -> Table:
    return Table(
        box=None,
        title=title,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
        padding=(0, 1),
        collapse_padding=tight,
    )


def _rows(comparison: Comparison) -> Table:
    table = _table("Rows")
    for name in ("", "harness", "run", "model"):
        table.add_column(name, overflow="fold")
    for name in ("seeds", "isolation"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("versions", overflow="fold")
    for row in comparison.rows:
        cells = (
            row.id,
            row.label,
            row.run,
            row.model,
            words.seeds(row.seeds, row.repeats),
            words.isolation(row.isolation),
            _versions(row),
        )
        table.add_row(*(Text(one_line(cell, 80)) for cell in cells))
    return table


def _tokens(comparison: Comparison) -> Table:
    table = _table("Tokens of all finished rounds")
    table.add_column("", no_wrap=True)
    table.add_column("harness", overflow="fold")
    cost = any(row.cost for row in comparison.rows)
    for name in ("sent", "received", "calls", "prefix kept", "cached", *(("cost", "with cache") if cost else ())):
        table.add_column(name, justify="right", no_wrap=True)
    for row in comparison.rows:
        found = row.metered
        counts = (words.short(found.input), words.short(found.output), words.short(found.requests))
        money = (words.money(row.cost), words.money_cached(row.cost)) if cost else ()
        cells = (row.id, row.label, *counts, words.percent(found.kept), words.short(found.cached), *money)
        table.add_row(*(Text(one_line(cell, 80)) for cell in cells))
    return table


def _versions(row: ComparedRow) -> str:
    return ", ".join(f"{name} {version}" for name, version in row.versions.items()) or "unknown"


def _differences(comparison: Comparison) -> Table:
    views = any(item.view == "adjusted" for pair in comparison.pairs for item in pair.differences)
    table = _table("Differences in percentage points (metrics in percent)", tight=True)
    table.add_column("pair", no_wrap=True)
    table.add_column("metric", no_wrap=True)
    if views:
        table.add_column("view", no_wrap=True)
    level = f"{100 * comparison.level:g} %"
    for name in ("first", "second", "difference", f"{level} interval", "p", "Holm p", "detectable"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    if comparison.margin is not None:
        table.add_column("margin", no_wrap=True)
    for pair in comparison.pairs:
        for place, item in enumerate(pair.differences):
            first = [Text("" if place else f"{pair.b} − {pair.a}"), Text(dict(words.COLUMNS)[item.metric])]
            view = [Text(item.view)] if views else []
            said = Text(verdict(pair, item), style=STYLES[item.verdict])
            margin = [Text(within(comparison, item))] if comparison.margin is not None else []
            table.add_row(*first, *view, *map(Text, _numbers(item)), said, *margin)
    return table


def _numbers(item: MetricDifference) -> Iterator[str]:
    yield words.percent(item.a)
    yield words.percent(item.b)
    yield points(item.difference)
    yield interval(item)
    yield p_value(item.p)
    yield p_value(item.p_holm)
    yield words.percent(item.smallest_detectable)


def _notes(comparison: Comparison) -> Iterator[str]:
    for pair in comparison.pairs:
        yield f"{names(pair)}: {'; '.join(facts(pair))}."
    for skipped in comparison.not_compared:
        yield f"Not compared, {apart(comparison)}: {skipped}."
