"""The trial context for driving the real NanoBot, and what tests of it share."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from claw_adapter_nanobot.adapter import REMEDY, NanoBot
from support.sessions import session
from support.trials import KEY, ROOT, FolderContext, missing, unless

__all__ = ["KEY", "ROOT", "SmallContext", "not_installed", "real", "session"]


class SmallContext(FolderContext):
    """A trial of NanoBot."""

    harness = "nanobot"


@functools.cache
def not_installed() -> str:
    """Why the real NanoBot cannot be driven here; empty if it can."""
    return missing(NanoBot(), REMEDY)


real = unless(not_installed)
