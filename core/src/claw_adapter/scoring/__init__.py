"""Streak metrics, aggregation metric sets and statistics. Pure: no files, no clock, no global random state.

Start at `RoundScore`, then `aggregate` for the table, `interval` and `paired_difference` for the error bars.
"""

from __future__ import annotations

from claw_adapter.scoring.bootstrap import BootstrapInterval, interval
from claw_adapter.scoring.metric_sets import METRICS, Metric, MetricSet, MetricSummary, aggregate
from claw_adapter.scoring.paired import Difference, paired_difference
from claw_adapter.scoring.rounds import RoundScore, ScoringError, View, sequence
from claw_adapter.scoring.stats import holm, smallest_detectable
from claw_adapter.scoring.streaks import Streaks, composite_reliability

__all__ = [
    "METRICS",
    "BootstrapInterval",
    "Difference",
    "Metric",
    "MetricSet",
    "MetricSummary",
    "RoundScore",
    "ScoringError",
    "Streaks",
    "View",
    "aggregate",
    "composite_reliability",
    "holm",
    "interval",
    "paired_difference",
    "sequence",
    "smallest_detectable",
]
