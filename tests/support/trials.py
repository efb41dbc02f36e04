"""The trial context for driving real harnesses in tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from claw_adapter.drivers import Process
from claw_adapter.harness import Session
from claw_adapter.runner.context import Address
from claw_adapter.testing import FolderContext
from support.sessions import session

ROOT = Path(__file__).parents[2]
KEY = "sk-trial-only"


class RealContext(FolderContext):
    """For an endpoint of which the address is known; a harness that comes up slowly gets more seconds."""

    deadline_seconds: ClassVar[float] = 60

    def __init__(
        self,
        folder: Path,
        url: str,
        main: Session | None = None,
        histories: Sequence[Session] = (),
        *,
        socket: Path = Path("/nowhere"),
        key: str = KEY,
        **more: Any,
    ) -> None:
        super().__init__(
            folder,
            Address(url, socket),
            main=main or session("main"),
            histories=histories,
            key=key,
            deadline=self.deadline_seconds,
            **more,
        )

    async def spawn(self, argv: Sequence[str], **more: Any) -> Process:
        assert all(path.exists() for path in more.get("readable", ()))
        return await super().spawn(argv, **more)
