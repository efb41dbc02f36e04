"""MetaClaw, a real proxy of skills and memory, between a harness and its endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.command import find_installed, probe_installed
from claw_adapter.errors import HarnessNotFound, OverlayNotFound
from claw_adapter.frameworks import Framework
from claw_adapter.harness import Endpoint, Probe
from claw_adapter.overlay import Overlay, OverlayContext
from claw_adapter_metaclaw.options import Options
from claw_adapter_metaclaw.pool import Pool
from claw_adapter_metaclaw.running import Running

__all__ = ["MetaClaw", "framework"]

SETTLE_SECONDS: Final = 30.0
"""Most that is waited after a round for skills that are being made."""


def framework() -> Framework:
    """The version of MetaClaw that this overlay was made for."""
    return Framework.load(Path(__file__).parent / "framework" / "framework.toml")


class MetaClaw(Overlay):
    """The pinned MetaClaw of ``claw frameworks install metaclaw``; options: see `Options`."""

    name: ClassVar[str] = "metaclaw"

    def __init__(self, **options: Any) -> None:
        self.options = Options.parse(options)
        self._running: Running | None = None

    def probe(self) -> Probe:
        """Looks for the environment's marker and the folders of the options; starts nothing."""
        found = probe_installed(framework(), "aiming-metaclaw")
        if found.ready and (missing := self.options.missing()):
            return Probe(ready=False, reason=missing, remedy="Say where it is in the experiment.")
        return found

    async def wrap(self, ctx: OverlayContext, endpoint: Endpoint) -> Endpoint:
        """Lay out a pool of the trial's own, start MetaClaw over it, open the front hop.

        Raises:
            OverlayNotFound: it is not installed.
            OverlayError: it does not come up.
        """
        try:
            there = find_installed(framework())
        except HarnessNotFound as error:
            raise OverlayNotFound(error.what, where=f"overlay {ctx.label}", remedy=error.remedy) from error
        pool = Pool(ctx.state_dir / "pool")
        pool.fill(self.options.skills, self.options.carry, ctx.saved)
        if not ctx.saved:
            await ctx.keep("before", pool.root)
        self._running = running = Running(ctx, self.options, pool, endpoint)
        await running.start(there)
        headers = {"X-Session-Id": ctx.trial, "X-Turn-Type": "main"}
        return await ctx.route(running.port, headers=headers)

    async def checkpoint(self) -> Mapping[str, bytes]:
        """The pool after a round, with what MetaClaw has learned of it."""
        if self._running is None:
            return {}
        await self._running.learn(SETTLE_SECONDS)
        return self._running.pool.files()

    async def close(self) -> None:
        """End MetaClaw and keep its pool as it is then."""
        running, self._running = self._running, None
        if running is not None:
            await running.close()
