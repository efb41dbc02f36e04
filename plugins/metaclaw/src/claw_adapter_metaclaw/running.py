"""MetaClaw's process, from its start to what is kept of it."""

from __future__ import annotations

import asyncio
import json
from typing import Final

from claw_adapter.drivers import Process
from claw_adapter.drivers.http import HttpChild
from claw_adapter.drivers.ports import free_port
from claw_adapter.errors import ClawError, OverlayError
from claw_adapter.frameworks import Installed
from claw_adapter.harness import Endpoint
from claw_adapter.overlay import OverlayContext
from claw_adapter_metaclaw.options import Options, configuration, environment
from claw_adapter_metaclaw.pool import Pool, write_files

__all__ = ["Running"]

TORCH: Final = '"""Stands in for torch, of which the proxy uses a name only."""\n\nTensor = object\n'
LAST_SECONDS: Final = 5.0
"""Most that is waited at the end for skills that are being made: there the trial waits."""
GRACE_SECONDS: Final = 3.0


class Running:
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
        stand_ins, config, temporary = folder / "stand-ins", folder / "config.json", folder / "tmp"
        temporary.mkdir()
        (stand_ins / "torch").mkdir(parents=True)
        (stand_ins / "torch" / "__init__.py").write_text(TORCH, "utf-8")
        settings = configuration(self._endpoint, self._options, self.pool, self.port)
        config.write_text(json.dumps(settings, indent=1), "utf-8")  # JSON is YAML
        argv = [str(there.python), "-P", "-s", "-m", "metaclaw", "start", "--config", str(config)]
        argv += ["--mode", "skills_only", "--port", str(self.port)]
        try:
            self._process = await self._ctx.spawn(
                argv,
                env=environment(stand_ins, there.python.parent, temporary),
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
        await asyncio.to_thread(write_files, after, files)
        said = {"stdout.txt": process.stdout.text, "stderr.txt": process.stderr.text}
        blank = {name: text.replace(self._endpoint.key, "[key removed]").encode() for name, text in said.items()}
        await asyncio.to_thread(write_files, log, blank)
        await self._ctx.keep("after", after)
        await self._ctx.keep("log", log)
