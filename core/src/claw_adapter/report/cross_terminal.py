"""Harnesses crossed with models, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter.report.cross_records import Cross, Effect

__all__ = ["render_cross"]


def render_cross(found: Cross, console: Console) -> None:
    """Print the cells, both ranges, pooled differences and interactions, in points."""
    console.print(
        Text(
            f"{found.metric.upper()} ({found.metric_set}), {len(found.scenarios)} scenarios, {found.rounds} rounds in common"
        )
    )
    for warning in found.warnings:
        console.print(Text(f"  ! {warning}", style="yellow"))
    values = {(cell.harness, cell.model): cell.value for cell in found.cells}
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column("harness")
    for model in found.models:
        table.add_column(Text(model), justify="right")
    for harness in found.harnesses:
        table.add_row(Text(harness), *(_points(values[harness, model]) for model in found.models))
    console.print(table)
    console.print()
    effects = Table(box=None, pad_edge=False, padding=(0, 1))
    for name in ("", "of", "points", f"{found.level:.0%} interval"):
        effects.add_column(name, justify="left" if name in ("", "of") else "right", overflow="fold")
    for effect in found.effects:
        effects.add_row(
            effect.kind, Text(effect.what), _points(effect.value, sign=effect.kind != "range"), _interval(effect)
        )
    console.print(effects)
    console.print(
        "Intervals resample scenarios and are not widened for their number. A range is never below 0, so that it, and its "
        "interval, lie above 0 also where nothing differs."
    )


def _points(value: float | None, *, sign: bool = False) -> str:
    return "–" if value is None else f"{100 * value:+.1f}" if sign else f"{100 * value:.1f}"


def _interval(effect: Effect) -> str:
    if effect.low is None or effect.high is None:
        return "–"
    sign = effect.kind != "range"
    return f"{_points(effect.low, sign=sign)} … {_points(effect.high, sign=sign)}"
