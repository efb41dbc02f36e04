"""When messages are sent: times that follow a diurnal and weekly curve, and conversations with reply delays.

`times` gives independent moments, `conversations` the same number of moments in threads: a thread begins where the curve
says, and each further message follows the one before after a reply delay. Both return aware datetimes of whole seconds,
strictly increasing, inside ``[start, end)``, in the time zone asked for, and depend on nothing but their arguments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import accumulate
from math import exp
from random import Random
from statistics import NormalDist
from zoneinfo import ZoneInfo

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.realism.curves import Curve, curve, curve_for
from claw_adapter_scenarios.realism.delays import DELAYS, Delay

__all__ = ["conversations", "curve_for", "reply_delay", "thread_sizes", "times"]

HOUR = 3600
TRIES = 40
"""Draws per wanted moment before the window counts as full."""
THREADS = ((1, 0.35), (2, 0.35), (3, 0.12), (4, 0.08), (5, 0.05), (8, 0.05))
"""Messages per thread and its share. Sizes of 2 and more fall as in entry ``mail.thread.sizes``; how many messages stay
alone, and the cut at 8, are this project's choice."""


class _Window:
    """The hours between two moments with their weights, so that moments can be drawn in proportion to a curve."""

    def __init__(self, start: datetime, end: datetime, shape: Curve, zone: tzinfo) -> None:
        if start.tzinfo is None or end.tzinfo is None:
            raise ScenarioError("a window needs aware datetimes", where="realism.timing", remedy="Give a time zone.")
        self.start, self.end = start.astimezone(UTC), end.astimezone(UTC)
        if self.end <= self.start:
            raise ScenarioError(f"the window ends ({end}) before it starts ({start})", where="realism.timing")
        self.zone, self.shape = zone, shape
        self.slots: list[tuple[datetime, int]] = []
        weights = []
        for slot, seconds in self._hours():
            self.slots.append((slot, seconds))
            weights.append(shape.rate(slot.astimezone(zone)) * seconds)
        self.sums = list(accumulate(weights))
        if not self.sums[-1] > 0:
            raise ScenarioError(
                f"curve {shape.name!r} has no activity between {start} and {end}",
                where="realism.timing",
                remedy="Widen the window or take another curve.",
            )

    def _hours(self) -> list[tuple[datetime, int]]:
        """Pieces that end with an hour of the clock, and their lengths in seconds."""
        found, at = [], self.start
        while at < self.end:
            local = at.astimezone(self.zone)
            rest = HOUR - (local.minute * 60 + local.second)
            seconds = min(rest, max(int((self.end - at).total_seconds()), 1))
            found.append((at.replace(microsecond=0), seconds))
            at += timedelta(seconds=seconds)
        return found

    def draw(self, rng: Random) -> datetime:
        """One moment in UTC, of whole seconds."""
        place = min(bisect_right(self.sums, rng.random() * self.sums[-1]), len(self.slots) - 1)
        slot, seconds = self.slots[place]
        return slot + timedelta(seconds=int(rng.random() * seconds))

    def __contains__(self, moment: datetime) -> bool:
        return self.start <= moment < self.end

    def local(self, moments: Sequence[datetime]) -> list[datetime]:
        """Moments in order, in the zone asked for."""
        return [moment.astimezone(self.zone) for moment in sorted(moments)]


def times(
    rng: Random, start: datetime, end: datetime, n: int, curve: str = "office", tz: tzinfo | str | None = None
) -> list[datetime]:
    """`n` moments of a Poisson process whose rate follows a curve, given that there are `n`.

    Args:
        rng: the only source of chance.
        start: aware; the first possible moment (fractions of a second are cut off).
        end: aware; the first moment that is no longer possible.
        n: how many, ≥ 0.
        curve: a name of `curves.CURVES`; `curve_for` finds one for a domain.
        tz: the zone in which hours of the day are meant and given; a name or a tzinfo. Default: that of `start`.

    Raises:
        ScenarioError: an unknown curve, a naive or empty window, no activity in it, or no room for `n` whole seconds.
    """
    window = _window(start, end, curve, tz)
    found: set[datetime] = set()
    _fill(rng, window, found, n)
    return window.local(list(found))


def conversations(
    rng: Random,
    start: datetime,
    end: datetime,
    n: int,
    curve: str = "office",
    tz: tzinfo | str | None = None,
    reply: str = "chat",
) -> list[datetime]:
    """Like `times`, but in threads: replies follow after delays of the kind `reply`, a name of `delays.DELAYS`.

    A reply that would fall outside the window is placed by the curve instead, so that the number is always right.
    """
    window = _window(start, end, curve, tz)
    found: set[datetime] = set()
    for size in thread_sizes(rng, n):
        moment = window.draw(rng)
        found.add(moment)
        for _ in range(size - 1):
            moment += timedelta(seconds=max(1, round(60 * reply_delay(rng, reply))))
            if moment not in window:
                break
            found.add(moment)
    _fill(rng, window, found, n)
    return window.local(list(found))


def thread_sizes(rng: Random, n: int) -> list[int]:
    """Sizes of threads that together hold `n` messages; see `THREADS`."""
    sizes: list[int] = []
    while (left := n - sum(sizes)) > 0:
        sizes.append(min(rng.choices([s for s, _ in THREADS], [share for _, share in THREADS])[0], left))
    return sizes


def reply_delay(rng: Random, kind: str = "mail") -> float:
    """Minutes until a reply, log-normal through the published median and, where there is one, a further quantile.

    Raises:
        ScenarioError: an unknown kind.
    """
    if kind not in DELAYS:
        raise ScenarioError(f"no delay {kind!r}", where="realism.timing", remedy=f"Use one of: {', '.join(DELAYS)}.")
    delay: Delay = DELAYS[kind]
    return exp(delay.mu() + delay.sigma() * NormalDist().inv_cdf(min(max(rng.random(), 1e-12), 1 - 1e-12)))


def _window(start: datetime, end: datetime, name: str, tz: tzinfo | str | None) -> _Window:
    zone = ZoneInfo(tz) if isinstance(tz, str) else tz or start.tzinfo or UTC
    return _Window(start, end, curve(name), zone)


def _fill(rng: Random, window: _Window, found: set[datetime], n: int) -> None:
    """Draw distinct moments until there are `n`.

    Raises:
        ScenarioError: the window has no room for so many.
    """
    for _ in range(TRIES * max(n, 1)):
        if len(found) >= n:
            return
        found.add(window.draw(rng))
    if len(found) < n:
        raise ScenarioError(
            f"no room for {n} moments between {window.start} and {window.end}",
            where="realism.timing",
            remedy="Widen the window: moments are distinct whole seconds.",
        )
