"""What this distribution brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.hooks import hookimpl

if TYPE_CHECKING:
    from claw_adapter.upstream import Upstream


@hookimpl
def claw_upstream() -> type[Upstream]:
    """A vLLM server."""
    from claw_adapter_vllm.upstream import Vllm

    return Vllm
