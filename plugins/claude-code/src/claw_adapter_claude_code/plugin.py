"""What this distribution brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.hooks import hookimpl

if TYPE_CHECKING:
    from claw_adapter.harness import Harness


@hookimpl
def claw_harness() -> type[Harness]:
    """Claude Code."""
    from claw_adapter_claude_code.adapter import ClaudeCode

    return ClaudeCode
