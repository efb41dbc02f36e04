"""What a check is: a demand with a function, and the registry of all of them."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from claw_adapter.certify.demand import Demand, Evidence, Level
from claw_adapter.certify.kit import Kit
from claw_adapter.errors import InternalError

__all__ = ["AREAS", "ConformanceCheck", "Function", "check", "checks"]

AREAS: Final = {
    "LIFE": "life", "TURN": "turn", "SEED": "seed", "TOK": "tok",
    "PLAN": "plan", "RUN": "run", "PROC": "proc", "FAULT": "fault", "SEC": "sec", "CONC": "conc", "ENV": "env",
}  # fmt: skip
"""Area → module below `claw_adapter.certify.checks`. A module that is not there brings no checks."""

Function = Callable[[Kit], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ConformanceCheck(Demand):
    """A demand with the function that makes it."""

    run: Function

    @property
    def title(self) -> str:
        """What it looks at, in one line."""
        return (self.run.__doc__ or self.id).strip().splitlines()[0]


_known: dict[str, ConformanceCheck] = {}


def check(
    id: str,  # noqa: A002 - it is what it is called everywhere
    *,
    level: Level,
    must: str,
    catches: str,
    remedy: str,
    needs: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    shows: Evidence = "turns",
    isolated: bool = False,
) -> Callable[[Function], Function]:
    """Register a check; see `Demand` for what the arguments mean.

    Raises:
        InternalError: the id is taken, or belongs to no area.
    """

    def register(function: Function) -> Function:
        made = ConformanceCheck(
            id, level, must, catches, remedy, needs, function, also=also, shows=shows, isolated=isolated
        )
        if made.area not in AREAS:
            raise InternalError(f"check {id!r} belongs to no area", remedy=f"areas: {', '.join(AREAS)}")
        before = _known.setdefault(id, made)
        if before.run.__qualname__ != function.__qualname__:
            raise InternalError(f"two checks have the id {id!r}", remedy="Give one of them a new number.")
        return function

    return register


def checks() -> dict[str, ConformanceCheck]:
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
