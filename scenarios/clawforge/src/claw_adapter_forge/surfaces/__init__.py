"""The command surfaces: declared once as a grammar, run against a world."""

from __future__ import annotations

from claw_adapter_forge.surfaces.shell import Execution, execute, execute_words

__all__ = ["Execution", "execute", "execute_words"]
