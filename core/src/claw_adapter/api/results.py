"""A run as data: `open_run`, and the `Run` that it gives. Nothing here starts a harness or a model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from claw_adapter.api import frames, tables
from claw_adapter.api.blocking import finish, system_errors
from claw_adapter.api.tables import RequestRow, RoundRow, ScoreRow, Table, TrialRow
from claw_adapter.errors import ArgumentError, ClawError
from claw_adapter.report import summarise, write_html
from claw_adapter.report.breakdown_records import Breakdown
from claw_adapter.report.breakdowns import breakdown_of
from claw_adapter.report.compare import compare
from claw_adapter.report.compare_records import Between, Comparison
from claw_adapter.report.records import Summary
from claw_adapter.report.rescore import Rescored, rescore
from claw_adapter.runs.load import RunData, load_run
from claw_adapter.scenario import load_gold
from claw_adapter.scenario.named import find_scenarios
from claw_adapter.scoring import Metric, MetricSet
from claw_adapter.scoring.bootstrap import DEFAULT_RESAMPLES

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from claw_adapter.audit import CallsAgain, RunAudit

__all__ = ["PAGE", "Run", "aopen_run", "open_run", "write_page"]

PAGE: Final = "report.html"
AUDITED: Final = 100
"""Trials that a summary audits, about: of a larger run some of each harness, because to audit one takes long."""


class Run:
    """A run folder as it was when it was opened.

    Attributes:
        data: everything in typed records; the properties are flat rows of it.
    """

    def __init__(self, data: RunData) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r}: {len(self.trials)} trials, {len(self.rounds)} rounds)"

    @property
    def path(self) -> Path:
        """The run folder."""
        return self.data.root

    @cached_property
    def trials(self) -> tuple[TrialRow, ...]:
        """Every trial, with its status; `data` of a row has all its records."""
        return tuple(tables.trial_rows(self.data))

    @cached_property
    def rounds(self) -> tuple[RoundRow, ...]:
        """Every round that is over, with its score; `record` of a row has its prompt, answer and everything else."""
        return tuple(tables.round_rows(self.data))

    @property
    def requests(self) -> Iterator[RequestRow]:
        """Every request to the model, read from the transcripts as one goes along; `exchange` of a row has it whole."""
        with system_errors():
            yield from tables.request_rows(self.data)

    @cached_property
    def scores(self) -> tuple[ScoreRow, ...]:
        """The metrics of each harness under each model, strict and adjusted; see `summary` for other metric sets."""
        return tuple(tables.score_rows(self.summary()))

    def summary(self, metric_set: MetricSet = "published", *, audit: bool = False) -> Summary:
        """The run summed up; with `audit` as ``claw report --json`` prints it, for which some of many trials are audited.

        Raises:
            ScoringError: the metric set is unknown, or needs scores that were not recorded.
        """
        found = summarise(self.data, metric_set)
        if not audit:
            return found
        try:
            audits = self.audit(most=AUDITED).harnesses
            looked, trials = sum(one.trials for one in audits), len(self.data.trials)
            note = f"{looked} of {trials} trials were audited; claw audit looks at all" if looked < trials else ""
            return found.model_copy(update={"audits": audits, "audit_note": note})
        except ClawError as error:  # the numbers are worth showing all the same
            return found.model_copy(update={"audit_note": f"not audited: {error.what}"})

    def audit(self, data: str | Path | Sequence[str | Path] = (), *, most: int = 0, strict: bool = False) -> RunAudit:
        """Compare what was in every request with what had to be, as ``claw audit``; the folder is only read.

        Args:
            data: names or folders of the scenarios, when they are not where the run found them.
            most: trials that are audited, those of every harness evenly spread; 0 for all.
            strict: whether to find what only a certification holds against a harness as well.

        Raises:
            ScenarioError: a scenario is missing, or not the one that was run.
            JournalError: the folder is damaged.
        """
        from claw_adapter.audit import audit_run

        with system_errors():
            return audit_run(self.data, _names(data), most=most, strict=strict)

    def run_again(self, data: str | Path | Sequence[str | Path] = ()) -> tuple[CallsAgain, ...]:
        """Do the calls of each trial once more, as ``claw audit --again``; the folder is only read.

        Args:
            data: names or folders of the scenarios, when they are not where the run found them.

        Raises:
            ScenarioError: a scenario is missing, or not the one that was run.
            JournalError: the folder is damaged.
            SandboxError: this machine has no isolation 2, in which alone commands are run.
        """
        from claw_adapter.audit import run_again

        with system_errors():
            return finish(run_again(self.data, _names(data)))

    def report(self, path: str | Path | None = None, *, metric_set: MetricSet = "published") -> Path:
        """Write the page of the run, by default as report.html in its folder; returns where it is.

        Raises:
            ClawError: the metric set is unknown, or the file cannot be written.
        """
        target = self.path / PAGE if path is None else Path(path)
        with system_errors():
            write_page(self, self.summary(metric_set, audit=True), target)
        return target

    def breakdown(self, by: str | Sequence[str] = "category", *, metric_set: MetricSet = "published") -> Breakdown:
        """The rounds by tag, per configuration: how many, how many scored, mean score, strict metrics.

        `by` is the name of a tag; several names, as a sequence or joined by commas, are crossed. Rounds that may still come
        are left out.

        Raises:
            ScoringError: no round has a tag of that name; the error lists those there are.
        """
        return breakdown_of(self.data, by, metric_set)

    def compare(
        self,
        *others: Run | str | Path,
        between: Between = "harness",
        metric_set: MetricSet = "published",
        metrics: Metric | Sequence[Metric] = (),
        level: float = 0.95,
        resamples: int = DEFAULT_RESAMPLES,
        seed: int = 0,
        allow_mixed: bool = False,
        margin: float | None = None,
    ) -> Comparison:
        """Compare the rows (harness with overlays, under a model) of this run and `others` pairwise, as `claw compare`.

        Args:
            others: further runs, or their folders; without them the rows of this one are compared.
            between: pair harnesses under one ``model``, or models under one ``harness``.
            metric_set: how rounds become metrics.
            metrics: what to compare; each one costs power. Default: ``crs`` (``tcr`` where all scenarios have
                one round), under ``v1`` ``overall``.
            level: of intervals; a verdict's error rate is 1 - level over all comparisons.
            resamples: of the intervals.
            seed: of the resampling.
            allow_mixed: compare rows of different conditions too, with a warning.
            margin: how large a difference may be and still count as none, in (0, 1]; tested if given.

        Raises:
            NotComparable: rows differ in more than what is compared.
            ScoringError: fewer than two rows, a run given twice, or a number out of range.
            ClawError: an argument is unknown, or another folder is no run.
        """
        _check("between", between, get_args(Between))
        _check("metric_set", metric_set, get_args(MetricSet))
        runs = [self, *(other if isinstance(other, Run) else open_run(other) for other in others)]
        return compare(
            [run.data for run in runs],
            metric_set,
            (metrics,) if isinstance(metrics, str) else tuple(metrics),
            level=level,
            resamples=resamples,
            seed=seed,
            between=between,
            allow_mixed=allow_mixed,
            margin=margin,
        )

    def rescore(self, data: str | Path | Sequence[str | Path] = (), *, isolation: int | None = None) -> Rescored:
        """Score every answered round again, with no model and no harness; the folder is only read.

        Args:
            data: names or folders of the scenarios, when they are not where the run found them.
            isolation: level for the checks; None means the run's own.

        Returns:
            The run with its new scores, and the rounds that differ from the journal.

        Raises:
            ScenarioError: a scenario is missing, or not the one that was run.
        """
        with system_errors():
            return finish(rescore(self.path, _names(data), isolation=isolation))

    def to_pandas(self, table: Table = "rounds") -> pd.DataFrame:
        """A table (``rounds``, ``trials``, ``requests``, ``scores``) as a data frame.

        Raises:
            ClawError: there is no such table, or pandas is not installed (``claw-adapter[pandas]``).
        """
        _check("table", table, tuple(tables.ROWS))
        return frames.data_frame(tables.ROWS[table], getattr(self, table))

    def to_arrow(self, table: Table = "rounds") -> pa.Table:
        """A table (``rounds``, ``trials``, ``requests``, ``scores``) as an Arrow table.

        Raises:
            ClawError: there is no such table, or pyarrow is not installed (``claw-adapter[arrow]``).
        """
        _check("table", table, tuple(tables.ROWS))
        return frames.arrow_table(tables.ROWS[table], getattr(self, table))


def _check(what: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ArgumentError(f"unknown {what} {value!r}", remedy=f"Use one of: {', '.join(allowed)}.")


def open_run(path: str | Path) -> Run:
    """Open a run folder; nothing is written and no lock is taken, so a run under way can be looked at.

    Raises:
        JournalError: not a run folder, or one of another version, or it is damaged.
    """
    with system_errors():
        return Run(load_run(Path(path)))


async def aopen_run(path: str | Path) -> Run:
    """`open_run`, awaited: reading a large run does not hold up the event loop."""
    return await asyncio.to_thread(open_run, path)


def write_page(run: Run, summary: Summary, path: Path) -> None:
    """Write the page of a run that is summed up already; a refusal of the system is passed on as it is."""
    write_html(run.data, summary, path, fragments=_fragments(run.data))


def _fragments(run: RunData) -> dict[str, dict[str, str]]:
    """Texts of the evidence by scenario, for the page; nothing when the scenarios are not where the run found them."""
    found: dict[str, dict[str, str]] = {}
    try:
        for name, scenario in find_scenarios(run.plan.sources).items():
            evidence = load_gold(scenario).evidence
            if evidence is not None and run.plan.scenarios.get(name) == scenario.digest:
                found[name] = {key: fragment.text for key, fragment in evidence.fragments.items()}
    except ClawError:
        return {}
    return found


def _names(data: str | Path | Sequence[str | Path]) -> list[str]:
    """Names or folders of scenarios, of which there may be one alone."""
    return [str(name) for name in ((data,) if isinstance(data, str | Path) else data)]
