"""What a check demands of an adapter, and how it says that it is not so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from claw_adapter.errors import Owner

__all__ = ["ISOLATED", "LEVELS", "CheckFinding", "Demand", "Evidence", "Level", "Unverified"]

Level = Literal["bronze", "silver", "gold"]
Evidence = Literal["turns", "conversations", "nothing"]
ISOLATED: Final = 2
"""From which isolation on it can be known what processes reach."""
LEVELS: Final[tuple[Level, ...]] = ("bronze", "silver", "gold")


class CheckFinding(Exception):
    """A check has failed: `what` was seen, `remedy` tells the author what to change, `owner` whose fault it is.

    `owner` is the adapter, the harness (the vendor's program) or the kit. Where the turn, or opening, failed by itself,
    the bug that the check is for is not what was seen: `usual` is False. `broken` says that the adapter let an exception out
    that no adapter may: that is a bug, whatever its capabilities leave out. `trial` is where it was seen, if no turn tells.
    """

    def __init__(
        self,
        what: str,
        *,
        remedy: str = "",
        owner: Owner = Owner.ADAPTER,
        usual: bool = True,
        broken: bool = False,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.owner = owner
        self.usual = usual
        self.trial = ""
        self.broken = broken


class Unverified(Exception):
    """The check cannot be decided on this machine, for example because it needs isolation 2."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What one check demands.

    Attributes:
        id: ``AREA-nnn``; it stays, and is never given to another check.
        level: the level that is not reached without it.
        must: the MUST of docs/spec/claw-1.md that it checks, ``M14``.
        catches: the bug it catches, in one line.
        remedy: what the author changes, unless the finding says something better.
        needs: capabilities without which it does not apply: a field of `Capabilities`, or ``"seed_history=native"``.
        also: further MUSTs that it looks at; what it finds says which.
        isolated: whether it means something only where the processes are isolated (2).
        shows: what stands in the evidence when it has passed: its turns, only the conversations that it had, or nothing (what
            drawn sessions leave is told by their plans).
    """

    id: str
    level: Level
    must: str
    catches: str
    remedy: str
    needs: tuple[str, ...]
    also: tuple[str, ...] = field(default=(), kw_only=True)
    shows: Evidence = field(default="turns", kw_only=True)
    isolated: bool = field(default=False, kw_only=True)

    @property
    def area(self) -> str:
        """``TURN`` of ``TURN-003``."""
        return self.id.partition("-")[0]
