"""Rounds in a terminal, to be read: the prompt, what was called and what came back, the last words, and the judgement."""

from __future__ import annotations

import textwrap

from rich.console import Console
from rich.text import Text

from claw_adapter.report import words
from claw_adapter.report.clean import Clipped, one_line
from claw_adapter.report.records import Summary
from claw_adapter.report.view import CAPS, CellView, RoundView, Step, Viewer
from claw_adapter.runs.load import RunData
from claw_adapter.scoring import ScoringError

__all__ = ["render_rounds"]


def render_rounds(run: RunData, summary: Summary, name: str, console: Console) -> None:
    """Print the rounds of a scenario, or one round of it, in every trial; texts are cleaned and never read as markup.

    Args:
        run: the run.
        summary: of it.
        name: ``scenario`` or ``scenario/round``.
        console: where to.

    Raises:
        ScoringError: there is no such scenario or round.
    """
    views = list(Viewer(run, summary, CAPS[0], {}).rounds(name))
    if not views:
        known = [scenario.id for scenario in summary.scenarios]
        raise ScoringError(
            f"the run has no scenario or round {name!r}",
            remedy=f"use SCENARIO or SCENARIO/ROUND; the scenarios are {words.some_of(known)}",
        )
    for view in views:
        _round(view, console)


def _round(view: RoundView, console: Console) -> None:
    _say(console, f"{view.row.scenario} {view.row.round} ({view.row.type})", style="bold")
    if view.prompt:
        _block(console, "Prompt, as sent to all", view.prompt)
    for cell in view.cells:
        _cell(cell, console, with_prompt=view.prompt is None)


def _cell(cell: CellView, console: Console, *, with_prompt: bool) -> None:
    console.print()
    score = cell.record.score.value if cell.record else None
    _say(console, f"{cell.symbol} {cell.label}{'' if score is None else f': {score:.4g}'}", style="bold")
    if cell.cause:
        _say(console, words.blame(cell.cause), indent=2, style="yellow")
    if cell.record is None:
        _say(console, "This round was not reached." if cell.cause else "Not run yet.", indent=2)
        return
    if with_prompt:
        _block(console, "Prompt", cell.prompt)
    if cell.steps_note:
        _say(console, cell.steps_note, indent=2)
    for number, step in enumerate(cell.steps, start=1):
        _step(number, step, console)
    if cell.steps_left_out:
        _say(console, f"{cell.steps_left_out} more: all are in the run folder.", indent=2)
    if cell.answer.text:
        _block(console, "Answer", cell.answer)
    for fact in cell.facts:
        if fact.block:
            _block(console, fact.name, fact.value)
        else:
            _say(console, f"{fact.name}: {fact.value.text}", indent=2)


def _step(number: int, step: Step, console: Console) -> None:
    failed = " (error)" if step.is_error else ""
    _say(console, f"{number}. {step.name or step.kind.replace('_', ' ')}{failed} {step.arguments.text}", indent=2)
    if step.result is not None and step.result.text:
        _lines(console, step.result, 6)


def _block(console: Console, title: str, text: Clipped) -> None:
    _say(console, f"{title}:", indent=2)
    _lines(console, text, 4)


def _lines(console: Console, text: Clipped, indent: int) -> None:
    """As it is, line by line; the terminal folds what is too long."""
    console.print(Text(textwrap.indent(text.text, " " * indent)), soft_wrap=True)
    if text.left_out:
        _say(console, f"{text.left_out:,} more characters", indent=indent)


def _say(console: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    console.print(Text(" " * indent + one_line(text, 2_200), style=style), soft_wrap=True)
