"""The goodness-of-fit report and the registry as tables of text and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter_scenarios.realism.fit import LEVEL, SMALL_EFFECT, FitLine, FitReport
from claw_adapter_scenarios.realism.registry import RealismEntry, entries

__all__ = ["fit_json", "show_entries", "show_fit"]

COLOURS = {"agrees": "green", "deviates": "red", "too few": "yellow", "not shown": "dim"}
NOTE = (
    f"An entry deviates when the deviation is improbable by chance (p < {LEVEL:g}, corrected for the number of tests) and "
    f"not small (effect ≥ {SMALL_EFFECT:g}); a band when a value lies outside; a ratio beyond a factor of three. "
    "Seed: seen in a ClawArena paper, which cites others for it."
)


def fit_json(report: FitReport) -> dict[str, Any]:
    """Plain data; entries by their fields."""
    lines = [asdict(line) | {"entry": line.entry.model_dump(mode="json")} for line in report.lines]
    return asdict(report) | {"lines": lines}


def show_fit(report: FitReport, out: Console) -> None:
    """Print a report."""
    out.print(f"{report.scenarios} scenarios, {report.messages:,} dated messages of people", markup=False)
    for line in report.lines:
        if line.verdict != "not shown":
            out.print(_render_line(line))
    hidden = [line.entry.id for line in report.lines if line.verdict == "not shown"]
    if hidden:
        out.print(f"Not shown by these scenarios: {', '.join(hidden)}.", markup=False)
    out.print(NOTE, markup=False)
    out.print(
        f"{len(report.untested)} verified entries have nothing in a scenario to be held against; "
        f"{len(report.left_out)} from memory are left out.",
        markup=False,
    )


def _render_line(line: FitLine) -> Text:
    """One line: the verdict, the entry, what was published, what is here, and how the two were compared."""
    seed = " (seed)" if line.entry.status == "seed" else ""
    chance = "" if line.p is None else f", p {line.p:.3f}"
    how = "" if line.effect is None else f", {line.test} {line.effect:.2f}{chance}"
    return Text.assemble(
        (f"{line.verdict:9}", COLOURS[line.verdict]),
        f" {line.entry.id}{seed}: published {line.expected}, here {line.observed} (n {line.n:,}{how})",
    )


def show_entries(out: Console) -> None:
    """Print the registry."""
    table = Table("id", "value", "unit", "status", "seen", "source", "place", box=None, pad_edge=False)
    for one in entries():
        table.add_row(
            *(Text(cell) for cell in (one.id, _value(one), one.unit, one.status, one.seen, one.source, one.place))
        )
    out.print(table)


def _value(one: RealismEntry) -> str:
    if one.value is not None:
        return f"{one.value:g}"
    if one.low is not None and one.high is not None:
        return f"{one.low:g} to {one.high:g}"
    return f"{len(one.shares)} classes" if one.shares else "48 hours"
