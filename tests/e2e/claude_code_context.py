"""The trial context for driving the real Claude Code, and what tests of it share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn, say

from claw_adapter.harness import TurnResult
from claw_adapter_claude_code.adapter import ClaudeCode
from support.sessions import session
from support.trials import KEY, RealContext

__all__ = [
    "KEY",
    "Context",
    "Reply",
    "TalkingEndpoint",
    "in_turn",
    "real",
    "said",
    "say",
    "session",
    "talk",
]


class Context(RealContext):
    """A trial of Claude Code."""

    deadline_seconds = 120


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


real = pytest.mark.real("claude-code")
