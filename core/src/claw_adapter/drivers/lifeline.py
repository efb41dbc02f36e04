"""A sidecar that outlives the runner and cleans up after it, even after ``kill -9``."""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from claw_adapter.drivers import reaper
from claw_adapter.drivers.command import PIPE, Command
from claw_adapter.drivers.launch import start
from claw_adapter.drivers.process import Process
from claw_adapter.drivers.waiting import shielded
from claw_adapter.errors import SandboxError

__all__ = ["Lifeline"]

CLOSE_SECONDS: Final = reaper.SWEEP_SECONDS + 1
READY_SECONDS: Final = 30.0


class Lifeline:
    """One per run: when it is closed, or this process ends in any way, nothing marked with `marker` is left.

    Start every child with a `Command.marker` that is `marker` or begins with ``marker/``. The sidecar holds the read
    end of a pipe; its end-of-file is the news that we are gone. It stands in a session of its own, so that a Ctrl-C
    in the terminal does not reach it. Where there is no /proc it can only remove the paths.

    Args:
        paths: files (sockets) to remove at the end; `add` names more.
    """

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self.marker = f"claw-{os.getpid()}-{secrets.token_hex(8)}"
        self._paths = list(paths)
        self._sidecar: Process | None = None

    async def add(self, path: Path) -> None:
        """Have one more file removed at the end."""
        self._paths.append(path)
        await self._tell(str(path.absolute()))

    async def _tell(self, text: str) -> None:
        if self._sidecar is not None:
            await self._sidecar.write(json.dumps(text).encode() + b"\n")

    async def __aenter__(self) -> Self:
        argv = (sys.executable, "-I", "-S", str(Path(reaper.__file__).absolute()))
        # The sidecar's own CLAW_TRIAL must not begin with the marker it sweeps, or it would kill itself.
        command = Command(argv, env={}, stdin=PIPE, lines=True, marker=f"lifeline-{self.marker}")
        self._sidecar = sidecar = await start(command)
        try:
            await self._begin(sidecar)
        except BaseException:
            self._sidecar = None
            await shielded(sidecar.stop(0))
            raise
        return self

    async def _begin(self, sidecar: Process) -> None:
        """Tell it everything, and wait until no signal of a terminal can end it any more."""
        await self._tell(self.marker)
        for path in self._paths:
            await self._tell(str(path.absolute()))
        if await sidecar.readline(READY_SECONDS) != reaper.READY:
            said = sidecar.stderr.text.strip()[-500:]
            raise SandboxError(f"the process that cleans up after us did not come up: {said}", where=sidecar.argv[0])

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let the sidecar sweep and end; bounded by its own limit of five seconds. May be called twice.

        One who cancels waits for that, too: ended before, the sidecar would leave what it has not found yet.
        """
        sidecar, self._sidecar = self._sidecar, None
        if sidecar is not None:
            await shielded(_swept(sidecar))


async def _swept(sidecar: Process) -> None:
    """Let it go on alone where the loop itself comes to its end: it needs us no more."""
    sidecar.close_stdin()
    await sidecar.ended(CLOSE_SECONDS)
    await sidecar.stop(0)
