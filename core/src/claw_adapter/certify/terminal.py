"""The report in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.markup import escape

from claw_adapter.certify.check import AREAS, ConformanceCheck
from claw_adapter.certify.records import CheckResult, Report
from claw_adapter.report.clean import clean, one_line

if TYPE_CHECKING:
    from rich.console import Console

    from claw_adapter.certify.requirements import RequirementSet

__all__ = ["MARKS", "print_checks", "print_report", "print_result"]

MOST: Final = 8
"""Names in a line."""
MARKS: Final = {
    "passed": "[green]✓[/]", "failed": "[red]✗[/]", "expected": "[yellow]x[/]", "unsupported": "[magenta]–[/]",
    "unverified": "[magenta]?[/]", "kit": "[yellow]![/]",
}  # fmt: skip


def print_checks(console: Console, checks: Sequence[ConformanceCheck], requirements: RequirementSet) -> None:
    """A requirement set, one line per check."""
    from rich.table import Column, Table

    table = Table(
        Column("check", no_wrap=True), "level", "MUST", "the bug it catches", "needs", box=None, pad_edge=False
    )
    for one in checks:
        needs = ", ".join(need for need in one.needs if need != "turns")
        table.add_row(one.id, one.level, one.must, escape(one.catches), escape(needs))
    console.print(table)
    console.print(f"set {requirements.name} of {requirements.spec}; a level asks for its own checks and those below it")
    console.print("needs: capabilities without which the check is tried all the same, but its level is not reached")
    for name, reason in requirements.not_scored.items():
        console.print(f"not asked for: {name} ({escape(reason)})", soft_wrap=True)


def print_result(console: Console, result: CheckResult, evidence: Path) -> None:
    """One line per check; what did not pass says why, what to change, and where below `evidence` it stands."""
    said = "" if result.outcome == "passed" else f" [bold]{result.outcome}[/]"
    if result.outcome == "failed":
        said += f" (fault of the {result.owner})"
    console.print(
        f"{MARKS[result.outcome]} {result.id} {escape(result.title)}{said} [dim]{result.seconds:.2f} s[/]",
        soft_wrap=True,
    )
    for line in result.what.splitlines():
        console.print(f"    {escape(one_line(line, 600))}", soft_wrap=True)
    if result.outcome in ("failed", "expected") and result.bug:
        console.print(f"    {escape(result.bug)}", soft_wrap=True, style="dim")
    if result.remedy:
        console.print(f"    → {escape(clean(result.remedy))}", soft_wrap=True)
    if result.outcome in ("failed", "kit") and result.trials:
        console.print(f"    {escape(str(evidence / result.trials[-1]))}/events.jsonl", soft_wrap=True, style="dim")
    for warning in result.warnings:
        console.print(f"    [yellow]warning:[/] {escape(one_line(warning, 600))}", soft_wrap=True)


def _not_tried(report: Report) -> Iterator[str]:
    """What of the harness's tools was not used, so that nothing is known of it."""
    if report.never_called:
        yield f"not tried, tools: {_some(report.never_called)}"
    if report.never_given:
        told = [f"{tool} ({_some(names)})" for tool, names in report.never_given.items()]
        yield f"not tried, of tools that were: {_some(told)}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST} more, see report.json" if len(names) > MOST else ""
    return f"{', '.join(names[:MOST])}{more}"


def print_report(console: Console, report: Report, folder: Path | None = None, *, with_level: bool = True) -> None:
    """The counts per area, the level (unless single checks were asked for, without one), and where the rest lies."""
    from rich.table import Table

    table = Table(
        "area", "passed", "failed", "expected", "unsupported", "unverified", "kit", "seconds", box=None, pad_edge=False
    )
    for area in AREAS:
        results = [result for result in report.results if result.id.startswith(f"{area}-")]
        if results:
            counts = [sum(result.outcome == name for result in results) for name in MARKS]
            cells = [str(counts[list(MARKS).index(name)] or "") for name in MARKS]
            table.add_row(area, *cells, f"{sum(result.seconds for result in results):.1f}")
    console.print(table)
    versions = ", ".join(f"{name} {version}" for name, version in report.adapter.versions.items())
    reached = f"[bold green]{report.reached}[/]" if report.reached else "[bold red]none[/]"
    level = f"level reached {reached}, asked {report.asked}, " if with_level else ""
    console.print(
        f"{escape(one_line(f'{report.adapter.label} ({versions})', 2_000))}: {level}"
        f"{'certified mode, ' if report.certified else ''}isolation {report.isolation}, set {report.requirement_set}, "
        f"nonce {report.nonce}, "
        f"{len(report.results)} checks in {report.seconds:.1f} s",
        soft_wrap=True,
    )
    for line in _not_tried(report):
        console.print(escape(one_line(line, 1_000)), soft_wrap=True)
    for problem in report.problems:
        console.print(f"[red]✗[/] {escape(one_line(problem, 600))}", soft_wrap=True)
    if folder is not None:
        without = " (no certificate: no level)" if with_level else ""
        what = "report, evidence and certificate" if report.reached else f"report and evidence{without}"
        console.print(f"{what}: {folder}", soft_wrap=True)
