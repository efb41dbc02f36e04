"""The runner's own trial context for driving the real Claude Code, and what tests of it share."""

from __future__ import annotations

import functools
import os
import secrets
import sys
from pathlib import Path

import pytest

from claw_adapter.drivers import Process
from claw_adapter.harness import Message, Session, TurnResult
from claw_adapter.protocol import HarnessSpec, ModelSpec, RunSettings, TrialSpec
from claw_adapter.runner.context import Address, RunnerContext
from claw_adapter_claude_code.adapter import ClaudeCode
from claw_adapter_claude_code.program import REMEDY

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_endpoint import Reply, ScriptedEndpoint, in_turn, say

__all__ = [
    "KEY",
    "Context",
    "Reply",
    "ScriptedEndpoint",
    "in_turn",
    "not_installed",
    "real",
    "said",
    "say",
    "session",
    "talk",
]

ROOT = Path(__file__).parents[2]
KEY = "sk-trial-only"


class Context(RunnerContext):
    """Workspace and state under one folder; remembers what it started."""

    def __init__(
        self,
        folder: Path,
        url: str,
        main: Session | None = None,
        *,
        workspace: Path | None = None,
        isolation: int = 1,
        socket: Path = Path("/nowhere"),
        key: str = KEY,
    ) -> None:
        workspace, state = workspace or folder / "workspace", folder / "state"
        workspace.mkdir(parents=True, exist_ok=True)
        state.mkdir(parents=True)
        spec = TrialSpec(
            id=folder.name,
            scenario="s",
            harness=HarnessSpec(name="claude-code", label="claude-code"),
            model=ModelSpec(name="the-model", kind="scripted"),
            settings=RunSettings(isolation=isolation, deadline=120),
        )
        self.children: list[Process] = []
        super().__init__(
            spec,
            workspace=workspace,
            state_dir=state,
            main=main or session("main"),
            histories=(),
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


async def talk(ctx: Context, *prompts: str, **options) -> list[TurnResult]:
    """Say these prompts in one conversation."""
    async with await ClaudeCode(**options).open(ctx) as conversation:
        return [await conversation.send(prompt, 60) for prompt in prompts]


def said(request) -> list[tuple[str, str]]:
    """Role and text of each message, without what Claude Code puts in by itself: reminders, and messages of role system."""
    return [(m["role"], text) for m in request["messages"] if m["role"] != "system" and (text := _text(m["content"]))]


def _text(content) -> str:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    kept = []
    for block in blocks:
        if block["type"] == "tool_result":
            inner = block["content"]
            kept.append(inner if isinstance(inner, str) else "".join(part["text"] for part in inner))
        elif block["type"] == "text" and not block["text"].startswith("<system-reminder>"):
            kept.append(block["text"])
    return "\n".join(kept)


@functools.cache
def not_installed() -> str:
    """Why the real Claude Code cannot be driven here; empty if it can. Looks into the checkout's .claw too."""
    if not os.environ.get("CLAW_HOME") and (ROOT / ".claw" / "frameworks").is_dir():
        os.environ["CLAW_HOME"] = str(ROOT / ".claw")
    probe = ClaudeCode().probe()
    return "" if probe.ready else f"{probe.reason}; run: {REMEDY}"


def real(function):
    """Mark a test that drives the real Claude Code."""
    reason = not_installed()
    return pytest.mark.real(pytest.mark.skipif(bool(reason), reason=reason)(function))
