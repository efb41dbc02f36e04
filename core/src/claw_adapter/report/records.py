"""``summary/1``: what a run came to, as published records. Metrics lie in [0, 1], times in seconds; nothing is rounded."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field, JsonValue

from claw_adapter.audit.records import HarnessVerdict
from claw_adapter.protocol import Failure, FirstRequest, Isolation, RunSettings, ServerRecord
from claw_adapter.protocol.base import Record
from claw_adapter.report.breakdown_records import Breakdowns, FailedRound
from claw_adapter.runs.prices import Price
from claw_adapter.scoring import MetricSet, View

__all__ = [
    "SUMMARY_VERSION",
    "Cell",
    "Cost",
    "EvidenceSum",
    "Interval",
    "MeteredSum",
    "Metrics",
    "ModelInfo",
    "RenderedSum",
    "ReportedSum",
    "RoundCells",
    "Row",
    "RunInfo",
    "ScenarioInfo",
    "Summary",
    "Times",
    "Tokens",
    "TrialInfo",
    "Unscored",
    "UpstreamSum",
]

SUMMARY_VERSION: Final = "summary/1"


class RunInfo(Record):
    """Which run this is."""

    name: str
    """Name of the run folder."""
    digest: str
    """Identifies the configuration."""
    created: str
    claw_adapter: str
    """Version of this package that began the run."""


class ModelInfo(Record):
    """A model of the run and what scores under it mean."""

    name: str
    kind: str
    sampling: str
    params: dict[str, JsonValue] = Field(default_factory=dict)
    measures_ability: bool
    meaning: str
    servers: tuple[ServerRecord, ...] = ()
    """What an upstream plugin served it with: one record each time the run was started or continued."""


class ScenarioInfo(Record):
    """A scenario of the run. `evidence` is None where no reader answered, so that nothing is known about the layer."""

    id: str
    digest: str
    rounds: int
    evidence: bool | None = None


class Interval(Record):
    """A percentile bootstrap interval over scenarios."""

    low: float
    high: float
    level: float
    resamples: int
    scenarios: int


class Metrics(Record):
    """One row's metrics in one view; None where there is no denominator, or the metric set does not define the metric."""

    view: View
    rounds: int
    """Rounds that count in this view."""
    tcr: float | None = None
    mc: float | None = None
    ec: float | None = None
    sc: float | None = None
    fd: float | None = None
    robustness: float | None = None
    crs: float | None = None
    overall: float | None = None
    intervals: dict[str, Interval] = Field(default_factory=dict)
    """Metric → interval."""
    interval_note: str = ""
    """Why there is no interval."""


class RenderedSum(Record):
    """Sum over turns of ChatML tokens of what the model last saw plus the reply; `turns` of them had any."""

    tokens: int | None = None
    turns: int = 0


class ReportedSum(Record):
    """What the harness reported, turned into consumption by its semantics; sums over the `turns` that are known.

    With ``last_request`` readings consumption is unknown; `occupancy_median` is the median size of that request.
    """

    semantics: Literal["none", "per_turn", "cumulative", "last_request", "mixed"] = "none"
    input: int | None = None
    output: int | None = None
    cached: int | None = None
    turns: int = 0
    occupancy_median: float | None = None
    flags: tuple[str, ...] = ()


class UpstreamSum(Record):
    """The upstream's own counts, summed over the `turns` for which it gave any."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    """Of the input, what its cache had; None where it does not say so."""
    turns: int = 0


class MeteredSum(Record):
    """cl100k tokens of every request seen at the endpoint, and the number of these requests."""

    input: int = 0
    output: int = 0
    requests: int = 0
    cached: int | None = None
    """Of the input, prefixes that earlier requests of a trial had as well: what a provider's cache has at best. None in runs of
    earlier versions."""
    upstream: UpstreamSum | None = None

    @property
    def kept(self) -> float | None:
        """The share of the input that was in such prefixes."""
        return self.cached / self.input if self.cached is not None and self.input else None


class Tokens(Record):
    """Three kinds of count, never summed with each other; `turns` are the finished rounds behind them."""

    turns: int = 0
    rendered: RenderedSum = RenderedSum()
    reported: ReportedSum = ReportedSum()
    metered: MeteredSum = MeteredSum()
    overlay: MeteredSum | None = None
    """What overlays asked of the model for themselves, in whole trials; not in `metered`. None without overlays."""


class Cost(Record):
    """What a row's requests cost at list price, nothing taken off for cached input: an upper bound for what was counted."""

    money: Price
    cached: Price | None = None
    """The same with what the upstream's cache had, else a cache of prefixes at best, at the price of cached input. None where
    that is not known."""
    counted: Literal["upstream", "metered"]
    """Whose tokens were priced: the upstream's own, or ours (cl100k) where it did not count every turn: an estimate."""
    local: bool = False
    """The run's own server answered: nobody is paid for tokens, and what the machine costs is not counted."""


class Times(Record):
    """Seconds. Medians are per answered turn; `turn_total` counts failed turns too."""

    turn_median: float | None = None
    turn_total: float = 0.0
    own_median: float | None = None
    """The adapter's own share of a turn."""
    overhead_median: float | None = None
    """The runner's share of a round."""


class EvidenceSum(Record):
    """Fragments that the rounds needed, and how many of these reached the model, over `rounds` with evidence."""

    rounds: int
    needed: int
    seen: int


class Row(Record):
    """One harness setting (label and overlays) under one model, over all of its trials."""

    label: str
    """Harness label and overlays, as printed."""
    harness: str
    """The harness's plugin name."""
    overlays: tuple[str, ...] = ()
    model: str
    seeds: tuple[int, ...] = ()
    repeats: int = 1
    """Trials of the same scenario and seed, at most."""
    versions: dict[str, str] = Field(default_factory=dict)
    isolation: tuple[Isolation, ...] = ()
    trials: int
    finished: int
    failed: int
    unfinished: int
    rounds: int
    scored: int
    unscored: int
    pending: int
    """Rounds that have not been run yet; they are in no metric."""
    unscored_by: dict[str, int] = Field(default_factory=dict)
    """Owner of the cause → rounds."""
    retried: int = 0
    """Rounds that took more than one attempt."""
    strict: Metrics
    adjusted: Metrics
    tokens: Tokens
    cost: Cost | None = None
    """None where nothing is paid by the token, no price is known, or no price list is installed."""
    tool_calls: int
    times: Times
    evidence: EvidenceSum | None = None
    first_requests: tuple[FirstRequest, ...] = ()
    """What its trials began with, each value once: measured, unlike `notes`. Empty in runs of earlier versions."""
    notes: tuple[str, ...] = ()
    """What cannot be made equal to other harnesses."""


class Cell(Record):
    """One round in one trial."""

    row: int
    """Index into `Summary.rows`."""
    trial: int
    """Index into `Summary.trials`."""
    state: Literal["scored", "unscored", "pending"]
    score: float | None = None


class RoundCells(Record):
    """One round of a scenario in every trial of that scenario."""

    scenario: str
    index: int
    round: str
    type: str
    cells: tuple[Cell, ...]


class TrialInfo(Record):
    """One trial and how far it got."""

    id: str
    row: int
    scenario: str
    seed: int
    repeat: int = 1
    status: Literal["finished", "failed", "unfinished"]
    rounds: int
    recorded: int
    failure: Failure | None = None


class Unscored(Record):
    """An unscored round and why; `rounds` > 1 when a trial that ended early left several, `round` being the first."""

    trial: int
    round: str
    rounds: int = 1
    cause: Failure


class Summary(Record):
    """A whole run."""

    version: Literal["summary/1"] = SUMMARY_VERSION
    run: RunInfo
    metric_set: MetricSet
    settings: tuple[RunSettings, ...]
    models: tuple[ModelInfo, ...]
    scenarios: tuple[ScenarioInfo, ...]
    rows: tuple[Row, ...]
    trials: tuple[TrialInfo, ...]
    rounds: tuple[RoundCells, ...]
    unscored: tuple[Unscored, ...] = ()
    failed: tuple[FailedRound, ...] = ()
    """Those that are judged by state; why others are wrong is in their round."""
    warnings: tuple[str, ...] = ()
    """What limits a comparison of the rows."""
    breakdowns: Breakdowns | None = None
    """The run broken down; None where no round has been recorded."""
    audits: tuple[HarnessVerdict, ...] = ()
    """What the ledger says of each harness; empty where nobody has asked it."""
    audit_note: str = ""
    """Why the run could not be audited."""
