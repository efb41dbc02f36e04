"""What this distribution brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.hooks import hookimpl

if TYPE_CHECKING:
    from claw_adapter.harness import Harness


@hookimpl
def claw_harness() -> type[Harness]:
    """OpenClaw."""
    from claw_adapter_openclaw.adapter import OpenClaw

    return OpenClaw
