"""A small trial context for driving the real NanoBot: isolation 1, children through the process driver."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from claw_adapter.drivers import PIPE, Command, Completed, LineChild, Process, environment, run, start
from claw_adapter.harness import Endpoint, Message, Session, TrialContext
from claw_adapter_nanobot.adapter import REMEDY, NanoBot

ROOT = Path(__file__).parents[2]
KEY = "sk-trial-only"


class SmallContext(TrialContext):
    """Workspace and state under one folder; remembers what it started."""

    def __init__(
        self,
        folder: Path,
        url: str,
        main: Session | None = None,
        histories: Sequence[Session] = (),
        workspace: Path | None = None,
    ) -> None:
        self.trial = self.scenario = folder.name
        self.workspace = workspace or folder / "workspace"
        self.state_dir = folder / "state"
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.state_dir.mkdir(parents=True)
        self.main = main or session("main")
        self.histories = tuple(histories)
        self.endpoint = Endpoint(url=url, key=KEY, model="the-model")
        self.isolation = 1
        self.seed = 0
        self.options = {}
        self.deadline = 60.0
        self.log = logging.getLogger("test")
        self.children: list[Process] = []

    def _command(self, argv, env, cwd, stdin=PIPE, lines=False) -> Command:
        extra = {"HOME": str(self.state_dir), "NO_PROXY": "127.0.0.1,localhost", **(env or {})}
        return Command(
            tuple(argv),
            env=environment(extra=extra),
            cwd=cwd or self.workspace,
            stdin=stdin,
            lines=lines,
            marker="test",
        )

    async def spawn(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
        lines: bool = False,
    ) -> Process:
        assert all(path.exists() for path in readable)
        self.children.append(await start(self._command(argv, env, cwd, lines=lines)))
        return self.children[-1]

    async def lines(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
    ) -> LineChild:
        return LineChild(await self.spawn(argv, env=env, readable=readable, cwd=cwd, lines=True))

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
        return await run(self._command(argv, env, cwd, stdin=stdin), deadline)


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
