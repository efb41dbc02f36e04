"""The `TrialContext` of a certification: one over a folder, which remembers command lines and can play tricks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from claw_adapter.drivers import Command
from claw_adapter.errors import HarnessNotFound
from claw_adapter.testing import FolderContext

__all__ = ["KitContext", "Trick"]

Trick = Literal["", "missing", "dying"]
"""``missing``: no program is found; ``dying``: every program ends at once with status 3."""


class KitContext(FolderContext):
    """Remembers the argument vector of every child in `commands`."""

    trick: Trick = ""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.commands: list[tuple[str, ...]] = []

    def _command(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None,
        readable: Sequence[Path],
        cwd: Path | None,
        **more: Any,
    ) -> Command:
        self.commands.append(tuple(map(str, argv)))
        if self.trick == "missing":
            raise HarnessNotFound(
                f"there is no program {argv[0]!r}", where=str(argv[0]), remedy="(the certification kit hides it)"
            )
        if self.trick == "dying":
            argv = ["/bin/sh", "-c", "echo 'the certification kit lets it die' >&2; exit 3"]
        return super()._command(argv, env, readable, cwd, **more)
