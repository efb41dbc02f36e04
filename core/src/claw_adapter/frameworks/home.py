"""Where installed frameworks live: nothing is ever put anywhere else."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["claw_home", "environment_path", "frameworks_home"]


def claw_home() -> Path:
    """``$CLAW_HOME``, else the user's data folder for ``claw-adapter``; not created here.

    Without links in its path: programs that are installed there name their place so, and level 2 shows them nothing else.
    """
    if chosen := os.environ.get("CLAW_HOME"):
        return Path(chosen).expanduser().resolve()
    from platformdirs import user_data_path

    return user_data_path("claw-adapter").resolve()


def frameworks_home(home: Path | None = None) -> Path:
    """The folder that holds one environment per framework and version; without links, as `claw_home`."""
    return ((home or claw_home()) / "frameworks").resolve()


def environment_path(name: str, version: str, home: Path | None = None) -> Path:
    """Where the environment of one version of a framework is, whether it is installed or not; without links, as `claw_home`."""
    return (frameworks_home(home) / f"{name}-{version}").resolve()
