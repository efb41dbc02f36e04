"""What an installation says while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

__all__ = ["OnProgress", "Phase"]


class Phase(StrEnum):
    """What an installation is doing."""

    WAIT = "waiting for another installation"
    CLEAN = "removing what an earlier attempt left"
    ENVIRONMENT = "making the environment"
    PACKAGES = "installing packages"
    DOWNLOAD = "downloading"
    COPY = "copying"
    CHECK = "checking"
    DONE = "done"


OnProgress = Callable[[Phase], None]
