"""The breakdowns as tables of text, so that terminal and page show the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from claw_adapter.report.breakdown_records import Breakdown, Breakdowns, FormatLink, Unit
from claw_adapter.report.legend import MISSED, UNREAD, explain_metrics, explain_values
from claw_adapter.report.words import COLUMNS, percent
from claw_adapter.scoring.breakdown import UNTAGGED, BreakdownRow

__all__ = ["TextTable", "breakdown_table", "breakdown_tables"]

DASH: Final = "–"
_TITLES: Final[dict[Unit, str]] = {
    "conclusions": "Revision rate",
    "preferences": "Preference compliance by dimension",
    "statements": "True statements found, compound and atomic",
}
_NOTES: Final[dict[Unit, str]] = {
    "rounds": "Mean score in percent (scored rounds).",
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
    "pattern": ("By pattern", "What the score calls how a round went."),
}


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table: what it shows, what must be known to read it, headings, and rows of as many cells."""

    title: str
    note: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def breakdown_tables(found: Breakdowns | None) -> Iterator[TextTable]:
    """A table per breakdown that has data; a column per configuration."""
    if found is None:
        return
    for _, some in groupby(found.by_tag, key=_title):
        yield _by_tag(list(some), found.configs)
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


def _label(by: Sequence[str], values: Sequence[str]) -> str:
    said = (
        f"no {name}" if value == UNTAGGED else f"{name} {value}" if value.isdecimal() else value
        for name, value in zip(by, values, strict=True)
    )
    return " · ".join(said) or "all"


def _cell(of: Unit, row: BreakdownRow | None) -> str:
    if row is None:
        return f"{DASH} (0)" if of in ("rounds", "statements") else DASH
    if of in ("conclusions", "preferences"):
        return f"{percent(row.mean)} ({round((row.mean or 0) * row.scored)}/{row.scored})"
    unlike = ((row.unscored, "unscored"), (row.unread, "unread"))
    return f"{percent(row.mean)} ({', '.join((str(row.scored), *(f'{n} {word}' for n, word in unlike if n)))})"


def _explained(found: Sequence[Breakdown]) -> Iterator[str]:
    """What is to be known about the tags, their codes, and what is counted beside the scored."""
    for one in found:
        for place, name in enumerate(one.by):
            if one.of == "rounds" and name in _TAGS:
                yield _TAGS[name][1]
            if codes := explain_values(name, [row.values[place] for row in one.rows]):
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
    configs = len({row.config for row in rows}) > 1
    metrics = [(key, name) for key, name in COLUMNS if any(key in row.strict for row in rows)]
    more = [name for name in ("unscored", "unread") if any(getattr(row, name) for row in rows)]
    head = (
        *one.by,
        *(["configuration"] if configs else []),
        "rounds",
        "scored",
        "mean",
        *(n for _, n in metrics),
        *more,
    )
    cells = tuple(
        (
            *(value or f"no {name}" for name, value in zip(one.by, row.values, strict=True)),
            *([row.config] if configs else []),
            *(str(row.n), str(row.scored), percent(row.mean)),
            *(percent(row.strict.get(key)) for key, _ in metrics),
            *(str(getattr(row, name)) for name in more),
        )
        for row in rows
    )
    note = " ".join(
        (
            "Mean score of scored rounds and metrics in percent; metrics count an unscored round as 0.",
            explain_metrics(key for key, _ in metrics),
            *_explained([one]),
        )
    )
    return TextTable(f"By {', '.join(one.by)}", note, head, cells)


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
