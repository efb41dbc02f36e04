"""How soon messages are answered: log-normal delays fixed by published quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from statistics import NormalDist

from claw_adapter_scenarios.realism.registry import entry

__all__ = ["DELAYS", "Delay"]

MINUTES = {"minute": 1.0, "hour": 60.0, "second": 1 / 60}


@dataclass(frozen=True, slots=True)
class Delay:
    """A log-normal delay in minutes.

    Attributes:
        median: entry with the median.
        share: entry with the share of replies within `within` minutes.
        within: minutes.
        assumed: standard deviation of the logarithm, where only one of the two is known; a choice, not a finding.
    """

    median: str = ""
    share: str = ""
    within: float = 0.0
    assumed: float = 1.5

    def sigma(self) -> float:
        """Standard deviation of the logarithm of minutes: through both quantiles, or as assumed."""
        if not (self.median and self.share):
            return self.assumed
        return (log(self.within) - log(self._minutes())) / self._normal()

    def mu(self) -> float:
        """Mean of the logarithm of minutes, which is the logarithm of the median."""
        return log(self._minutes()) if self.median else log(self.within) - self.assumed * self._normal()

    def _minutes(self) -> float:
        found = entry(self.median)
        return (found.value or 0.0) * MINUTES[found.unit]

    def _normal(self) -> float:
        return NormalDist().inv_cdf(entry(self.share).value or 0.5)


DELAYS = {
    "mail": Delay("mail.reply.median", "mail.reply.within_day", 24 * 60),
    "mail_business": Delay("mail.reply.median_business"),
    "clinical": Delay("secure_message.reply.median"),
    "chat": Delay("secure_message.reply.median"),
    "text": Delay(share="text.reply.work_within_half_hour", within=30),
}
"""Kinds of message → delay. For chat at work in general no measured median was found: it takes that of clinical chat,
the only instant messaging at work with one."""
