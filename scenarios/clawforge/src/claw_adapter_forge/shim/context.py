"""The trial context of an episode: the folder of its world, with the clients in sight of everything that is started."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from claw_adapter.drivers import Completed, Process
from claw_adapter.testing import FolderContext, Listening
from claw_adapter_forge.shim.world import ShimWorld

__all__ = ["ShimContext"]


class ShimContext(FolderContext):
    """Workspace: the world's files. Readable: the clients and the socket. `on_path` puts the clients on PATH.

    `more` is what `FolderContext` takes beside: key, model, isolation, deadline.
    """

    def __init__(self, world: ShimWorld, endpoint: Listening, *, on_path: bool, **more: Any) -> None:
        super().__init__(world.folder, endpoint, workspace=world.files, marker=f"forge/{world.folder.name}", **more)
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
