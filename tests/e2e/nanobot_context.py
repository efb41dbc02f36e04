"""The trial context with which tests drive the real NanoBot."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from claw_adapter.drivers import Process
from claw_adapter.harness import Message, Session
from claw_adapter.protocol import HarnessSpec, ModelSpec, RunSettings, TrialSpec
from claw_adapter.runner.context import Address, RunnerContext
from claw_adapter_nanobot.adapter import REMEDY, NanoBot

ROOT = Path(__file__).parents[2]
KEY = "sk-trial-only"


class SmallContext(RunnerContext):
    """The runner's own context at isolation 1, with workspace and state under one folder; remembers what it started."""

    def __init__(
        self,
        folder: Path,
        url: str,
        main: Session | None = None,
        histories: Sequence[Session] = (),
        workspace: Path | None = None,
    ) -> None:
        spec = TrialSpec(
            id=folder.name,
            scenario=folder.name,
            harness=HarnessSpec(name="nanobot", label="nanobot"),
            model=ModelSpec(name="the-model", kind="scripted"),
            settings=RunSettings(isolation=1, deadline=60),
        )
        super().__init__(
            spec,
            workspace=workspace or folder / "workspace",
            state_dir=folder / "state",
            main=main or session("main"),
            histories=tuple(histories),
            address=Address(url, folder / "unused.sock"),
            key=KEY,
            marker="test",
        )
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.state_dir.mkdir(parents=True)
        self.children: list[Process] = []

    async def spawn(self, argv: Sequence[str], **more: Any) -> Process:
        assert all(path.exists() for path in more.get("readable", ()))
        self.children.append(await super().spawn(argv, **more))
        return self.children[-1]


def session(name: str, *texts: str, **fields) -> Session:
    """A session of alternating user and assistant messages."""
    roles = ("user", "assistant")
    messages = [Message(id=f"{name}-{i}", role=roles[i % 2], text=text) for i, text in enumerate(texts)]
    return Session(id=name, messages=tuple(messages), **fields)


@functools.cache
def not_installed() -> str:
    """Why the real NanoBot cannot be driven here; empty if it can. Looks into the checkout's .claw too."""
    if not os.environ.get("CLAW_HOME") and (ROOT / ".claw" / "frameworks").is_dir():
        os.environ["CLAW_HOME"] = str(ROOT / ".claw")
    probe = NanoBot().probe()
    return "" if probe.ready else f"{probe.reason}; run: {REMEDY}"


def real(function):
    """Mark a test that drives the real NanoBot."""
    reason = not_installed()
    return pytest.mark.real(pytest.mark.skipif(bool(reason), reason=reason)(function))
