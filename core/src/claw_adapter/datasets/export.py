"""The tables as rows of text, for the terminal and for CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from claw_adapter.data_format.items import BUCKETS
from claw_adapter.data_format.tables import COLUMNS, Spread, TableRow, Tables
from claw_adapter.datasets.measuring import Measured

__all__ = ["Grid", "grids", "write_csv"]

Grid = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
"""Title, head, rows."""

_SOURCES = (
    "main session", "history sessions", "workspace (base)", "workspace updates", "session updates", "questions", "feedback",
    "preferences",
)  # fmt: skip
_HEAD11 = ("scenario", "rounds", "MC", "EC", "w/Pref", "w/Upd", "Upd", "UpdF", "WSF", "tokens")


def grids(found: Measured) -> Iterator[Grid]:
    """Tables 8 to 11: the first over all layouts, the others per layout (9 once, as questions are shared)."""
    yield _table8(found)
    for position, (layout, made) in enumerate(found.tables.items()):
        if position == 0:
            yield _table9(made)
        yield _table10(layout, made)
        yield f"Table 11 · per scenario · {layout}", _HEAD11, [_row11(row) for row in made.table11]


def _table8(found: Measured) -> Grid:
    head = ("source", *(word for layout in found.tables for word in (layout, "%")))
    columns = [made.table8 for made in found.tables.values()]
    rows = [
        (name, *(word for one in columns for word in (f"{one.tokens[bucket]:,}", f"{one.percent(bucket):.3f}")))
        for bucket, name in zip(BUCKETS, _SOURCES, strict=True)
    ]
    rows.append(
        ("total", *(word for one in columns for word in (f"{one.total:,}", "100.000" if one.total else "0.000")))
    )
    return f"Table 8 · tokens by source · {found.name}", head, rows


def _table9(made: Tables) -> Grid:
    rows: list[tuple[str, ...]] = [
        _spread("options per multi_choice round", made.options),
        _spread("right options per round", made.correct),
        _spread("timeout of a check (s)", made.timeouts),
        ("checks that expect an exit status (%)", _number(made.exit_percent), "", ""),
        ("checks that expect output (%)", _number(made.stdout_percent), "", ""),
    ]
    return "Table 9 · questions", ("measure", "mean", "least", "most"), rows


def _spread(name: str, one: Spread) -> tuple[str, ...]:
    return (name, _number(one.mean), _number(one.least, 0), _number(one.most, 0))


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _table10(layout: str, made: Tables) -> Grid:
    events = sum(made.targets.values())
    rows: list[tuple[str, ...]] = [
        (f"events: {kind}", f"{n:,}", f"{100 * n / events:.1f}" if events else "–") for kind, n in made.targets.items()
    ]
    named = sum(made.actions.values())
    rows += [(f"files with action {name}", f"{n:,}", f"{100 * n / named:.1f}") for name, n in made.actions.items()]
    rows.append(("file operations, all", f"{made.operations:,}", ""))
    rows.append(("file operations that some round applies", f"{made.applied_operations:,}", ""))
    return f"Table 10 · updates · {layout}", ("what", "count", "%"), rows


def _row11(row: TableRow) -> tuple[str, ...]:
    return tuple(
        value if isinstance(value, str) else f"{value:,}" for value in (getattr(row, name) for name in COLUMNS)
    )


def write_csv(found: Measured, file: Path) -> None:
    """One row per layout and scenario: the columns of table 11, then the tokens of each source."""
    with file.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(("layout", *COLUMNS, *(f"tokens_{bucket}" for bucket in BUCKETS)))
        for layout, made in found.tables.items():
            for row in made.table11:
                of = found.counts[layout].get(row.scenario, {})
                writer.writerow((layout, *(getattr(row, n) for n in COLUMNS), *(of.get(b, 0) for b in BUCKETS)))
