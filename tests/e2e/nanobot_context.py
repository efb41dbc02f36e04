"""The trial context for driving the real NanoBot, and what tests of it share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.sessions import session
from support.trials import KEY, ROOT
from support.trials import RealContext as SmallContext

__all__ = ["KEY", "ROOT", "SmallContext", "real", "session"]

real = pytest.mark.real("nanobot")
