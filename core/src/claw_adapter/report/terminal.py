"""The summary as text: two tables, a matrix of rounds, and the sentences without which numbers mislead."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claw_adapter.report import words
from claw_adapter.report.audit_terminal import render_verdicts
from claw_adapter.report.breakdown_terminal import render_breakdowns
from claw_adapter.report.failed import failed_lines
from claw_adapter.report.legend import explain_metrics
from claw_adapter.report.matrix_terminal import MOST_SCENARIOS, print_line, render_matrix, row_name
from claw_adapter.report.narrow import parts
from claw_adapter.report.records import Metrics, Row, Summary
from claw_adapter.report.screen import Block, print_blocks

__all__ = ["render"]

TOKENS: Final = (
    "Tokens are sent + received; rendered is what the model last saw in a turn, plus the reply. The kinds are never added up. "
    "Cached: of what was sent, prefixes that earlier requests of the trial had as well: what a provider's cache has at best. "
    "adapter: its own share of a turn; runner: ours of a round. Isolation is the level of harness/check."
)
KINDS: Final = ("mc", "ec")
FAILED: Final = "Failed rounds, with the reason (claw report RUN --round SCENARIO shows one)"
MOST_LINES: Final = 12
"""Lines about unscored or failed rounds before the rest is only counted."""
SCREEN_LINES: Final = 12
"""Lines that the marks of rounds may take on the first screen; a third of it for failed and unscored rounds each."""


def render(summary: Summary, console: Console, *, report: Path | None = None, whole: bool = False) -> None:
    """Print the summary; every text that comes from a run folder is cleaned and never read as markup.

    Args:
        summary: of one run.
        console: where to.
        report: the run's page, if there is one; named at the end.
        whole: all of it; else what a screen holds, and how to see the rest.
    """
    failed, unscored = failed_lines(summary), words.unscored_lines(summary)
    most = MOST_LINES if whole else SCREEN_LINES // 3
    marks = MOST_SCENARIOS if whole else max(SCREEN_LINES // (len(summary.trials) + 1), 1)
    blocks = [
        Block(lambda to: _head(summary, to, whole=whole)),
        Block(lambda to: _print(to, _scores(summary, to.width if not whole else None))),
        Block(lambda to: print_line(to, _metrics(summary), indent=2), 2),
        Block(lambda to: _lines(to, _intervals(summary)), 1),
        Block(lambda to: _print(to, _costs(summary) if whole else _main_costs(summary))),
        Block(lambda to: print_line(to, TOKENS, indent=2), 5),
        Block(lambda to: render_matrix(summary, to, most=marks), 3),
        Block(
            lambda to: render_breakdowns(
                summary.breakdowns, to, most=None if whole else int(words.has_overall(summary))
            ),
            4,
        ),
        Block(lambda to: _listed(FAILED, failed, to, most)),
        Block(lambda to: _listed("Unscored rounds, with the cause", unscored, to, most, words.AGAIN)),
        Block(lambda to: render_verdicts(summary, to)),
        *([Block(lambda to: _notes(summary, to))] if whole else []),
        Block(lambda to: _next(to, report, whole=whole)),
    ]
    print_blocks(blocks, console, whole=whole)


def _lines(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        print_line(console, line, indent=2)


def _next(console: Console, report: Path | None, *, whole: bool) -> None:
    """Where there is more to see."""
    run = report.parent if report is not None else "RUN"
    more = (
        {}
        if whole
        else {f"claw report {run} --all": "scores by phase, category and more; versions, what cannot be made equal"}
    )
    if report is not None:
        more[str(report)] = "round by round, with prompts, evidence and tool calls, in a browser"
    if more:
        console.print()
    for where, what in more.items():
        console.print(Text.assemble((where, "bold"), f"  {what}"), soft_wrap=True)


def _print(console: Console, table: Table) -> None:
    for part in parts(table, console.width):
        console.print()
        console.print(part)


def _head(summary: Summary, console: Console, *, whole: bool) -> None:
    run = summary.run
    print_line(
        console,
        f"Run {run.name} of {run.created} (claw-adapter {run.claw_adapter}, configuration {run.digest})",
        style="bold",
    )
    for model in summary.models:
        print_line(console, f"Model {model.name}. {model.meaning}", style="" if model.measures_ability else "yellow")
    if whole:
        print_line(console, f"Metric set {summary.metric_set}: {words.METRIC_SETS[summary.metric_set]}.")
    for warning in summary.warnings:
        print_line(console, f"! {warning}", style="yellow")


def _table(title: str, first: str, *, tight: bool = False) -> Table:
    table = Table(
        box=None,
        collapse_padding=tight,
        title=title,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
        padding=(0, 1),
    )
    table.add_column(first, overflow="fold")
    return table


def _scores(summary: Summary, width: int | None = None) -> Table:
    """All scores; where a `width` is given that is too small for them, those of the two kinds of rounds are left out."""
    columns = words.defined(summary)
    table = _scores_of(summary, columns)
    if width is None or len(list(parts(table, width))) == 1:
        return table
    return _scores_of(summary, [column for column in columns if column[0] not in KINDS])


def _scores_of(summary: Summary, columns: Sequence[tuple[str, str]]) -> Table:
    unscored = any(row.unscored for row in summary.rows)
    views = " (strict: unscored rounds count 0; adjusted: left out)" if unscored else ""
    table = _table(f"Scores in percent{views}", "harness", tight=unscored)
    if unscored:
        table.add_column("view", no_wrap=True)
    for _, heading in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    evidence = any(row.evidence for row in summary.rows)
    if evidence:
        table.add_column("evidence", justify="right", no_wrap=True)
    table.add_column("rounds", justify="right", no_wrap=True)
    table.add_column("trials", overflow="fold")

    def add(row: Row, metrics: Metrics, name: str, trials: str) -> None:
        cells = [Text(name), *([Text(metrics.view)] if unscored else [])]
        cells += [Text(words.percent(getattr(metrics, key))) for key, _ in columns]
        if evidence:
            shown = row.evidence if trials else None
            cells.append(Text(f"{shown.seen}/{shown.needed}" if shown else "–" if trials else ""))
        table.add_row(*cells, Text(f"{metrics.rounds}/{row.rounds}"), Text(trials))

    for row in summary.rows:
        add(row, row.strict, row_name(summary, row), _trials(row))
        if row.unscored:
            add(row, row.adjusted, "", "")
    return table


def _trials(row: Row) -> str:
    """How many trials there are, and what became of those that are not finished."""
    unlike = [f"{number} {word}" for number, word in ((row.failed, "failed"), (row.unfinished, "unfinished")) if number]
    return ", ".join((str(row.trials), *unlike))


def _metrics(summary: Summary) -> str:
    return explain_metrics(key for key, _ in words.defined(summary))


def _intervals(summary: Summary) -> list[str]:
    """The interval of every row, or once why there is none; nothing where a table of its own has them."""
    if words.has_overall(summary):
        return []
    if not any(row.strict.intervals for row in summary.rows):
        return sorted({row.strict.interval_note for row in summary.rows})
    return [f"{row_name(summary, row)}: {words.intervals(row)}" for row in summary.rows]


def _costs(summary: Summary) -> Table:
    table = _table("Tokens and time (times are medians per turn)", "harness", tight=True)
    upstream = any(row.tokens.metered.upstream for row in summary.rows)
    cost = any(row.cost for row in summary.rows)
    overlay = any(row.tokens.overlay for row in summary.rows)
    headings = [
        "rendered",
        "reported",
        "metered\n(cached)",
        *(["upstream"] if upstream else []),
        *(["overlay's\nown"] if overlay else []),
        *(["cost", "with\ncache"] if cost else []),
        "calls",
        "tool\ncalls",
        "turn",
    ]
    for heading in (*headings, "adapter", "runner", "isolation"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in summary.rows:
        tokens, times = row.tokens, row.times
        theirs = tokens.metered.upstream
        cells = [
            words.short(tokens.rendered.tokens),
            _reported(row),
            _metered(row),
        ]
        if upstream:
            cells.append(_pair(theirs.input, theirs.output) if theirs else "–")
        if overlay:
            cells.append(_own(row))
        if cost:
            cells += [words.money(row.cost), words.money_cached(row.cost)]
        cells += [words.short(tokens.metered.requests), words.short(row.tool_calls), words.seconds(times.turn_median)]
        cells += [words.milliseconds(times.own_median), words.milliseconds(times.overhead_median)]
        table.add_row(Text(row_name(summary, row)), *(Text(cell) for cell in (*cells, words.isolation(row.isolation))))
    return table


def _main_costs(summary: Summary) -> Table:
    """What a first screen has of tokens and time: a line a row."""
    table = _table("Tokens and time (sent and received as the endpoint counts them; median per turn)", "harness")
    cost = any(row.cost for row in summary.rows)
    for heading in ("sent + received", "cached", *(["cost", "with cache"] if cost else []), "requests", "turn"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in summary.rows:
        found = row.tokens.metered
        cells = [_pair(found.input, found.output), "–" if found.kept is None else f"{found.kept:.0%}"]
        cells += [words.money(row.cost), words.money_cached(row.cost)] if cost else []
        cells += [words.short(found.requests), words.seconds(row.times.turn_median)]
        table.add_row(Text(row_name(summary, row)), *map(Text, cells))
    return table


def _pair(sent: int | None, received: int | None) -> str:
    return f"{words.short(sent)} + {words.short(received)}"


def _metered(row: Row) -> str:
    """Our count over what of it a cache of prefixes has, and as a share."""
    found = row.tokens.metered
    sent = _pair(found.input, found.output)
    return sent if found.kept is None else f"{sent}\n{words.short(found.cached)} ({found.kept:.0%})"


def _own(row: Row) -> str:
    """What overlays asked for themselves, over the number of these requests."""
    found = row.tokens.overlay
    if found is None:
        return "–"
    return f"{_pair(found.input, found.output)}\n{words.plural(found.requests, 'call')}"


def _reported(row: Row) -> str:
    """The harness's own count over what it means and how many turns it is known for."""
    found, turns = row.tokens.reported, row.tokens.turns
    if found.semantics in ("none", "mixed"):
        return "none" if found.semantics == "none" else "mixed kinds"
    if found.semantics == "last_request":
        return f"~{words.short(found.occupancy_median)}\nlast request"
    some = "" if found.turns == turns else f" {found.turns}/{turns}"
    return f"{_pair(found.input, found.output)}\n{found.semantics.replace('_', ' ')}{some}"


def _listed(title: str, lines: Sequence[str], console: Console, most: int, *more: str) -> None:
    if not lines:
        return
    console.print()
    console.print(Text(title, style="bold"))
    for line in lines[:most]:
        print_line(console, line, indent=2)
    if len(lines) > most:
        print_line(console, f"and {len(lines) - most} more, on the page", indent=2)
    for line in more:
        print_line(console, line, indent=2)


def _notes(summary: Summary, console: Console) -> None:
    """Versions, and what cannot be made equal between harnesses."""
    console.print()
    console.print(Text("Harnesses: versions, and what cannot be made equal", style="bold"))
    said: set[str] = set()
    for row in summary.rows:
        if row.label in said:
            continue
        said.add(row.label)
        versions = ", ".join(f"{name} {version}" for name, version in row.versions.items()) or "version unknown"
        print_line(console, f"{row.label}: {versions}", indent=2)
        if first := words.first_requests(row.first_requests):
            print_line(console, f"- first request, measured: {first}", indent=4)
        for note in (*row.notes, *row.tokens.reported.flags[:3]):
            print_line(console, f"- {note}", indent=4)
