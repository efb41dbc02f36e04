"""The tables of rounds that are judged by the state they leave: score with interval, partial credit beside its baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from claw_adapter.report.words import percent
from claw_adapter.scoring.breakdown import BreakdownRow

__all__ = [
    "BASELINE",
    "CREDIT",
    "INTERVAL",
    "PROVIDER",
    "SCORE",
    "Column",
    "credit_cell",
    "decimal",
    "interval",
    "judged_by_state",
    "overall_columns",
    "score_cell",
    "state_columns",
]

SCORE: Final = "Strict score in percent [95 % interval] (rounds); an unscored round counts 0."
CREDIT: Final = (
    "Mean partial credit (of doing nothing: the do-nothing baseline) · progress, both in percent · commands executed."
)
PROVIDER: Final = (
    "provider failed: rounds that the provider left unscored; impacted: scored ones, some requests of which it failed."
)
_ADJUSTED: Final = "adjusted: unscored rounds left out."
BASELINE: Final = (
    "partial: mean partial credit (baseline: that of doing nothing). progress: share of what was wanted that holds, 0 for "
    "doing nothing."
)
INTERVAL: Final = (
    "The interval is Wilson's at the effective number of rounds: those of one scenario, several trials among them, count as "
    "far as they differ."
)
_HAT: Final = "pass^k: chance that k trials of a round all get it right."

Column = tuple[str, Callable[[BreakdownRow], str]]


def judged_by_state(rows: Sequence[BreakdownRow]) -> bool:
    """Whether any of the rows has rounds that are."""
    return any(row.progress is not None for row in rows)


def interval(row: BreakdownRow) -> str:
    """``[61–100]``; a dash where there is none."""
    found = row.interval
    return f"[{100 * found.low:.0f}–{100 * found.high:.0f}]" if found else "–"


def decimal(value: float | None) -> str:
    """A mean count with one decimal; a dash where it is undefined."""
    return "–" if value is None else f"{value:.1f}"


def score_cell(row: BreakdownRow) -> str:
    """``66.7 [30–90] (6)``; the rounds that are unscored are named."""
    count = f"{row.n}, {row.unscored} unscored" if row.unscored else str(row.n)
    return f"{percent(row.strict_mean)} {f'{interval(row)} ' if row.interval else ''}({count})"


def _credit(row: BreakdownRow) -> str:
    return "–" if row.partial is None else f"{percent(row.partial)} ({percent(row.baseline)})"


def credit_cell(row: BreakdownRow) -> str:
    """``84.5 (60.2) · 47.9 · 5.7``: partial credit, its baseline, progress, commands."""
    partial = [_credit(row)] if row.partial is not None else []
    return " · ".join((*partial, percent(row.progress), decimal(row.commands)))


def state_columns(rows: Sequence[BreakdownRow]) -> Iterator[Column]:
    """What is shown of rounds judged by state beside their scores, as far as there is any."""
    if any(row.partial is not None for row in rows):
        yield "partial (baseline)", _credit
    if judged_by_state(rows):
        yield "progress", lambda row: percent(row.progress)
        yield "commands", lambda row: decimal(row.commands)


def overall_columns(rows: Sequence[BreakdownRow]) -> tuple[list[Column], str]:
    """The columns of a table with a row per configuration, and the note that explains them."""
    ks = sorted({k for row in rows for k in row.pass_hat if k > 1})
    columns: list[Column] = [
        ("rounds", lambda row: str(row.n)),
        ("strict", lambda row: percent(row.strict_mean)),
        ("95 %", interval),
        ("adjusted", lambda row: percent(row.mean)),
        *state_columns(rows),
        *((f"pass^{k}", lambda row, k=k: percent(row.pass_hat.get(k))) for k in ks),
        ("provider failed", lambda row: str(row.provider_failed)),
        ("impacted", lambda row: str(row.provider_impacted)),
    ]
    notes = ("In percent. strict: an unscored round counts 0.", _ADJUSTED, BASELINE, *([_HAT] if ks else []))
    return columns, " ".join((*notes, PROVIDER, INTERVAL))
