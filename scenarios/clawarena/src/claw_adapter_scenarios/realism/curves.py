"""How activity is spread over the hours of a week: curves by name, each from an entry of the registry or declared assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.realism.registry import HOURS, entry

__all__ = ["ASSUMED", "CURVES", "Curve", "curve", "curve_for"]

SATURDAY = 5

CURVES = {
    "office": "commits.company.hours",
    "community": "commits.community.hours",
    "hospital": "pages.hospital.hours",
}
"""Curve → the entry it comes from."""

ASSUMED: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "evening": (
        (6, 3, 2, 1, 1, 2, 6, 14, 16, 14, 14, 16, 22, 18, 16, 18, 22, 28, 36, 44, 50, 48, 34, 16),
        (10, 6, 3, 2, 1, 1, 3, 8, 16, 26, 32, 34, 34, 32, 30, 30, 32, 36, 40, 46, 48, 44, 34, 18),
    ),
    "round_clock": ((1,) * HOURS, (1,) * HOURS),
}
"""Rates of a weekday and a weekend day that come from no publication: ``evening`` (students, families, creators) is this
project's choice, ``round_clock`` is what machines write. No fit is reported for them."""

DOMAINS = (
    (("hospital", "clinic", "medic", "health", "nurs", "patient", "pharma"), "hospital"),
    (("student", "personal", "family", "creator", "education", "school"), "evening"),
    (("open source", "community", "volunteer"), "community"),
)
"""Words of a scenario's domain → curve; everything else keeps office hours."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Rates per hour of a weekday and of a weekend day, relative to each other; `entry` is empty for an assumed curve."""

    name: str
    entry: str
    verified: bool
    weekday: tuple[float, ...]
    weekend: tuple[float, ...]

    def rate(self, moment: datetime) -> float:
        """Relative rate in the hour of `moment`, read as local time."""
        return (self.weekend if moment.weekday() >= SATURDAY else self.weekday)[moment.hour]

    def shares(self) -> tuple[float, ...]:
        """Shares of a whole week in 48 classes: the hours of weekdays, then those of weekends."""
        return _normal([5 * rate for rate in self.weekday] + [2 * rate for rate in self.weekend])


def _normal(numbers: Sequence[float]) -> tuple[float, ...]:
    total = sum(numbers)
    return tuple(number / total for number in numbers)


@cache
def curve(name: str) -> Curve:
    """The curve of that name.

    Raises:
        ScenarioError: there is none.
    """
    if name in ASSUMED:
        weekday, weekend = ASSUMED[name]
        return Curve(name, "", verified=False, weekday=weekday, weekend=weekend)
    if name not in CURVES:
        names = ", ".join([*CURVES, *ASSUMED])
        raise ScenarioError(f"no curve {name!r}", where="realism.curves", remedy=f"Use one of: {names}.")
    found = entry(CURVES[name])
    if found.hours is None:
        raise ScenarioError(f"entry {found.id!r} has no hours", where="realism.curves")
    per_hour = found.unit.endswith("per hour")  # rates already; counts are of five weekdays and two weekend days
    weekday, weekend = (
        tuple(number / (1 if per_hour else days) for number in numbers)
        for days, numbers in zip((5, 2), (found.hours.weekday, found.hours.weekend), strict=True)
    )
    return Curve(name, found.id, verified=found.verified, weekday=weekday, weekend=weekend)


def curve_for(domain: str) -> str:
    """The curve that suits a scenario's domain, by the words in it; ``office`` unless one is known better."""
    words = domain.lower().replace("_", " ").replace("-", " ")
    return next((name for keys, name in DOMAINS if any(key in words for key in keys)), "office")
