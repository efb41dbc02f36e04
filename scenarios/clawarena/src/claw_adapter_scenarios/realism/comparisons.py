"""How each observable of scenarios is held against an entry: what is expected, what is seen, and by how much they differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from claw_adapter.scoring.agreement import Fit, binomial_test, g_test
from claw_adapter_scenarios.realism.curves import SATURDAY
from claw_adapter_scenarios.realism.curves import curve as curve_named
from claw_adapter_scenarios.realism.delays import MINUTES
from claw_adapter_scenarios.realism.observe import Shown
from claw_adapter_scenarios.realism.registry import HOURS, RealismEntry

__all__ = ["JUDGED", "TESTS", "Judged", "Outcome"]

NEAR = 3.0
"""Factor within which a ratio counts as agreeing."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison without a probability."""

    name: str
    effect: float
    p: None = None


Outcome = tuple[str, str, "Fit | Judged | None", int]
JUDGED: dict[str, Callable[[float], bool]] = {
    "band": lambda outside: outside == 0,
    "factor": lambda factor: factor <= NEAR,
}


def _hours(one: RealismEntry, found: Sequence[Shown]) -> Outcome:
    """Hours of weekdays and weekends, each scenario over the days that it spans."""
    shape = curve_named(one.applies.partition(":")[2])
    counts, hoped = [0.0] * (2 * HOURS), [0.0] * (2 * HOURS)
    for of in found:
        for moment, _ in of.times:
            counts[(HOURS if moment.weekday() >= SATURDAY else 0) + moment.hour] += 1
        weekdays, weekends = _days(of)
        exposed: list[float] = [weekdays * rate for rate in shape.weekday] + [weekends * rate for rate in shape.weekend]
        whole = sum(exposed)
        if whole > 0:
            hoped = [hope + len(of.times) * part / whole for hope, part in zip(hoped, exposed, strict=True)]
    n = int(sum(counts))
    return _busiest(hoped), _busiest(counts), g_test(counts, hoped) if n else None, n


def _busiest(counts: Sequence[float]) -> str:
    hours = [counts[hour] + counts[HOURS + hour] for hour in range(HOURS)]
    return f"busiest at {max(range(HOURS), key=hours.__getitem__)} h" if sum(hours) else ""


def _days(one: Shown) -> tuple[int, int]:
    """Weekdays and weekend days from the first dated message to the last, both included."""
    if not one.times:
        return 0, 0
    dates = [moment.date() for moment, _ in one.times]
    days = [min(dates) + timedelta(days=number) for number in range((max(dates) - min(dates)).days + 1)]
    weekends = sum(day.weekday() >= SATURDAY for day in days)
    return len(days) - weekends, weekends


def _weekend(one: RealismEntry, found: Sequence[Shown]) -> Outcome:
    """Messages on weekends, over scenarios that span one; the published share of a week is fitted to the days they span."""
    rate = ((one.value or 0.0) / 2) / ((1 - (one.value or 0.0)) / 5)
    hits = n = 0
    hoped = 0.0
    for of in found:
        weekdays, weekends = _days(of)
        if weekends:
            hits += sum(moment.weekday() >= SATURDAY for moment, _ in of.times)
            n += len(of.times)
            hoped += len(of.times) * weekends * rate / (weekdays + weekends * rate)
    if not n:
        return f"{100 * (one.value or 0.0):.1f} % of a week", "", None, 0
    share = hoped / n
    return f"{100 * share:.1f} % in these days", f"{100 * hits / n:.1f} %", binomial_test(hits, n, share), n


def _within(one: RealismEntry, found: Sequence[Shown]) -> Outcome:
    return _delays(found, 24 * 60.0, one.value or 0.0)


def _median(one: RealismEntry, found: Sequence[Shown]) -> Outcome:
    minutes = (one.value or 0.0) * MINUTES[one.unit]
    _, _, test, n = _delays(found, minutes, 0.5)
    delays = sorted(reply.minutes for of in found for reply in of.replies)
    return f"median {minutes:g} min", f"median {delays[n // 2]:.1f} min" if n else "", test, n


def _delays(found: Sequence[Shown], limit: float, share: float) -> Outcome:
    delays = [reply.minutes for of in found for reply in of.replies]
    hits, n = sum(minutes <= limit for minutes in delays), len(delays)
    return (
        f"{100 * share:.0f} % within {limit:g} min",
        f"{100 * hits / n:.1f} %" if n else "",
        binomial_test(hits, n, share),
        n,
    )


def _ratio(one: RealismEntry, found: Sequence[Shown]) -> Outcome:
    """Most frequent against least frequent person, geometric mean over scenarios."""
    ratios = [max(s.contacts.values()) / min(s.contacts.values()) for s in found if len(s.contacts) > 3]
    wanted = one.value or 1.0
    if not ratios:
        return f"{wanted:g} times", "", None, 0
    seen = math.exp(sum(map(math.log, ratios)) / len(ratios))
    factor = max(seen, wanted) / min(seen, wanted)
    return f"{wanted:g} times", f"{seen:.1f} times", Judged("factor", factor), len(ratios)


def _band(pick: Callable[[Shown], Sequence[float]]) -> Callable[[RealismEntry, Sequence[Shown]], Outcome]:
    def inside(one: RealismEntry, found: Sequence[Shown]) -> Outcome:
        low, high = one.low or 0.0, one.high or 0.0
        values = [value for of in found for value in pick(of)]
        outside = sum(not low <= value <= high for value in values)
        if not values:
            return f"{low:g} to {high:g}", "", None, 0
        seen = f"{min(values):.4g} to {max(values):.4g}" if min(values) < max(values) else f"{values[0]:.4g}"
        return f"{low:g} to {high:g}", seen, Judged("band", outside / len(values)), len(values)

    return inside


TESTS: dict[str, Callable[[RealismEntry, Sequence[Shown]], Outcome]] = {
    "week.hours": _hours,
    "week.weekend_share": _weekend,
    "reply.median": _median,
    "reply.within_day": _within,
    "contacts.ratio": _ratio,
    "scenario.noise": _band(lambda one: [] if one.noise is None else [one.noise]),
    "scenario.channels": _band(lambda one: [one.channels]),
    "scenario.messages": _band(lambda one: [one.messages]),
    "scenario.workspace_files": _band(lambda one: [one.files]),
    "scenario.rounds": _band(lambda one: [one.rounds]),
    "scenario.options": _band(lambda one: list(one.options)),
}
"""Observable → how an entry is held against it."""
