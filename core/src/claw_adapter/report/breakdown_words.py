"""The breakdowns as tables of text, so that terminal and page show the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from claw_adapter.report import state_words as state
from claw_adapter.report.breakdown_records import Breakdown, Breakdowns, FormatLink, Unit
from claw_adapter.report.legend import MISSED, UNREAD, explain_metrics, explain_values
from claw_adapter.report.words import COLUMNS, percent
from claw_adapter.scoring.breakdown import UNTAGGED, BreakdownRow

__all__ = ["TextTable", "breakdown_table", "breakdown_tables"]

DASH: Final = "–"
_TITLES: Final[dict[Unit, str]] = {
    "failures": "Failures by pattern",
    "conduct": "What else is noted of a round",
    "conclusions": "Revision rate",
    "preferences": "Preference compliance by dimension",
    "statements": "True statements found, compound and atomic",
}
_NOTES: Final[dict[Unit, str]] = {
    "rounds": "Mean score in percent (scored rounds).",
    "failures": "Percent of failures (rounds/failures): of the rounds that are not right, unscored ones among them.",
    "conduct": "Percent of the rounds that are judged by state (rounds/all).",
    "conclusions": (
        "Percent revised (revised/pairs). A pair counts when the earlier answer was what the old evidence said; "
        "in all, then by update and by update tag."
    ),
    "preferences": "Percent kept (rules kept/examined), in silent-exam rounds only.",
    "statements": (
        "Percent of true statements that were chosen (statements). Compound: no single piece of evidence decides it."
    ),
}
_TAGS: Final = {
    "phase": ("By update phase", "A phase begins with a round that has updates; phase 0 has seen none."),
    "update_age": (
        "By age of the last update",
        "How many rounds ago the last update came, 0 just before the prompt; no update_age: none had come.",
    ),
    "pattern": ("By pattern", "What the score calls how a round went."),
}
_SHARES: Final = frozenset(("failures", "conduct", "conclusions", "preferences"))
"""Units of which a cell shows how many there are of how many."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table: what it shows, what must be known to read it, headings, and rows of as many cells.

    The first `keys` columns say what a row is, and stand in every part of a table that a narrow terminal splits; 0 for one
    that is not split.
    """

    title: str
    note: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: int = 0


def breakdown_tables(found: Breakdowns | None) -> Iterator[TextTable]:
    """A table per breakdown that has data; a column per configuration."""
    if found is None:
        return
    for _, some in groupby(found.by_tag, key=_title):
        group = list(some)
        if group[0].of == "rounds" and state.judged_by_state(group[0].rows):
            yield from _by_state(group[0], found.configs)
        else:
            yield _by_tag(group, found.configs)
    yield from _options(found)
    yield from _identical(found)
    yield from _never(found)
    for link in found.formats:
        yield _formats(link)


def _title(one: Breakdown) -> str:
    name = one.by[0] if one.by else ""
    return _TITLES.get(one.of) or _TAGS.get(name, (f"By {name}",))[0]


def _by_tag(found: Sequence[Breakdown], configs: Sequence[str]) -> TextTable:
    """One row per value, of one breakdown after the other."""
    rows = []
    for one in found:
        cells = {(row.values, row.config): row for row in one.rows}
        for values in dict.fromkeys(row.values for row in one.rows):
            parts = [cells.get((values, config)) for config in configs]
            rows.append((_label(one.by, values), *(_cell(one.of, part) for part in parts)))
    first = found[0]
    note = " ".join((_NOTES[first.of], *_explained(found)))
    return TextTable(_title(first), note, ("", *configs), tuple(rows))


def _by_state(one: Breakdown, configs: Sequence[str]) -> Iterator[TextTable]:
    """Rounds judged by state: in all a row per configuration; by tag the scores, and then what speaks beside them."""
    if not one.by:
        columns, note = state.overall_columns(one.rows)
        rows = tuple((row.config, *(text(row) for _, text in columns)) for row in one.rows)
        yield TextTable("Overall", note, ("", *(name for name, _ in columns)), rows, keys=1)
        return
    cells = {(row.values, row.config): row for row in one.rows}
    values = tuple(dict.fromkeys(row.values for row in one.rows))

    def grid(title: str, note: str, text: Callable[[BreakdownRow], str]) -> TextTable:
        rows = [[cells.get((value, config)) for config in configs] for value in values]
        shown = tuple(
            (_label(one.by, value), *(text(cell) if cell else DASH for cell in row))
            for value, row in zip(values, rows, strict=True)
        )
        return TextTable(title, note, ("", *configs), shown, keys=1)

    yield grid(_title(one), " ".join((state.SCORE, *_explained([one]))), state.score_cell)
    yield grid(f"{_title(one)}: partial credit, progress, commands", state.CREDIT, state.credit_cell)


def _label(by: Sequence[str], values: Sequence[str]) -> str:
    said = (
        f"no {name}" if value == UNTAGGED else f"{name} {value}" if value.isdecimal() else value
        for name, value in zip(by, values, strict=True)
    )
    return " · ".join(said) or "all"


def _cell(of: Unit, row: BreakdownRow | None) -> str:
    if row is None:
        return f"{DASH} (0)" if of in ("rounds", "statements") else DASH
    if of in _SHARES:
        return f"{percent(row.mean)} ({round((row.mean or 0) * row.scored)}/{row.scored})"
    unlike = ((row.unscored, "unscored"), (row.unread, "unread"))
    return f"{percent(row.mean)} ({', '.join((str(row.scored), *(f'{n} {word}' for n, word in unlike if n)))})"


def _explained(found: Sequence[Breakdown]) -> Iterator[str]:
    """What is to be known about the tags, their codes, and what is counted beside the scored."""
    for one in found:
        for place, name in enumerate(one.by):
            if one.of == "rounds" and name in _TAGS:
                yield _TAGS[name][1]
            if codes := explain_values(name, [row.values[place] for row in one.rows], one.meanings):
                yield codes
    if found[0].of in ("rounds", "statements"):
        rows = [row for one in found for row in one.rows]
        if any(row.unscored for row in rows):
            yield MISSED
        if any(row.unread for row in rows):
            yield UNREAD


def breakdown_table(one: Breakdown) -> TextTable:
    """Everything about one breakdown: a row per value and configuration, with metrics."""
    rows = one.rows
    # What is pooled over rounds is the strict score itself.
    pooled = all(row.strict.get("tcr", row.strict_mean) == row.strict_mean for row in rows)
    metrics = [
        (key, name) for key, name in COLUMNS if any(key in row.strict for row in rows) and not (pooled and key == "tcr")
    ]
    columns = list(_columns(rows, metrics))
    cells = tuple(
        (
            *(value or f"no {name}" for name, value in zip(one.by, row.values, strict=True)),
            *(text(row) for _, text in columns),
        )
        for row in rows
    )
    note = " ".join(
        (
            "Scores and metrics in percent. strict, and metrics: an unscored round counts 0; adjusted: it is left out.",
            *([explain_metrics(key for key, _ in metrics)] if metrics else []),
            *([state.BASELINE] if state.judged_by_state(rows) else []),
            *([state.PROVIDER] if any(row.provider_failed or row.provider_impacted for row in rows) else []),
            *([state.INTERVAL] if any(row.interval for row in rows) else []),
            *_explained([one]),
        )
    )
    head = (*one.by, *(name for name, _ in columns))
    keys = len(one.by) + (columns[0][0] == "configuration")
    return TextTable(f"By {', '.join(one.by)}", note, head, cells, keys=keys)


def _columns(rows: Sequence[BreakdownRow], metrics: Sequence[tuple[str, str]]) -> Iterator[state.Column]:
    """Headings, and how a row's cell below each is written; what no row has is left out."""
    if len({row.config for row in rows}) > 1:
        yield "configuration", attrgetter("config")
    yield "rounds", _count("n")
    yield "scored", _count("scored")
    yield "strict", lambda row: percent(row.strict_mean)
    if any(row.interval for row in rows):
        yield "95 %", state.interval
    yield "adjusted", lambda row: percent(row.mean)
    yield from ((name, _metric(key)) for key, name in metrics)
    yield from state.state_columns(rows)
    for name in ("unscored", "unread", "provider_failed", "provider_impacted"):
        if any(getattr(row, name) for row in rows):
            yield name.replace("_", " "), _count(name)


def _count(name: str) -> Callable[[BreakdownRow], str]:
    return lambda row: str(getattr(row, name))


def _metric(key: str) -> Callable[[BreakdownRow], str]:
    return lambda row: percent(row.strict.get(key))


def _letters(letters: Sequence[str] | None) -> str:
    return "unread" if letters is None else "".join(letters) or "none"


def _options(found: Breakdowns) -> Iterator[TextTable]:
    if found.options:
        rows = tuple(
            (
                f"{row.scenario} {row.round}",
                _letters(row.key),
                *(_choice(row.chosen.get(c), row.wrong.get(c)) if c in row.chosen else DASH for c in found.configs),
            )
            for row in found.options
        )
        note = (
            "Rounds that somebody got wrong: the letters chosen, and behind ✗ the statements decided wrongly; ✓ none. "
            "key: the true ones."
        )
        if any("unread" in cell for row in rows for cell in row):
            note += f" {UNREAD}"
        yield TextTable("Statement by statement", note, ("round", "key", *found.configs), rows)


def _choice(chosen: Sequence[str] | None, wrong: Sequence[str] | None) -> str:
    return (
        f"{_letters(chosen)} ✗{''.join(wrong)}" if wrong else f"{_letters(chosen)}{' ✓' if wrong is not None else ''}"
    )


def _identical(found: Breakdowns) -> Iterator[TextTable]:
    if found.identical:
        rows = tuple((f"{i.scenario} {i.round}", "".join(i.wrong), ", ".join(i.configs)) for i in found.identical)
        note = "The very same wrong set under several configurations points to what they share."
        yield TextTable("Identical wrong answers", note, ("round", "statements", "configurations"), rows)


def _never(found: Breakdowns) -> Iterator[TextTable]:
    if found.never_passed:
        rows = tuple((f"{one.scenario} {one.round}", one.type, f"0/{one.of}") for one in found.never_passed)
        note = "A ceiling of all configurations, or a question that cannot be answered."
        yield TextTable("Rounds that none passed", note, ("round", "type", "passed"), rows)


def _formats(link: FormatLink) -> TextTable:
    found = link.correlation
    how = (
        f"Pearson r {found.r:.2f} (p {found.p:.3f}), Spearman {found.rank:.2f}, n {found.n}."
        if found
        else "No correlation: fewer than three with both formats, or one never varies."
    )
    rows = tuple((pair.name, percent(pair.mc), percent(pair.ec)) for pair in link.pairs)
    what = "configuration" if link.over == "config" else link.over
    head = (what, "multiple choice", "executable checks")
    return TextTable(
        f"Multiple choice against executable checks, by {what}", f"Mean scores in percent. {how}", head, rows
    )
