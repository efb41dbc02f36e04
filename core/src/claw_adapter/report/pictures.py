"""What a run's pictures show: scores, scores by phase, tokens and prefix of each turn, cost against score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Final

from markupsafe import Markup

from claw_adapter.protocol import RoundRecord
from claw_adapter.report import words
from claw_adapter.report.drawing import Bar, Curve, Point, bars, lines, scatter
from claw_adapter.report.records import Row, Summary
from claw_adapter.report.state_pictures import state_pictures
from claw_adapter.runs.figures import RoundFigures
from claw_adapter.runs.load import RunData

__all__ = ["run_pictures"]

MOST_ROWS: Final = 8
"""Rows that one picture can tell apart."""
Look = Callable[[RoundFigures | RoundRecord], float | None]


def run_pictures(run: RunData, summary: Summary) -> Iterator[Markup]:
    """The pictures that there is data for; none where there are too many rows to tell them apart."""
    if not summary.rows or len(summary.rows) > MOST_ROWS or not any(row.scored for row in summary.rows):
        return
    names = _names(summary)
    yield from _scores(summary, names)
    yield from _phases(summary)
    yield from state_pictures(summary.breakdowns)
    sent = _by_turn(run, summary, names, lambda record: record.usage.metered.input)
    steps = [str(number + 1) for number in range(max((len(line.values) for line in sent), default=0))]
    if len(steps) > 1:
        what = "Tokens of all requests of a turn (cl100k, at the endpoint), the mean over trials."
        yield lines("Tokens sent per turn", what, sent, steps, x="turn")
        kept = _by_turn(run, summary, names, _kept)
        if any(value is not None for line in kept for value in line.values):
            what = (
                "The share of a turn's tokens that earlier requests of the trial had begun with; the mean over trials."
            )
            yield lines("Prefix kept", what, kept, steps, x="turn", unit="share")
    yield from _costs(summary, names)


def _names(summary: Summary) -> list[str]:
    several = len({row.model for row in summary.rows}) > 1
    return [f"{row.label} · {row.model}" if several else row.label for row in summary.rows]


def _main(summary: Summary) -> str:
    return "overall" if words.has_overall(summary) else "tcr"


def _score(row: Row, key: str) -> float | None:
    value = getattr(row.strict, key, None)
    return value if isinstance(value, float | int) else None


def _scores(summary: Summary, names: Sequence[str]) -> Iterator[Markup]:
    key = _main(summary)
    found = []
    for name, row in zip(names, summary.rows, strict=True):
        interval = row.strict.intervals.get(key)
        found.append(
            Bar(name, _score(row, key), interval.low if interval else None, interval.high if interval else None)
        )
    heading = dict(words.defined(summary)).get(key, key)
    between = " The line is its interval over scenarios." if any(bar.low is not None for bar in found) else ""
    yield bars(f"Scores ({heading})", f"An unscored round counts 0.{between}", found, unit="share")


def _phases(summary: Summary) -> Iterator[Markup]:
    tables = summary.breakdowns.by_tag if summary.breakdowns else ()
    table = next((one for one in tables if one.of == "rounds" and one.by == ("phase",)), None)
    if table is None:
        return
    phases = list(dict.fromkeys(row.values[0] for row in table.rows))
    phases.sort(key=lambda text: (len(text), text))
    values = {(row.config, row.values[0]): row.strict_mean for row in table.rows}
    configs = dict.fromkeys(row.config for row in table.rows)
    found = [Curve(config, tuple(values.get((config, phase)) for phase in phases)) for config in configs]
    what = "Mean score of the rounds of a phase; a phase begins with a round that has updates, phase 0 has seen none."
    yield lines("Score by update phase", what, found, phases, x="phase", unit="share")


def _kept(record: RoundFigures | RoundRecord) -> float | None:
    metered = record.usage.metered
    return metered.cached / metered.input if metered.cached is not None and metered.input else None


def _by_turn(run: RunData, summary: Summary, names: Sequence[str], look: Look) -> list[Curve]:
    """For each row the mean over its trials of what `look` says of each turn."""
    found = []
    for number, name in enumerate(names):
        own = [trial for trial, info in zip(run.trials, summary.trials, strict=True) if info.row == number]
        values = []
        for turn in range(max((len(trial.figures) for trial in own), default=0)):
            seen = [look(trial.figures[turn]) for trial in own if turn < len(trial.figures)]
            known = [value for value in seen if value is not None]
            values.append(fmean(known) if known else None)
        found.append(Curve(name, tuple(values)))
    return found


def _costs(summary: Summary, names: Sequence[str]) -> Iterator[Markup]:
    key = _main(summary)
    found = [
        Point(name, float(row.cost.money.amount), score)
        for name, row in zip(names, summary.rows, strict=True)
        if row.cost is not None and not row.cost.local and (score := _score(row, key)) is not None
    ]
    if found:
        what = "Each harness at the list price of its requests, without a cache."
        yield scatter("Cost against score", what, found, x="USD", y="score", units=("USD", "share"))
