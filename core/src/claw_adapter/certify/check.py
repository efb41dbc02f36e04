"""What a check is: a record with a function, and the registry of all of them."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from claw_adapter.errors import KitError, Owner

if TYPE_CHECKING:
    from claw_adapter.certify.kit import Kit

__all__ = ["AREAS", "LEVELS", "Check", "Finding", "Function", "Level", "Unverified", "check", "checks"]

Level = Literal["bronze", "silver", "gold"]
LEVELS: Final[tuple[Level, ...]] = ("bronze", "silver", "gold")

AREAS: Final = {
    "LIFE": "life", "TURN": "turn", "SEED": "seed", "UPD": "upd", "TOK": "tok",
    "PROC": "proc", "FAULT": "fault", "SEC": "sec", "CONC": "conc",
}  # fmt: skip
"""Area → module below `claw_adapter.certify.checks`. A module that is not there brings no checks."""

Function = Callable[["Kit"], Awaitable[None]]


class Finding(Exception):
    """A check has failed: `what` was seen, `remedy` tells the author what to change, `owner` whose fault it is.

    `owner` is the adapter, the harness (the vendor's program) or the kit.
    """

    def __init__(self, what: str, *, remedy: str = "", owner: Owner = Owner.ADAPTER) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.owner = owner


class Unverified(Exception):
    """The check cannot be decided on this machine, for example because it needs isolation 2."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        id: ``AREA-nnn``; it stays, and is never given to another check.
        level: the level that is not reached without it.
        must: the MUST of docs/spec/claw-1.md that it checks, ``M14``.
        catches: the bug it catches, in one line.
        remedy: what the author changes, unless the finding says something better.
        needs: capabilities without which it does not apply: a field of `Capabilities`, or ``"seed_history=native"``.
        run: the function.
    """

    id: str
    level: Level
    must: str
    catches: str
    remedy: str
    needs: tuple[str, ...]
    run: Function

    @property
    def area(self) -> str:
        """``TURN`` of ``TURN-004``."""
        return self.id.partition("-")[0]


_known: dict[str, Check] = {}


def check(
    id: str,  # noqa: A002 - it is what it is called everywhere
    *,
    level: Level,
    must: str,
    catches: str,
    remedy: str,
    needs: tuple[str, ...] = (),
) -> Callable[[Function], Function]:
    """Register a check; see `Check` for what the arguments mean.

    Raises:
        KitError: the id is taken, or belongs to no area.
    """

    def register(function: Function) -> Function:
        made = Check(id, level, must, catches, remedy, needs, function)
        if made.area not in AREAS:
            raise KitError(f"check {id!r} belongs to no area", remedy=f"areas: {', '.join(AREAS)}")
        before = _known.setdefault(id, made)
        if before.run.__qualname__ != function.__qualname__:
            raise KitError(f"two checks have the id {id!r}", remedy="Give one of them a new number.")
        return function

    return register


def checks() -> dict[str, Check]:
    """All checks by id, in the order of areas and numbers."""
    for module in AREAS.values():
        name = f"claw_adapter.certify.checks.{module}"
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    order = list(AREAS)
    return {key: _known[key] for key in sorted(_known, key=lambda key: (order.index(_known[key].area), key))}
