"""Live progress of a run: one bar per trial under way, one for all rounds, with ETA and tokens. Nothing in a pipe."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from claw_adapter.cli.common import console
from claw_adapter.runner.run import Watcher

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from claw_adapter.protocol import Failure, RoundRecord, TrialSpec
    from claw_adapter.runs.plan import Plan

__all__ = ["watching"]


class _Bars:
    """Turns what the runner says into bars (terminal) or lines (pipe)."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress = progress
        self.tokens = 0
        self.waits = False
        self.trials: dict[str, TaskID] = {}
        self.all = progress.add_task("all rounds", total=total, tokens="")

    def on_start(self, trial: TrialSpec, done: int, total: int) -> None:
        """A trial begins, `done` of its rounds finished earlier."""
        self.progress.advance(self.all, done)
        if done < total:
            self.trials[trial.id] = self.progress.add_task(trial.id, total=total, completed=done, tokens="")

    def on_round(self, trial: TrialSpec, record: RoundRecord, total: int) -> None:
        """A round is in the journal."""
        self.tokens += record.usage.metered.input + record.usage.metered.output
        self.progress.update(self.all, advance=1, tokens=f"{self.tokens:,} tokens")
        if trial.id in self.trials:
            self.progress.update(self.trials[trial.id], advance=1)
        if not self.progress.console.is_terminal:
            score = "unscored" if record.score.value is None else f"{record.score.value:g}"
            self.progress.console.print(
                f"{trial.id} {record.index + 1}/{total} {record.round}: {score}", highlight=False
            )
        elif record.error is not None:
            self.progress.console.print(f"[yellow]{trial.id} {record.round}: {record.error.kind}[/]")

    def on_wait(self, why: str) -> None:
        """A provider is away, or (with no reason) answers again."""
        shown, self.waits = self.waits, bool(why)
        from rich.markup import escape

        self.progress.update(self.all, description=escape(f"waiting for {why}") if why else "all rounds")
        if not self.progress.console.is_terminal and self.waits != shown:
            self.progress.console.print(f"waiting for {why}" if why else "going on", highlight=False, markup=False)

    def on_end(self, trial: TrialSpec, error: Failure | None) -> None:
        """A trial is over."""
        if trial.id in self.trials:
            self.progress.remove_task(self.trials.pop(trial.id))
        if error is not None:
            from rich.markup import escape

            where = f"{error.where}: " if error.where else ""
            self.progress.console.print(f"[red]{trial.id} ended early:[/] {escape(where + error.what)}")
            if error.remedy:
                self.progress.console.print(f"  {escape(error.remedy)}")


@contextlib.contextmanager
def watching(plan: Plan, *, quiet: bool, goes_on: bool) -> Iterator[Watcher]:
    """A watcher that shows progress on standard error."""
    if quiet:
        yield Watcher()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    out = console(stderr=True)
    rounds = sum(plan.rounds[trial.scenario] for trial in plan.trials)
    out.print(f"{'going on: ' if goes_on else ''}{len(plan.trials)} trials, {rounds} rounds")
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[tokens]}"),
    )
    with Progress(*columns, console=out, transient=True, disable=False, auto_refresh=out.is_terminal) as progress:
        bars = _Bars(progress, rounds)
        if not out.is_terminal:
            progress.stop()
        yield Watcher(bars.on_start, bars.on_round, bars.on_end, bars.on_wait)
