"""The breakdowns as tables of text, so that terminal and page show the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from claw_adapter.report.facet_records import Facets, FormatLink
from claw_adapter.report.words import percent
from claw_adapter.scoring.facets import Group, Part

__all__ = ["FacetTable", "facet_tables"]

DASH = "–"


@dataclass(frozen=True, slots=True)
class FacetTable:
    """A table: what it shows, what must be known to read it, headings, and rows of as many cells."""

    title: str
    note: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def facet_tables(facets: Facets | None) -> Iterator[FacetTable]:
    """A table per breakdown that has data, in the order of the papers."""
    if facets is None:
        return
    yield from _groups(
        "By update phase",
        "Mean score in percent (scored rounds). A phase begins with a round that has updates; phase 0 has seen none.",
        facets.phases,
    )
    yield from _groups(
        "By category",
        "Mean score in percent (scored rounds). MS sources, DU updates, P preferences; R recall, I reasoning.",
        facets.categories,
    )
    yield from _revision(facets)
    yield from _compliance(facets)
    yield from _groups(
        "True statements found, compound and atomic",
        "Percent of true statements that were chosen (statements). Compound: no single piece of evidence decides it.",
        facets.compound,
    )
    yield from _options(facets)
    yield from _identical(facets)
    yield from _never(facets)
    for link in facets.formats:
        yield _formats(link)


def _cell(part: Part) -> str:
    unscored = f", {part.unscored} unscored" if part.unscored else ""
    return f"{percent(part.mean)} ({part.rounds}{unscored})"


def _groups(title: str, note: str, groups: Sequence[Group]) -> Iterator[FacetTable]:
    """One row per slice, one column per configuration."""
    if groups:
        head = ("", *(part.config for part in groups[0].parts))
        rows = tuple((group.name, *(_cell(part) for part in group.parts)) for group in groups)
        yield FacetTable(title, note, head, rows)


def _revision(facets: Facets) -> Iterator[FacetTable]:
    configs = list(dict.fromkeys(one.config for one in facets.revision))
    found = {(one.by, one.config): one for one in facets.revision}
    names = list(dict.fromkeys(one.by for one in facets.revision))
    if configs:
        rows = tuple(
            (
                name,
                *(f"{percent(found[name, c].rate)} ({found[name, c].revised}/{found[name, c].pairs})" for c in configs),
            )
            for name in names
        )
        note = (
            "Percent revised (revised/pairs). A pair counts when the earlier answer was what the old evidence said; "
            "in all, then by update and by update tag."
        )
        yield FacetTable("Revision rate", note, ("", *configs), rows)


def _compliance(facets: Facets) -> Iterator[FacetTable]:
    configs = list(dict.fromkeys(one.config for one in facets.compliance))
    found = {(one.dimension, one.config): f"{one.kept}/{one.examined}" for one in facets.compliance}
    names = list(dict.fromkeys(one.dimension for one in facets.compliance))
    if configs:
        rows = tuple((name.replace("_", " "), *(found.get((name, c), DASH) for c in configs)) for name in names)
        note = "Rules kept of those examined, in silent-exam rounds only."
        yield FacetTable("Preference compliance by dimension", note, ("", *configs), rows)


def _letters(letters: Sequence[str] | None) -> str:
    return "unread" if letters is None else "".join(letters) or "none"


def _options(facets: Facets) -> Iterator[FacetTable]:
    if facets.options:
        rows = tuple(
            (
                f"{row.scenario} {row.round}",
                _letters(row.key),
                *(_choice(row.chosen.get(c), row.wrong.get(c)) if c in row.chosen else DASH for c in facets.configs),
            )
            for row in facets.options
        )
        note = "Rounds that somebody got wrong: the letters chosen, and behind ✗ the statements decided wrongly."
        yield FacetTable("Statement by statement", note, ("round", "key", *facets.configs), rows)


def _choice(chosen: Sequence[str] | None, wrong: Sequence[str] | None) -> str:
    return (
        f"{_letters(chosen)} ✗{''.join(wrong)}" if wrong else f"{_letters(chosen)}{' ✓' if wrong is not None else ''}"
    )


def _identical(facets: Facets) -> Iterator[FacetTable]:
    if facets.identical:
        rows = tuple((f"{i.scenario} {i.round}", "".join(i.wrong), ", ".join(i.configs)) for i in facets.identical)
        note = "The very same wrong set under several configurations points to what they share."
        yield FacetTable("Identical wrong answers", note, ("round", "statements", "configurations"), rows)


def _never(facets: Facets) -> Iterator[FacetTable]:
    if facets.never_passed:
        rows = tuple((f"{one.scenario} {one.round}", one.type, f"0/{one.of}") for one in facets.never_passed)
        note = "A ceiling of all configurations, or a question that cannot be answered."
        yield FacetTable("Rounds that none passed", note, ("round", "type", "passed"), rows)


def _formats(link: FormatLink) -> FacetTable:
    found = link.correlation
    how = (
        f"Pearson r {found.r:.2f} (p {found.p:.3f}), Spearman {found.rank:.2f}, n {found.n}."
        if found
        else "No correlation: fewer than three with both formats, or one never varies."
    )
    rows = tuple((pair.name, percent(pair.mc), percent(pair.ec)) for pair in link.pairs)
    what = "configuration" if link.over == "config" else link.over
    return FacetTable(f"Multiple choice against executable checks, by {what}", how, (what, "MC", "EC"), rows)
