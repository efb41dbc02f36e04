"""The trial context for driving the real OpenClaw, at isolation 1 or 2, and what tests of it share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.sessions import session
from support.trials import KEY, RealContext

__all__ = ["KEY", "OPEN_SECONDS", "Context", "cleaned", "real", "said", "session"]

OPEN_SECONDS = 300
"""A gateway starts in 10 s; several at once on a busy machine take minutes, and how fast is not what these tests tell."""


class Context(RealContext):
    """A trial of OpenClaw."""

    deadline_seconds = OPEN_SECONDS


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


real = pytest.mark.real("openclaw")
