"""``cross/1``: harnesses crossed with models. Metrics and differences lie in [-1, 1]; nothing is rounded."""

from __future__ import annotations

from typing import Final, Literal

from claw_adapter.protocol.base import Record
from claw_adapter.scoring import Metric, MetricSet

__all__ = ["CROSS_VERSION", "Cross", "CrossCell", "Effect"]

CROSS_VERSION: Final = "cross/1"


class CrossCell(Record):
    """One harness under one model, on the rounds that all cells have."""

    harness: str
    """Label and overlays, as printed."""
    model: str
    run: str
    value: float | None


class Effect(Record):
    """A number over all cells, with its interval over scenarios."""

    kind: Literal["range", "harness", "overlay", "model", "interaction"]
    """``range``: highest less lowest, the mean over the other side. ``harness``, ``overlay``, ``model``: B less A, the mean
    over the other side. ``interaction``: by how much B less A is larger under the second than under the first model."""
    what: str
    value: float | None
    low: float | None = None
    """Lower end of the bootstrap interval over scenarios; not widened for the number of effects."""
    high: float | None = None


class Cross(Record):
    """Both ranges, every difference pooled over the other side, and every interaction."""

    version: Literal["cross/1"] = CROSS_VERSION
    metric: Metric
    metric_set: MetricSet
    level: float
    resamples: int
    seed: int
    harnesses: tuple[str, ...]
    models: tuple[str, ...]
    scenarios: tuple[str, ...]
    rounds: int
    """That all cells have; an unscored one counts 0."""
    cells: tuple[CrossCell, ...]
    effects: tuple[Effect, ...]
    warnings: tuple[str, ...] = ()
