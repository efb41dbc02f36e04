"""ClawForge: stateful command-line worlds whose tasks are proven before they ship."""

from __future__ import annotations

__all__ = ["GENERATOR_VERSION", "__version__"]

__version__ = "0.1.0"

GENERATOR_VERSION = "forge/2"
"""Changes whenever the same seed would give different tasks."""
