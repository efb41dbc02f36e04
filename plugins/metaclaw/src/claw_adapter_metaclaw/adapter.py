"""MetaClaw, a real proxy of skills and memory, between a harness and its endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.drivers import Process
from claw_adapter.drivers.http import HttpChild
from claw_adapter.drivers.ports import free_port
from claw_adapter.errors import ClawError, OverlayError, OverlayNotFound
from claw_adapter.frameworks import Framework, Installed, fault, locate
from claw_adapter.harness import Endpoint, Probe
from claw_adapter.overlay import Overlay, OverlayContext
from claw_adapter_metaclaw.options import Options, configuration, environment
from claw_adapter_metaclaw.pool import Pool

__all__ = ["MetaClaw", "framework"]

REMEDY: Final = "claw frameworks install metaclaw"
TORCH: Final = '"""Stands in for torch, of which the proxy uses a name only."""\n\nTensor = object\n'
SETTLE_SECONDS: Final = 30.0
"""Most that is waited after a round for skills that are being made."""
LAST_SECONDS: Final = 5.0
"""The same at the end, where the trial waits."""
GRACE_SECONDS: Final = 3.0


def framework() -> Framework:
    """The version of MetaClaw that this overlay was made for."""
    return Framework.load(Path(__file__).parent / "framework" / "framework.toml")


class MetaClaw(Overlay):
    """The pinned MetaClaw of ``claw frameworks install metaclaw``; options: see `Options`."""

    name: ClassVar[str] = "metaclaw"

    def __init__(self, **options: Any) -> None:
        self.options = Options.parse(options)
        self._running: _Running | None = None

    def probe(self) -> Probe:
        """Looks for the environment's marker and the folders of the options; starts nothing."""
        wanted = framework()
        if reason := fault(wanted):
            return Probe(ready=False, reason=reason, remedy=REMEDY)
        if missing := self.options.missing():
            return Probe(ready=False, reason=missing, remedy="Say where it is in the experiment.")
        return Probe(ready=True, versions={"aiming-metaclaw": wanted.version})

    async def wrap(self, ctx: OverlayContext, endpoint: Endpoint) -> Endpoint:
        """Lay out a pool of the trial's own, start MetaClaw over it, open the front hop.

        Raises:
            OverlayNotFound: it is not installed.
            OverlayError: it does not come up.
        """
        there = locate(framework())
        if there is None:
            raise OverlayNotFound(self.probe().reason, where=f"overlay {ctx.label}", remedy=f"Run: {REMEDY}")
        pool = Pool(ctx.state_dir / "pool")
        pool.fill(self.options.skills, self.options.carry, ctx.saved)
        if not ctx.saved:
            await ctx.keep("before", pool.root)
        self._running = running = _Running(ctx, self.options, pool, endpoint)
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


class _Running:
    """MetaClaw's process and what we know of it."""

    def __init__(self, ctx: OverlayContext, options: Options, pool: Pool, endpoint: Endpoint) -> None:
        self.pool = pool
        self.port = free_port()
        self._ctx = ctx
        self._options = options
        self._endpoint = endpoint
        self._process: Process | None = None
        self._http: HttpChild | None = None

    async def start(self, there: Installed) -> None:
        """Start it and wait until it serves.

        Raises:
            OverlayError: it ended, or does not serve within the deadline.
        """
        folder = self._ctx.state_dir
        stand_ins, config = folder / "stand-ins", folder / "config.json"
        (stand_ins / "torch").mkdir(parents=True)
        (stand_ins / "torch" / "__init__.py").write_text(TORCH, "utf-8")
        settings = configuration(self._endpoint, self._options, self.pool, self.port)
        config.write_text(json.dumps(settings, indent=1), "utf-8")  # JSON is YAML
        argv = [str(there.python), "-P", "-s", "-m", "metaclaw", "start", "--config", str(config)]
        argv += ["--mode", "skills_only", "--port", str(self.port)]
        try:
            self._process = await self._ctx.spawn(
                argv,
                env=environment(stand_ins, there.python.parent),
                readable=there.readable,
                cwd=folder,
                listens=self.port,
            )
            reach = self._ctx.reach(self.port)
            url = "http://localhost" if reach.socket else f"http://127.0.0.1:{self.port}"
            self._http = HttpChild(url, process=self._process, socket=reach.socket)
            await self._http.wait_ready("/healthz", self._ctx.deadline)
        except ClawError as error:
            remedy = "Look at it with: claw frameworks doctor metaclaw"
            raise OverlayError(
                f"MetaClaw does not come up: {error.what}", where=f"overlay {self._ctx.label}", remedy=remedy
            ) from error

    async def learn(self, seconds: float) -> None:
        """Let it finish the skills it is making, and have it remember what was said; a dead one learns nothing."""
        if self._options.evolution:
            await self._ctx.settled(seconds)
        if self._options.memory and self._http is not None:
            try:
                await self._http.request("POST", "/v1/memory/ingest", {}, deadline=seconds)
            except ClawError as error:
                raise OverlayError(
                    f"MetaClaw did not remember the round: {error.what}", where=f"overlay {self._ctx.label}"
                ) from error

    async def close(self) -> None:
        """Stop it, then keep what it has learned and written."""
        process, http = self._process, self._http
        try:
            if process is not None and http is not None and process.exit is None:
                await self.learn(LAST_SECONDS)
        except ClawError as error:
            self._ctx.log.warning("%s", error)
        finally:
            if http is not None:
                await http.close()
            if process is not None:
                await process.stop(GRACE_SECONDS)
                await self._keep(process)

    async def _keep(self, process: Process) -> None:
        """The database is one file once its owner has ended, or been made to: it is written anew from its log."""
        files = self.pool.files()
        after, log = self._ctx.state_dir / "after", self._ctx.state_dir / "log"
        await asyncio.to_thread(_write, after, files)
        said = {"stdout.txt": process.stdout.text, "stderr.txt": process.stderr.text}
        blank = {name: text.replace(self._endpoint.key, "[key removed]").encode() for name, text in said.items()}
        await asyncio.to_thread(_write, log, blank)
        await self._ctx.keep("after", after)
        await self._ctx.keep("log", log)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
