"""Shim mode: the world as programs on PATH, so that a real harness works in it with its own tools.

One server per episode on a Unix socket, tiny clients for every program, the step budget on the server, the world's files as a
real directory.
"""

from __future__ import annotations

from claw_adapter_forge.shim.world import ShimWorld

__all__ = ["ShimWorld"]
