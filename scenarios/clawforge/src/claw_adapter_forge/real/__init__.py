"""Real and hybrid modes: the world's ``openclaw`` branch is the real program, in a state directory of its own.

It runs inside the sandbox without a network, in hybrid mode beside its own gateway. Effects are read from its state, never
from what it says.
"""

from __future__ import annotations

from claw_adapter_forge.real.backend import RealWorld

__all__ = ["RealWorld"]
