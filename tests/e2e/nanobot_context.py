"""The trial context for driving the real NanoBot, and what tests of it share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.sessions import session
from support.trials import KEY, ROOT, FolderContext

__all__ = ["KEY", "ROOT", "SmallContext", "real", "session"]


class SmallContext(FolderContext):
    """A trial of NanoBot."""

    harness = "nanobot"


real = pytest.mark.real("nanobot")
