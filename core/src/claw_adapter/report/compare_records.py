"""``compare/1``: rows of one or several runs compared pairwise. Metrics and differences lie in [-1, 1]; nothing is rounded."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from claw_adapter.protocol import Isolation
from claw_adapter.protocol.base import Record
from claw_adapter.report.records import Cost, MeteredSum, ModelInfo, RunInfo
from claw_adapter.scoring import Metric, MetricSet, View

__all__ = ["COMPARE_VERSION", "Between", "ComparedRow", "Comparison", "MetricDifference", "Pair", "Verdict", "Within"]

COMPARE_VERSION: Final = "compare/1"

Verdict = Literal["higher", "lower", "not shown"]
Within = Literal["within", "beyond", "not shown"]
"""What was shown of a difference and a margin."""
Between = Literal["harness", "model"]
"""What a comparison is of: harnesses under one model, or models under one harness."""


class ComparedRow(Record):
    """One harness setting (label and overlays) under one model in one run."""

    id: str
    """A, B, C, …: how pairs name it."""
    run: str
    """Name of its run; unique in the comparison."""
    label: str
    """Harness label and overlays, as printed."""
    harness: str
    model: str
    seeds: tuple[int, ...] = ()
    repeats: int = 1
    versions: dict[str, str] = Field(default_factory=dict)
    isolation: tuple[Isolation, ...] = ()
    trials: int
    unscored: int
    pending: int
    metered: MeteredSum = MeteredSum()
    """Of all of its finished rounds, whether the other side has them or not."""
    cost: Cost | None = None


class MetricDifference(Record):
    """B minus A in one metric and view, with what is needed to judge it."""

    metric: Metric
    view: View
    scenarios: int
    """Scenarios that count in this view: the units that were resampled and exchanged."""
    a: float | None = None
    b: float | None = None
    difference: float | None = None
    low: float | None = None
    """Lower end of the paired bootstrap interval over scenarios; not widened for several comparisons."""
    high: float | None = None
    p: float | None = None
    """Two-sided, from exchanging A and B within scenarios."""
    p_holm: float | None = None
    """Corrected for all `Comparison.comparisons` of the same view."""
    exact: bool
    """Whether `p` is of all exchanges, and not of some that were drawn."""
    permutations: int
    """At most 2^53, also where there are more."""
    a_better: int = 0
    """Scenarios in which A is better; the others are equal or in `b_better`."""
    b_better: int = 0
    smallest_detectable: float | None = None
    """What this comparison would have shown with power 0.8, at a level corrected for all comparisons."""
    verdict: Verdict
    """``higher`` or ``lower`` (of B) when `p_holm` is at most 1 - level; else ``not shown``, which is not ``equal``."""
    p_within: float | None = None
    """That the difference is not within the margin, by two one-sided exchange tests: small where it is within."""
    p_beyond: float | None = None
    """Two-sided, against the margin instead of 0: small where the difference is beyond it."""
    within: Within | None = None
    """``within`` when `p_within` is at most 1 - level, ``beyond`` when `p_beyond` is; None where no margin was given."""
    notes: tuple[str, ...] = ()
    """Why there is no interval, or nothing that could have been shown."""


class Pair(Record):
    """Two rows on the rounds both have."""

    a: str
    """Id of a row."""
    b: str
    scenarios: tuple[str, ...]
    rounds: int
    """Rounds compared, each seed and repeat of a scenario counted."""
    seeds: tuple[int, ...] | None = None
    """Seeds that both have and that were matched; None where there are none, so that all trials of a side are averaged."""
    notes: tuple[str, ...] = ()
    """What was left out because only one side has it."""
    mixed: tuple[str, ...] = ()
    """In what the sides differ besides what is compared, as ``field: of A → of B``; empty unless mixing was allowed."""
    differences: tuple[MetricDifference, ...]


class Comparison(Record):
    """All pairs."""

    version: Literal["compare/1"] = COMPARE_VERSION
    between: Between = "harness"
    """In what the sides of a pair differ; everything else is the same unless mixing was allowed."""
    metric_set: MetricSet
    metrics: tuple[Metric, ...]
    level: float
    resamples: int
    seed: int
    """Of the resampling, not of a trial."""
    comparisons: int
    """Pairs × metrics: what Holm's correction is over."""
    margin: float | None = None
    """How large a difference may be and still count as none, in (0, 1]."""
    runs: tuple[RunInfo, ...]
    models: tuple[ModelInfo, ...]
    rows: tuple[ComparedRow, ...]
    pairs: tuple[Pair, ...]
    not_compared: tuple[str, ...] = ()
    """Pairs that differ in the other thing as well: between harnesses, those of one run under different models."""
    warnings: tuple[str, ...] = ()
    """What limits the comparison; differences that were allowed stand first."""

    @property
    def equivalent(self) -> bool:
        """Whether every difference was shown to be within the margin; False without one."""
        found = [item.within for pair in self.pairs for item in pair.differences]
        return bool(found) and all(one == "within" for one in found)

    def row(self, key: str) -> ComparedRow:
        """The row of that id."""
        return next(row for row in self.rows if row.id == key)
