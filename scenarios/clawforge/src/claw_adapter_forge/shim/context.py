"""The trial context of an episode: the runner's own, with the world's clients in sight of everything that is started."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from claw_adapter.drivers import Completed, Process
from claw_adapter.protocol import Session
from claw_adapter.runner.context import Address, RunnerContext
from claw_adapter_forge.shim.world import ShimWorld

__all__ = ["Address", "ShimContext"]


class ShimContext(RunnerContext):
    """Workspace: the world's files. Readable: the clients and the socket. `on_path` puts the clients on PATH."""

    def __init__(self, spec: Any, world: ShimWorld, address: Address, key: str, *, on_path: bool) -> None:
        state = world.folder / "state"
        state.mkdir()
        super().__init__(
            spec,
            workspace=world.files,
            state_dir=state,
            main=Session(id="main"),
            histories=(),
            address=address,
            key=key,
            marker=f"forge/{spec.id}",
        )
        self._world = world
        self._on_path = on_path

    def _seen(self, env: Mapping[str, str] | None) -> dict[str, str]:
        given = dict(env or {})
        if self._on_path:
            base = {"PATH": given.get("PATH", os.environ.get("PATH", os.defpath))}
            given |= self._world.environment(base)
        return given

    async def spawn(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        **more: Any,
    ) -> Process:
        """See `TrialContext.spawn`."""
        return await super().spawn(argv, env=self._seen(env), readable=(*readable, *self._world.shown), **more)

    async def run(
        self,
        argv: Sequence[str],
        deadline: float,
        *,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        **more: Any,
    ) -> Completed:
        """See `TrialContext.run`."""
        seen = (*readable, *self._world.shown)
        return await super().run(argv, deadline, env=self._seen(env), readable=seen, **more)
