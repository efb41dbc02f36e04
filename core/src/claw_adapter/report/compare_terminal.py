"""A comparison as text: who is compared, the differences with their error bars, and how to read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter.report import words
from claw_adapter.report.clean import one_line
from claw_adapter.report.compare_records import ComparedRow, Comparison, MetricDifference, Pair
from claw_adapter.report.compare_words import (
    apart,
    facts,
    heading,
    interval,
    lacks,
    names,
    p_value,
    points,
    reading,
    verdict,
    within,
)
from claw_adapter.report.narrow import parts
from claw_adapter.report.screen import Block, print_blocks

__all__ = ["render"]

SCREEN_PAIRS: Final = 15
"""Lines of differences on a first screen."""
STYLES: Final = {"higher": "green", "lower": "red", "not shown": ""}


def render(comparison: Comparison, console: Console, *, whole: bool = False) -> None:
    """Print a comparison; every text that comes from a run folder is cleaned and never read as markup.

    Args:
        comparison: of two rows or more.
        console: where to.
        whole: all of it; else what a screen holds, and how to see the rest.
    """
    pairs = comparison.pairs if whole else comparison.pairs[: _fitting(comparison)]
    left = len(comparison.pairs) - len(pairs)
    blocks = [
        Block(lambda to: _head(comparison, to, whole=whole)),
        Block(lambda to: _print(to, _rows(comparison, whole=whole), 1)),
        Block(lambda to: _print(to, _tokens(comparison), 2), 2),
        Block(lambda to: _print(to, _differences(comparison, pairs, whole=whole), 2)),
        Block(lambda to: _lines(to, lacks(pairs), 2)),
        Block(lambda to: _lines(to, _notes(comparison), 2), 3),
        Block(lambda to: _lines(to, reading(comparison)), 1),
    ]
    if not whole:
        more = f"{words.plural(left, 'more pair')}, " if left else ""
        text = f"claw compare RUNS --all  {more}tokens, versions, what each pair rests on, how to read it"
        blocks.append(Block(lambda to: _lines(to, [text])))
    print_blocks(blocks, console, whole=whole)


def _fitting(comparison: Comparison) -> int:
    """How many pairs a first screen has."""
    return max(SCREEN_PAIRS // max(len(pair.differences) for pair in comparison.pairs), 1) if comparison.pairs else 0


def _head(comparison: Comparison, console: Console, *, whole: bool) -> None:
    _line(console, heading(comparison), style="bold")
    for warning in comparison.warnings:
        _line(console, f"! {warning}", style="yellow")
    for model in comparison.models:
        _line(console, f"Model {model.name}. {model.meaning}", style="" if model.measures_ability else "yellow")
    if whole:
        _line(console, f"Metric set {comparison.metric_set}: {words.METRIC_SETS[comparison.metric_set]}.")


def _print(console: Console, table: Table, keys: int) -> None:
    for part in parts(table, console.width, keys):
        console.print()
        console.print(part)


def _lines(console: Console, lines: Iterable[str], indent: int = 0) -> None:
    if not indent:
        console.print()
    for line in lines:
        _line(console, line, indent=indent)


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


def _rows(comparison: Comparison, *, whole: bool) -> Table:
    table = _table("Rows")
    for name in ("", "harness", "run", "model"):
        table.add_column(name, overflow="fold")
    for name in ("seeds", "isolation"):
        table.add_column(name, justify="right", no_wrap=True)
    if whole:
        table.add_column("versions", overflow="fold")
    for row in comparison.rows:
        cells = (
            row.id,
            row.label,
            row.run,
            row.model,
            words.seeds(row.seeds, row.repeats),
            words.isolation(row.isolation),
            *([_versions(row)] if whole else []),
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


def _differences(comparison: Comparison, pairs: Sequence[Pair], *, whole: bool) -> Table:
    views = any(item.view == "adjusted" for pair in comparison.pairs for item in pair.differences)
    table = _table("Differences in percentage points (metrics in percent)", tight=True)
    table.add_column("pair", no_wrap=True)
    table.add_column("metric", no_wrap=True)
    if views:
        table.add_column("view", no_wrap=True)
    level = f"{100 * comparison.level:g} %"
    columns = ["first", "second", "difference", f"{level} interval", "p", "Holm p", "detectable"]
    for name in columns if whole else (*columns[:4], columns[5]):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    if comparison.margin is not None:
        table.add_column("margin", no_wrap=True)
    for pair in pairs:
        for place, item in enumerate(pair.differences):
            first = [Text("" if place else f"{pair.b} − {pair.a}"), Text(dict(words.COLUMNS)[item.metric])]
            view = [Text(item.view)] if views else []
            said = Text(verdict(pair, item), style=STYLES[item.verdict])
            margin = [Text(within(comparison, item))] if comparison.margin is not None else []
            table.add_row(*first, *view, *map(Text, _numbers(item, whole=whole)), said, *margin)
    return table


def _numbers(item: MetricDifference, *, whole: bool) -> Iterator[str]:
    yield words.percent(item.a)
    yield words.percent(item.b)
    yield points(item.difference)
    yield interval(item)
    if whole:
        yield p_value(item.p)
    yield p_value(item.p_holm)
    if whole:
        yield words.percent(item.smallest_detectable)


def _notes(comparison: Comparison) -> Iterator[str]:
    for pair in comparison.pairs:
        yield f"{names(pair)}: {'; '.join(facts(pair))}."
    for skipped in comparison.not_compared:
        yield f"Not compared, {apart(comparison)}: {skipped}."
