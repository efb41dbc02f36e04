"""An audit as text: a verdict per harness, each finding with its way to be seen, the declared losses that bit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from rich.console import Console
from rich.text import Text

from claw_adapter.audit import AuditFinding, CallsAgain, OwnWords, RunAudit
from claw_adapter.report.clean import one_line
from claw_adapter.report.matrix_terminal import print_line
from claw_adapter.report.records import Summary

__all__ = ["render_audit", "render_verdicts"]

MOST: Final = 12
"""Rounds that a line names."""


def render_audit(audit: RunAudit, console: Console, *, own_words: bool = False) -> None:
    """Print all of it, what harnesses say by themselves where that is asked for; texts out of a run folder are cleaned."""
    print_line(console, f"Audit of {audit.run}: what each request held, against what it must hold", style="bold")
    for one in audit.harnesses:
        console.print()
        trials = f"{one.trials} trial{'s' if one.trials > 1 else ''}, {one.requests} requests"
        print_line(console, f"{one.harness} ({trials}): {one.verdict}", style="red" if one.findings else "")
        for finding in one.findings:
            _finding(finding, console)
        for finding in one.stricter:
            _finding(finding, console, mark="? a certification would say")
        for bite in one.bites:
            print_line(console, f"- declared: {bite.loss}; {_rounds(bite.rounds)}", indent=2)
        if one.refused:
            print_line(console, f"- said no, first: {one.refused[0].what}; {_rounds(one.refused[0].rounds)}", indent=2)
        for left in one.unjudged[:MOST]:
            print_line(console, f"- not judged, {left.tool}, {left.times} times, first: {left.what}", indent=2)
        for note in one.notes:
            print_line(console, f"- {note}", indent=2)
        if own_words:
            _own_words(one.own_words, console)
    for again in audit.again:
        _again(again, console)


def _again(again: CallsAgain, console: Console) -> None:
    """What came of the calls of a trial that were done once more."""
    left = "".join(f"; {times} not compared: {why}" for why, times in again.left.items())
    said = f"{again.same} of {again.commands} commands print the same here, files compared after {again.turns} turns"
    console.print()
    print_line(console, f"{again.harness}, {again.trial}, once more: {said}; {len(again.otherwise)} otherwise{left}")
    for one in again.otherwise:
        where = f"{one.round}, request {one.request}" if one.request else one.round
        print_line(console, f"? {where}: {one.what}", indent=2)


def _own_words(words: Sequence[OwnWords], console: Console) -> None:
    """Lines that a harness has said by itself, one of each kind, by where they stand."""
    for where, those in groupby(sorted(words, key=lambda one: one.where), key=lambda one: one.where):
        print_line(console, f"in its own words, {where}:", indent=2)
        for one in sorted(those, key=lambda one: (not one.doubted, -one.times)):
            beside = f" ({one.beside})" if one.beside else ""
            print_line(
                console, f"{'-?'[one.doubted]} {one.what}{beside}; {one.times} times, request {one.request}", indent=4
            )


def _finding(finding: AuditFinding, console: Console, mark: str = "✗") -> None:
    print_line(console, f"{mark} {finding.key}, {finding.owner}: {finding.what}", indent=2)
    print_line(console, f"{finding.times} times; {_rounds(finding.rounds)}", indent=4)
    if finding.usual:
        print_line(console, f"usually: {finding.usual}", indent=4)


def _rounds(rounds: Sequence[str]) -> str:
    more = f" and {len(rounds) - MOST} more" if len(rounds) > MOST else ""
    return f"rounds {', '.join(rounds[:MOST])}{more}" if rounds else "outside rounds"


def render_verdicts(summary: Summary, console: Console) -> None:
    """The lines of a report."""
    if not summary.audits and not summary.audit_note:
        return
    console.print()
    console.print(Text("Audit: what reached the model (claw audit RUN says more)", style="bold"))
    for one in summary.audits:
        keys = f" ({', '.join(finding.key for finding in one.findings[:4])})" if one.findings else ""
        print_line(console, f"{one_line(one.harness, 60)}: {one.verdict}{keys}", indent=2, style="red" if keys else "")
    if summary.audit_note:
        print_line(console, summary.audit_note, indent=2)
