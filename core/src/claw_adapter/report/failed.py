"""The rounds that are judged by state and not right: which, by what pattern, and why."""

from __future__ import annotations

from collections.abc import Iterator

from claw_adapter.protocol import StateDetail
from claw_adapter.report.breakdown_records import FailedRound
from claw_adapter.report.records import Summary
from claw_adapter.report.words import STATE_LISTS
from claw_adapter.runs.load import RunData

__all__ = ["failed_lines", "failed_rounds", "reasons_of"]


def reasons_of(detail: StateDetail) -> Iterator[str]:
    """What is wrong with a state, a line each: what came nearest to a thing that is missing says more than its name."""
    yield from detail.reasons
    for name, title in STATE_LISTS:
        found: tuple[str, ...] = getattr(detail, name)
        if found and not (name == "reasons" or (name == "missing" and detail.reasons)):
            yield f"{title}: {'; '.join(found)}"


def failed_rounds(run: RunData) -> Iterator[FailedRound]:
    """Those of a run, in the order of trials; the unscored ones have a list of their own."""
    for number, trial in enumerate(run.trials):
        for record in trial.figures:
            score = record.score
            if isinstance(score.detail, StateDetail) and score.value is not None and score.value < 1:
                yield FailedRound(
                    trial=number,
                    round=record.round,
                    index=record.index,
                    score=score.value,
                    pattern=score.pattern,
                    reasons=tuple(reasons_of(score.detail)),
                    first_wrong=score.detail.first_wrong,
                )


def failed_lines(summary: Summary) -> list[str]:
    """A line for each: which, the pattern, and the first reason."""
    lines = []
    for one in summary.failed:
        what = ", ".join((one.pattern, *one.reasons[:1]) if one.pattern else one.reasons[:1]) or "no reason on record"
        more = f" (and {len(one.reasons) - 1} more)" if len(one.reasons) > 1 else ""
        lines.append(f"{summary.trials[one.trial].id}: {one.round}: {what}{more}")
    return lines
