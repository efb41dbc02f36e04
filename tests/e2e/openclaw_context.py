"""The runner's own trial context for driving the real OpenClaw, at isolation 1 or 2."""

from __future__ import annotations

import functools
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

import pytest

from claw_adapter.drivers import Process
from claw_adapter.harness import Message, Session
from claw_adapter.protocol import HarnessSpec, ModelSpec, RunSettings, TrialSpec
from claw_adapter.runner.context import Address, RunnerContext
from claw_adapter_openclaw.adapter import REMEDY, OpenClaw

ROOT = Path(__file__).parents[2]
KEY = "sk-trial-only"
OPEN_SECONDS = 300
"""A gateway starts in 10 s; several at once on a busy machine take minutes, and how fast is not what these tests tell."""


class Context(RunnerContext):
    """Workspace and state under one folder; remembers what it started."""

    def __init__(
        self,
        folder: Path,
        url: str,
        main: Session | None = None,
        histories: Sequence[Session] = (),
        *,
        isolation: int = 1,
        socket: Path = Path("/nowhere"),
        key: str = KEY,
    ) -> None:
        workspace, state = folder / "workspace", folder / "state"
        workspace.mkdir(parents=True, exist_ok=True)
        state.mkdir()
        spec = TrialSpec(
            id=folder.name,
            scenario="s",
            harness=HarnessSpec(name="openclaw", label="openclaw"),
            model=ModelSpec(name="the-model", kind="scripted"),
            settings=RunSettings(isolation=isolation, deadline=OPEN_SECONDS),
        )
        self.children: list[Process] = []
        super().__init__(
            spec,
            workspace=workspace,
            state_dir=state,
            main=main or session("main"),
            histories=tuple(histories),
            address=Address(url, socket),
            key=key,
            marker=f"test-{secrets.token_hex(4)}",
        )

    async def spawn(self, argv, **more) -> Process:
        self.children.append(await super().spawn(argv, **more))
        return self.children[-1]


def session(name: str, *texts: str, **fields) -> Session:
    """A session of alternating user and assistant messages."""
    roles = ("user", "assistant")
    messages = [Message(id=f"{name}-{i}", role=roles[i % 2], text=text) for i, text in enumerate(texts)]
    return Session(id=name, messages=tuple(messages), **fields)


def said(request) -> list[tuple[str, str]]:
    """Role and text of each message, without OpenClaw's own additions: system prompt, time, runtime line, context block."""
    return [(m["role"], cleaned(m)) for m in request["messages"][1:] if "OPENCLAW_INTERNAL_CONTEXT" not in str(m)]


def cleaned(message) -> str:
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "\n".join(part.get("text", "") for part in content)
    first = content.split("\n\nRuntime: agent=")[0]
    if message["role"] == "user" and first.startswith("[") and " UTC] " in first[:40]:
        first = first.split(" UTC] ", 1)[1]
    return first


@functools.cache
def not_installed() -> str:
    """Why the real OpenClaw cannot be driven here; empty if it can. Looks into the checkout's .claw too."""
    if not os.environ.get("CLAW_HOME") and (ROOT / ".claw" / "frameworks").is_dir():
        os.environ["CLAW_HOME"] = str(ROOT / ".claw")
    probe = OpenClaw().probe()
    return "" if probe.ready else f"{probe.reason}; run: {REMEDY}"


def real(function):
    """Mark a test that drives the real OpenClaw."""
    reason = not_installed()
    return pytest.mark.real(pytest.mark.skipif(bool(reason), reason=reason)(function))
