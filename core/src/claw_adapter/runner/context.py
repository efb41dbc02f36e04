"""The `TrialContext` that the runner gives to adapters: every child of a trial is started here and nowhere else."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from claw_adapter.drivers import PIPE, Command, Completed, LineChild, Process, environment, run, start
from claw_adapter.environment import Attached, Surroundings
from claw_adapter.harness import INSIDE, Endpoint, Harness, Reach, TrialContext
from claw_adapter.protocol import Session, TrialSpec
from claw_adapter.sandbox import Confinement, IsolationLevel, wrap

if TYPE_CHECKING:
    from claw_adapter.drivers.pty import PtyProcess

__all__ = ["INSIDE_PORT", "STATE", "WORKSPACE", "Address", "RunnerContext", "told_workspace"]

WORKSPACE: Final = INSIDE / "workspace"
STATE: Final = INSIDE / "state"

INSIDE_PORT = 8400
"""Port on 127.0.0.1 under which the endpoint is reached inside a namespace; every trial has a loopback of its own."""


def told_workspace(harness: Harness, isolation: int, workspace: Path) -> Path:
    """What a harness knows a workspace as; one that works inside the runner knows its own path."""
    named = isolation >= IsolationLevel.NAMESPACE and harness.executes and not harness.runs_inside
    return WORKSPACE if named else workspace


@dataclass(frozen=True, slots=True)
class Address:
    """Where the run's endpoint listens, as seen from the runner."""

    url: str
    socket: Path


class RunnerContext(TrialContext):
    """One trial's workspace, state directory, endpoint and children.

    `level` is the isolation that harness processes really got: that of the run once one was started, none while an adapter
    works inside the runner. `marker` is the mark that every child carries; `started` says whether there was any. Without
    `executes` there are no children, and the adapter itself asks the endpoint, from where the runner is. Without `named` the
    two folders have the same names inside a namespace as outside.
    """

    def __init__(
        self,
        spec: TrialSpec,
        *,
        workspace: Path,
        state_dir: Path,
        main: Session,
        histories: tuple[Session, ...],
        address: Address,
        key: str,
        marker: str,
        hidden: tuple[Path, ...] = (),
        leave: Callable[[Path], Awaitable[None]] | None = None,
        environment: Surroundings | None = None,
        executes: bool = True,
        named: bool = True,
    ) -> None:
        self.trial = spec.id
        self.scenario = spec.scenario
        self.workspace = workspace
        self.state_dir = state_dir
        self.main = main
        self.histories = histories
        self.isolation = spec.settings.isolation
        self.seed = spec.seed
        self.options = spec.harness.options
        self.deadline = spec.settings.deadline
        self.log = logging.getLogger(f"claw_adapter.trial.{spec.id}")
        inside = executes and self.isolation >= IsolationLevel.NAMESPACE
        url = f"http://127.0.0.1:{INSIDE_PORT}" if inside else address.url
        self.endpoint = Endpoint(url=url, key=key, model=spec.model.name, window=spec.model.told_window)
        self._names = ((workspace, WORKSPACE), (state_dir, STATE)) if inside and named else ()
        self.level = IsolationLevel.NONE
        self.started = False
        self._address = address
        self.marker = marker
        self._hidden = hidden
        self._shm = spec.settings.max_shm
        self._leave = leave
        self.environment = environment
        self._attached = environment.attached if environment else Attached()

    def inside(self, path: Path) -> Path:
        """See `TrialContext.inside`."""
        return self._confinement().inside(path)

    def _confinement(self) -> Confinement:
        return Confinement(
            level=IsolationLevel(self.isolation),
            home=self.state_dir,
            writable=(self.workspace, self.state_dir),
            names=self._names,
            network="endpoint",
            endpoint_socket=self._address.socket,
            endpoint_port=INSIDE_PORT,
            hidden=self._hidden,
            shm_bytes=self._shm,
        )

    def _command(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None,
        readable: Sequence[Path],
        cwd: Path | None,
        *,
        stdin: bytes | None = None,
        lines: bool = False,
        listens: int | None = None,
    ) -> Command:
        extra = {"HOME": str(self.state_dir), "NO_PROXY": "127.0.0.1,localhost", **self._attached.env, **(env or {})}
        if self._attached.path:
            own = extra.get("PATH", os.environ.get("PATH", os.defpath))
            extra["PATH"] = self._attached.search_path(after=own)
        confinement = replace(
            self._confinement(),
            readable=tuple(path.absolute() for path in (*readable, *self._attached.path, *self._attached.readable)),
            cwd=cwd or self.workspace,
            reverse=self._reverse(listens),
        )
        wrapped, inside = wrap(tuple(argv), environment(extra=extra), confinement)
        self.level = confinement.level
        self.started = True
        return Command(
            wrapped,
            env=inside,
            cwd=cwd or self.workspace,
            stdin=PIPE if stdin is None else stdin,
            marker=self.marker,
            lines=lines,
        )

    async def spawn(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
        lines: bool = False,
        listens: int | None = None,
    ) -> Process:
        """See `TrialContext.spawn`."""
        return await start(self._command(argv, env, readable, cwd, lines=lines, listens=listens))

    async def register_cleanup(self, path: Path) -> None:
        """See `TrialContext.register_cleanup`."""
        if self._leave is not None:
            await self._leave(path)

    def reach(self, port: int) -> Reach:
        """See `TrialContext.reach`: inside a namespace the port is carried to a Unix socket in the state directory."""
        inside = self.isolation >= IsolationLevel.NAMESPACE
        return Reach(port, self.state_dir / f"port-{port}.sock" if inside else None)

    def _reverse(self, listens: int | None) -> tuple[int, Path] | None:
        if listens is None or (path := self.reach(listens).socket) is None:
            return None
        return listens, path

    async def lines(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
    ) -> LineChild:
        """See `TrialContext.lines`."""
        return LineChild(await self.spawn(argv, env=env, readable=readable, cwd=cwd, lines=True))

    async def terminal(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
        size: tuple[int, int] = (50, 200),
    ) -> PtyProcess:
        """See `TrialContext.terminal`."""
        from claw_adapter.drivers.pty import start_pty

        return await start_pty(self._command(argv, env, readable, cwd), size=size)

    async def run(
        self,
        argv: Sequence[str],
        deadline: float,
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
    ) -> Completed:
        """See `TrialContext.run`."""
        return await run(self._command(argv, env, readable, cwd, stdin=stdin), deadline)
