"""Statistics and selections as tables of text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter.datasets.export import grids
from claw_adapter_scenarios.realism.talk import TalkFigures, published
from claw_adapter_scenarios.stats.figures import SuiteFigures, by_domain, categories, figures
from claw_adapter_scenarios.stats.papers import NEAR, Deviation, PaperName, deviations, paper
from claw_adapter_scenarios.stats.select import Chosen

__all__ = ["show_chosen", "show_suite", "show_talk", "suite_json"]

DASH = "–"
SMALL = 0.0005


COLUMNS = 110
"""At least so wide is a table."""


def suite_json(suite: SuiteFigures, against: PaperName, reasons: Mapping[str, str]) -> dict[str, Any]:
    """Everything that is shown, and tables 8 to 11 by themselves; `reasons` says why a figure is not where the paper's is."""
    return {
        "suite": suite.name,
        "figures": figures(suite),
        "categories": categories(suite),
        "domains": by_domain(suite),
        "paper": paper(against).title,
        "deviations": [asdict(one) | {"reason": _reason(one, reasons)} for one in deviations(suite, against)],
        "tables": suite.measured.as_json(),
    }


def show_suite(suite: SuiteFigures, against: PaperName, reasons: Mapping[str, str], out: Console) -> None:
    """Tables 8 to 11, rounds by category, domains, and the papers' numbers beside the suite's, with the reasons why not."""
    for title, head, rows in grids(suite.measured):
        _print(out, title, head, rows)
    if found := categories(suite):
        whole = sum(found.values())
        rows = [(name, f"{count:,}", _share(count, whole)) for name, count in found.items()]
        _print(out, "Rounds by category", ("category", "rounds", "%"), rows)
    if domains := by_domain(suite):
        _print(out, "Scenarios by domain", ("domain", "scenarios"), [(name, str(n)) for name, n in domains.items()])
    beside = deviations(suite, against)
    rows = [(one.key.replace("_", " "), one.place, *_beside(one)) for one in beside]
    head = ("figure", "place", "paper", suite.name, "deviation")
    _print(out, f"Beside {paper(against).title}", head, rows)
    if far := [one for one in beside if not one.near]:
        out.print(f"Further away than {NEAR:.0%}", style="bold", markup=False)
        for one in far:
            out.print(f"  {one.key.replace('_', ' ')}: {_reason(one, reasons)}", markup=False)


def _reason(one: Deviation, reasons: Mapping[str, str]) -> str:
    return "" if one.near else reasons.get(one.key, "not explained")


def _beside(one: Deviation) -> tuple[str, str, str]:
    ours = DASH if one.ours is None else _number(one.ours)
    if one.relative is None:
        return _number(one.paper), ours, DASH
    return _number(one.paper), ours, "exact" if abs(one.relative) < SMALL else f"{100 * one.relative:+.1f} %"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) > 1 else f"{value:,.3f}".rstrip("0").rstrip(".")


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}" if whole else DASH


def show_chosen(chosen: Chosen, suite: SuiteFigures, out: Console) -> None:
    """The subset, how far its statistics and scores are from the suite's, and what random subsets would be worth."""
    share = _share(sum(one.row.rounds for one in suite.scenarios if one.id in chosen.scenarios), _rounds(suite))
    out.print(f"{len(chosen.scenarios)} of {len(suite.scenarios)} scenarios, {share} % of the rounds:", markup=False)
    out.print(f"  {' '.join(chosen.scenarios)}", markup=False, soft_wrap=True)
    rows = [(g.name, _number(g.suite), _number(g.subset), f"{g.deviations:+.2f}") for g in chosen.features]
    _print(out, "Statistics (mean per scenario)", ("", "suite", "subset", "difference in s.d."), rows)
    out.print(
        f"Distance {chosen.distance:.3f} standard deviations; median of random subsets {chosen.random_distance:.3f}.",
        markup=False,
    )
    if chosen.missing:
        out.print(f"Domains without a scenario: {', '.join(chosen.missing)}.", markup=False)
    if chosen.scores:
        errors = [
            (g.config, _percent(g.suite), _percent(g.subset), f"{100 * g.error:+.2f}", _held(g.held_out))
            for g in chosen.scores
        ]
        head = ("configuration", "suite", "subset", "error", "error, held out")
        _print(out, "Mean score in percent, and by how much the subset's differs (points)", head, errors)
        out.print(
            "Held out: the subset was chosen without this configuration; the plain error is optimistic, since it was looked at."
            f" Median error of random subsets: {100 * (chosen.random_error or 0):.2f} points.",
            markup=False,
        )


def show_talk(found: Mapping[str, TalkFigures], worse: Mapping[str, Sequence[str]], out: Console) -> None:
    """A row per scenario, those of the published suite as lowest, middle and highest, and what is worse than all of them."""
    names = [one.name for one in fields(TalkFigures)]
    rows = [(name, *(f"{getattr(one, key):.3g}" for key in names)) for name, one in found.items()]
    for title, of in (("published, lowest", min), ("published, median", median), ("published, highest", max)):
        rows.append((title, *(f"{of(getattr(one, key) for one in published().values()):.3g}" for key in names)))
    _print(out, "How people talk", ("scenario", *(name.replace("_", " ") for name in names)), rows)
    for name, lines in worse.items():
        for line in lines:
            out.print(f"! {name}: {line}", markup=False, soft_wrap=True)


def _rounds(suite: SuiteFigures) -> int:
    return sum(one.row.rounds for one in suite.scenarios)


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _held(value: float | None) -> str:
    return DASH if value is None else f"{100 * value:+.2f}"


def _print(out: Console, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    out.print(title, style="bold", markup=False)
    out.width = max(out.width, COLUMNS)  # a narrower one would cut numbers off
    table = Table(box=None, pad_edge=False)
    for place, name in enumerate(head):
        table.add_column(Text(name), justify="right" if place else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    out.print(table, "")
