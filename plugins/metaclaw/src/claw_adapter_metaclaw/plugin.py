"""What this distribution brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.hooks import hookimpl

if TYPE_CHECKING:
    from claw_adapter.overlay import Overlay


@hookimpl
def claw_overlay() -> type[Overlay]:
    """MetaClaw."""
    from claw_adapter_metaclaw.adapter import MetaClaw

    return MetaClaw
