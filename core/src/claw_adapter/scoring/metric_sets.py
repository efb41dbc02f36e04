"""Aggregation over scenarios: three named metric sets, so that a number always says how it was averaged.

``published``  TCR, MC, EC over all rounds pooled; SC and FD averaged over scenarios; Robustness = mean SC x mean FD;
               CRS = (pooled TCR + Robustness) / 2. This is what reproduces ClawArena v2, table 3.
``macro``      every metric averaged over scenarios, Robustness as the mean of products (v2, appendix D, in words).
``v1``         Overall = pooled mean of per-option multi_choice scores and exec_check results (ClawArena v1, table 2).

Nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from claw_adapter.scoring.rounds import RoundScore, ScoringError, View, check_choice
from claw_adapter.scoring.streaks import composite_reliability
from claw_adapter.scoring.tally import Tally, mean, ratio, tallies

__all__ = ["METRICS", "Metric", "MetricSet", "MetricSummary", "aggregate", "measure"]

MetricSet = Literal["published", "macro", "v1"]
Metric = Literal["tcr", "mc", "ec", "sc", "fd", "robustness", "crs", "overall"]
Measure = Callable[[Sequence[Tally]], float | None]

METRICS: tuple[Metric, ...] = get_args(Metric)


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """Metrics of one run, in [0, 1]; None where a denominator is zero or the metric set does not define the metric.

    Attributes:
        metric_set: how scenarios were combined.
        view: how unscored rounds were treated.
        scenarios: number of scenarios given.
        rounds: number of rounds given; `scored` + `unscored`.
        mc: multi_choice score; exact match, but per-option in metric set v1.
        ec: exec_check score.
        overall: v1's Overall; None in the other metric sets.
    """

    metric_set: MetricSet
    view: View
    scenarios: int
    rounds: int
    scored: int
    unscored: int
    tcr: float | None
    mc: float | None
    ec: float | None
    sc: float | None
    fd: float | None
    robustness: float | None
    crs: float | None
    overall: float | None


def aggregate(scenarios: Mapping[str, Sequence[RoundScore]], metric_set: MetricSet, view: View) -> MetricSummary:
    """Combine the rounds of several scenarios.

    A scenario none of whose rounds count in the view (all unscored, adjusted) takes no part in averages over scenarios.

    Args:
        scenarios: scenario id to its rounds in order.
        metric_set: one of `Profile`.
        view: one of `View`.

    Raises:
        ScoringError: an unknown metric set or view, or metric set v1 on rounds without per-option scores.
    """
    counted = tallies(scenarios, view)
    check_choice("metric_set", metric_set, get_args(MetricSet))
    rounds, scored = sum(t.rounds for t in counted), sum(t.scored for t in counted)
    values = {metric: rule(counted) for metric, rule in _RULES[metric_set].items()}
    return MetricSummary(
        metric_set=metric_set,
        view=view,
        scenarios=len(counted),
        rounds=rounds,
        scored=scored,
        unscored=rounds - scored,
        **{metric: values.get(metric) for metric in METRICS},
    )


def measure(metric: Metric, metric_set: MetricSet) -> Measure:
    """The function that computes one metric of a metric set from tallies (the inner loop of resampling).

    Raises:
        ScoringError: the metric set is unknown or does not define the metric.
    """
    check_choice("metric_set", metric_set, get_args(MetricSet))
    check_choice(f"metric of metric set {metric_set}", metric, tuple(_RULES[metric_set]))
    return _RULES[metric_set][metric]


def _pooled_tcr(counted: Sequence[Tally]) -> float | None:
    return ratio(sum(t.total for t in counted), sum(t.n for t in counted))


def _pooled_mc(counted: Sequence[Tally]) -> float | None:
    return ratio(sum(t.mc_total for t in counted), sum(t.mc_n for t in counted))


def _pooled_ec(counted: Sequence[Tally]) -> float | None:
    return ratio(sum(t.ec_total for t in counted), sum(t.ec_n for t in counted))


def _mean_tcr(counted: Sequence[Tally]) -> float | None:
    return mean([t.total / t.n for t in counted if t.n])


def _mean_mc(counted: Sequence[Tally]) -> float | None:
    return mean([t.mc_total / t.mc_n for t in counted if t.mc_n])


def _mean_ec(counted: Sequence[Tally]) -> float | None:
    return mean([t.ec_total / t.ec_n for t in counted if t.ec_n])


def _mean_sc(counted: Sequence[Tally]) -> float | None:
    return mean([t.sc for t in counted if t.n])


def _mean_fd(counted: Sequence[Tally]) -> float | None:
    return mean([t.fd for t in counted if t.n])


def _mean_robustness(counted: Sequence[Tally]) -> float | None:
    return mean([t.robustness for t in counted if t.n])


def _product_robustness(counted: Sequence[Tally]) -> float | None:
    sc, fd = _mean_sc(counted), _mean_fd(counted)
    return None if sc is None or fd is None else sc * fd


def _crs(tcr: Measure, robustness: Measure) -> Measure:
    def rule(counted: Sequence[Tally]) -> float | None:
        left, right = tcr(counted), robustness(counted)
        return None if left is None or right is None else composite_reliability(left, right)

    return rule


def _option_total(counted: Sequence[Tally]) -> float:
    totals = [t.option_total for t in counted]
    if None in totals:
        raise ScoringError(
            "metric set v1 needs the per-option score of every scored multi_choice round",
            remedy="score the run folder again so that per_option is recorded, or use metric set published",
        )
    return sum(total for total in totals if total is not None)


def _v1_mc(counted: Sequence[Tally]) -> float | None:
    return ratio(_option_total(counted), sum(t.mc_n for t in counted))


def _v1_overall(counted: Sequence[Tally]) -> float | None:
    total = _option_total(counted) + sum(t.ec_total for t in counted)
    return ratio(total, sum(t.mc_n + t.ec_n for t in counted))


_RULES: Mapping[MetricSet, Mapping[Metric, Measure]] = {
    "published": {
        "tcr": _pooled_tcr,
        "mc": _pooled_mc,
        "ec": _pooled_ec,
        "sc": _mean_sc,
        "fd": _mean_fd,
        "robustness": _product_robustness,
        "crs": _crs(_pooled_tcr, _product_robustness),
    },
    "macro": {
        "tcr": _mean_tcr,
        "mc": _mean_mc,
        "ec": _mean_ec,
        "sc": _mean_sc,
        "fd": _mean_fd,
        "robustness": _mean_robustness,
        "crs": _crs(_mean_tcr, _mean_robustness),
    },
    "v1": {"tcr": _pooled_tcr, "mc": _v1_mc, "ec": _pooled_ec, "overall": _v1_overall},
}
