"""Scenarios of `lite`, drawn for a check."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Final

from claw_adapter.certify.demand import Unverified
from claw_adapter.errors import PluginError
from claw_adapter.protocol import Scenario
from claw_adapter.scenario.named import find_scenarios

__all__ = ["drawn_scenarios"]

VARIANTS: Final = 8
"""Seeds of which one is drawn: each makes other numbers of a scenario."""


async def drawn_scenarios(rng: Random, count: int) -> tuple[str, dict[str, Scenario]]:
    """So many of one variant: how `claw run` is asked for them (``lite:seed=3,sample=6,draw=…``), and they themselves.

    Raises:
        Unverified: the package of `lite` is not installed.
    """
    asked = f"lite:seed={rng.randrange(VARIANTS)},sample={count},draw={rng.randrange(16**8):08x}"
    try:
        return asked, await asyncio.to_thread(find_scenarios, (asked,), places=False)
    except PluginError as error:
        raise Unverified(f"needs the scenarios of `lite` (pip install claw-adapter-scenarios): {error}") from None
