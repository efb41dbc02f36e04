"""What OpenClaw leaves outside its state directory, whatever it is told, where it has no /tmp of its own."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Final

from claw_adapter.harness import TrialContext

__all__ = ["Traces"]

PRIVATE_TMP: Final = 2
"""From this isolation on a child's /tmp is its own."""
FAMILIES: Final = ("gateway-lifecycle", "state-handles", "state-lifecycle")
DATABASES: Final = ("state/openclaw.sqlite", "agents/main/agent/openclaw-agent.sqlite")


class Traces:
    """The traces of one gateway; made before it starts, so that what was there before stays.

    OpenClaw puts its locks into ``/tmp/openclaw-state-locks-UID``, named by a hash of the path of the database they lock,
    and makes an empty ``/tmp/openclaw``.
    """

    def __init__(self, state: Path, root: Path = Path("/tmp")) -> None:  # noqa: S108  # it is always this folder
        self._state = state
        self._locks = root / f"openclaw-state-locks-{os.getuid()}"
        self._folders = [path for path in (self._locks, root / "openclaw") if not path.exists()]

    def files(self) -> list[Path]:
        """The locks that it can leave."""
        return [self._locks / f"{family}.{digest}.lock.sqlite" for digest in self._digests() for family in FAMILIES]

    async def register(self, ctx: TrialContext) -> None:
        """Have them removed even if we do not live to see its end."""
        if ctx.isolation < PRIVATE_TMP:
            for path in self.files():
                await ctx.register_cleanup(path)

    def remove(self) -> None:
        """Remove them; what another OpenClaw uses stays."""
        for digest in self._digests():
            for lock in self._locks.glob(f"*.{digest}.lock.sqlite*"):
                lock.unlink(missing_ok=True)
        for folder in self._folders:
            with contextlib.suppress(OSError):  # not empty: somebody else's, or never made
                folder.rmdir()

    def _digests(self) -> list[str]:
        databases = [str((self._state / name).resolve()) for name in DATABASES]
        return [hashlib.sha256(database.encode()).hexdigest()[:8] for database in databases]
