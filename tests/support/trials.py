"""The runner's own trial context for driving real harnesses in tests."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from claw_adapter.drivers import Process
from claw_adapter.harness import Session
from claw_adapter.protocol import HarnessSpec, ModelSpec, RunSettings, TrialSpec
from claw_adapter.runner.context import Address, RunnerContext
from support.sessions import session

ROOT = Path(__file__).parents[2]
KEY = "sk-trial-only"


class FolderContext(RunnerContext):
    """Workspace and state under one folder; remembers what it started. Each harness's tests have a class of their own."""

    harness: ClassVar[str]
    deadline_seconds: ClassVar[float] = 60

    def __init__(
        self,
        folder: Path,
        url: str,
        main: Session | None = None,
        histories: Sequence[Session] = (),
        *,
        workspace: Path | None = None,
        isolation: int = 1,
        socket: Path = Path("/nowhere"),
        key: str = KEY,
    ) -> None:
        spec = TrialSpec(
            id=folder.name,
            scenario=folder.name,
            harness=HarnessSpec(name=self.harness, label=self.harness),
            model=ModelSpec(name="the-model", kind="scripted"),
            settings=RunSettings(isolation=isolation, deadline=self.deadline_seconds),
        )
        super().__init__(
            spec,
            workspace=workspace or folder / "workspace",
            state_dir=folder / "state",
            main=main or session("main"),
            histories=tuple(histories),
            address=Address(url, socket),
            key=key,
            marker=f"test-{secrets.token_hex(4)}",
        )
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.state_dir.mkdir(parents=True)
        self.children: list[Process] = []

    async def spawn(self, argv: Sequence[str], **more: Any) -> Process:
        assert all(path.exists() for path in more.get("readable", ()))
        self.children.append(await super().spawn(argv, **more))
        return self.children[-1]
